// Costs of scans. A scan looks at the first page of every group, whatever it looks for; what it finds is charged by PostgreSQL.
#include "pg/sketch/sketch.hpp"

#include <algorithm>

extern "C" {
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

constexpr Cost impossible = 1e100;

// Also of an index that is only imagined.
const core::SketchLayout &layout_of(const IndexOptInfo &index)
{
	const Oid function = get_opfamily_proc(index.opfamily[0], index.opcintype[0], index.opcintype[0], 1);
	return ((const SketchClass *) DatumGetPointer(OidFunctionCall1(function, (Datum) 0)))->layout;
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
	const core::SketchLayout &layout = layout_of(index);
	const double groups = std::max(1.0, static_cast<double>(index.pages - 1) / layout.pages);
	const double rows = std::max(index.tuples, 1.0), found = costs.indexSelectivity * rows;
	double random_page, sequential_page;
	get_tablespace_page_costs(index.reltablespace, &random_page, &sequential_page);
	const double cached = std::min(1.0, static_cast<double>(effective_cache_size) / std::max<double>(1, index.pages));
	const double page = random_page * (1 - cached) + sequential_page * cached * cached_share;
	const bool ordered = path->indexorderbys != NIL;
	const double byte = layout.kind == core::SketchKind::lavinhash ? per_lavinhash_byte : per_byte;
	double scan = groups * (page + per_page * cpu_operator_cost) +
		rows * bytes_compared(layout, ordered) * byte * cpu_operator_cost;
	if (ordered &&
		path->indexclauses == NIL) // that no other row is as near, the other pages may have to tell, or the table
		scan += 0.5 * (layout.pages - 1) * scan +
			(layout.kind == core::SketchKind::lavinhash ? rows * per_found * cpu_operator_cost : 0);
	const double rest = layout.pages > 1 ? found * per_found * cpu_operator_cost : 0;
	*startup = costs.indexStartupCost + (ordered ? scan : 0);
	*total = costs.indexStartupCost + scan + std::min(rest, (layout.pages - 1) * scan);
	// PostgreSQL considers it where a query needs no column. It would have to keep vacuum off the rows that it has read about.
	if (path->path.pathtype == T_IndexOnlyScan) {
		*startup = *total = impossible;
#if PG_VERSION_NUM >= 180000
		path->path.disabled_nodes += 1000; // what is disabled is avoided at any cost
#endif
	}
	*selectivity = costs.indexSelectivity;
	*correlation = 0;
	*pages = groups;
}

} // namespace txtfp::pg
