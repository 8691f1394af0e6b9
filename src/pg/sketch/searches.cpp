// What searches have done in an index: fingerprint_index_info tells it for this session, and EXPLAIN (ANALYZE)
// for a node of a plan.
#include "pg/base/settings.hpp"
#include "pg/sketch/scan.hpp"

extern "C" {
#if PG_VERSION_NUM >= 180000
#include "commands/explain.h"
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#include "utils/lsyscache.h"
#endif
#include "nodes/execnodes.h"
#include "utils/hsearch.h"
}

namespace txtfp::pg {

namespace {

struct SessionCounts {
	Oid index; // the key
	SearchCounts counts;
};

HTAB *entries;

SessionCounts *entry_of(Oid index, HASHACTION action)
{
	if (entries == nullptr) {
		HASHCTL control{};
		control.keysize = sizeof(Oid);
		control.entrysize = sizeof(SessionCounts);
		entries = hash_create("counts of sketch indexes", 16, &control, HASH_ELEM | HASH_BLOBS);
	}
	bool found;
	auto *entry = static_cast<SessionCounts *>(hash_search(entries, &index, action, &found));
	if (entry != nullptr && !found)
		entry->counts = {};
	return entry;
}

#if PG_VERSION_NUM >= 180000

explain_per_node_hook_type previous_explain_hook;

// The scan of a node that searches an index of this access method; nullptr if it has not begun, or there is none.
IndexScanDesc sketch_scan_of(const PlanState *node)
{
	const IndexScanDesc scan = IsA(node, IndexScanState) ? ((const IndexScanState *) node)->iss_ScanDesc
		: IsA(node, BitmapIndexScanState)                ? ((const BitmapIndexScanState *) node)->biss_ScanDesc
														 : nullptr;
	return scan != nullptr && scan->indexRelation->rd_indam->amendscan == sketch_end_scan ? scan : nullptr;
}

// Does the search have a condition that makes it exact, whatever the recall is?
bool has_exact_condition(const IndexScan *plan, Relation index)
{
	const ListCell *cell;
	foreach (cell, plan->indexqual) {
		const auto *condition = (const OpExpr *) lfirst(cell);
		if (!IsA(condition, OpExpr))
			continue;
		const Oid family = index->rd_opfamily[((const Var *) linitial(condition->args))->varattno - 1];
		if (get_op_opfamily_strategy(condition->opno, family) == strategy_sketch_exact)
			return true;
	}
	return false;
}

// How a search in order finds the rows that are farther than the band directory serves; nullptr: it is exact, and reads
// them, or the node searches no such index.
const char *inexact_order(const PlanState *node)
{
	if (!IsA(node, IndexScanState) || ((const IndexScan *) node->plan)->indexorderby == NIL)
		return nullptr;
	const auto *plan = (const IndexScan *) node->plan;
	const Oid oid = plan->indexid;
	if (get_rel_relkind(oid) != RELKIND_INDEX) // it is hypothetical
		return nullptr;
	Relation index = index_open(oid, AccessShareLock);
	const bool is_inexact =
		is_sketch_index(index) && max_bands_of(sketch_class(index)) > 0 && recall_in_force(index) < 1 &&
		!has_exact_condition(plan, index);
	index_close(index, AccessShareLock);
	return !is_inexact ? nullptr : sketch_order_all ? "by bands, then all other rows" : "by bands alone";
}

void explain_node(
	PlanState *node, List *ancestors, const char *relationship, const char *plan_name, ExplainState *explain)
{
	if (previous_explain_hook != nullptr)
		previous_explain_hook(node, ancestors, relationship, plan_name, explain);
	if (const char *order = inexact_order(node); order != nullptr)
		ExplainPropertyText("Inexact Order", order, explain);
	const IndexScanDesc desc = explain->analyze ? sketch_scan_of(node) : nullptr;
	if (desc == nullptr)
		return;
	const auto &scan = *static_cast<const sketch_scan::Scan *>(desc->opaque);
	SearchCounts counts = scan.finished;
	add(counts, scan.counts);
	constexpr const char *labels[] = {"Searches by Bands", "Searches by Leading Columns", "Searches of All Groups",
		"Groups Read", "Rows Compared", "Rows Returned"};
	for (std::size_t i = 0; i < counts.size(); ++i)
		if (counts[i] > 0 || i >= groups_read || explain->format != EXPLAIN_FORMAT_TEXT)
			ExplainPropertyInteger(labels[i], nullptr, counts[i], explain);
}

#endif

} // namespace

void sketch_scan::add_counts(Relation index, const SearchCounts &counts)
{
	add(entry_of(RelationGetRelid(index), HASH_ENTER)->counts, counts);
}

SearchCounts session_searches(Relation index)
{
	const SessionCounts *entry = entry_of(RelationGetRelid(index), HASH_FIND);
	return entry == nullptr ? SearchCounts{} : entry->counts;
}

void explain_searches()
{
#if PG_VERSION_NUM >= 180000
	static bool is_installed = false;
	if (is_installed)
		return;
	is_installed = true;
	previous_explain_hook = explain_per_node_hook;
	explain_per_node_hook = explain_node;
#endif
}

} // namespace txtfp::pg
