// Costs of scans. Whatever its conditions are, a scan reads the first page of every group; or, if it uses the band
// directory, the first pages of the uncovered groups and one leaf for each band. PostgreSQL itself charges for the rows
// that the scan returns.
#include <algorithm>

#include "core/sketch/bands.hpp"
#include "pg/base/settings.hpp"
#include "pg/sketch/gist_cost.hpp"
#include "pg/sketch/sketch.hpp"

extern "C" {
#include "access/genam.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/spccache.h"
}

namespace txtfp::pg {

namespace {

// Processor time in units of cpu_operator_cost, scaled so that a sequential scan of a cached table costs what
// PostgreSQL estimates for it; bench/sketch.sh measures them.
constexpr double per_page = 72;             // reading a cached page
constexpr double per_byte = 0.022;          // comparing a byte of a signature
constexpr double per_byte_alone = 0.11; // the same for LavinHash
constexpr double bytes_of_terms = 8;        // of sets of terms: a typical probe reads this many bytes for each row
constexpr double per_lookup = 400;          // reading a row in the other pages of its group
constexpr double per_table_page = 72;       // reading a page of a band table; every search reads different ones
constexpr double per_false_candidate = 100; // excluding a row that has too few bands in common with the probe
// The cost of a cached page as a fraction of PostgreSQL's cost of a page from disk.
constexpr double cached_share = 0.02;

constexpr double below_gist = 0.5; // so much that the planner tells them apart

constexpr Cost impossible = 1e100;

// Works for hypothetical indexes, too.
const SketchClass &class_of(const IndexOptInfo &index)
{
	const int last = index.nkeycolumns - 1;
	const Oid function = get_opfamily_proc(index.opfamily[last], index.opcintype[last], index.opcintype[last], 1);
	FmgrInfo info;
	fmgr_info(function, &info);
	if (index.opclassoptions != nullptr && index.opclassoptions[last] != nullptr)
		set_fn_opclass_options(&info, index.opclassoptions[last]);
	return sketch_class_of(FunctionCall1(&info, (Datum) 0), index.nkeycolumns);
}

// The number of bands that the conditions require, as far as their limits are known at planning time; 0 if the
// directory cannot serve them.
int required_bands(PlannerInfo *root, const IndexPath &path, const SketchClass &type, int bands, double recall)
{
	// an ordered search that ends where the directory does
	int required = path.indexorderbys != NIL && recall < 1 && !sketch_order_all ? 1 : 0;
	ListCell *cell;
	foreach (cell, path.indexclauses) {
		const auto *index_clause = (const IndexClause *) lfirst(cell);
		if (index_clause->indexcol < type.layout.keys)
			continue;
		ListCell *inner;
		foreach (inner, index_clause->indexquals) {
			const auto *clause = (const OpExpr *) ((RestrictInfo *) lfirst(inner))->clause;
			if (!IsA(clause, OpExpr))
				continue;
			const int strategy = get_op_opfamily_strategy(clause->opno, path.indexinfo->opfamily[type.layout.keys]);
			Node *argument = estimate_expression_value(root, (Node *) lsecond(clause->args));
			const int limit = type.planned_limit(static_cast<StrategyNumber>(strategy), argument);
			if (limit >= 0)
				required = std::max(required,
					core::needed_bands(bands, type.slots, limit, strategy == strategy_sketch_exact ? 1 : recall));
		}
	}
	return required;
}

// The amount of work of a search: groups visited, pages of band tables read, candidates excluded.
struct Work {
	bool by_bands;
	double groups, table_pages, false_candidates;
};

// A search that finds the rows of equal leading columns visits at most one in this many groups.
constexpr double key_share = 4;
// How many times as many groups as they fill the rows of equal leading columns are in: CREATE INDEX sorts them, later
// writers do not.
constexpr double key_spread = 1.25;
// An ordering without a condition returns the rows that are similar to the probe after reading the first pages of all
// groups. All other rows are about equally far from it: before it returns the first of them, it reads the other pages,
// too, and compares every row again. A filter on another column makes it go so far. For each further page of a group,
// this takes as long as the first pages, times:
constexpr double per_further_page = 2;

// The share of rows that fulfil the conditions on leading columns; 1 if there are none. Sets `has_others` if there are
// other conditions.
double key_selectivity(PlannerInfo *root, const IndexPath &path, const SketchClass &type, bool *has_others)
{
	List *clauses = NIL;
	ListCell *cell;
	*has_others = false;
	foreach (cell, path.indexclauses) {
		auto *clause = (IndexClause *) lfirst(cell);
		if (clause->indexcol < type.layout.keys)
			clauses = lappend(clauses, clause->rinfo);
		else
			*has_others = true;
	}
	return clauses == NIL
		? 1
		: clauselist_selectivity(root, clauses, static_cast<int>(path.indexinfo->rel->relid), JOIN_INNER, nullptr);
}

// The work of a search through the leading columns, given the numbers of uncovered groups and of tables. Returns all
// groups if it is not possible.
Work work_by_keys(const IndexOptInfo &info, const core::SketchLayout &layout, double share, const Work &all,
	double uncovered, double tables)
{
	const double rows = share * std::max(info.tuples, 1.0), filled = rows / layout.rows;
	const double groups = std::min(rows, key_spread * filled + 1);
	if (tables == 0 || groups > all.groups / key_share)
		return all;
	return {false, groups + uncovered, 3 * tables + rows / static_cast<double>(core::leaf_capacity(BLCKSZ)), 0};
}

// `index` is null if the index is hypothetical.
Work work_of(
	PlannerInfo *root, const IndexPath &path, Relation index, const SketchClass &type, double key_share_of_rows)
{
	const IndexOptInfo &info = *path.indexinfo;
	Work all{false, std::max(1.0, static_cast<double>(info.pages - 1) / type.layout.pages), 0, 0};
	if ((type.slots == 0 && type.layout.keys == 0) || index == nullptr)
		return all;
	SketchMap *map = read_map(index);
	const core::SketchDirectory &directory = map->directory;
	const int bands = directory.bands;
	const double recall = recall_in_force(index);
	const int needed = bands == 0 || directory.tables == 0 ? 0 : required_bands(root, path, type, bands, recall);
	double uncovered = 0, tables = 0;
	all.groups = 0;
	for_each_segment(*map, [&](std::uint32_t first, std::uint32_t end, std::uint32_t label) {
		uncovered += core::is_uncovered(directory, label) ? end - first : 0;
		all.groups += core::is_group(label) ? end - first : 0;
	});
	const int read = bands - needed + std::min(needed, 2);
	Work by_bands{needed > 0, uncovered, 0, 0.5 * read};
	for (std::size_t i = 0; i < directory.tables; ++i)
		if (directory.table[i].live != 0 && directory.table[i].leaves > 0) {
			++tables;
			by_bands.table_pages += 1 + std::min<double>(directory.table[i].fences, bands) + read;
		}
	pfree(map);
	const Work by_keys =
		key_share_of_rows < 1 ? work_by_keys(info, type.layout, key_share_of_rows, all, uncovered, tables) : all;
	return needed > 0 && by_bands.groups + by_bands.table_pages < by_keys.groups + by_keys.table_pages ? by_bands
																									   : by_keys;
}

// The number of bytes of a signature that a scan reads in the first page. Of a MinHash sketch these are two planes for
// a condition and four for an ordering.
double bytes_compared(const core::SketchLayout &layout, bool ordered)
{
	if (layout.planes > 0)
		return bytes_of_terms;
	return layout.pages > 1 ? (ordered ? 4.0 : 2.0) * layout.field[0].size : layout.signature_size;
}

} // namespace

void sketch_cost_estimate(PlannerInfo *root, IndexPath *path, double loops, Cost *startup, Cost *total,
	Selectivity *selectivity, double *correlation, double *pages)
{
	const IndexOptInfo &index = *path->indexinfo;
	GenericCosts costs = {};
	genericcostestimate(root, path, loops, &costs);                                        // for the selectivity
	Relation relation = index.hypothetical ? nullptr : index_open(index.indexoid, NoLock); // locked by the planner
	// what the relation caches, the scan needs, too
	const SketchClass &type = relation == nullptr ? class_of(index) : sketch_class(relation);
	const core::SketchLayout &layout = type.layout;
	bool has_conditions; // on the fingerprint
	const double key_share_of_rows = key_selectivity(root, *path, type, &has_conditions);
	const Work work = work_of(root, *path, relation, type, key_share_of_rows);
	if (relation != nullptr)
		index_close(relation, NoLock);
	const double groups = work.groups, visited = std::min(groups * layout.rows, std::max(index.tuples, 1.0));
	const double rows = std::max(index.tuples, 1.0), found = costs.indexSelectivity * rows;
	double random_page, sequential_page;
	get_tablespace_page_costs(index.reltablespace, &random_page, &sequential_page);
	const double cached = std::min(1.0, static_cast<double>(effective_cache_size) / std::max<double>(1, index.pages));
	const double page_in_cache = sequential_page * cached_share;
	const double page = random_page * (1 - cached) + page_in_cache * cached;
	const bool ordered = path->indexorderbys != NIL;
	// PostgreSQL does not look whether workers can compute what an index orders by. They do not know the values of an
	// outer query, as of a LATERAL join, and would read them from nowhere.
	if (ordered && !is_parallel_safe(root, (Node *) path->indexorderbys))
		path->path.parallel_safe = false;
	const double byte = layout.kind->one_by_one ? per_byte_alone : per_byte;
	const bool by_planes = layout.planes > 0; // each search reads all pages of a group
	// Every search by bands reads the uncovered groups, so these stay in the cache.
	const double group_page = work.by_bands ? page_in_cache : page;
	double scan = groups * (by_planes ? layout.pages : 1) * (group_page + per_page * cpu_operator_cost) +
		visited * bytes_compared(layout, ordered) * byte * cpu_operator_cost;
	scan += work.table_pages * (page + per_table_page * cpu_operator_cost) +
		work.false_candidates * per_false_candidate * cpu_operator_cost;
	if (ordered && !has_conditions && !by_planes && !work.by_bands)
		scan += per_further_page * (layout.pages - 1) * scan +
			(layout.kind->one_by_one ? key_share_of_rows * rows * per_lookup * cpu_operator_cost
														: 0);
	const double rest =
		layout.pages > 1 && !by_planes && (has_conditions || ordered) ? found * per_lookup * cpu_operator_cost : 0;
	*startup = costs.indexStartupCost + (ordered ? scan : 0);
	*total = costs.indexStartupCost + scan + (work.by_bands ? rest : std::min(rest, (layout.pages - 1) * scan));
	if (Cost gist_startup, gist_total; by_planes && estimate_gist(root, *path, loops, &gist_startup, &gist_total)) {
		*startup = std::min(*startup, below_gist * gist_startup);
		*total = std::min(*total, below_gist * gist_total);
	}
	// PostgreSQL considers an index-only scan if a query needs no column. The access method does not support it,
	// because nothing keeps vacuum from removing rows between the index and the visibility map.
	if (path->path.pathtype == T_IndexOnlyScan) {
		*startup = *total = impossible;
#if PG_VERSION_NUM >= 180000
		path->path.disabled_nodes += 1000; // the planner compares the number of disabled nodes before costs
#endif
	}
	*selectivity = costs.indexSelectivity;
	*correlation = 0;
	*pages = groups + work.table_pages;
}

} // namespace txtfp::pg
