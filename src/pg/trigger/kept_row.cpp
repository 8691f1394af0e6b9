#include "pg/trigger/kept_row.hpp"

#include "pg/trigger/kept_row_options.hpp"
#include "pg/trigger/kept_statement.hpp"
#include "pg/trigger/search_scope.hpp"

extern "C" {
#include "access/table.h"
#include "access/tableam.h"
#include "access/tupconvert.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/typcache.h"
}

namespace txtfp::pg {

Datum row_as(Relation table, HeapTuple row, Oid type)
{
	TupleDesc columns = lookup_rowtype_tupdesc_copy(type, -1);
	if (TupleConversionMap *map = convert_tuples_by_name(RelationGetDescr(table), columns); map != nullptr)
		row = execute_attr_map_tuple(row, map);
	return heap_copy_tuple_as_datum(row, columns);
}

namespace {

// ---- rows

[[noreturn]] void report_concurrent_change(const char *change)
{
	ereport(ERROR,
		(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			errmsg("could not serialize access due to concurrent %s", change)));
	pg_unreachable();
}

RowState state_of(TM_Result result)
{
	switch (result) {
	case TM_Ok:
		return RowState::locked;
	case TM_WouldBlock:
		return RowState::busy;
	case TM_Updated:
	case TM_Deleted:
		if (IsolationUsesXactSnapshot())
			report_concurrent_change(result == TM_Updated ? "update" : "delete");
		return RowState::changed;
	default:
		elog(ERROR, "unexpected result %d of table_tuple_lock", result);
	}
	pg_unreachable();
}

Relation open_table_of(const SimilarRow &similar)
{
	Relation table = open_known_table(similar.stored_in, RowExclusiveLock);
	if (table->rd_rel->relkind == RELKIND_FOREIGN_TABLE)
		ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				errmsg("%s cannot change a row of foreign table \"%s\"", near_duplicate_trigger_name,
					RelationGetRelationName(table))));
	return table;
}

// The function of "merge" may have changed the row by itself. An UPDATE or DELETE would not find it, and its result or
// the new row would be lost.
void check_is_unchanged(Relation table, ItemPointerData place, const char *function)
{
	TupleTableSlot *slot = table_slot_create(table, nullptr);
	if (!table_tuple_fetch_row_version(table, &place, SnapshotSelf, slot))
		ereport(ERROR,
			(errcode(ERRCODE_TRIGGERED_DATA_CHANGE_VIOLATION),
				errmsg("function %s has changed a row of table \"%s\" that %s is about to change", function,
					RelationGetRelationName(table), near_duplicate_trigger_name),
				errhint("The function must leave this row alone, and return it as it shall be.")));
	ExecDropSingleTupleTableSlot(slot);
}

// ---- statements: $1 and $2 are the row's table and its place

constexpr const char *is_the_row = " WHERE t.tableoid OPERATOR(pg_catalog.=) $1 AND t.ctid OPERATOR(pg_catalog.=) $2";

const char *column_name(Oid table, AttrNumber number) { return quote_identifier(get_attname(table, number, false)); }

const char *count_text(const NearDuplicateCheck &check)
{
	const Oid table = check.searched.table;
	StringInfoData text;
	initStringInfo(&text);
	appendStringInfo(&text, "UPDATE %s AS t SET ", relation_text(table));
	if (check.counter != 0) {
		const char *name = column_name(table, check.counter);
		appendStringInfo(&text, "%s = COALESCE(t.%s, 0) OPERATOR(pg_catalog.+) 1", name, name);
	}
	if (check.last != 0) {
		const char *name = column_name(table, check.last);
		const bool zone = base_type_of(table, check.last) == TIMESTAMPTZOID;
		appendStringInfo(&text, "%s%s = GREATEST(t.%s, %s)", check.counter != 0 ? ", " : "", name, name,
			zone ? "pg_catalog.now()" : "LOCALTIMESTAMP");
	}
	appendStringInfoString(&text, is_the_row);
	return text.data;
}

// Every column that can be written; $3 is the row.
const char *merge_text(Relation table)
{
	StringInfoData text;
	initStringInfo(&text);
	appendStringInfo(&text, "UPDATE %s AS t SET ", relation_text(RelationGetRelid(table)));
	const char *separator = "";
	for (int i = 0; i < RelationGetDescr(table)->natts; ++i) {
		const Form_pg_attribute attribute = TupleDescAttr(RelationGetDescr(table), i);
		if (attribute->attisdropped || attribute->attgenerated != '\0' ||
			attribute->attidentity == ATTRIBUTE_IDENTITY_ALWAYS)
			continue;
		const char *name = quote_identifier(NameStr(attribute->attname));
		appendStringInfo(&text, "%s%s = ($3).%s", separator, name, name);
		separator = ", ";
	}
	appendStringInfoString(&text, is_the_row);
	return text.data;
}

// ---- merge

