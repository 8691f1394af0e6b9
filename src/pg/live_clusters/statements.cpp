#include "pg/live_clusters/statements.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

extern "C" {
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
}

namespace txtfp::pg {

namespace {

const char *function_schema(const Clusters &clusters) { return quote_identifier(get_namespace_name(clusters.schema)); }

constexpr State clustered = State::count;

// A statement: `parameters` and `results` have a letter for the type of each: k key, K its array, f the fingerprint, i
// bigint, I its array, d float8,
// D its array, t text, l the limit of the search, a constant. In the texts, @members, @sets, @links, @history and @events stand
// for the tables of the state, @table for the clustered table, @key, @fingerprint and @priority for the values of a row t of
// the table, @evidence for a query that compares the texts of n.id and n.kept.
struct Source {
	Statement statement;
	State table; // whose rows it returns or writes; `clustered`: the clustered table
	const char *parameters, *results, *text;
	const char *results_in_stars = nullptr, *in_stars = nullptr; // instead of these
};

#define EQUALS " OPERATOR(pg_catalog.=) "

// Stores what is over: of the rows `gone`, which were members, those for which another row was kept.
#define TO_HISTORY                                                                                              \
	" INSERT INTO @history (id, kept, similarity, jaccard, containment, priority, kept_priority, since, until)" \
	" SELECT g.id, g.kept, g.similarity, g.jaccard, g.containment, g.priority, k.priority, g.since,"            \
	" pg_catalog.clock_timestamp() FROM gone g LEFT JOIN @members k ON k.id" EQUALS                             \
	"g.kept WHERE g.kept OPERATOR(pg_catalog.<>) g.id"

// The members $5 … $8 of the cluster of `s`, and the links from $9 to $10.
#define ENTER                                                                                                         \
	", l AS (INSERT INTO @links (a, b) SELECT pg_catalog.unnest($9), pg_catalog.unnest($10))"                         \
	" INSERT INTO @members (id, cluster, priority, kept, similarity, jaccard, containment, since@new_number)"         \
	" SELECT n.id, s.cluster, n.priority, @kept, e.jaccard, e.containment, pg_catalog.clock_timestamp()@is_number"    \
	" FROM s, (SELECT pg_catalog.unnest($5) AS id, pg_catalog.unnest($6) AS priority, pg_catalog.unnest($7) AS kept," \
	" pg_catalog.unnest($8) AS similarity, pg_catalog.unnest($11) AS number) AS n"                                    \
	" LEFT JOIN LATERAL (@evidence) AS e ON true"

// All rows.
#define CLEAR_TREES "WITH l AS (DELETE FROM @links RETURNING a), s AS (DELETE FROM @sets RETURNING cluster)@dissolved"

// Rows of pairs with one of the rows $1.
#define PARTNERS(table)                                                                                    \
	"SELECT @pair_b FROM " table " x WHERE @pair_a" EQUALS "ANY ($1) UNION ALL SELECT @pair_a FROM " table \
	" x WHERE @pair_b" EQUALS "ANY ($1)"

constexpr Source sources[] = {
	{Statement::neighbours, clustered, "fkl", "kddti",
		"SELECT @key, @similarity, @priority, @text, @certain FROM @table t WHERE @similar AND @bytes OPERATOR(pg_catalog.<>) "
		"$2@or_together"},
	{Statement::row, clustered, "k", "fdt", "SELECT @fingerprint, @priority, @text FROM @table t WHERE @is_first"},
	{Statement::labels, State::members, "K", "kid", "SELECT m.id, m.cluster, m.priority FROM @members m WHERE m.id" EQUALS "ANY ($1)",
		"kidkddi",
		"SELECT m.id, m.cluster, m.priority, m.kept, k.priority, m.similarity, COALESCE(m.number, 0) FROM @members m"
		" LEFT JOIN @members k ON k.id" EQUALS "m.kept WHERE m.id" EQUALS "ANY ($1)"},
	{Statement::sets, State::sets, "I", "ikdii",
		"SELECT s.cluster, s.first, s.priority, s.size, @set_number FROM @sets s WHERE s.cluster" EQUALS "ANY ($1)"},
	{Statement::lock_sets, State::sets, "I", "", "SELECT FROM @sets s WHERE s.cluster" EQUALS "ANY ($1) FOR UPDATE"},
	{Statement::new_set, State::sets, "kdi", "i", "INSERT INTO @sets (first, priority, size) VALUES ($1, $2, $3) RETURNING cluster"},
	{Statement::update_set, State::sets, "ikdi", "",
		"UPDATE @sets SET first = $2, priority = $3, size = $4 WHERE cluster" EQUALS "$1"},
	{Statement::drop_sets, State::sets, "I", "", "DELETE FROM @sets WHERE cluster" EQUALS "ANY ($1)"},
	{Statement::enter_new, State::sets, "ikdiKDKDKKI", "i",
		"WITH s AS (INSERT INTO @sets (first, priority, size) VALUES ($2, $3, $4) RETURNING cluster)" ENTER
		" RETURNING cluster"},
	{Statement::enter, State::sets, "ikdiKDKDKKI", "",
		"WITH s AS (UPDATE @sets SET first = $2, priority = $3, size = $4 WHERE cluster" EQUALS
		"$1 RETURNING cluster)" ENTER},
	{Statement::drop_members, State::members, "K", "", "DELETE FROM @members m WHERE m.id" EQUALS "ANY ($1)", "kki",
		"WITH gone AS (DELETE FROM @members m WHERE m.id" EQUALS "ANY ($1) RETURNING *), old AS (" TO_HISTORY ")"
		" SELECT g.id, g.kept, COALESCE(g.number, 0) FROM gone g"},
	{Statement::move_clusters, State::members, "iI", "", "UPDATE @members SET cluster = $1 WHERE cluster" EQUALS "ANY ($2)"},
	{Statement::move_members, State::members, "iKi", "",
		"UPDATE @members SET cluster = $1 WHERE id" EQUALS "ANY ($2) AND cluster" EQUALS "$3"},
	{Statement::first_member, State::members, "i", "kd",
		"SELECT m.id, m.priority FROM @members m WHERE m.cluster" EQUALS "$1 ORDER BY m.priority DESC, m.id LIMIT 2"},
	{Statement::links_of, State::links, "K", "kk",
		"SELECT l.a, l.b FROM @links l WHERE l.a" EQUALS "ANY ($1)"
		" UNION ALL SELECT l.b, l.a FROM @links l WHERE l.b" EQUALS "ANY ($1)"},
	{Statement::add_links, State::links, "KK", "", "INSERT INTO @links (a, b) SELECT pg_catalog.unnest($1), pg_catalog.unnest($2)"},
	{Statement::drop_links, State::links, "k", "", "DELETE FROM @links WHERE a" EQUALS "$1 OR b" EQUALS "$1"},
	{Statement::dependents, State::members, "k", "kdidi",
		"SELECT m.id, m.priority, m.cluster, m.similarity, COALESCE(m.number, 0) FROM @members m WHERE m.kept" EQUALS
		"$1"
		" AND m.id OPERATOR(pg_catalog.<>) $1"},
	{Statement::centres, State::members, "I", "kd",
		"SELECT m.id, m.priority FROM @members m WHERE m.cluster" EQUALS "ANY ($1) AND m.kept" EQUALS "m.id"},
	{Statement::assign, State::members, "KKDI", "",
		"WITH n AS MATERIALIZED (SELECT pg_catalog.unnest($1) AS id, pg_catalog.unnest($2) AS kept,"
		" pg_catalog.unnest($3) AS similarity, pg_catalog.unnest($4) AS number),"
		" gone AS (SELECT m.* FROM n JOIN @members m ON m.id" EQUALS "n.id), old AS (" TO_HISTORY ")"
		" UPDATE @members m SET kept = n.kept, similarity = n.similarity, since = pg_catalog.clock_timestamp(),"
		" number = NULLIF(n.number, 0), (jaccard, containment) = (@evidence) FROM n WHERE m.id" EQUALS "n.id"},
	{Statement::clear, State::members, "", "", CLEAR_TREES " DELETE FROM @members m WHERE m.id IS NOT NULL", "",
		CLEAR_TREES ", gone AS (DELETE FROM @members m WHERE m.id IS NOT NULL RETURNING *)" TO_HISTORY},
	{Statement::pairs, State::members, "I", "kki",
		"(SELECT m.id, m.id, 0::pg_catalog.int8 FROM @members m WHERE m.cluster" EQUALS
		"ANY ($1) AND m.excepted LIMIT 1)@pairs"},
	{Statement::partners_apart, State::apart, "K", "k", PARTNERS("@apart")},
	{Statement::partners_together, State::together, "K", "k", PARTNERS("@together")},
	{Statement::members_of, State::members, "i", "kkdi",
		"SELECT m.id, m.kept, m.similarity, COALESCE(m.number, 0) FROM @members m WHERE m.cluster" EQUALS
		"$1 ORDER BY m.priority DESC, m.id"},
	{Statement::similarity, clustered, "fk", "d",
		"SELECT @similarity FROM @table t WHERE @is_second AND @fingerprint IS NOT NULL"},
	{Statement::name, State::members, "KKI", "",
		"UPDATE @members m SET kept = n.kept, number = NULLIF(n.number, 0) FROM (SELECT pg_catalog.unnest($1) AS id,"
		" pg_catalog.unnest($2) AS kept, pg_catalog.unnest($3) AS number) AS n WHERE m.id" EQUALS "n.id"},
	{Statement::mark, State::members, "ii", "",
		"UPDATE @members SET excepted = ($2 OPERATOR(pg_catalog.<>) 0) WHERE cluster" EQUALS
		"$1 AND excepted OPERATOR(pg_catalog.<>) ($2 OPERATOR(pg_catalog.<>) 0)"},
	{Statement::numbered, State::members, "I", "kki",
		"SELECT m.id, COALESCE(m.kept, s.first), @number FROM @members m JOIN @sets s ON s.cluster" EQUALS
		"m.cluster WHERE m.cluster" EQUALS "ANY ($1)"},
	{Statement::kept_for, State::members, "KI", "kki",
		"SELECT g.kept, r.id, COALESCE(r.number, 0) FROM (SELECT pg_catalog.unnest($1) AS kept, pg_catalog.unnest($2)"
		" AS most) AS g CROSS JOIN LATERAL (SELECT m.id, m.number FROM @members m WHERE m.kept" EQUALS
		"g.kept LIMIT g.most) AS r"},
	{Statement::new_numbers, State::sets, "i", "i", "SELECT pg_catalog.nextval(@sequence) FROM pg_catalog.generate_series(1, $1)"},
	{Statement::number, State::members, "KI", "",
		"UPDATE @members m SET number = NULLIF(n.number, 0) FROM (SELECT pg_catalog.unnest($1) AS id,"
		" pg_catalog.unnest($2) AS number) AS n WHERE m.id" EQUALS "n.id"},
	{Statement::number_set, State::sets, "ii", "",
		"UPDATE @sets SET number = NULLIF($2, cluster) WHERE cluster" EQUALS
		"$1 AND number IS DISTINCT FROM NULLIF($2, cluster)"},
	{Statement::tell, State::events, "IIKIKK", "",
		"INSERT INTO @events (cluster, what, id, other, kept, kept_before) SELECT pg_catalog.unnest($1), @whats,"
		" pg_catalog.unnest($3), NULLIF(pg_catalog.unnest($4), 0), pg_catalog.unnest($5), pg_catalog.unnest($6)"},
};

// The exact measures of the texts of two rows; n has their ids.
const char *evidence_text(const Clusters &clusters)
{
	if (clusters.text_column == nullptr)
		return "SELECT NULL::pg_catalog.float8 AS jaccard, NULL::pg_catalog.float8 AS containment";
	const char *column = quote_identifier(clusters.text_column), *schema = function_schema(clusters);
	const auto measure = [&](const char *function) {
		return psprintf("%s.%s(a.%s::pg_catalog.text, b.%s::pg_catalog.text)", schema, function, column, column);
	};
	return psprintf("SELECT %s AS jaccard, %s AS containment FROM %s a, %s b WHERE %s AND %s AND n.id"
					" OPERATOR(pg_catalog.<>) n.kept",
		measure("text_jaccard"), measure("text_containment"), table_text(clusters), table_text(clusters),
		key_is(clusters, "a", "n.id"), key_is(clusters, "b", "n.kept"));
}

struct Word {
	const char *name, *value;
};

// Replaces each word that begins with @; what has been put in is not looked at again.
const char *expand(const char *text, const Word *words)
{
	StringInfoData result;
	initStringInfo(&result);
	while (*text != '\0') {
		const auto plain = static_cast<int>(strcspn(text, "@"));
		appendBinaryStringInfo(&result, text, plain);
		text += plain;
		if (*text == '\0')
			break;
		const auto length = 1 + strspn(text + 1, "abcdefghijklmnopqrstuvwxyz_");
		const Word *word = words;
		while (strlen(word->name) != length || strncmp(word->name, text, length) != 0)
			++word;
		appendStringInfoString(&result, word->value);
		text += length;
	}
	return result.data;
}

// $2 has numbers of events.hpp.
constexpr const char *whats = "('{created,joined,left,merged into,split from,dissolved,kept row "
							  "changed}'::pg_catalog.text[])[pg_catalog.unnest($2)]";

// The number of the component s, as a cluster.
const char *set_number_text(const Clusters &clusters)
{
	return clusters.has_decided_pairs() && !clusters.star ? "COALESCE(s.number, s.cluster)" : "s.cluster";
}

// Of the cluster of a member m of the component s; 0: it is alone.
const char *number_text(const Clusters &clusters)
{
	if (clusters.star)
		return "COALESCE(m.number, 0)";
	return psprintf("CASE WHEN m.kept IS NULL THEN %s ELSE COALESCE(m.number, 0) END", set_number_text(clusters));
}

// The sequence of an identity column, not another one that belongs to the table. InvalidOid if there is none.
Oid identity_sequence(Oid table, const char *column)
{
	const AttrNumber number = get_attnum(table, column);
	if (number == InvalidAttrNumber)
		return InvalidOid;
#if PG_VERSION_NUM >= 170000
	Relation relation = open_known_table(table, AccessShareLock);
	const Oid sequence = getIdentitySequence(relation, number, true);
	table_close(relation, NoLock);
	return sequence;
#else
	return getIdentitySequence(table, number, true);
#endif
}

// That gives components and clusters their numbers.
const char *sequence_text(const Clusters &clusters)
{
	if (!clusters.has_parts())
		return "";
	const Oid sequence = identity_sequence(clusters.relation(State::sets), "cluster");
	if (!OidIsValid(sequence))
		report_contradiction(clusters, State::sets);
	return psprintf("'%u'::pg_catalog.regclass", sequence);
}

const char *dissolved_text(const Clusters &clusters)
{
	if (!clusters.has_events())
		return "";
	const char *events = state_text(clusters, State::events);
	if (!clusters.has_parts())
		return psprintf(", e AS (INSERT INTO %s (cluster, what) SELECT s.cluster, 'dissolved' FROM s)", events);
	return psprintf(", e AS (INSERT INTO %s (cluster, what) SELECT DISTINCT n.number, 'dissolved' FROM (SELECT %s AS"
					" number FROM %s m JOIN %s s ON s.cluster" EQUALS
					"m.cluster) AS n WHERE n.number OPERATOR(pg_catalog.<>) 0)",
		events, number_text(clusters), state_text(clusters, State::members), state_text(clusters, State::sets));
}

// Rows that are to be together with $2, and are not similar to $1.
const char *or_together_text(const Clusters &clusters, const char *similar, const char *similarity)
{
	if (!OidIsValid(clusters.relation(State::together)))
		return "";
	const char *table = state_text(clusters, State::together), *a = pair_text(clusters, "a"),
			   *b = pair_text(clusters, "b");
	return psprintf(" UNION ALL SELECT %s, %s, %s, NULL::pg_catalog.text, 1::pg_catalog.int8 FROM %s t WHERE %s" EQUALS
					"ANY (ARRAY(SELECT %s FROM %s x WHERE %s" EQUALS "$2 UNION ALL SELECT %s FROM %s x WHERE %s" EQUALS
					"$2)) AND %s IS NOT NULL AND NOT %s AND %s OPERATOR(pg_catalog.<>) $2",
		key_text(clusters, "t"), similarity, priority_text(clusters, "t"), table_text(clusters),
		key_text(clusters, "t"), b, table, a, a, table, b, fingerprint_text(clusters, "t"), similar,
		key_bytes(clusters, "t"));
}

// 1: whatever the texts say, a row t that is similar to the row $2 is linked to it.
const char *certain_text(const Clusters &clusters)
{
	if (clusters.decision == nullptr)
		return "1::pg_catalog.int8";
	if (!OidIsValid(clusters.relation(State::together)))
		return "0::pg_catalog.int8";
	const char *table = state_text(clusters, State::together), *a = pair_text(clusters, "a"),
			   *b = pair_text(clusters, "b"), *key = key_bytes(clusters, "t");
	return psprintf("CASE WHEN EXISTS (SELECT FROM %s x WHERE (%s" EQUALS "$2 AND %s" EQUALS "%s) OR (%s" EQUALS
					"$2 AND %s" EQUALS "%s)) THEN 1::pg_catalog.int8 ELSE 0::pg_catalog.int8 END",
		table, a, b, key, b, a, key);
}

// The pairs of both tables among the members of the components $1.
const char *pairs_text(const Clusters &clusters)
{
	const char *text = "";
	const char *members = state_text(clusters, State::members);
	for (const auto &[which, kind] : {std::pair(State::apart, 1), std::pair(State::together, 2)})
		if (OidIsValid(clusters.relation(which)))
			text = psprintf(
				"%s UNION ALL SELECT m.id, n.id, %d::pg_catalog.int8 FROM %s m, %s x, %s n WHERE m.cluster" EQUALS
				"ANY ($1) AND %s" EQUALS "m.id AND n.id" EQUALS "%s AND n.cluster" EQUALS "ANY ($1)",
				text, kind, members, state_text(clusters, which), members, pair_text(clusters, "a"),
				pair_text(clusters, "b"));
	return text;
}

const char *statement_text(const Clusters &clusters, const char *text)
{
	const char *fingerprint = fingerprint_text(clusters, "t"),
			   *similar = similar_text(clusters, fingerprint, "$1", "$3"),
			   *similarity = similarity_text(clusters, fingerprint, "$1");
	const bool has_apart = OidIsValid(clusters.relation(State::apart)),
			   has_together = OidIsValid(clusters.relation(State::together));
	const Word words[] = {
		{"@evidence", evidence_text(clusters)},
		{"@similarity", similarity},
		{"@similar", similar},
		{"@or_together", or_together_text(clusters, similar, similarity)},
		{"@pairs", pairs_text(clusters)},
		{"@pair_a", pair_text(clusters, "a")},
		{"@pair_b", pair_text(clusters, "b")},
		{"@apart", has_apart ? state_text(clusters, State::apart) : ""},
		{"@together", has_together ? state_text(clusters, State::together) : ""},
		{"@priority", priority_text(clusters, "t")},
		{"@text", text_text(clusters, "t")},
		{"@certain", certain_text(clusters)},
		{"@fingerprint", fingerprint},
		{"@key", key_text(clusters, "t")},
		{"@bytes", key_bytes(clusters, "t")},
		{"@is_first", key_is(clusters, "t", "$1")},
		{"@is_second", key_is(clusters, "t", "$2")},
		{"@kept", clusters.star ? "n.kept, n.similarity" : "NULL, NULL"},
		{"@new_number", clusters.star ? ", number" : ""},
		// Entry::new_cluster
		{"@is_number",
			clusters.star ? ", CASE n.number WHEN 0 THEN NULL WHEN -1 THEN s.cluster ELSE n.number END" : ""},
		{"@set_number", set_number_text(clusters)},
		{"@number", number_text(clusters)},
		{"@sequence", sequence_text(clusters)},
		{"@members", state_text(clusters, State::members)},
		{"@sets", state_text(clusters, State::sets)},
		{"@links", state_text(clusters, State::links)},
		{"@history", clusters.star ? state_text(clusters, State::history) : ""},
		{"@events", clusters.has_events() ? state_text(clusters, State::events) : ""},
		{"@whats", whats},
		{"@dissolved", dissolved_text(clusters)},
		{"@table", table_text(clusters)},
	};
	return expand(text, words);
}

Oid type_of(const Clusters &clusters, char letter)
{
	switch (letter) {
	case 'k':
		return clusters.key.type;
	case 'K':
		return get_array_type(clusters.key.type);
	case 'f':
		return clusters.fingerprint_type;
	case 'i':
		return INT8OID;
	case 'I':
		return INT8ARRAYOID;
	case 'd':
		return FLOAT8OID;
	case 't':
		return TEXTOID;
	default:
		return FLOAT8ARRAYOID;
	}
}

const Source &source_of(Statement statement)
{
	const Source *source = sources;
	while (source->statement != statement)
		++source;
	return *source;
}

const TableQuery &query_of(Clusters &clusters, const Source &source)
{
	const Statement statement = source.statement;
	TableQuery *&kept = clusters.queries[static_cast<int>(statement)];
	if (kept != nullptr && is_valid(*kept))
		return *kept;
	if (TableQuery *old = kept; old != nullptr) {
		kept = nullptr;
		drop_query(old);
	}
	QueryParameter parameters[TableQuery::max_parameters];
	const std::size_t count = strlen(source.parameters);
	for (std::size_t i = 0; i < count; ++i)
		parameters[i] = source.parameters[i] == 'l' ? limit_parameter(clusters)
													: QueryParameter{type_of(clusters, source.parameters[i])};
	const bool in_stars = clusters.star && source.in_stars != nullptr;
	TableQuery *query =
		prepare(clusters, statement_text(clusters, in_stars ? source.in_stars : source.text), {parameters, count});
	keep_query(query);
	kept = query;
	return *query;
}

// The query, when what it reads and writes is locked. The search scope has locked the clustered table.
const TableQuery &locked_query(Clusters &clusters, const Source &source)
{
	if (!clusters.state_is_locked && source.statement != Statement::neighbours && source.statement != Statement::row) {
		lock_state(clusters, RowExclusiveLock);
		clusters.state_is_locked = true;
	}
	return query_of(clusters, source);
}

Rows result_of(const Clusters &clusters, const Source &source)
{
	const bool in_stars = clusters.star && source.in_stars != nullptr;
	return {&clusters, source.table == clustered ? clusters.table : clusters.relation(source.table),
		in_stars ? source.results_in_stars : source.results, SPI_processed, SPI_tuptable};
}

} // namespace

void report_contradiction(const Clusters &clusters, Oid table)
{
	const char *name = get_rel_name(table);
	ereport(ERROR,
		(errcode(ERRCODE_DATA_CORRUPTED), errmsg("the tables of clusters \"%s\" contradict each other", clusters.name),
			errdetail("Table \"%s\" does not have what the trigger wrote to it.", name),
			errhint("Create and fill the clusters anew."), err_generic_string(PG_DIAG_TABLE_NAME, name)));
	pg_unreachable();
}

void report_contradiction(const Clusters &clusters, State table)
{
	report_contradiction(clusters, clusters.relation(table));
}

void report_null_key(const Clusters &clusters, const char *table)
{
	ereport(ERROR,
		(errcode(ERRCODE_NOT_NULL_VIOLATION),
			errmsg("null value in key column \"%s\" of relation \"%s\"", clusters.key_column, table),
			errdetail("Clusters \"%s\" tell rows apart by it.", clusters.name)));
	pg_unreachable();
}

NullableDatum Rows::value(uint64 row, int column) const
{
	const ValueType type{type_of(*clusters, types[column - 1])};
	if (row >= count || table == nullptr || !is_column(table->tupdesc, column, type))
		report_contradiction(*clusters, from);
	return column_value(table, row, column, type);
}

Datum Rows::key(uint64 row, int column) const
{
	const NullableDatum key = value(row, column);
	if (key.isnull && from == clusters->table)
		report_null_key(*clusters, get_rel_name(from));
	if (key.isnull)
		report_contradiction(*clusters, from);
	return copy_key(clusters->key, key.value);
}

std::optional<Datum> Rows::key_if_any(uint64 row, int column) const
{
	const NullableDatum key = value(row, column);
	return key.isnull ? std::nullopt : std::optional<Datum>(copy_key(clusters->key, key.value));
}

int64 Rows::number(uint64 row, int column) const
{
	const int64 number = number_if_any(row, column);
	if (number == 0)
		report_contradiction(*clusters, from);
	return number;
}

int64 Rows::number_if_any(uint64 row, int column) const
{
	const NullableDatum number = value(row, column);
	if (!number.isnull && DatumGetInt64(number.value) < 0)
		report_contradiction(*clusters, from);
	return number.isnull ? 0 : DatumGetInt64(number.value);
}

double Rows::real(uint64 row, int column) const
{
	const NullableDatum number = value(row, column);
	if (number.isnull || std::isnan(DatumGetFloat8(number.value)))
		report_contradiction(*clusters, from);
	return DatumGetFloat8(number.value);
}

void Rows::check_count(uint64 expected) const
{
	if (count != expected)
		report_contradiction(*clusters, from);
}

Rows read(Clusters &clusters, Statement statement, const Datum *values, Snapshot snapshot)
{
	const Source &source = source_of(statement);
	if (clusters.in_one_snapshot)
		execute_query(locked_query(clusters, source), values, true);
	else
		read_query(locked_query(clusters, source), values, snapshot);
	return result_of(clusters, source);
}

Rows write(Clusters &clusters, Statement statement, const Datum *values)
{
	const Source &source = source_of(statement);
	execute_query(locked_query(clusters, source), values, false);
	return result_of(clusters, source);
}

// TRUNCATE removes rows that the transaction does not see, too. Nobody else writes: it has locked the clustered table.
void clear_state(Clusters &clusters)
{
	const TableQuery &query = locked_query(clusters, source_of(Statement::clear));
	const int result = SPI_execute_snapshot(query.plan, nullptr, nullptr, GetLatestSnapshot(), nullptr, false, true, 0);
	if (result < 0)
		elog(ERROR, "SPI_execute_snapshot failed: %s", SPI_result_code_string(result));
}

TableQuery *prepare(const Clusters &clusters, const char *text, std::span<const QueryParameter> parameters)
{
	Oid tables[state_count + 1] = {clusters.table};
	std::copy_n(clusters.state, state_count, tables + 1);
	return prepare_query(text, parameters, tables);
}

Rows run(const Clusters &clusters, const char *text, std::span<const QueryParameter> parameters, const Datum *values,
	Oid from, const char *types)
{
	execute_query(*prepare(clusters, text, parameters), values, false);
	return {&clusters, from, types, SPI_processed, SPI_tuptable};
}

QueryParameter limit_parameter(const Clusters &clusters)
{
	if (clusters.kind->slots > 0)
		return {FLOAT8OID, true, Float8GetDatum(clusters.limit)};
	return {INT4OID, true, Int32GetDatum(static_cast<int>(clusters.limit))};
}

const char *table_text(const Clusters &clusters) { return relation_text(clusters.table); }

const char *state_text(const Clusters &clusters, State which) { return relation_text(clusters.relation(which)); }

const char *pair_text(const Clusters &clusters, const char *column)
{
	const bool is_text = clusters.key.length == -1;
	return psprintf("x.%s::%s%s", column, key_type_text(clusters.key.type), is_text ? " COLLATE pg_catalog.\"C\"" : "");
}

// The casts change nothing but for a domain: functions that somebody has defined for the domain are not chosen.
const char *fingerprint_text(const Clusters &clusters, const char *row)
{
	return psprintf("%s.%s::%s.%s", row, quote_identifier(clusters.fingerprint_column), function_schema(clusters),
		quote_identifier(clusters.kind->type));
}

const char *key_text(const Clusters &clusters, const char *row)
{
	return psprintf("%s.%s::%s", row, quote_identifier(clusters.key_column), key_type_text(clusters.key.type));
}

const char *key_bytes(const Clusters &clusters, const char *row)
{
	const bool is_text = clusters.key.length == -1;
	return psprintf("%s%s", key_text(clusters, row), is_text ? " COLLATE pg_catalog.\"C\"" : "");
}

const char *key_is(const Clusters &clusters, const char *row, const char *value)
{
	const char *equal = psprintf("%s" EQUALS "%s", key_text(clusters, row), value);
	return clusters.key_needs_bytes ? psprintf("%s AND %s" EQUALS "%s", equal, key_bytes(clusters, row), value) : equal;
}

const char *priority_text(const Clusters &clusters, const char *row)
{
	if (clusters.priority_column == nullptr)
		return "pg_catalog.float8 '-Infinity'";
	return psprintf("COALESCE(%s.%s::pg_catalog.float8, '-Infinity')", row, quote_identifier(clusters.priority_column));
}

const char *text_text(const Clusters &clusters, const char *row)
{
	return clusters.decision == nullptr
		? "NULL::pg_catalog.text"
		: psprintf("%s.%s::pg_catalog.text", row, quote_identifier(clusters.text_column));
}

const char *similar_text(const Clusters &clusters, const char *a, const char *b, const char *limit)
{
	return psprintf("%s.%s(%s, %s, %s)", function_schema(clusters), clusters.kind->similar, a, b, limit);
}

// As the bulk functions say it. hamming is the measure of simhash64, but no similarity.
const char *similarity_text(const Clusters &clusters, const char *a, const char *b)
{
	const char *function = clusters.kind->slots > 0 ? clusters.kind->measure : "cosine_estimate";
	return psprintf("%s.%s(%s, %s)::pg_catalog.float8", function_schema(clusters), function, a, b);
}

} // namespace txtfp::pg
