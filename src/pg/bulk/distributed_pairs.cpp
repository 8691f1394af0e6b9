// near_duplicate_pairs_distributed: the pairs of near-duplicates of a table whose rows are on several servers, found
// there. It runs SQL statements that Citus divides among its servers; without Citus they run here. All of them are in
// the transaction of the caller, so an error leaves nothing.
//
// First the keys move, then the sketches of candidates, in large pieces. Each table has a row or a few for each pair of
// places, which are its shards:
//     sketches  (place, id, fp)     the rows of the query, each at the place of its id
//     keys      (place, entries)    the band keys, each at its place: similar rows have one in common with the probability that the banding says
//     groups    (place, groups)     rows that have a key in common, at the places of these rows
//     halves    (place, halves)     rows with their sketches, at the places of the rows that they are to be compared with
//     the result (a, b, similarity)
// What happens between two of them is a function of spread_join.cpp, which gets all that a place has.
//
// Citus joins and groups on the servers only by the column by which a table is distributed. The places have labels, one
// for each shard, so that a shard has one group.
#include <algorithm>

#include "pg/base/given_value.hpp"
#include "pg/base/guard.hpp"
#include "pg/base/settings.hpp"
#include "pg/base/table_query.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/bulk/row_query.hpp"
#include "pg/bulk/spread_ids.hpp"
#include "pg/fingerprint/fingerprint_kinds.hpp"

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

	void check_query(const char *query);
	Banding banding(double threshold, double recall);
	void choose_places(const char *query);
	void make_sketches(const char *query);
	void make_groups(Banding banding, int max_key_rows);
	void compare_candidates(double threshold);

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
	Datum first_value(int column, Oid type) const // of the first row of the last result
	{
		const auto [value, is_null] = pg::column_value(SPI_tuptable, 0, column, {type});
		if (is_null)
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("a query has returned null")));
		return value;
	}
	int64 number_of(const char *query) const;
	void create(const char *suffix, const char *columns, const char *by, const char *beside) const;
	void distribute(const char *suffix, const char *by, const char *beside) const;
	void create_pieces(const char *suffix, const char *column, const char *others = "") const;
	// Before the rows are read, so that a name that is taken ends the call at once.
	void create_result() const
	{
		create("", psprintf("a %s, b %s, similarity double precision", id_type_, id_type_), "b", nullptr);
	}
	void choose_labels();
	const char *rows_of_places() const;
	void fill(const char *suffix, const char *what, const char *query) const;
	void drop(const char *suffix) const { run(psprintf("DROP TABLE %s", table(suffix))); }
	void report_crowded(const char *query, int max_key_rows) const;

	const char *functions_; // the schema of the extension
	const char *result_;
	Oid namespace_;
	bool is_spread_;
	const char *id_type_ = nullptr, *sketch_type_ = nullptr;
	// What the search path finds may belong to anybody, so functions are called with all arguments, of the exact types.
	int slots_ = 0, slot_bytes_ = 0;
	int64 workers_ = 1, shards_ = 4;
	const char *labels_ = nullptr; // of the places, an array
};

// Sets the types of the columns.
void DistributedPairs::check_query(const char *query)
{
	// What is put into statements must not be more than one: the last would return something else than expected.
	SPI_freeplan(pg::prepare_rows_query(query));
	run(psprintf("SELECT * FROM (%s\n) AS q LIMIT 0", query));
	TupleDesc columns = SPI_tuptable->tupdesc;
	if (columns->natts != 2)
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("the query must return two columns, an id and a MinHash sketch, not %d", columns->natts)));
	const pg::ValueType id_column = pg::column_type(columns, 1);
	const Oid type = pg::column_type(columns, 2).type, id = id_column.type, base = getBaseType(id);
	(void) pg::less_operator(base); // the smaller id of a pair is its first
	// Without the modifier, "character" and "bit" would have a length of 1.
	id_type_ = format_type_extended(id, id_column.modifier, FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY);
	if (!pg::can_be_spread(base))
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("ids cannot be of type %s", format_type_be(id))));
	sketch_type_ = format_type_be_qualified(type);
	const pg::FingerprintKind *kind = pg::find_kind(type, pg::use_pairs);
	if (kind == nullptr || !kind->is_sketch() || getBaseType(type) != type)
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("the second column of the query is of type %s, not a MinHash sketch", format_type_be(type))));
	slots_ = static_cast<int>(kind->slots);
	slot_bytes_ = kind->compact ? 1 : 8;
}

