// The search runs through SPI. A session keeps one plan for a trigger and its clones in all partitions. Only names are part of
// the query's text: parameters and the limit are typed nodes that a parser hook supplies, so no number is rounded by printing.
#include "pg/trigger/near_duplicate_search.hpp"

#include <bit>

#include "pg/trigger/near_duplicate_advice.hpp"
#include "pg/trigger/search_scope.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "nodes/makefuncs.h"
#include "nodes/params.h"
#include "parser/parse_node.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/typcache.h"
}

namespace txtfp::pg {

namespace {

// ---- queries

// The parameters $1, $2, … of a query. One of them may be replaced by a constant, which the planner can see.
struct Parameters {
	static constexpr int most = 6;
	int count;
	Oid types[most];
	int constant; // the number of the parameter that is a constant; 0: none
	Datum value;  // by value
};

Node *parameter_node(ParseState *parser, ParamRef *reference) noexcept
{
	const auto *parameters = static_cast<const Parameters *>(parser->p_ref_hook_state);
	const int number = reference->number;
	if (number < 1 || number > parameters->count)
		return nullptr;
	const Oid type = parameters->types[number - 1];
	if (number == parameters->constant) {
		const int16 size = get_typlen(type);
		return (Node *) makeConst(type, -1, InvalidOid, size, parameters->value, false, true);
	}
	auto *parameter = makeNode(Param);
	parameter->paramkind = PARAM_EXTERN;
	parameter->paramid = number;
	parameter->paramtype = type;
	parameter->paramtypmod = -1;
	parameter->paramcollid = get_typcollation(type);
	parameter->location = reference->location;
	return (Node *) parameter;
}

void set_up_parser(ParseState *parser, void *parameters) noexcept
{
	parser->p_paramref_hook = parameter_node;
	parser->p_ref_hook_state = parameters;
}

SPIPlanPtr prepare(const char *query, Parameters &parameters)
{
	SPIPlanPtr plan = SPI_prepare_params(query, set_up_parser, &parameters, CURSOR_OPT_GENERIC_PLAN);
	if (plan == nullptr)
		elog(ERROR, "SPI_prepare_params failed: %s", SPI_result_code_string(SPI_result));
	return plan;
}

// Runs a plan for at most one row.
void run(SPIPlanPtr plan, const Parameters &parameters, const Datum *values, const bool *nulls, Sight sight)
{
	ParamListInfo list = makeParamList(parameters.count);
	for (int i = 0; i < parameters.count; ++i)
		list->params[i] = {values[i], nulls[i], 0, parameters.types[i]};
	CommandCounterIncrement(); // so that rows of the statement that fired the trigger are seen
	PushActiveSnapshot(sight == Sight::latest ? GetLatestSnapshot() : GetTransactionSnapshot());
	const int result = SPI_execute_plan_with_paramlist(plan, list, true, 1);
	PopActiveSnapshot();
	if (result != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute_plan_with_paramlist failed: %s", SPI_result_code_string(result));
}

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

// The type's name in pg_type. format_type() prints SQL's names, in which "character" and "bit" are types of length 1.
const char *type_text(Oid type)
{
	HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for type %u", type);
	const auto *form = (Form_pg_type) GETSTRUCT(tuple);
	const char *text = quote_qualified_identifier(get_namespace_name(form->typnamespace), NameStr(form->typname));
	ReleaseSysCache(tuple);
	return text;
}

// t.column::type. It is a cast only for a domain, so that functions and operators defined for the domain are not chosen.
const char *column_text(Oid table, AttrNumber number)
{
	return psprintf(
		"t.%s::%s", quote_identifier(get_attname(table, number, false)), type_text(base_type_of(table, number)));
}

const char *table_text(Oid table)
{
	return quote_qualified_identifier(get_namespace_name(get_rel_namespace(table)), get_rel_name(table));
}

// ---- the search

// A trigger and its clones share a search if they search the same table.
struct SearchKey {
	Oid definition, table;
};
struct CachedSearch {
	SearchKey key;
	SearchedTable searched;
	Oid schema; // of the functions called
	Parameters parameters;
	SPIPlanPtr plan;
	std::uint64_t runs;
	bool advised; // about the index
};
HTAB *cached_searches;

CachedSearch &cached_search(const NearDuplicateCheck &check)
{
	if (cached_searches == nullptr) {
		HASHCTL control{};
		control.keysize = sizeof(SearchKey);
		control.entrysize = sizeof(CachedSearch);
		cached_searches = hash_create("txtfp near-duplicate searches", 16, &control, HASH_ELEM | HASH_BLOBS);
	}
	const SearchKey key{check.definition, check.searched.table};
	bool found;
	auto *search = static_cast<CachedSearch *>(hash_search(cached_searches, &key, HASH_ENTER, &found));
	if (!found)
		*search = {key, {}, InvalidOid, {}, nullptr, 0, false};
	return *search;
}

// $1 fingerprint, $2 limit; unless another table is searched, $3 key, $4 and $5 where the row itself is, $6 within
Parameters parameters_of(const NearDuplicateCheck &check)
{
	Parameters parameters{};
	const bool is_real = check.kind->search.unit == MeasureUnit::similarity;
	if (check.is_against_itself())
		parameters.count = check.within != 0 ? 6 : 5;
	else
		parameters.count = 2;
	parameters.types[0] = base_type_of(check.fired, check.fingerprint);
	parameters.types[1] = is_real ? FLOAT8OID : INT4OID;
	parameters.types[2] = base_type_of(check.fired, check.key);
	parameters.types[3] = OIDOID;
	parameters.types[4] = TIDOID;
	parameters.types[5] = check.within != 0 ? base_type_of(check.fired, check.within) : InvalidOid;
	parameters.constant = 2;
	parameters.value = is_real ? Float8GetDatum(check.limit) : Int32GetDatum(static_cast<int>(check.limit));
	return parameters;
}

bool is_same(const Parameters &a, const Parameters &b)
{
	return a.count == b.count && memcmp(a.types, b.types, sizeof a.types) == 0 && a.constant == b.constant &&
		a.value == b.value;
}

const char *search_text(const NearDuplicateCheck &check)
{
	const SearchedTable &searched = check.searched;
	const char *key = column_text(searched.table, searched.key),
			   *fingerprint = column_text(searched.table, searched.fingerprint);
	const char *schema = quote_identifier(get_namespace_name(check.schema));
	StringInfoData text;
	initStringInfo(&text);
	appendStringInfo(&text, "SELECT %s, %s.%s(%s, $1)::pg_catalog.float8 FROM %s t WHERE %s.%s(%s, $1, $2)", key,
		schema, check.kind->search.measure, fingerprint, table_text(searched.table), schema, check.kind->search.similar,
		fingerprint);
	if (check.is_against_itself()) {
		appendStringInfo(
			&text, " AND (%s %s $3) IS NOT TRUE", key, equality_operator(base_type_of(check.fired, check.key)));
		appendStringInfoString(
			&text, " AND (t.tableoid OPERATOR(pg_catalog.=) $4 AND t.ctid OPERATOR(pg_catalog.=) $5) IS NOT TRUE");
		if (check.within != 0)
			appendStringInfo(&text, " AND %s %s $6", column_text(check.fired, check.within),
				equality_operator(base_type_of(check.fired, check.within)));
	}
	appendStringInfoString(&text, " LIMIT 1");
	return text.data;
}

// Names may have changed since the plan was made; an invalid plan is prepared again with the names in the catalogs. CREATE OR REPLACE
// TRIGGER may have named other columns, which makes a plan on a protected table not invalid.
void prepare_search(const NearDuplicateCheck &check, CachedSearch &search)
{
	const Parameters parameters = parameters_of(check);
	if (search.plan != nullptr && search.searched == check.searched && search.schema == check.schema &&
		is_same(search.parameters, parameters) && SPI_plan_is_valid(search.plan))
		return;
	if (search.plan != nullptr) {
		SPIPlanPtr old = search.plan;
		search.plan = nullptr;
		SPI_freeplan(old);
	}
	search.searched = check.searched;
	search.schema = check.schema;
	search.parameters = parameters;
	SPIPlanPtr plan = prepare(search_text(check), search.parameters);
	SPI_keepplan(plan);
	search.plan = plan;
}

SimilarRow run_search(const CachedSearch &search, const SearchValues &values, Sight sight)
{
	const bool is_stored = OidIsValid(values.stored_in);
	const Datum parameters[] = {values.fingerprint, search.parameters.value, values.key,
		ObjectIdGetDatum(values.stored_in), PointerGetDatum(&values.stored_at), values.within};
	const bool nulls[] = {false, false, false, !is_stored, !is_stored, false};
	run(search.plan, search.parameters, parameters, nulls, sight);
	SimilarRow row{SPI_processed > 0, false, 0, 0};
	if (!row.found)
		return row;
	HeapTuple tuple = SPI_tuptable->vals[0];
	const Form_pg_attribute attribute = TupleDescAttr(SPI_tuptable->tupdesc, 0);
	row.key = SPI_getbinval(tuple, SPI_tuptable->tupdesc, 1, &row.key_is_null);
	if (!row.key_is_null)
		row.key = SPI_datumTransfer(row.key, attribute->attbyval, attribute->attlen);
	bool is_null;
	row.similarity = DatumGetFloat8(SPI_getbinval(tuple, SPI_tuptable->tupdesc, 2, &is_null));
	return row;
}

bool is_shown_by_row_security(const NearDuplicateCheck &check, Datum key)
{
	Parameters parameters{};
	parameters.count = 1;
	parameters.types[0] = base_type_of(check.searched.table, check.searched.key);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	const char *query = psprintf("SELECT FROM %s t WHERE %s %s $1 LIMIT 1", table_text(check.searched.table),
		column_text(check.searched.table, check.searched.key), equality_operator(parameters.types[0]));
	const bool is_null = false;
	run(prepare(query, parameters), parameters, &key, &is_null, Sight::transaction);
	const bool is_shown = SPI_processed > 0;
	SPI_finish();
	return is_shown;
}

} // namespace

SimilarRow find_similar_row(const NearDuplicateCheck &check, const SearchValues &values, Sight sight)
{
	const SearchScope scope = enter_search_scope(check.owner);
	CachedSearch &search = cached_search(check);
	prepare_search(check, search);
	const SimilarRow row = run_search(search, values, sight);
	if (!search.advised && std::has_single_bit(++search.runs)) // now and then, for tables grow
		search.advised = advise_on_index(search.plan, check);
	leave_search_scope(scope);
	return row;
}

bool is_visible_to_writer(const NearDuplicateCheck &check, const SimilarRow &row)
{
	const Oid user = GetUserId();
	const SearchedTable &searched = check.searched;
	if (pg_class_aclcheck(searched.table, user, ACL_SELECT) != ACLCHECK_OK &&
		pg_attribute_aclcheck(searched.table, searched.key, user, ACL_SELECT) != ACLCHECK_OK)
		return false;
	if (check_enable_rls(searched.table, InvalidOid, true) != RLS_ENABLED)
		return true;
	return !row.key_is_null && is_shown_by_row_security(check, row.key);
}

} // namespace txtfp::pg
