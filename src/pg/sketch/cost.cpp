// Costs of scans. A scan looks at the first page of every group, whatever it looks for, or of those that the band directory does not
// cover, and at one leaf for each band; what it finds is charged by PostgreSQL.
#include <algorithm>

#include "core/sketch/bands.hpp"
#include "pg/base/settings.hpp"
#include "pg/sketch/sketch.hpp"

extern "C" {
#include "access/genam.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/spccache.h"
}

namespace txtfp::pg {

namespace {

// In units of cpu_operator_cost, such that a look at every row of a cached table costs what PostgreSQL says; bench/sketch.sh measures
// them. Looking up a page that is cached; comparing a byte of a signature, of LavinHash and of the others; looking up a row in the
// other pages of its group.
constexpr double per_page = 36, per_byte = 0.011, per_lavinhash_byte = 0.11, per_found = 400;
// A page from disk costs as much as PostgreSQL says; one in memory this share of it.
constexpr double cached_share = 0.02;

// Of the pages of a table of the directory each search reads others. A row that shares a band and no more is soon found out.
constexpr double per_table_page = 72, per_stranger = 100;

constexpr Cost impossible = 1e100;

// Also of an index that is only imagined.
const SketchClass &class_of(const IndexOptInfo &index)
{
	const Oid function = get_opfamily_proc(index.opfamily[0], index.opcintype[0], index.opcintype[0], 1);
	return *(const SketchClass *) DatumGetPointer(OidFunctionCall1(function, (Datum) 0));
}

// The number of bands that the conditions demand, as far as their limits are known while planning; 0: none.
int bands_demanded(PlannerInfo *root, const IndexPath &path, const SketchClass &type, int bands, double recall)
{
	int most = 0;
	ListCell *cell;
	foreach (cell, path.indexclauses) {
		ListCell *inner;
		foreach (inner, ((IndexClause *) lfirst(cell))->indexquals) {
			const auto *clause = (const OpExpr *) ((RestrictInfo *) lfirst(inner))->clause;
			if (!IsA(clause, OpExpr))
				continue;
			const int strategy = get_op_opfamily_strategy(clause->opno, path.indexinfo->opfamily[0]);
			Node *argument = estimate_expression_value(root, (Node *) lsecond(clause->args));
			const int limit = type.planned_limit(static_cast<StrategyNumber>(strategy), argument);
			if (limit >= 0)
				most = std::max(most, core::needed_bands(bands, type.slots, limit, recall));
		}
	}
	return most;
}

// What a search reads.
struct Reading {
	bool by_bands;
	double groups, table_pages, strangers;
};

Reading reading_of(PlannerInfo *root, const IndexPath &path, const SketchClass &type)
{
	const IndexOptInfo &info = *path.indexinfo;
	Reading reading{false, std::max(1.0, static_cast<double>(info.pages - 1) / type.layout.pages), 0, 0};
	if (type.slots == 0 || info.hypothetical)
		return reading;
	Relation index = index_open(info.indexoid, NoLock); // locked by the planner
	SketchMap *map = read_map(index);
	const core::SketchDirectory &directory = map->directory;
	const int bands = directory.bands;
	const double recall = sketch_recall >= 0 ? sketch_recall : sketch_options(index, type).recall;
	const int needed = bands == 0 || directory.tables == 0 ? 0 : bands_demanded(root, path, type, bands, recall);
	reading.by_bands = needed > 0;
	reading.groups = 0;
	for_each_segment(*map, [&](std::uint32_t first, std::uint32_t end, std::uint32_t label) {
		if (reading.by_bands ? core::is_uncovered(directory, label) : core::is_group(label))
			reading.groups += end - first;
	});
	const int read = bands - needed + std::min(needed, 2);
	for (std::size_t i = 0; reading.by_bands && i < directory.tables; ++i)
		if (directory.table[i].live != 0 && directory.table[i].leaves > 0)
			reading.table_pages += 1 + std::min<double>(directory.table[i].fences, bands) + read;
	reading.strangers = reading.by_bands ? 0.5 * read : 0;
	pfree(map);
	index_close(index, NoLock);
	return reading;
}

// How much of a row's signature a scan looks at: of a MinHash sketch, two planes for a condition and four for an ordering.
double bytes_compared(const core::SketchLayout &layout, bool ordered)
{
	return layout.pages > 1 ? (ordered ? 4.0 : 2.0) * layout.field[0].size : layout.signature_size;
}

} // namespace

void sketch_cost_estimate(PlannerInfo *root, IndexPath *path, double loops, Cost *startup, Cost *total,
	Selectivity *selectivity, double *correlation, double *pages)
{
	const IndexOptInfo &index = *path->indexinfo;
	GenericCosts costs = {};
	genericcostestimate(root, path, loops, &costs); // for the selectivity
	const SketchClass &type = class_of(index);
	const core::SketchLayout &layout = type.layout;
	const Reading reading = reading_of(root, *path, type);
	const double groups = reading.groups, visited = std::min(groups * layout.rows, std::max(index.tuples, 1.0));
	const double rows = std::max(index.tuples, 1.0), found = costs.indexSelectivity * rows;
	double random_page, sequential_page;
	get_tablespace_page_costs(index.reltablespace, &random_page, &sequential_page);
	const double cached = std::min(1.0, static_cast<double>(effective_cache_size) / std::max<double>(1, index.pages));
	const double page = random_page * (1 - cached) + sequential_page * cached * cached_share;
	const bool ordered = path->indexorderbys != NIL;
	const double byte = layout.kind == core::SketchKind::lavinhash ? per_lavinhash_byte : per_byte;
	double scan = groups * (page + per_page * cpu_operator_cost) +
		visited * bytes_compared(layout, ordered) * byte * cpu_operator_cost;
	if (reading.by_bands)
		scan += reading.table_pages * (page + per_table_page * cpu_operator_cost) +
			reading.strangers * per_stranger * cpu_operator_cost;
	if (ordered &&
		path->indexclauses == NIL) // that no other row is as near, the other pages may have to tell, or the table
		scan += 0.5 * (layout.pages - 1) * scan +
			(layout.kind == core::SketchKind::lavinhash ? rows * per_found * cpu_operator_cost : 0);
	const double rest = layout.pages > 1 ? found * per_found * cpu_operator_cost : 0;
	*startup = costs.indexStartupCost + (ordered ? scan : 0);
	*total = costs.indexStartupCost + scan + (reading.by_bands ? rest : std::min(rest, (layout.pages - 1) * scan));
	// PostgreSQL considers it where a query needs no column. It would have to keep vacuum off the rows that it has read about.
	if (path->path.pathtype == T_IndexOnlyScan) {
		*startup = *total = impossible;
#if PG_VERSION_NUM >= 180000
		path->path.disabled_nodes += 1000; // what is disabled is avoided at any cost
#endif
	}
	*selectivity = costs.indexSelectivity;
	*correlation = 0;
	*pages = groups + reading.table_pages;
}

} // namespace txtfp::pg
