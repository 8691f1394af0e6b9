// The search runs through SPI. A session keeps one plan for a trigger and its clones in all partitions. Only names are
// part of the query's text: parameters and the limit are typed nodes that a parser hook supplies, so no number is
// rounded by printing. The hook also checks that the name of the table still means the table that was opened.
#include "pg/trigger/near_duplicate_search.hpp"

#include <bit>

#include "pg/base/table_query.hpp"
#include "pg/trigger/kept_row_options.hpp"
#include "pg/trigger/near_duplicate_advice.hpp"
#include "pg/trigger/search_scope.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
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

// The parameters $1, $2, … of a query. The first ones are fingerprints; then follow the limits of these, constants that
// the planner can see.
struct Parameters {
	static constexpr int max_count = 2 * max_compared_columns + 4;
	Oid table, apart; // that are read
	int count;
	Oid types[max_count];
	int columns;                        // number of fingerprints
	Datum limits[max_compared_columns]; // by value

	bool is_limit(int number) const { return number > columns && number <= 2 * columns; }
	Datum limit(int number) const { return limits[number - columns - 1]; }
	bool operator==(const Parameters &) const = default;
};

// Their numbers in a search: the fingerprint and the limit of a column; and if the table itself is searched, the row's
// key, its table and TID, and the value of `within`.
int limit_number(const NearDuplicateCheck &check, int column) { return check.columns.count + column + 1; }
int key_number(const NearDuplicateCheck &check) { return 2 * check.columns.count + 1; }

// PostgreSQL analyses the text of a query again when its plan has become invalid. The name of the table may then mean
// another relation, on which its owner has other rights; a lock does not prevent that a schema is renamed.
void check_table(const ParseState *parser, const Parameters &parameters)
{
	const auto *entry = linitial_node(RangeTblEntry, parser->p_rtable);
	if (entry->relid != (parser->parentParseState == nullptr ? parameters.table : parameters.apart))
		ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				errmsg("relation \"%s\" has been renamed or replaced by another session", get_rel_name(entry->relid)),
				errhint("The statement might succeed if repeated.")));
}

