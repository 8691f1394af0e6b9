// The searches of a check run through SPI. A session keeps one query for a trigger and its clones in all partitions.
#include "pg/trigger/near_duplicate_search.hpp"

#include <algorithm>
#include <bit>
#include <new>

#include "pg/base/table_query.hpp"
#include "pg/trigger/kept_row_options.hpp"
#include "pg/trigger/near_duplicate_advice.hpp"
#include "pg/trigger/near_duplicate_candidates.hpp"
#include "pg/trigger/search_scope.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
}

namespace txtfp::pg {

namespace {

// The parameters $1, $2, … of a search: the fingerprints, and the limits of these, constants that the planner can see;
// then, if the table itself is searched, the row's key, its table and TID, and the value of `within`.
struct Parameters {
	int count;
	QueryParameter list[TableQuery::max_parameters];

	std::span<const QueryParameter> all() const { return {list, static_cast<std::size_t>(count)}; }
};
static_assert(TableQuery::max_parameters >= 2 * max_compared_columns + 4);

int limit_number(const NearDuplicateCheck &check, int column) { return check.columns.count + column + 1; }
int key_number(const NearDuplicateCheck &check) { return 2 * check.columns.count + 1; }

// t.column::type. It is a cast only for a domain, so that functions and operators defined for the domain are not
// chosen.
const char *column_text(Oid table, AttrNumber number)
{
	return psprintf(
		"t.%s::%s", quote_identifier(get_attname(table, number, false)), type_text(base_type_of(table, number)));
}

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
// What the text of a search is made of, besides its parameters.
struct SearchTerms {
	SearchedTable searched;
	PairsTable apart;
	Oid schema; // of the functions called
	Match match;
	bool tells_place; // of the row
	bool decides;     // by the texts, of several rows

