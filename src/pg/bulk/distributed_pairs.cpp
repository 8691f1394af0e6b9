// near_duplicate_pairs_distributed: the pairs of near-duplicates of a table whose rows are on several servers, found there. It runs SQL statements
// that Citus divides among its servers; without Citus they run here. All of them are in the transaction of the caller, so an error leaves nothing.
//
// In two steps, of which the first moves only keys and ids:
//     sketches  (id, fp)          the rows of the query, by id
//     keys      (key, id)         the band keys of each row, by key: similar rows have one in common with the probability that the banding says
//     groups    (key, size, ids)  the keys that several rows have, where these keys are; without ids if there are too many of them
//     candidates (a, b)           two rows of a group, by a, where the sketch of a is
//     halves    (a, b, fp)        each candidate with the sketch of a, by b, where the sketch of b is
//     the result (a, b, similarity)
// In one step, the sketches move with the keys, and the rows that have a key in common are compared where this key is. That moves one sketch for each key
// instead of one for each candidate.
//
// Citus joins and groups on the servers only by the column by which a table is distributed. It knows nothing of the tables until they are analyzed.
#include "pg/base/guard.hpp"
#include "pg/base/settings.hpp"
#include "pg/base/table_query.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/bulk/row_query.hpp"

extern "C" {
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
}

using namespace txtfp;

namespace {

struct Banding {
	int bands, rows;
};

class DistributedPairs {
public:
	DistributedPairs(Oid function, const char *result)
		: functions_(quote_identifier(get_namespace_name(get_func_namespace(function)))), result_(result),
		  namespace_(creation_namespace()), is_spread_(OidIsValid(get_extension_oid("citus", true)))
	{
	}

	void check_query(const char *query, Oid function);
	Banding banding(double threshold, double recall);
	void make_sketches(const char *query);
	void make_groups(Banding banding, int max_key_rows);
	void compare_candidates(double threshold);
	void compare_at_keys(const char *query, Banding banding, int max_key_rows, double threshold);

private:
	static Oid creation_namespace()
	{
		List *path = fetch_search_path(false);
		if (path == NIL)
			ereport(
				ERROR, (errcode(ERRCODE_UNDEFINED_SCHEMA), errmsg("no schema has been selected to create tables in")));
		return linitial_oid(path);
	}

	// The qualified name of the result, or of a table that is dropped at the end.
	const char *table(const char *suffix = "") const
	{
		const char *name = psprintf("%s%s", result_, suffix);
		if (strlen(name) >= NAMEDATALEN)
			ereport(ERROR,
				(errcode(ERRCODE_NAME_TOO_LONG), errmsg("the name \"%s\" is too long", result_),
					errdetail("Temporary tables have names that begin with it.")));
		return quote_qualified_identifier(get_namespace_name(namespace_), name);
	}

	uint64 run(const char *text) const
	{
		const int code = SPI_execute(text, false, 0);
		if (code < 0)
			elog(ERROR, "SPI_execute failed: %s", SPI_result_code_string(code));
		return SPI_processed;
	}
	void create(const char *suffix, const char *columns, const char *by, const char *beside) const;
	// Before the rows are read, so that a name that is taken ends the call at once.
	void create_result(const char *beside) const
	{
		create("", psprintf("a %s, b %s, similarity double precision", id_type_, id_type_), "b", beside);
	}
	void fill(const char *suffix, const char *what, const char *query) const;
	void drop(const char *suffix) const { run(psprintf("DROP TABLE %s", table(suffix))); }
	void report_crowded(const char *keys, int max_key_rows) const;

	const char *functions_; // the schema of the extension
	const char *result_;
	Oid namespace_;
	bool is_spread_;
	const char *id_type_ = nullptr, *sketch_type_ = nullptr;
	// Operators of ids. What the search path finds may belong to anybody, so functions are called with all arguments, of the exact types.
	const char *equal_ = nullptr, *less_ = nullptr;
	const char *last_of_keys_ = nullptr; // argument of lsh_keys
	int slots_ = 0;
};

// Sets the types of the columns.
void DistributedPairs::check_query(const char *query, Oid function)
{
	run(psprintf("SELECT * FROM (%s) AS q LIMIT 0", query));
	TupleDesc columns = SPI_tuptable->tupdesc;
	if (columns->natts != 2)
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("the query must return two columns, an id and a MinHash sketch, not %d", columns->natts)));
	const Oid type = SPI_gettypeid(columns, 2);
	const Oid id = SPI_gettypeid(columns, 1), base = getBaseType(id);
	id_type_ = format_type_be_qualified(id);
	equal_ = pg::equality_operator(base);
	less_ = pg::less_operator(base);
	sketch_type_ = format_type_be_qualified(type);
	const char *name = SPI_gettype(columns, 2);
	last_of_keys_ = strstr(name, "_compact") != nullptr ? "" : ", false";
	const Oid ours = GetSysCacheOid2(
		TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum(name), ObjectIdGetDatum(get_func_namespace(function)));
	if (ours != type || sscanf(name, "minhash%d", &slots_) != 1)
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("the second column of the query is of type %s, not a MinHash sketch", format_type_be(type))));
}