Node *parameter_node(ParseState *parser, ParamRef *reference)
{
	const auto *parameters = static_cast<const Parameters *>(parser->p_ref_hook_state);
	check_table(parser, *parameters);
	const int number = reference->number;
	if (number < 1 || number > parameters->count)
		return nullptr;
	const Oid type = parameters->types[number - 1];
	if (parameters->is_limit(number))
		return (Node *) makeConst(type, -1, InvalidOid, get_typlen(type), parameters->limit(number), false, true);
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
void run(SPIPlanPtr plan, const Parameters &parameters, const Datum *values, const bool *nulls, SearchSnapshot snapshot)
{
	ParamListInfo list = makeParamList(parameters.count);
	for (int i = 0; i < parameters.count; ++i)
		list->params[i] = {values[i], nulls[i], 0, parameters.types[i]};
	CommandCounterIncrement(); // so that rows of the statement that fired the trigger are seen
	PushActiveSnapshot(snapshot == SearchSnapshot::latest ? GetLatestSnapshot() : GetTransactionSnapshot());
	const int result = SPI_execute_plan_with_paramlist(plan, list, true, 1);
	PopActiveSnapshot();
	if (result != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute_plan_with_paramlist failed: %s", SPI_result_code_string(result));
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

// t.column::type. It is a cast only for a domain, so that functions and operators defined for the domain are not
// chosen.
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

// The searches of a check. With `any`, one by each column, and the first that finds a row ends them; with `all`, a
// single one, in which the planner chooses an index of one of the columns and the others are tested.
int searches_of(const NearDuplicateCheck &check) { return check.columns.match == Match::any ? check.columns.count : 1; }
bool requires_column(const NearDuplicateCheck &check, int search, int column)
{
	return check.columns.match == Match::all || search == column;
}

// A trigger and its clones share a search if they search the same table.
struct SearchKey {
	Oid definition, table;
	int search;
};
struct PreparedSearch {
	MemoryContext memory; // its own
	SearchedTable searched;
	ApartTable apart;
	Oid schema; // of the functions called
	Match match;
	bool tells_place; // of the row
	Parameters parameters;
	SPIPlanPtr plan;
};
struct CachedSearch {
	SearchKey key;
	PreparedSearch *prepared; // nullptr: there is none yet, or it runs
	std::uint64_t runs;
	bool advised; // a warning about the index has been raised
};
HTAB *cached_searches;

CachedSearch &cached_search(const NearDuplicateCheck &check, int number)
{
	if (cached_searches == nullptr) {
		HASHCTL control{};
		control.keysize = sizeof(SearchKey);
		control.entrysize = sizeof(CachedSearch);
		cached_searches = hash_create("txtfp near-duplicate searches", 16, &control, HASH_ELEM | HASH_BLOBS);
	}
	const SearchKey key{check.definition, check.searched.table, number};
	bool found;
	auto *search = static_cast<CachedSearch *>(hash_search(cached_searches, &key, HASH_ENTER, &found));
	if (!found)
		*search = {key, nullptr, 0, false};
	return *search;
}

// Embeddings are compared with the limit as the bulk functions do, as real.
Oid limit_type(const FingerprintKind &kind)
{
	if (kind.similar == nullptr)
		return FLOAT4OID;
	return kind.unit == MeasureUnit::similarity ? FLOAT8OID : INT4OID;
}

Datum limit_value(const ComparedColumn &column)
{
	switch (limit_type(*column.kind)) {
	case FLOAT4OID:
		return Float4GetDatum(static_cast<float>(column.limit));
	case FLOAT8OID:
		return Float8GetDatum(column.limit);
	default:
		return Int32GetDatum(static_cast<int>(column.limit));
	}
}

Parameters parameters_of(const NearDuplicateCheck &check)
{
	Parameters parameters{};
	parameters.table = check.searched.table;
	parameters.apart = check.apart.table;
	parameters.columns = check.columns.count;
	Oid *types = parameters.types, *end = types + 2 * check.columns.count;
	for (int i = 0; i < check.columns.count; ++i) {
		const ComparedColumn &column = check.columns.list[i];
		types[i] = base_type_of(check.fired, column.number);
		types[limit_number(check, i) - 1] = limit_type(*column.kind);
		parameters.limits[i] = limit_value(column);
	}
	if (check.is_against_itself()) {
		for (const Oid type : {base_type_of(check.fired, check.key), Oid{OIDOID}, Oid{TIDOID}})
			*end++ = type;
		if (check.within != 0)
			*end++ = base_type_of(check.fired, check.within);
	}
	parameters.count = static_cast<int>(end - types);
	return parameters;
}

// Two conditions, so that an index on (a, b) serves both.
void append_apart(StringInfoData &text, const NearDuplicateCheck &check, const char *key)
{
	const Oid table = check.apart.table;
	const char *a = quote_identifier(get_attname(table, check.apart.a, false)),
			   *b = quote_identifier(get_attname(table, check.apart.b, false)),
			   *type = type_text(base_type_of(check.fired, check.key)),
			   *equals = equality_operator(base_type_of(check.fired, check.key));
	const int own = key_number(check);
	const char *format = " AND NOT EXISTS (SELECT FROM %s x WHERE x.%s::%s %s %s AND x.%s::%s %s $%d)";
	appendStringInfo(&text, format, table_text(table), a, type, equals, key, b, type, equals, own);
	appendStringInfo(&text, format, table_text(table), b, type, equals, key, a, type, equals, own);
}

// The similarity, distance or number of a column of the row t.
const char *measure_text(const NearDuplicateCheck &check, int i)
{
	return psprintf("%s.%s(%s, $%d)", quote_identifier(get_namespace_name(check.schema)),
		check.columns.list[i].kind->measure, column_text(check.searched.table, check.searched.fingerprints[i]), i + 1);
}

const char *condition_text(const NearDuplicateCheck &check, int i)
{
	const FingerprintKind &kind = *check.columns.list[i].kind;
	const int limit = limit_number(check, i);
	if (kind.similar == nullptr)
		return psprintf("%s OPERATOR(pg_catalog.>=) $%d", measure_text(check, i), limit);
	return psprintf("%s.%s(%s, $%d, $%d)", quote_identifier(get_namespace_name(check.schema)), kind.similar,
		column_text(check.searched.table, check.searched.fingerprints[i]), i + 1, limit);
}

// The conditions that concern rows of one table among themselves.
void append_own_conditions(StringInfoData &text, const NearDuplicateCheck &check, const char *key)
{
	const int own = key_number(check);
	appendStringInfo(
		&text, " AND (%s %s $%d) IS NOT TRUE", key, equality_operator(base_type_of(check.fired, check.key)), own);
	appendStringInfo(&text,
		" AND (t.tableoid OPERATOR(pg_catalog.=) $%d AND t.ctid OPERATOR(pg_catalog.=) $%d) IS NOT TRUE", own + 1,
		own + 2);
	if (OidIsValid(check.apart.table))
		append_apart(text, check, key);
	if (check.within != 0)
		appendStringInfo(&text, " AND %s %s $%d", column_text(check.fired, check.within),
			equality_operator(base_type_of(check.fired, check.within)), own + 3);
}

// Selects the key, a similarity for each column, which is NULL where the column is not within its limit, and the row's
// place if it is needed.
const char *search_text(const NearDuplicateCheck &check, int search)
{
	const SearchedTable &searched = check.searched;
	const char *key = column_text(searched.table, searched.key), *separator = " WHERE ";
	StringInfoData text;
	initStringInfo(&text);
	appendStringInfo(&text, "SELECT %s", key);
	for (int i = 0; i < check.columns.count; ++i) {
		if (requires_column(check, search, i))
			appendStringInfo(&text, ", %s::pg_catalog.float8", measure_text(check, i));
		else
			appendStringInfo(&text, ", CASE WHEN %s THEN %s::pg_catalog.float8 END", condition_text(check, i),
				measure_text(check, i));
	}
	appendStringInfo(&text, "%s FROM %s t", changes_kept_row(check.action) ? ", t.tableoid, t.ctid" : "",
		table_text(searched.table));
	for (int i = 0; i < check.columns.count; ++i)
		if (requires_column(check, search, i)) {
			appendStringInfo(&text, "%s%s", separator, condition_text(check, i));
			separator = " AND ";
		}
	if (check.is_against_itself())
		append_own_conditions(text, check, key);
	appendStringInfoString(&text, " LIMIT 1");
	return text.data;
}

void drop(PreparedSearch *prepared)
{
	SPI_freeplan(prepared->plan);
	MemoryContextDelete(prepared->memory);
}

PreparedSearch *prepare_search(const NearDuplicateCheck &check, int search, const Parameters &parameters)
{
	MemoryContext memory =
		AllocSetContextCreate(CurrentMemoryContext, "txtfp near-duplicate search", ALLOCSET_SMALL_SIZES);
	auto *prepared = static_cast<PreparedSearch *>(MemoryContextAlloc(memory, sizeof(PreparedSearch)));
	*prepared = {memory, check.searched, check.apart, check.schema, check.columns.match, changes_kept_row(check.action),
		parameters, nullptr};
	prepared->plan = prepare(search_text(check, search), prepared->parameters); // analysed again with these parameters
	SPI_keepplan(prepared->plan);
	MemoryContextSetParent(memory, TopMemoryContext);
	return prepared;
}

// If names have changed since the plan was made, the plan is invalid, and the query is prepared again with the current
// names. CREATE OR REPLACE
// TRIGGER may name other columns of a protected table. That does not invalidate the plan, so the columns are compared.
//
// The search does not stay in the cache while it runs. What it calls may invalidate the plan and fire the same trigger
// again, which then prepares a search of its own instead of freeing this one.
PreparedSearch *acquire_search(const NearDuplicateCheck &check, CachedSearch &cached)
{
	const Parameters parameters = parameters_of(check);
	PreparedSearch *prepared = cached.prepared;
	cached.prepared = nullptr;
	if (prepared != nullptr && prepared->searched == check.searched && prepared->apart == check.apart &&
		prepared->schema == check.schema && prepared->match == check.columns.match &&
		prepared->tells_place == changes_kept_row(check.action) && prepared->parameters == parameters &&
		SPI_plan_is_valid(prepared->plan))
		return prepared;
	if (prepared != nullptr)
		drop(prepared);
	return prepare_search(check, cached.key.search, parameters);
}

void give_back(CachedSearch &cached, PreparedSearch *prepared)
{
	if (cached.prepared == nullptr)
		cached.prepared = prepared;
	else
		drop(prepared);
}

// The row that the query of a search has returned.
SimilarRow returned_row(const PreparedSearch &search)
{
	SimilarRow row{};
	row.found = SPI_processed > 0;
	if (!row.found)
		return row;
	HeapTuple tuple = SPI_tuptable->vals[0];
	TupleDesc columns = SPI_tuptable->tupdesc;
	const Form_pg_attribute key = TupleDescAttr(columns, 0);
	row.key = SPI_getbinval(tuple, columns, 1, &row.key_is_null);
	if (!row.key_is_null)
		row.key = SPI_datumTransfer(row.key, key->attbyval, key->attlen);
	bool is_null;
	const int compared = search.parameters.columns;
	for (int i = 0; i < compared; ++i) {
		const Datum similarity = SPI_getbinval(tuple, columns, i + 2, &is_null);
		row.evidence[i] = {!is_null, is_null ? 0 : DatumGetFloat8(similarity)};
	}
	if (search.tells_place) {
		row.stored_in = DatumGetObjectId(SPI_getbinval(tuple, columns, compared + 2, &is_null));
		row.stored_at = *(ItemPointer) DatumGetPointer(SPI_getbinval(tuple, columns, compared + 3, &is_null));
	}
	return row;
}

SimilarRow run_search(const PreparedSearch &search, const SearchValues &values, SearchSnapshot snapshot)
{
	Datum parameters[Parameters::max_count];
	bool nulls[Parameters::max_count] = {};
	const int compared = search.parameters.columns;
	for (int i = 0; i < compared; ++i) {
		parameters[i] = values.fingerprints[i].value;
		nulls[i] = values.fingerprints[i].isnull;
		parameters[compared + i] = search.parameters.limits[i];
	}
	const bool is_stored = OidIsValid(values.stored_in);
	const NullableDatum own[] = {{values.key, false}, {ObjectIdGetDatum(values.stored_in), !is_stored},
		{PointerGetDatum(&values.stored_at), !is_stored}, {values.within, false}};
	for (std::size_t i = 0; i < lengthof(own); ++i) {
		parameters[2 * static_cast<std::size_t>(compared) + i] = own[i].value;
		nulls[2 * static_cast<std::size_t>(compared) + i] = own[i].isnull;
	}
	run(search.plan, search.parameters, parameters, nulls, snapshot);
	return returned_row(search);
}

SimilarRow run_and_give_back(const NearDuplicateCheck &check, CachedSearch &cached, PreparedSearch *search,
	const SearchValues &values, SearchSnapshot snapshot)
{
	SimilarRow row;
	PG_TRY();
	{
		row = run_search(*search, values, snapshot);
		if (!cached.advised && std::has_single_bit(++cached.runs)) // after 1, 2, 4 … runs, because tables grow
			cached.advised = advise_on_index(search->plan, check, cached.key.search);
	}
	PG_CATCH();
	{
		give_back(cached, search);
		PG_RE_THROW();
	}
	PG_END_TRY();
	give_back(cached, search);
	return row;
}

// By the searches of all columns, until one finds a row.
SimilarRow run_searches(const NearDuplicateCheck &check, const SearchValues &values, SearchSnapshot snapshot)
{
	SimilarRow row{};
	for (int search = 0; search < searches_of(check) && !row.found; ++search) {
		if (check.columns.match == Match::any && values.fingerprints[search].isnull)
			continue;
		CachedSearch &cached = cached_search(check, search);
		row = run_and_give_back(check, cached, acquire_search(check, cached), values, snapshot);
	}
	return row;
}

bool is_visible_under_row_security(const NearDuplicateCheck &check, Datum key)
{
	Parameters parameters{};
	parameters.table = check.searched.table;
	parameters.count = 1;
	parameters.types[0] = base_type_of(check.searched.table, check.searched.key);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	const char *query = psprintf("SELECT FROM %s t WHERE %s %s $1 LIMIT 1", table_text(check.searched.table),
		column_text(check.searched.table, check.searched.key), equality_operator(parameters.types[0]));
	const bool is_null = false;
	run(prepare(query, parameters), parameters, &key, &is_null, SearchSnapshot::transaction);
	const bool is_visible = SPI_processed > 0;
	SPI_finish();
	return is_visible;
}

} // namespace

SimilarRow find_similar_row(const NearDuplicateCheck &check, const SearchValues &values, SearchSnapshot snapshot)
{
	const SearchScope scope = enter_search_scope(check.searched.table);
	if (!check.is_against_itself()) {
		check_may_guard(scope.table, check.searched, check.table);
		if (changes_kept_row(check.action))
			check_may_change(check);
	}
	if (OidIsValid(check.apart.table))
		lock_apart(check.apart, check.table);
	const SimilarRow row = run_searches(check, values, snapshot);
	leave_search_scope(scope);
	return row;
}

// What is told is which row has a fingerprint like that one, so the writer must be allowed to read key and fingerprint.
// The policies of a protected table are not asked on behalf of a writer who has nothing to do with its owner: they
// would run with the writer's rights.
bool is_visible_to_writer(const NearDuplicateCheck &check, const SimilarRow &row)
{
	const SearchedTable &searched = check.searched;
	if (!may_read(searched, GetUserId()))
		return false;
	if (check_enable_rls(searched.table, InvalidOid, true) != RLS_ENABLED)
		return true;
	return !row.key_is_null && owner_of(searched.table) == owner_of(check.table) &&
		is_visible_under_row_security(check, row.key);
}

} // namespace txtfp::pg