Banding DistributedPairs::banding(double threshold, double recall)
{
	run(psprintf("SELECT p.bands, p.rows FROM %s.lsh_params(%s::double precision, %d, %s::double precision) AS p",
		functions_, pg::shortest(threshold), slots_, pg::shortest(recall)));
	return {DatumGetInt32(first_value(1, INT4OID)), DatumGetInt32(first_value(2, INT4OID))};
}

int64 DistributedPairs::number_of(const char *query) const
{
	run(query);
	return DatumGetInt64(first_value(1, INT8OID));
}

// Chooses the number of shards: two for each server, and more of them if what a shard has at once, sketches and band
// keys, would exceed 64 MB; then a server, which works on several shards at a time, needs some hundred MB. But no more
// than 64, because each one costs time.
void DistributedPairs::choose_places(const char *query)
{
	constexpr int64 shard_bytes = 64 * 1024 * 1024, key_bytes = 16 * 16;
	if (is_spread_)
		workers_ =
			std::max<int64>(number_of("SELECT pg_catalog.count(*) FROM pg_catalog.citus_get_active_worker_nodes()"), 1);
	const int64 rows = number_of(psprintf("SELECT pg_catalog.count(*) FROM (%s\n) AS q", query));
	const int64 bytes = rows * (slots_ * slot_bytes_ + key_bytes);
	shards_ = workers_ * std::clamp<int64>(bytes / shard_bytes / workers_ + 1, 2, 64);
}

// Creates a table, distributed by a column, with its shards beside the shards of another table.
void DistributedPairs::create(const char *suffix, const char *columns, const char *by, const char *beside) const
{
	const bool is_result = *suffix == '\0';
	run(psprintf("CREATE %sTABLE %s (%s)", is_result ? "" : "UNLOGGED ", table(suffix), columns));
	distribute(suffix, by, beside);
}

void DistributedPairs::distribute(const char *suffix, const char *by, const char *beside) const
{
	if (!is_spread_)
		return;
	const char *name = quote_literal_cstr(table(suffix));
	run(beside != nullptr
			? psprintf("SELECT pg_catalog.create_distributed_table(%s, '%s', colocate_with => %s)", name, by,
				  quote_literal_cstr(table(beside)))
			: psprintf("SELECT pg_catalog.create_distributed_table(%s, '%s', colocate_with => 'none', shard_count => "
					   "" INT64_FORMAT "::integer)",
				  name, by, shards_));
}

// Creates a table of what places have for each other. Compressing it would take longer than everything else.
void DistributedPairs::create_pieces(const char *suffix, const char *column, const char *others) const
{
	run(psprintf("CREATE UNLOGGED TABLE %s (place integer, %s bytea%s)", table(suffix), column, others));
	run(psprintf("ALTER TABLE %s ALTER COLUMN %s SET STORAGE EXTERNAL", table(suffix), column));
	distribute(suffix, "place", "_sketches");
}

// Fills a table, and tells so if txtfp.progress is on.
void DistributedPairs::fill(const char *suffix, const char *what, const char *query) const
{
	const uint64 rows = run(psprintf("INSERT INTO %s %s", table(suffix), query));
	if (pg::report_progress)
		ereport(NOTICE, (errmsg("near_duplicate_pairs_distributed: " UINT64_FORMAT " %s", rows, what)));
}

// One number for each shard of the sketches, which the hash function of Citus assigns to this shard.
void DistributedPairs::choose_labels()
{
	if (is_spread_)
		run(psprintf(
			"SELECT pg_catalog.array_agg(l.label)::pg_catalog.text FROM (SELECT pg_catalog.min(n.n) AS label FROM "
			"pg_catalog.generate_series(0, " INT64_FORMAT ") AS n(n) GROUP BY "
			"pg_catalog.get_shard_id_for_distribution_column(%s, n.n)) AS l",
			32 * shards_, quote_literal_cstr(table("_sketches"))));
	else
		run(psprintf(
			"SELECT pg_catalog.array_agg(n.n)::pg_catalog.text FROM pg_catalog.generate_series(1, " INT64_FORMAT
			") AS n(n)",
			shards_));
	labels_ = psprintf("%s::pg_catalog.int4[]", quote_literal_cstr(TextDatumGetCString(first_value(1, TEXTOID))));
}

