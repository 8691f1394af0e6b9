#include "pg/base/shipped_settings.hpp"

#include <string_view>

#include "pg/base/distributed.hpp"
#include "pg/base/guard.hpp"
#include "pg/base/settings.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "foreign/foreign.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/planner.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
#include "utils/varlena.h"
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
	bool is_distributed, is_foreign, compares_minhash;
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

// Whether postgres_fdw sends functions of the extension to the server of a foreign table: its option `extensions` says
// so. It never sends `%`.
bool sends_functions(Oid foreign_table)
{
	const ForeignServer *server = GetForeignServer(GetForeignTable(foreign_table)->serverid);
	ListCell *cell;
	foreach (cell, server->options) {
		auto *option = (DefElem *) lfirst(cell);
		List *names = NIL;
		if (strcmp(option->defname, "extensions") != 0 ||
			!SplitIdentifierString(pstrdup(defGetString(option)), ',', &names))
			continue;
		ListCell *name;
		foreach (name, names)
			if (strcmp((const char *) lfirst(name), "txtfp") == 0)
				return true;
	}
	return false;
}

// Of a table or of one of its partitions.
bool has_foreign_rows(Oid table, char relkind)
{
	if (relkind == RELKIND_FOREIGN_TABLE)
		return sends_functions(table);
	if (relkind != RELKIND_PARTITIONED_TABLE && !has_subclass(table))
		return false;
	ListCell *cell;
	foreach (cell, find_all_inheritors(table, NoLock, nullptr))
		if (get_rel_relkind(lfirst_oid(cell)) == RELKIND_FOREIGN_TABLE && sends_functions(lfirst_oid(cell)))
			return true;
	return false;
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
			if (entry->rtekind != RTE_RELATION)
				continue;
			found.is_distributed |= placement_of(entry->relid) == Placement::shards;
			found.is_foreign |= has_foreign_rows(entry->relid, entry->relkind);
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

void warn_of_foreign_recall()
{
	ereport(WARNING,
		(errmsg("txtfp.sketch_recall of this session does not apply to foreign tables"),
			errdetail("postgres_fdw sends the condition to the servers that have the rows, but not the setting."),
			errhint(
				"Create the index with the recall that you need, or set the parameter for the role or the database on "
				"these servers.")));
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
	const Threshold *threshold = found.is_distributed ? found.threshold : nullptr;
	if (threshold == nullptr && !(recall && (found.is_distributed || found.is_foreign)))
		return;
	warned_at = GetCurrentStatementStartTimestamp();
	if (threshold != nullptr)
		warn(threshold->name, psprintf("Use %s", threshold->instead));
	if (recall && found.is_distributed)
		warn("txtfp.sketch_recall", "Create the index with the recall that you need");
	else if (recall)
		warn_of_foreign_recall();
}

void watch_shipped_settings()
{
	previous_planner = planner_hook;
	planner_hook = watch;
}

} // namespace txtfp::pg
