#include "pg/live_clusters/statements.hpp"

#include "pg/base/text_arg.hpp"

extern "C" {
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
}

namespace txtfp::pg {

namespace {

constexpr int most_parameters = 10;

// A statement: `parameters` has a letter for the type of each: k key, K its array, f the fingerprint, i bigint, I its array, d float8,
// D its array. In the texts, @members, @sets, @links and @history stand for the tables of the state, @table for the clustered table,
// @key, @fingerprint and @priority for those of a row t of the table, @evidence for a query that compares the texts of n.id and n.kept.
struct Source {
	Statement statement;
	const char *parameters, *text;
	const char *in_stars = nullptr; // instead of `text`
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
	" INSERT INTO @members (id, cluster, priority, kept, similarity, jaccard, containment, since)"                    \
	" SELECT n.id, s.cluster, n.priority, @kept, e.jaccard, e.containment, pg_catalog.clock_timestamp()"              \
	" FROM s, (SELECT pg_catalog.unnest($5) AS id, pg_catalog.unnest($6) AS priority, pg_catalog.unnest($7) AS kept," \
	" pg_catalog.unnest($8) AS similarity) AS n LEFT JOIN LATERAL (@evidence) AS e ON true"

constexpr Source sources[] = {
	{Statement::neighbours, "fk",
		"SELECT @key, @similarity, @priority FROM @table t WHERE @similar AND @key OPERATOR(pg_catalog.<>) $2"},
	{Statement::row, "k", "SELECT @fingerprint, @priority FROM @table t WHERE @key" EQUALS "$1"},
	{Statement::labels, "K", "SELECT m.id, m.cluster, m.priority FROM @members m WHERE m.id" EQUALS "ANY ($1)",
		"SELECT m.id, m.cluster, m.priority, m.kept, k.priority, m.similarity FROM @members m"
		" LEFT JOIN @members k ON k.id" EQUALS "m.kept WHERE m.id" EQUALS "ANY ($1)"},
	{Statement::sets, "I",
		"SELECT s.cluster, s.first, s.priority, s.size FROM @sets s WHERE s.cluster" EQUALS "ANY ($1)"},
	{Statement::lock_sets, "I", "SELECT FROM @sets s WHERE s.cluster" EQUALS "ANY ($1) FOR UPDATE"},
	{Statement::new_set, "kdi", "INSERT INTO @sets (first, priority, size) VALUES ($1, $2, $3) RETURNING cluster"},
	{Statement::update_set, "ikdi", "UPDATE @sets SET first = $2, priority = $3, size = $4 WHERE cluster" EQUALS "$1"},
	{Statement::drop_sets, "I", "DELETE FROM @sets WHERE cluster" EQUALS "ANY ($1)"},
	{Statement::enter_new, "ikdiKDKDKK",
		"WITH s AS (INSERT INTO @sets (first, priority, size) VALUES ($2, $3, $4) RETURNING cluster)" ENTER},
	{Statement::enter, "ikdiKDKDKK",
		"WITH s AS (UPDATE @sets SET first = $2, priority = $3, size = $4 WHERE cluster" EQUALS
		"$1 RETURNING cluster)" ENTER},
	{Statement::drop_members, "K", "DELETE FROM @members m WHERE m.id" EQUALS "ANY ($1)",
		"WITH gone AS (DELETE FROM @members m WHERE m.id" EQUALS "ANY ($1) RETURNING *)" TO_HISTORY},
	{Statement::move_clusters, "iI", "UPDATE @members SET cluster = $1 WHERE cluster" EQUALS "ANY ($2)"},
	{Statement::move_members, "iK", "UPDATE @members SET cluster = $1 WHERE id" EQUALS "ANY ($2)"},
	{Statement::first_member, "i",
		"SELECT m.id, m.priority FROM @members m WHERE m.cluster" EQUALS "$1 ORDER BY m.priority DESC, m.id LIMIT 1"},
	{Statement::links_of, "K",
		"SELECT l.a, l.b FROM @links l WHERE l.a" EQUALS "ANY ($1)"
		" UNION ALL SELECT l.b, l.a FROM @links l WHERE l.b" EQUALS "ANY ($1)"},
	{Statement::add_links, "KK", "INSERT INTO @links (a, b) SELECT pg_catalog.unnest($1), pg_catalog.unnest($2)"},
	{Statement::drop_links, "k", "DELETE FROM @links WHERE a" EQUALS "$1 OR b" EQUALS "$1"},
	{Statement::dependents, "k",
		"SELECT m.id, m.priority, m.cluster, m.similarity FROM @members m WHERE m.kept" EQUALS "$1"
		" AND m.id OPERATOR(pg_catalog.<>) $1"},
	{Statement::centres, "I",
		"SELECT m.id, m.priority FROM @members m WHERE m.cluster" EQUALS "ANY ($1) AND m.kept" EQUALS "m.id"},
	{Statement::assign, "KKD",
		"WITH n AS MATERIALIZED (SELECT pg_catalog.unnest($1) AS id, pg_catalog.unnest($2) AS kept,"
		" pg_catalog.unnest($3) AS similarity),"
		" gone AS (SELECT m.* FROM n JOIN @members m ON m.id" EQUALS "n.id), old AS (" TO_HISTORY ")"
		" UPDATE @members m SET kept = n.kept, similarity = n.similarity, since = pg_catalog.clock_timestamp(),"
		" (jaccard, containment) = (@evidence) FROM n WHERE m.id" EQUALS "n.id"},
	{Statement::clear, "", "WITH links AS (DELETE FROM @links), sets AS (DELETE FROM @sets) DELETE FROM @members",
		"WITH links AS (DELETE FROM @links), sets AS (DELETE FROM @sets),"
		" gone AS (DELETE FROM @members RETURNING *)" TO_HISTORY},
};

// The exact measures of the texts of two rows, of which n has the ids.
const char *evidence_text(const Clusters &clusters)
{
	if (clusters.text_column == nullptr)
		return "SELECT NULL::pg_catalog.float8 AS jaccard, NULL::pg_catalog.float8 AS containment";
	const char *column = quote_identifier(clusters.text_column), *key = quote_identifier(clusters.key_column);
	const auto measure = [&](const char *function) {
		return psprintf(
			"%s.%s(a.%s::pg_catalog.text, b.%s::pg_catalog.text)", clusters.function_text, function, column, column);
	};
	return psprintf("SELECT %s AS jaccard, %s AS containment FROM %s a, %s b WHERE a.%s::%s" EQUALS
					"n.id AND b.%s::%s" EQUALS "n.kept AND n.id OPERATOR(pg_catalog.<>) n.kept",
		measure("text_jaccard"), measure("text_containment"), clusters.table_text, clusters.table_text, key,
		clusters.key_text, key, clusters.key_text);
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

const char *statement_text(const Clusters &clusters, const Source &source)
{
	const char *fingerprint = psprintf("t.%s", quote_identifier(clusters.fingerprint_column));
	const Word words[] = {
		{"@evidence", evidence_text(clusters)},
		{"@similarity", similarity_text(clusters, fingerprint, "$1")},
		{"@similar", similar_text(clusters, fingerprint, "$1")},
		{"@priority", priority_text(clusters)},
		{"@fingerprint", fingerprint},
		{"@key", psprintf("t.%s::%s", quote_identifier(clusters.key_column), clusters.key_text)},
		{"@kept", clusters.star ? "n.kept, n.similarity" : "NULL, NULL"},
		{"@members", state_text(clusters, "_members")},
		{"@sets", state_text(clusters, "_sets")},
		{"@links", state_text(clusters, "_links")},
		{"@history", state_text(clusters, "_history")},
		{"@table", clusters.table_text},
	};
	return expand(clusters.star && source.in_stars != nullptr ? source.in_stars : source.text, words);
}

Oid parameter_type(const Clusters &clusters, char letter)
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
	default:
		return FLOAT8ARRAYOID;
	}
}

SPIPlanPtr plan_of(Clusters &clusters, Statement statement)
{
	SPIPlanPtr &kept = clusters.plans[static_cast<int>(statement)];
	if (kept != nullptr)
		return kept;
	const Source *source = sources;
	while (source->statement != statement)
		++source;
	Oid types[most_parameters];
	const auto n = static_cast<int>(strlen(source->parameters));
	for (int i = 0; i < n; ++i)
		types[i] = parameter_type(clusters, source->parameters[i]);
	const char *text = statement_text(clusters, *source);
	SPIPlanPtr plan = SPI_prepare_cursor(text, n, types, CURSOR_OPT_GENERIC_PLAN);
	if (plan == nullptr)
		elog(ERROR, "SPI_prepare_cursor failed: %s", SPI_result_code_string(SPI_result));
	SPI_keepplan(plan);
	kept = plan;
	return plan;
}

Rows execute(Clusters &clusters, Statement statement, const Datum *values, bool read_only)
{
	SPIPlanPtr plan = plan_of(clusters, statement);
	const int result = SPI_execute_plan(plan, const_cast<Datum *>(values), nullptr, read_only, 0);
	if (result < 0)
		elog(ERROR, "SPI_execute_plan failed: %s", SPI_result_code_string(result));
	return {SPI_processed, SPI_tuptable};
}

} // namespace

Rows read(Clusters &clusters, Statement statement, const Datum *values, Snapshot snapshot)
{
	CommandCounterIncrement(); // so that rows of the statement that fired the trigger are seen
	PushActiveSnapshot(snapshot == Snapshot::latest ? GetLatestSnapshot() : GetTransactionSnapshot());
	const Rows rows = execute(clusters, statement, values, true);
	PopActiveSnapshot();
	return rows;
}

Rows write(Clusters &clusters, Statement statement, const Datum *values)
{
	return execute(clusters, statement, values, false);
}

const char *priority_text(const Clusters &clusters)
{
	if (clusters.priority_column == nullptr)
		return "pg_catalog.float8 '-Infinity'";
	return psprintf("COALESCE(t.%s::pg_catalog.float8, '-Infinity')", quote_identifier(clusters.priority_column));
}

const char *similar_text(const Clusters &clusters, const char *a, const char *b)
{
	const char *limit = clusters.kind->slots > 0
		? psprintf("pg_catalog.float8 '%s'", shortest(clusters.limit))
		: psprintf("pg_catalog.int4 '%d'", static_cast<int>(clusters.limit));
	return psprintf("%s.%s(%s, %s, %s)", clusters.function_text, clusters.kind->similar, a, b, limit);
}

const char *similarity_text(const Clusters &clusters, const char *a, const char *b)
{
	// hamming is the measure of simhash64, but no similarity.
	const char *function = clusters.kind->slots > 0 ? clusters.kind->measure : "cosine_estimate";
	return psprintf("%s.%s(%s, %s)::pg_catalog.float8", clusters.function_text, function, a, b);
}

} // namespace txtfp::pg
