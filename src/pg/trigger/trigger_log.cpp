#include "pg/trigger/trigger_log.hpp"

#include "pg/trigger/kept_row_options.hpp"
#include "pg/trigger/kept_statement.hpp"
#include "pg/trigger/near_duplicate_search.hpp"
#include "pg/trigger/search_scope.hpp"

extern "C" {
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
}

namespace txtfp::pg {

namespace {

constexpr Oid key_column = InvalidOid; // stands for the type of the key

// In the order of the parameters.
constexpr struct {
	const char *name;
	Oid type;
} columns[LogTable::column_count] = {{"action", TEXTOID}, {"outcome", TEXTOID}, {"reason", TEXTOID},
	{"kept", key_column}, {"similarity", FLOAT8OID}, {"jaccard", FLOAT8OID}, {"containment", FLOAT8OID},
	{"score", FLOAT8OID}, {"new_row", JSONBOID}};

AttrNumber log_column(Relation table, const char *name, Oid type)
{
	const AttrNumber number = get_attnum(RelationGetRelid(table), name);
	if (number <= 0)
		ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
				errmsg("column \"%s\" of relation \"%s\" does not exist", name, RelationGetRelationName(table)),
				errdetail("A log of %s has the columns action, outcome and reason of type text, kept of the type of the "
						  "key, similarity, jaccard, containment and score of type double precision, and new_row of type "
						  "jsonb.",
					near_duplicate_trigger_name)));
	const Form_pg_attribute attribute = column(table, number);
	if (getBaseType(attribute->atttypid) != type)
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("column \"%s\" of relation \"%s\" has type %s, not %s", name, RelationGetRelationName(table),
					format_type_be(attribute->atttypid), format_type_be(type))));
	check_is_written(table, number, name);
	return number;
}

LogTable checked_table(Relation table, Oid guarded, Oid key_type)
{
	const char kind = table->rd_rel->relkind;
	const char *name = RelationGetRelationName(table);
	if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE)
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE), errmsg("\"%s\" is not a table", name)));
	if (RelationGetRelid(table) == guarded)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("%s cannot log to table \"%s\", which it guards", near_duplicate_trigger_name, name)));
	if (table->rd_rel->relowner != owner_of(guarded))
		ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				errmsg("tables \"%s\" and \"%s\" have different owners", name, get_rel_name(guarded)),
				errdetail("The log is written with the rights of the owner of table \"%s\".", get_rel_name(guarded))));
	AttrNumber numbers[LogTable::column_count];
	for (int i = 0; i < LogTable::column_count; ++i)
		numbers[i] =
			log_column(table, columns[i].name, columns[i].type == key_column ? key_type : columns[i].type);
	return {RelationGetRelid(table), shape_of(table, numbers)};
}

const char *insert_text(Oid table)
{
	StringInfoData text;
	initStringInfo(&text);
	appendStringInfo(&text, "INSERT INTO %s AS t (", relation_text(table));
	for (int i = 0; i < LogTable::column_count; ++i)
		appendStringInfo(&text, "%s%s", i == 0 ? "" : ", ", columns[i].name);
	appendStringInfoString(&text, ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, pg_catalog.to_jsonb($9))");
	return text.data;
}

Datum text_datum(std::string_view text)
{
	return PointerGetDatum(cstring_to_text_with_len(text.data(), static_cast<int>(text.size())));
}

// The measure of the first column that decides.
NullableDatum measure_of(const NearDuplicateCheck &check, const SimilarRow &similar)
{
	for (int i = 0; i < check.columns.count; ++i)
		if (similar.evidence[i].decides)
			return {Float8GetDatum(similar.evidence[i].similarity), false};
	return {0, true};
}

} // namespace

LogTable log_table(Oid guarded, Oid key_type, const char *name)
{
	Relation table = open_as_owner(owner_of(guarded), qualified_name("log", name));
	const LogTable log = checked_table(table, guarded, key_type);
	table_close(table, NoLock);
	return log;
}

void log_row(const NearDuplicateCheck &check, const SimilarRow &similar, const char *action, Datum row)
{
	const core::PairDecision &pair = similar.pair;
	const bool decided = check.decision != nullptr, has_score = decided && check.decision->options.rule != nullptr;
	const Oid key_type = check.searched.key_type;
	const QueryParameter parameters[] = {{TEXTOID}, {TEXTOID}, {TEXTOID}, {key_type}, {FLOAT8OID}, {FLOAT8OID},
		{FLOAT8OID}, {FLOAT8OID}, {new_row_type(check)}};
	const NullableDatum measure = measure_of(check, similar);
	const Datum values[] = {text_datum(action), text_datum(core::removal::outcome_names[similar.outcome()]),
		text_datum(similar.reason()), similar.key, measure.value, Float8GetDatum(pair.overlap.jaccard()),
		Float8GetDatum(pair.overlap.containment_of_a()), Float8GetDatum(pair.score), row};
	const bool nulls[] = {false, false, !decided, similar.key_is_null, measure.isnull, !pair.has_measures,
		!pair.has_measures, !has_score, false};
	const SearchScope scope = enter_search_scope(check.log.table);
	(void) checked_table(scope.table, check.table, check.searched.key_type);
	check_shape(scope.table, check.log.shape);
	run_statement(check.definition, check.log.table, TriggerStatement::log, insert_text(check.log.table), parameters,
		values, nulls);
	leave_search_scope(scope);
}

} // namespace txtfp::pg