// What the function gets: the similarity; or if several columns are compared, an array of them, NULL for those that are
// not within their limit.
Datum similarity_argument(const NearDuplicateCheck &check, const SimilarRow &similar)
{
	int count = check.columns.count, lower = 1;
	if (count == 1)
		return Float8GetDatum(similar.evidence[0].similarity);
	Datum values[max_compared_columns];
	bool nulls[max_compared_columns];
	for (int i = 0; i < count; ++i) {
		values[i] = Float8GetDatum(similar.evidence[i].similarity);
		nulls[i] = !similar.evidence[i].decides;
	}
	return PointerGetDatum(construct_md_array(
		values, nulls, 1, &count, &lower, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

// The result of the function, in the current memory context.
Datum merged_row(const TriggerData &call, const NearDuplicateCheck &check, const SimilarRow &similar, Datum kept)
{
	const Datum added = row_as(call.tg_relation, new_tuple(call), new_row_type(check));
	const OwnerRights rights = assume_owner(owner_of(check.table));
	const TriggerOption option = trigger_option(call.tg_trigger->tgargs[check.merge_argument]);
	FmgrInfo function;
	fmgr_info(find_merge_function(check, option), &function);
	LOCAL_FCINFO(arguments, 3);
	InitFunctionCallInfoData(*arguments, &function, 3, InvalidOid, nullptr, nullptr);
	arguments->args[0] = {kept, false};
	arguments->args[1] = {added, false};
	arguments->args[2] = {similarity_argument(check, similar), false};
	const Datum result = FunctionCallInvoke(arguments);
	if (arguments->isnull)
		ereport(ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("function %s returned NULL", option.value),
				errhint("To leave the row as it is, return the first argument.")));
	restore_caller(rights);
	return result;
}

// The tables are open meanwhile, so that the function cannot alter, empty or drop them.
Datum merged_row_of_tables(
	const TriggerData &call, const NearDuplicateCheck &check, const SimilarRow &similar, Datum kept)
{
	Relation searched = open_known_table(check.searched.table, AccessShareLock);
	Relation stored = open_known_table(similar.stored_in, RowExclusiveLock);
	const Datum result = merged_row(call, check, similar, kept);
	const char *function = trigger_option(call.tg_trigger->tgargs[check.merge_argument]).value;
	check_is_unchanged(stored, similar.stored_at, function);
	if (is_update(call))
		check_is_unchanged(call.tg_relation, call.tg_trigslot->tts_tid, function);
	table_close(stored, NoLock);
	table_close(searched, NoLock);
	return result;
}

} // namespace

RowState lock_kept_row(const NearDuplicateCheck &check, const SimilarRow &similar, bool wait, Datum *row)
{
	Relation table = open_table_of(similar);
	TupleTableSlot *slot = table_slot_create(table, nullptr);
	ItemPointerData place = similar.stored_at;
	TM_FailureData failure;
	const RowState state = state_of(table_tuple_lock(table, &place, GetActiveSnapshot(), slot,
		GetCurrentCommandId(false), LockTupleNoKeyExclusive, wait ? LockWaitBlock : LockWaitSkip, 0, &failure));
	if (state == RowState::locked && check.action == Action::merge)
		*row = row_as(table, ExecFetchSlotHeapTuple(slot, false, nullptr), kept_row_type(check));
	ExecDropSingleTupleTableSlot(slot);
	table_close(table, NoLock);
	return state;
}

void change_kept_row(const TriggerData &call, const NearDuplicateCheck &check, const SimilarRow &similar, Datum row)
{
	const bool merges = check.action == Action::merge;
	if (merges)
		row = merged_row_of_tables(call, check, similar, row);
	const Datum values[] = {ObjectIdGetDatum(similar.stored_in), PointerGetDatum(&similar.stored_at), row};
	const Oid table = check.searched.table;
	const SearchScope scope = enter_search_scope(table);
	const QueryParameter parameters[] = {{OIDOID}, {TIDOID}, {merges ? kept_row_type(check) : InvalidOid}};
	run_statement(check.definition, table, TriggerStatement::change_kept,
		merges ? merge_text(scope.table) : count_text(check), {parameters, merges ? 3U : 2U}, values);
	leave_search_scope(scope);
}

void delete_updated_row(const TriggerData &call, const NearDuplicateCheck &check)
{
	const Oid fired = RelationGetRelid(call.tg_relation);
	const Datum values[] = {ObjectIdGetDatum(fired), PointerGetDatum(&call.tg_trigslot->tts_tid)};
	const SearchScope scope = enter_search_scope(fired);
	const QueryParameter parameters[] = {{OIDOID}, {TIDOID}};
	run_statement(check.definition, fired, TriggerStatement::delete_updated,
		psprintf("DELETE FROM %s AS t%s", relation_text(fired), is_the_row), parameters, values);
	leave_search_scope(scope);
}

} // namespace txtfp::pg