Banding DistributedPairs::banding(double threshold, double recall)
{
	run(psprintf("SELECT p.bands, p.rows FROM %s.lsh_params(%s::double precision, %d, %s::double precision) AS p",
		functions_, pg::shortest(threshold), slots_, pg::shortest(recall)));
	bool is_null;
	HeapTuple row = SPI_tuptable->vals[0];
	return {DatumGetInt32(SPI_getbinval(row, SPI_tuptable->tupdesc, 1, &is_null)),
		DatumGetInt32(SPI_getbinval(row, SPI_tuptable->tupdesc, 2, &is_null))};
}

// Creates a table, distributed by a column, with its shards beside those of another table, or else four for each server.
void DistributedPairs::create(const char *suffix, const char *columns, const char *by, const char *beside) const
{
	const bool is_result = *suffix == '\0';
	run(psprintf("CREATE %sTABLE %s (%s)", is_result ? "" : "UNLOGGED ", table(suffix), columns));
	if (!is_spread_)
		return;
	const char *name = quote_literal_cstr(table(suffix));
	run(beside != nullptr
			? psprintf("SELECT pg_catalog.create_distributed_table(%s, '%s', colocate_with => %s)", name, by,
				  quote_literal_cstr(table(beside)))
			: psprintf("SELECT pg_catalog.create_distributed_table(%s, '%s', colocate_with => 'none', shard_count => "
					   "GREATEST(4 OPERATOR(pg_catalog.*) (SELECT pg_catalog.count(*) FROM "
					   "pg_catalog.citus_get_active_worker_nodes()), 1)::integer)",
				  name, by));
}

// Fills a table, and tells so if txtfp.progress is on.
void DistributedPairs::fill(const char *suffix, const char *what, const char *query) const
{
	const uint64 rows = run(psprintf("INSERT INTO %s %s", table(suffix), query));
	if (pg::report_progress)
		ereport(NOTICE, (errmsg("near_duplicate_pairs_distributed: " UINT64_FORMAT " %s", rows, what)));
	if (*suffix != '\0')
		run(psprintf("ANALYZE %s", table(suffix)));
}

void DistributedPairs::make_sketches(const char *query)
{
	create("_sketches", psprintf("id %s, fp %s", id_type_, sketch_type_), "id", nullptr);
	create_result("_sketches");
	fill("_sketches", "rows", psprintf("SELECT q.* FROM (%s) AS q (id, fp) WHERE q.fp IS NOT NULL", query));
}

void DistributedPairs::report_crowded(const char *keys, int max_key_rows) const
{
	run(psprintf("SELECT pg_catalog.count(*), COALESCE(pg_catalog.max(k.size), 0) FROM %s AS k", keys));
	bool is_null;
	HeapTuple row = SPI_tuptable->vals[0];
	const int64 crowded = DatumGetInt64(SPI_getbinval(row, SPI_tuptable->tupdesc, 1, &is_null));
	if (crowded == 0)
		return;
	const int64 largest = DatumGetInt64(SPI_getbinval(row, SPI_tuptable->tupdesc, 2, &is_null));
	ereport(WARNING,
		(errmsg(
			 "pairs may be missing, because " INT64_FORMAT " band keys have more than %d rows", crowded, max_key_rows),
			errdetail(
				"The largest one has " INT64_FORMAT " rows. Rows are not compared because of such a key.", largest),
			errhint("Remove exact copies and boilerplate first, or set max_key_rows.")));
}

void DistributedPairs::make_groups(Banding banding, int max_key_rows)
{
	create("_keys", psprintf("key bigint, id %s", id_type_), "key", nullptr);
	fill("_keys", "band keys",
		psprintf("SELECT pg_catalog.unnest(%s.lsh_keys(s.fp, %d, %d%s)), s.id FROM %s AS s", functions_, banding.bands,
			banding.rows, last_of_keys_, table("_sketches")));
	create("_groups", psprintf("key bigint, size bigint, ids %s[]", id_type_), "key", "_keys");
	fill("_groups", "groups of rows with equal keys",
		psprintf("SELECT k.key, pg_catalog.count(*), CASE WHEN pg_catalog.count(*) OPERATOR(pg_catalog.<=) %d THEN "
				 "pg_catalog.array_agg(k.id) END FROM %s AS k GROUP BY k.key HAVING pg_catalog.count(*) "
				 "OPERATOR(pg_catalog.>) 1",
			max_key_rows, table("_keys")));
	drop("_keys");
	report_crowded(psprintf("(SELECT g.size FROM %s AS g WHERE g.ids IS NULL)", table("_groups")), max_key_rows);
}

