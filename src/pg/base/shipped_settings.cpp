#include "pg/base/shipped_settings.hpp"

#include <string_view>

#include "pg/base/distributed.hpp"
#include "pg/base/guard.hpp"
#include "pg/base/settings.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/planner.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
}

namespace txtfp::pg {

namespace {

planner_hook_type previous_planner;

struct Threshold {
	std::string_view type; // the names of its types begin so
	SearchSetting setting;
	const char *name, *instead;
};
constexpr Threshold thresholds[] = {
	{"minhash", SearchSetting::jaccard, "txtfp.jaccard_threshold", "minhash_similar(a, b, threshold)"},
	{"simhash64", SearchSetting::hamming, "txtfp.hamming_threshold", "simhash_similar(a, b, max_distance)"},
	{"tlsh", SearchSetting::tlsh, "txtfp.tlsh_threshold", "tlsh_similar(a, b, max_distance)"},
	{"lavinhash", SearchSetting::lavinhash, "txtfp.lavinhash_threshold", "lavinhash_similar(a, b, min_score)"}};

const Threshold *threshold_of(Oid type)
{
	HeapTuple row = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	if (!HeapTupleIsValid(row))
		return nullptr;
	const Threshold *found = nullptr;
	const std::string_view name = NameStr(((Form_pg_type) GETSTRUCT(row))->typname);
	for (const Threshold &threshold : thresholds)
		if (name.starts_with(threshold.type) && !name.ends_with("_probe"))
			found = &threshold;
	ReleaseSysCache(row);
	return found;
}

// What a query and its sub-queries have.
struct Found {
	bool is_distributed, compares_minhash;
	const Threshold *threshold; // changed, and read by an operator %
};

void look_at_operator(Oid function, Oid operator_oid, List *args, Found &found)
{
	if (list_length(args) < 2 || function == InvalidOid)
		return;
	const Threshold *left = threshold_of(exprType((Node *) linitial(args)));
	found.compares_minhash |= left != nullptr && left->setting == SearchSetting::jaccard;
	if (left == nullptr || !OidIsValid(operator_oid) || left != threshold_of(exprType((Node *) lsecond(args))))
		return;
	const char *name = get_opname(operator_oid);
	if (name != nullptr && strcmp(name, "%") == 0 && is_changed(left->setting))
		found.threshold = left;
}

#if PG_VERSION_NUM >= 160000
using Walker = tree_walker_callback;
#else
using Walker = bool (*)(); // declared as C once did
#endif

bool look(Node *node, void *context)
{
	const auto walker = reinterpret_cast<Walker>(reinterpret_cast<void *>(look));
	auto &found = *static_cast<Found *>(context);
	if (node == nullptr)
		return false;
	if (IsA(node, Query)) {
		auto *query = (Query *) node;
		ListCell *cell;
		foreach (cell, query->rtable) {
			const auto *entry = (const RangeTblEntry *) lfirst(cell);
			found.is_distributed |= entry->rtekind == RTE_RELATION && placement_of(entry->relid) == Placement::shards;
		}
		return query_tree_walker(query, walker, context, 0);
	}
	if (IsA(node, OpExpr))
		look_at_operator(((OpExpr *) node)->opfuncid, ((OpExpr *) node)->opno, ((OpExpr *) node)->args, found);
	else if (IsA(node, FuncExpr))
		look_at_operator(((FuncExpr *) node)->funcid, InvalidOid, ((FuncExpr *) node)->args, found);
	return expression_tree_walker(node, walker, context);
}

bool any_is_changed()
{
	bool changed = is_changed(SearchSetting::recall);
	for (const Threshold &threshold : thresholds)
		changed |= is_changed(threshold.setting);
	return changed;
}

void warn(const char *setting, const char *instead)
{
	ereport(WARNING,
		(errmsg("%s of this session does not apply to the shards of a distributed table", setting),
			errdetail("Citus sends the condition to the servers that have the rows, but not the setting."),
			errhint(
				"%s, or use SET LOCAL in a transaction block with citus.propagate_set_commands = 'local'.", instead)));
}

PlannedStmt *watch(Query *query, const char *text, int options, ParamListInfo parameters)
{
	warn_of_settings(*query);
	return previous_planner != nullptr ? previous_planner(query, text, options, parameters)
									   : standard_planner(query, text, options, parameters);
}

} // namespace

void warn_of_settings(const Query &query)
{
	static TimestampTz warned_at;
	if (!any_is_changed() || warned_at == GetCurrentStatementStartTimestamp())
		return;
	Found found{};
	look((Node *) &query, &found);
	const bool recall = found.compares_minhash && is_changed(SearchSetting::recall);
	if (!found.is_distributed || (found.threshold == nullptr && !recall))
		return;
	warned_at = GetCurrentStatementStartTimestamp();
	if (found.threshold != nullptr)
		warn(found.threshold->name, psprintf("Use %s", found.threshold->instead));
	if (recall)
		warn("txtfp.sketch_recall", "Create the index with the recall that you need");
}

void watch_shipped_settings()
{
	previous_planner = planner_hook;
	planner_hook = watch;
}

} // namespace txtfp::pg