void DistributedPairs::make_sketches(const char *query)
{
	create_result();
	create("_sketches", psprintf("place integer, id %s, fp %s", id_type_, sketch_type_), "place", nullptr);
	choose_labels();
	fill("_sketches", "rows",
		psprintf("SELECT %s._join_place(q.id, %s), q.id, q.fp FROM (%s\n) AS q (id, fp) WHERE q.fp IS NOT NULL",
			functions_, labels_, query));
}

// A row for each place, with all its ids and sketches.
const char *DistributedPairs::rows_of_places() const
{
	return psprintf(
		"(SELECT s.place, pg_catalog.array_agg(s.id) AS ids, pg_catalog.array_agg(s.fp) AS sketches FROM %s "
		"AS s GROUP BY s.place) AS r",
		table("_sketches"));
}

void DistributedPairs::report_crowded(const char *query, int max_key_rows) const
{
	run(query);
	const int64 crowded = DatumGetInt64(first_value(1, INT8OID));
	if (crowded == 0)
		return;
	const int64 largest = DatumGetInt64(first_value(2, INT8OID));
	ereport(WARNING,
		(errmsg(
			 "pairs may be missing, because " INT64_FORMAT " band keys have more than %d rows", crowded, max_key_rows),
			errdetail(
				"The largest one has " INT64_FORMAT " rows. Rows are not compared because of such a key.", largest),
			errhint("Remove exact copies and boilerplate first, or set max_key_rows.")));
}

void DistributedPairs::make_groups(Banding banding, int max_key_rows)
{
	create_pieces("_keys", "entries");
	fill("_keys", "pieces with band keys",
		psprintf("SELECT k.place, k.entries FROM %s, %s._join_keys(r.ids, r.sketches, %d, %d, %s) AS k",
			rows_of_places(), functions_, banding.bands, banding.rows, labels_));
	create_pieces("_groups", "groups", ", crowded bigint, largest bigint");
	fill("_groups", "pieces with groups of rows that share a key",
		psprintf(
			"SELECT g.place, g.groups, g.crowded, g.largest FROM (SELECT k.place, pg_catalog.array_agg(k.entries) AS "
			"entries FROM %s AS k GROUP BY k.place) AS k, %s._join_groups(k.entries, %s, %d) AS g",
			table("_keys"), functions_, labels_, max_key_rows));
	drop("_keys");
	report_crowded(psprintf("SELECT COALESCE(pg_catalog.sum(g.crowded), 0)::bigint, "
							"COALESCE(pg_catalog.max(g.largest), 0) FROM %s AS g",
					   table("_groups")),
		max_key_rows);
}

void DistributedPairs::compare_candidates(double threshold)
{
	create_pieces("_halves", "halves");
	fill("_halves", "pieces with candidates",
		psprintf(
			"SELECT h.place, h.halves FROM %s JOIN (SELECT g.place, pg_catalog.array_agg(g.groups) AS groups FROM %s "
			"AS g GROUP BY g.place) AS g ON g.place OPERATOR(pg_catalog.=) r.place, %s._join_halves(r.ids, r.sketches, "
			"g.groups, r.place, %s) AS h",
			rows_of_places(), table("_groups"), functions_, labels_));
	drop("_groups");
	fill("", "pairs",
		psprintf(
			"SELECT p.a, p.b, p.similarity FROM %s JOIN (SELECT h.place, pg_catalog.array_agg(h.halves) AS halves FROM "
			"%s AS h GROUP BY h.place) AS h ON h.place OPERATOR(pg_catalog.=) r.place, %s._join_pairs(r.ids, "
			"r.sketches, h.halves, %s::double precision) AS p",
			rows_of_places(), table("_halves"), functions_, pg::shortest(threshold)));
	drop("_halves");
	drop("_sketches");
}

} // namespace

// (query, result, threshold, recall, max_key_rows)
TXTFP_FUNCTION(txtfp_near_duplicate_pairs_distributed_v2)
{
	const char *query = pg::without_semicolon(pg::query_argument(fcinfo, 0));
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
	join.check_query(query);
	const Banding banding = join.banding(threshold, recall);
	join.choose_places(query);
	join.make_sketches(query);
	join.make_groups(banding, max_key_rows);
	join.compare_candidates(threshold);
	SPI_finish();
	PG_RETURN_VOID();
}