void DistributedPairs::compare_candidates(double threshold)
{
	create("_candidates", psprintf("a %s, b %s", id_type_, id_type_), "a", "_sketches");
	fill("_candidates", "candidates, with repetitions",
		psprintf("SELECT a, b FROM %s AS g, pg_catalog.unnest(g.ids) AS a, pg_catalog.unnest(g.ids) AS b WHERE a %s b",
			table("_groups"), less_));
	drop("_groups");
	create("_halves", psprintf("a %s, b %s, fp %s", id_type_, id_type_, sketch_type_), "b", "_sketches");
	fill("_halves", "candidates",
		psprintf("SELECT c.a, c.b, s.fp FROM (SELECT DISTINCT a, b FROM %s) AS c JOIN %s AS s ON s.id %s c.a",
			table("_candidates"), table("_sketches"), equal_));
	drop("_candidates");
	fill("", "pairs",
		psprintf("SELECT h.a, h.b, %s.jaccard(h.fp, s.fp) FROM %s AS h JOIN %s AS s ON s.id %s h.b WHERE "
				 "%s.minhash_similar(h.fp, s.fp, %s::double precision)",
			functions_, table("_halves"), table("_sketches"), equal_, functions_, pg::shortest(threshold)));
	drop("_halves");
	drop("_sketches");
}

void DistributedPairs::compare_at_keys(const char *query, Banding banding, int max_key_rows, double threshold)
{
	create_result(nullptr);
	create("_keys", psprintf("key bigint, band integer, id %s, fp %s", id_type_, sketch_type_), "key", nullptr);
	fill("_keys", "band keys",
		psprintf(
			"SELECT k.key, k.band, q.id, q.fp FROM (%s) AS q (id, fp), pg_catalog.unnest(%s.lsh_keys(q.fp, %d, %d%s)) "
			"WITH ORDINALITY AS k (key, band)",
			query, functions_, banding.bands, banding.rows, last_of_keys_));
	create("_groups", "key bigint, size bigint", "key", "_keys");
	fill("_groups", "crowded keys",
		psprintf("SELECT k.key, pg_catalog.count(*) FROM %s AS k GROUP BY k.key HAVING pg_catalog.count(*) "
				 "OPERATOR(pg_catalog.>) %d",
			table("_keys"), max_key_rows));
	report_crowded(table("_groups"), max_key_rows);
	fill("", "pairs",
		psprintf(
			"SELECT a.id, b.id, %1$s.jaccard(a.fp, b.fp) FROM %2$s AS a JOIN %2$s AS b ON a.key "
			"OPERATOR(pg_catalog.=) b.key AND a.id %7$s b.id LEFT JOIN %3$s AS g ON g.key OPERATOR(pg_catalog.=) a.key "
			"WHERE g.key IS NULL AND %1$s._first_common_band(a.fp, b.fp, %4$d, %5$d) OPERATOR(pg_catalog.=) a.band "
			"AND %1$s.minhash_similar(a.fp, b.fp, %6$s::double precision)",
			functions_, table("_keys"), table("_groups"), banding.bands, banding.rows, pg::shortest(threshold), less_));
	drop("_groups");
	drop("_keys");
}

} // namespace

// (query, result, threshold, recall, max_key_rows, one_step)
TXTFP_FUNCTION(txtfp_near_duplicate_pairs_distributed)
{
	const char *query = pg::query_argument(fcinfo, 0);
	for (int i = 1; i < PG_NARGS(); ++i)
		if (PG_ARGISNULL(i))
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("arguments must not be null")));
	const char *result = NameStr(*PG_GETARG_NAME(1));
	const double threshold = PG_GETARG_FLOAT8(2), recall = PG_GETARG_FLOAT8(3);
	const int max_key_rows = PG_GETARG_INT32(4);
	if (max_key_rows < 2)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("max_key_rows must be at least 2, not %d", max_key_rows)));
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	const Oid function = fcinfo->flinfo->fn_oid;
	DistributedPairs join(function, result);
	join.check_query(query, function);
	const Banding banding = join.banding(threshold, recall);
	if (PG_GETARG_BOOL(5)) {
		join.compare_at_keys(query, banding, max_key_rows, threshold);
	} else {
		join.make_sketches(query);
		join.make_groups(banding, max_key_rows);
		join.compare_candidates(threshold);
	}
	SPI_finish();
	PG_RETURN_VOID();
}
