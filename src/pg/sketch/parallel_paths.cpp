// Parallel plans. PostgreSQL divides the cost of reading the table by the number of workers, but not what an access
// method says that reading the index costs. For an index of this access method that is nearly all of the cost, so
// parallel plans would never seem worthwhile.
// A hook of the planner therefore adds a parallel path for each search that reads all groups, whose index cost is
// divided, too.
//
// PostgreSQL does not look whether workers can compute what an index orders by, because none of its own access methods
// scans in parallel and in the order of an operator. Workers do not know the values of an outer query, as of a LATERAL
// join. The hook therefore also takes back the parallel paths of such orderings.
#include "pg/sketch/sketch.hpp"

extern "C" {
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
}

namespace txtfp::pg {

namespace {

set_rel_pathlist_hook_type previous_hook;

bool is_sketch_path(const Path *path)
{
	if (!IsA(path, IndexPath) || path->pathtype != T_IndexScan)
		return false;
	const IndexOptInfo *index = ((const IndexPath *) path)->indexinfo;
	return reinterpret_cast<void *>(index->amcostestimate) == reinterpret_cast<void *>(sketch_cost_estimate) &&
		!index->hypothetical;
}

// How many processes work, as PostgreSQL estimates it: the leader has the less time for it, the more workers there are.
double processes(int workers)
{
	const double leader = parallel_leader_participation ? 1 - 0.3 * workers : 0;
	return workers + (leader > 0 ? leader : 0);
}

void add_parallel_path(PlannerInfo *root, RelOptInfo *rel, const IndexPath &serial)
{
	IndexPath *path = create_index_path(root, serial.indexinfo, serial.indexclauses, serial.indexorderbys,
		serial.indexorderbycols, serial.path.pathkeys, serial.indexscandir, false, nullptr, 1, true);
	if (path->path.parallel_workers <= 0 || !reads_all_groups())
		return;
	const double saved = 1 - 1 / processes(path->path.parallel_workers);
	path->path.startup_cost -= saved * path->path.startup_cost;
	path->path.total_cost -= saved * path->indextotalcost;
	add_partial_path(rel, &path->path);
}

bool is_serial(PlannerInfo *root, const Path *path)
{
	return is_sketch_path(path) && !is_parallel_safe(root, (Node *) ((const IndexPath *) path)->indexorderbys);
}

void remove_parallel_paths(PlannerInfo *root, RelOptInfo *rel)
{
	List *kept = NIL;
	ListCell *cell;
	foreach (cell, rel->partial_pathlist)
		if (!is_serial(root, (const Path *) lfirst(cell)))
			kept = lappend(kept, lfirst(cell));
	rel->partial_pathlist = kept;
	foreach (cell, rel->pathlist)
		if (auto *path = static_cast<Path *>(lfirst(cell)); is_serial(root, path))
			path->parallel_safe = false;
}

void add_parallel_paths(PlannerInfo *root, RelOptInfo *rel, Index number, RangeTblEntry *entry)
{
	if (previous_hook != nullptr)
		previous_hook(root, rel, number, entry);
	if (!rel->consider_parallel || entry->rtekind != RTE_RELATION)
		return;
	remove_parallel_paths(root, rel);
	if (rel->lateral_relids != nullptr || !IS_SIMPLE_REL(rel))
		return;
	ListCell *cell;
	foreach (cell, rel->pathlist)
		if (const auto *path = (const Path *) lfirst(cell);
			is_sketch_path(path) && path->param_info == nullptr && path->parallel_safe)
			add_parallel_path(root, rel, *(const IndexPath *) lfirst(cell));
}

} // namespace

void plan_parallel_scans()
{
	static bool is_installed = false;
	if (is_installed)
		return;
	is_installed = true;
	previous_hook = set_rel_pathlist_hook;
	set_rel_pathlist_hook = add_parallel_paths;
}

} // namespace txtfp::pg