	bool operator==(const SearchTerms &) const = default;
};
struct CachedSearch {
	SearchKey key;
	TableQuery *query; // nullptr: there is none yet, or it runs
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
QueryParameter limit_parameter(const ComparedColumn &column)
{
	if (column.kind->similar == nullptr)
		return {FLOAT4OID, true, Float4GetDatum(static_cast<float>(column.limit))};
	if (column.kind->unit == MeasureUnit::similarity)
		return {FLOAT8OID, true, Float8GetDatum(column.limit)};
	return {INT4OID, true, Int32GetDatum(static_cast<int>(column.limit))};
}

Parameters parameters_of(const NearDuplicateCheck &check)
{
	const int columns = check.columns.count;
	Parameters parameters{2 * columns, {}};
	for (int i = 0; i < columns; ++i) {
		const ComparedColumn &column = check.columns.list[i];
		parameters.list[i] = {base_type_of(check.fired, column.number)};
		parameters.list[columns + i] = limit_parameter(column);
	}
	if (!check.is_against_itself())
		return parameters;
	for (const Oid type : {base_type_of(check.fired, check.key), Oid{OIDOID}, Oid{TIDOID}})
		parameters.list[parameters.count++] = {type};
	if (check.within != 0)
		parameters.list[parameters.count++] = {base_type_of(check.fired, check.within)};
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
	appendStringInfo(&text, format, relation_text(table), a, type, equals, key, b, type, equals, own);
	appendStringInfo(&text, format, relation_text(table), b, type, equals, key, a, type, equals, own);
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

// Selects the key, a similarity for each column, which is NULL where the column is not within its limit, the row's place
// if it is needed, and the text if texts decide.
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
	appendStringInfo(&text, "%s%s%s FROM %s t", changes_kept_row(check.action) ? ", t.tableoid, t.ctid" : "",
		check.decision != nullptr ? ", " : "", check.decision != nullptr ? column_text(searched.table, searched.text) : "",
		relation_text(searched.table));
	for (int i = 0; i < check.columns.count; ++i)
		if (requires_column(check, search, i)) {
			appendStringInfo(&text, "%s%s", separator, condition_text(check, i));
			separator = " AND ";
		}
	if (check.is_against_itself())
		append_own_conditions(text, check, key);
	if (check.decision == nullptr)
		appendStringInfoString(&text, " LIMIT 1");
	return text.data;
}

TableQuery *prepare_search(
	const NearDuplicateCheck &check, int search, const SearchTerms &terms, const Parameters &parameters)
{
	const Oid tables[] = {check.searched.table, check.apart.table};
	TableQuery *query = prepare_query(search_text(check, search), parameters.all(), tables);
	keep_query(query);
	query->note = new (MemoryContextAlloc(query->memory, sizeof(SearchTerms))) SearchTerms(terms);
	return query;
}

// If names have changed since the query was prepared, it is not valid. CREATE OR REPLACE TRIGGER may name other columns
// of a protected table. That does not make it invalid, so the terms are compared.
TableQuery *acquire_search(const NearDuplicateCheck &check, CachedSearch &cached)
{
	const SearchTerms terms{
		check.searched, check.apart, check.schema, check.columns.match, changes_kept_row(check.action),
		check.decision != nullptr};
	const Parameters parameters = parameters_of(check);
	TableQuery *query = take_query(cached.query);
	if (query != nullptr && *static_cast<const SearchTerms *>(query->note) == terms &&
		has_parameters(*query, parameters.all()) && is_valid(*query))
		return query;
	if (query != nullptr)
		drop_query(query);
	return prepare_search(check, cached.key.search, terms, parameters);
}

void run_search(const NearDuplicateCheck &check, const TableQuery &query, const SearchValues &values, Snapshot snapshot,
	Candidates &candidates)
{
	Datum parameters[TableQuery::max_parameters] = {};
	bool nulls[TableQuery::max_parameters] = {};
	const int compared = check.columns.count;
	for (int i = 0; i < compared; ++i) {
		parameters[i] = values.fingerprints[i].value;
		nulls[i] = values.fingerprints[i].isnull;
	}
	const bool is_stored = OidIsValid(values.stored_in);
	const NullableDatum own[] = {{values.key, false}, {ObjectIdGetDatum(values.stored_in), !is_stored},
		{PointerGetDatum(&values.stored_at), !is_stored}, {values.within, false}};
	for (std::size_t i = 0; i < lengthof(own); ++i) {
		parameters[2 * static_cast<std::size_t>(compared) + i] = own[i].value;
		nulls[2 * static_cast<std::size_t>(compared) + i] = own[i].isnull;
	}
	read_rows(query, parameters, snapshot, nulls, candidates);
}

void run_and_give_back(const NearDuplicateCheck &check, CachedSearch &cached, const SearchValues &values,
	Snapshot snapshot, Candidates &candidates)
{
	TableQuery *query = acquire_search(check, cached);
	run_and_give_back(cached.query, query, [&] {
		run_search(check, *query, values, snapshot, candidates);
		if (!cached.advised && std::has_single_bit(++cached.runs)) // after 1, 2, 4 … runs, because tables grow
			cached.advised = advise_on_index(query->plan, check, cached.key.search);
	});
}

// By the searches of all columns, until one finds a near-duplicate.
void run_searches(
	const NearDuplicateCheck &check, const SearchValues &values, Snapshot snapshot, Candidates &candidates)
{
	for (int search = 0; search < searches_of(check) && !candidates.is_decided(); ++search) {
		if (check.columns.match == Match::any && values.fingerprints[search].isnull)
			continue;
		candidates.search = check.columns.match == Match::any ? search : 0;
		run_and_give_back(check, cached_search(check, search), values, snapshot, candidates);
	}
}

bool is_visible_under_row_security(const NearDuplicateCheck &check, Datum key)
{
	const Oid table = check.searched.table;
	const QueryParameter parameter{base_type_of(table, check.searched.key)};
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	const char *text = psprintf("SELECT FROM %s t WHERE %s %s $1 LIMIT 1", relation_text(table),
		column_text(table, check.searched.key), equality_operator(parameter.type));
	read_query(*prepare_query(text, {&parameter, 1}, {&table, 1}), &key, Snapshot::transaction);
	const bool is_visible = SPI_processed > 0;
	SPI_finish();
	return is_visible;
}

} // namespace

SimilarRow find_similar_row(const NearDuplicateCheck &check, const SearchValues &values, Snapshot snapshot)
{
	Candidates candidates(check, values, CurrentMemoryContext);
	const SearchScope scope = enter_search_scope(check.searched.table);
	if (!check.is_against_itself()) {
		check_may_guard(scope.table, check.searched, check.table);
		if (changes_kept_row(check.action))
			check_may_change(check);
	}
	check_shape(scope.table, check.searched.shape);
	if (OidIsValid(check.apart.table))
		lock_apart(check.apart, check.table, base_type_of(check.fired, check.key));
	run_searches(check, values, snapshot, candidates);
	leave_search_scope(scope);
	return candidates.found();
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
