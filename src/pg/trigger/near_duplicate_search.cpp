// The search of a near-duplicate check, through SPI: one plan per trigger and session, made once and kept.
#include "pg/base/text_arg.hpp"
#include "pg/trigger/near_duplicate_check.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_operator.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/typcache.h"
}

namespace txtfp::pg {

namespace {

// Whatever the session prefers: through the index, also when the table was empty as the plan was made, and every row
// that the index knows of. Left by AtEOXact_GUC, or by the end of the transaction.
int enter_settings()
{
	constexpr const char *settings[][2] = {{"enable_seqscan", "off"}, {"enable_bitmapscan", "on"}, {"jit", "off"},
		{"plan_cache_mode", "auto"}, {"gin_fuzzy_search_limit", "0"}};
	const int level = NewGUCNestLevel();
	for (const auto &[name, value] : settings)
		(void) set_config_option(name, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	return level;
}

Oid base_type_of(Oid table, AttrNumber number) { return getBaseType(get_atttype(table, number)); }

// OPERATOR(schema.=) of a type
const char *equality_operator(Oid type)
{
	const Oid equality = lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr;
	if (!OidIsValid(equality))
		ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_FUNCTION),
				errmsg("could not identify an equality operator for type %s", format_type_be(type))));
	HeapTuple tuple = SearchSysCache1(OPEROID, ObjectIdGetDatum(equality));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for operator %u", equality);
	const auto *form = (Form_pg_operator) GETSTRUCT(tuple);
	const char *text =
		psprintf("OPERATOR(%s.%s)", quote_identifier(get_namespace_name(form->oprnamespace)), NameStr(form->oprname));
	ReleaseSysCache(tuple);
	return text;
}

// t.column::type, which is no cast but for a domain: functions and operators that somebody has made for that are not meant
const char *column_text(const NearDuplicateCheck &check, AttrNumber number)
{
	return psprintf("t.%s::%s", quote_identifier(get_attname(check.fired, number, false)),
		format_type_be_qualified(base_type_of(check.fired, number)));
}

// The limit stands in the text, where the planner sees whether an index serves it.
const char *query_text(const NearDuplicateCheck &check, double limit)
{
	const char *key = column_text(check, check.key), *equals = equality_operator(base_type_of(check.fired, check.key));
	const char *limit_text = check.kind->slots == 0 ? psprintf("%d", static_cast<int>(limit))
													: psprintf("'%s'::pg_catalog.float8", shown(limit));
	StringInfoData text;
	initStringInfo(&text);
	appendStringInfo(&text, "SELECT %s FROM %s t WHERE %s.%s(%s, $1, %s)", key,
		quote_qualified_identifier(get_namespace_name(get_rel_namespace(check.table)), get_rel_name(check.table)),
		quote_identifier(get_namespace_name(check.schema)), check.kind->function, column_text(check, check.fingerprint),
		limit_text);
	for (const int parameter : {2, 3})
		appendStringInfo(&text, " AND (%s %s $%d) IS NOT TRUE", key, equals, parameter);
	if (check.within != 0)
		appendStringInfo(&text, " AND %s %s $4", column_text(check, check.within),
			equality_operator(base_type_of(check.fired, check.within)));
	appendStringInfoString(&text, " LIMIT 1");
	return text.data;
}

// Names may have changed since the plan was made: a plan that is no longer valid is made anew from the catalogs.
void prepare_search(NearDuplicateCheck &check)
{
	const double limit = current_limit(check);
	if (check.plan != nullptr && check.planned_limit == limit && SPI_plan_is_valid(check.plan))
		return;
	if (check.plan != nullptr) {
		SPI_freeplan(check.plan);
		check.plan = nullptr;
	}
	const Oid key_type = base_type_of(check.fired, check.key);
	Oid types[] = {base_type_of(check.fired, check.fingerprint), key_type, key_type, InvalidOid};
	if (check.within != 0)
		types[3] = base_type_of(check.fired, check.within);
	SPIPlanPtr plan =
		SPI_prepare_cursor(query_text(check, limit), check.within != 0 ? 4 : 3, types, CURSOR_OPT_GENERIC_PLAN);
	if (plan == nullptr)
		elog(ERROR, "SPI_prepare failed: %s", SPI_result_code_string(SPI_result));
	SPI_keepplan(plan);
	check.plan = plan;
	check.planned_limit = limit;
}

SimilarRow run_search(const NearDuplicateCheck &check, const SearchValues &values, Snapshot snapshot)
{
	Datum parameters[] = {values.fingerprint, values.key, values.old_key, values.within};
	const int result =
		SPI_execute_snapshot(check.plan, parameters, nullptr, snapshot, InvalidSnapshot, false, false, 1);
	if (result != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute_snapshot failed: %s", SPI_result_code_string(result));
	SimilarRow row{SPI_processed > 0, false, 0};
	if (row.found) {
		row.key = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &row.key_is_null);
		const Form_pg_attribute attribute = TupleDescAttr(SPI_tuptable->tupdesc, 0);
		if (!row.key_is_null)
			row.key = SPI_datumTransfer(row.key, attribute->attbyval, attribute->attlen);
	}
	return row;
}

} // namespace

SimilarRow find_similar_row(NearDuplicateCheck &check, const SearchValues &values, Snapshot snapshot)
{
	Oid user;
	int security;
	GetUserIdAndSecContext(&user, &security);
	SetUserIdAndSecContext(check.owner, security | SECURITY_LOCAL_USERID_CHANGE | SECURITY_NOFORCE_RLS);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	const int level = enter_settings();
	prepare_search(check);
	const SimilarRow row = run_search(check, values, snapshot);
	AtEOXact_GUC(true, level);
	SPI_finish();
	SetUserIdAndSecContext(user, security);
	return row;
}

} // namespace txtfp::pg
