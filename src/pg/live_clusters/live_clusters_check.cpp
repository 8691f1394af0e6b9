// live_clusters_check: what the tables of clusters say, beside what follows from the pairs that a search for each row finds.
// live_clusters_kept: which row was kept for a row, and why.
#include "pg/live_clusters/live_clusters_arguments.hpp"
#include "pg/live_clusters/statements.hpp"
#include "pg/trigger/search_scope.hpp"

extern "C" {
#include "access/table.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"
}

using namespace txtfp;

namespace {

// All pairs (a, t) of similar rows, each in both orders unless `rest` has a condition.
const char *pairs_query(const pg::Clusters &clusters, const char *columns, const char *rest)
{
	const char *fingerprint = quote_identifier(clusters.fingerprint_column),
			   *key = quote_identifier(clusters.key_column);
	return psprintf("SELECT %s FROM %s a JOIN %s t ON %s AND t.%s OPERATOR(pg_catalog.<>) a.%s%s", columns,
		clusters.table_text, clusters.table_text,
		pg::similar_text(clusters, psprintf("t.%s", fingerprint), psprintf("a.%s", fingerprint)), key, key, rest);
}

const char *key_of(const pg::Clusters &clusters, const char *row)
{
	const bool is_text = clusters.key.length == -1;
	return psprintf("%s.%s::%s%s", row, quote_identifier(clusters.key_column), clusters.key_text,
		is_text ? " COLLATE pg_catalog.\"C\"" : "");
}

const char *priority_of(const pg::Clusters &clusters, const char *row)
{
	if (clusters.priority_column == nullptr)
		return "pg_catalog.float8 '-Infinity'";
	return psprintf("COALESCE(%s.%s::pg_catalog.float8, '-Infinity')", row, quote_identifier(clusters.priority_column));
}

// The rows whose cluster, its name or its size is not what it should be: (id, what is stored, what is expected), as text.
const char *components_query(const pg::Clusters &clusters)
{
	const char *pairs = pairs_query(clusters, psprintf("%s, %s", key_of(clusters, "a"), key_of(clusters, "t")), "");
	return psprintf(
		"WITH found AS (SELECT c.id, pg_catalog.first_value(c.id) OVER (PARTITION BY c.cluster ORDER BY %s DESC, c.id) "
		"AS first,"
		" c.size FROM %s.connected_components(NULL::%s, %s) AS c JOIN %s t ON %s OPERATOR(pg_catalog.=) c.id),"
		" stored AS (SELECT m.id, s.first, s.size FROM %s m LEFT JOIN %s s ON s.cluster OPERATOR(pg_catalog.=) "
		"m.cluster)"
		" SELECT COALESCE(found.id, stored.id)::pg_catalog.text, stored.first::pg_catalog.text, "
		"found.first::pg_catalog.text"
		" FROM found FULL JOIN stored ON stored.id OPERATOR(pg_catalog.=) found.id"
		" WHERE stored.first IS DISTINCT FROM found.first OR stored.size IS DISTINCT FROM found.size ORDER BY 1",
		priority_of(clusters, "t"), clusters.function_text, clusters.key_text, quote_literal_cstr(pairs),
		clusters.table_text, key_of(clusters, "t"), pg::state_text(clusters, "_members"),
		pg::state_text(clusters, "_sets"));
}

struct Kept { // an entry of a KeyTable: a row that is no centre
	Datum id, kept;
};

// Who should be kept for whom. In the order of priority a row is no centre if a centre before it is similar to it.
pg::KeyTable expected_stars(const pg::Clusters &clusters)
{
	pg::KeyTable members;
	members.open(clusters.key, sizeof(Kept), 1024);
	const char *a = key_of(clusters, "a"), *b = key_of(clusters, "t");
	const char *before = psprintf(" AND (-%s, %s) OPERATOR(pg_catalog.<) (-%s, %s)", priority_of(clusters, "t"), b,
		priority_of(clusters, "a"), a);
	const char *query = pairs_query(clusters, psprintf("%s, %s", a, b),
		psprintf("%s ORDER BY %s DESC, 1, %s DESC, 2", before, priority_of(clusters, "a"), priority_of(clusters, "t")));
	if (SPI_execute(query, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute failed: %s", SPI_result_code_string(SPI_result));
	const SPITupleTable *pairs = SPI_tuptable;
	for (uint64 i = 0; i < SPI_processed; ++i) {
		CHECK_FOR_INTERRUPTS();
		bool found;
		const Datum other = pg::copy_key(clusters.key, SPI_getbinval(pairs->vals[i], pairs->tupdesc, 2, &found));
		if (members.find(other) != nullptr)
			continue;
		const Datum row = pg::copy_key(clusters.key, SPI_getbinval(pairs->vals[i], pairs->tupdesc, 1, &found));
		auto *entry = static_cast<Kept *>(members.enter(row, found));
		if (!found)
			entry->kept = other;
	}
	return members;
}

const char *shown(const pg::Clusters &clusters, Datum key)
{
	Oid output;
	bool is_varlena;
	getTypeOutputInfo(clusters.key.type, &output, &is_varlena);
	return OidOutputFunctionCall(output, key);
}

void put(ReturnSetInfo *result, const char *part, const char *id, const char *stored, const char *expected)
{
	Datum values[4];
	bool nulls[4];
	const char *texts[] = {part, id, stored, expected};
	for (int i = 0; i < 4; ++i) {
		nulls[i] = texts[i] == nullptr;
		values[i] = nulls[i] ? 0 : CStringGetTextDatum(texts[i]);
	}
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

void check_components(const pg::Clusters &clusters, ReturnSetInfo *result)
{
	if (SPI_execute(components_query(clusters), true, 0) != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute failed: %s", SPI_result_code_string(SPI_result));
	for (uint64 i = 0; i < SPI_processed; ++i) {
		HeapTuple row = SPI_tuptable->vals[i];
		put(result, "cluster", SPI_getvalue(row, SPI_tuptable->tupdesc, 1), SPI_getvalue(row, SPI_tuptable->tupdesc, 2),
			SPI_getvalue(row, SPI_tuptable->tupdesc, 3));
	}
}

void check_stars(const pg::Clusters &clusters, ReturnSetInfo *result)
{
	const pg::KeyTable expected = expected_stars(clusters);
	const char *query = psprintf("SELECT m.id, m.kept FROM %s m ORDER BY 1", pg::state_text(clusters, "_members"));
	if (SPI_execute(query, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute failed: %s", SPI_result_code_string(SPI_result));
	for (uint64 i = 0; i < SPI_processed; ++i) {
		bool is_null;
		const Datum id =
			pg::copy_key(clusters.key, SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &is_null));
		const Datum kept =
			pg::copy_key(clusters.key, SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 2, &is_null));
		const auto *entry = static_cast<const Kept *>(expected.find(id));
		const Datum right = entry != nullptr ? entry->kept : id;
		if (pg::compare_keys(clusters.key, kept, right) != 0)
			put(result, "kept", shown(clusters, id), shown(clusters, kept), shown(clusters, right));
	}
}

} // namespace

TXTFP_FUNCTION(txtfp_live_clusters_check)
{
	InitMaterializedSRF(fcinfo, 0);
	auto *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Relation table = table_open(pg::relation_argument(fcinfo), AccessShareLock);
	const pg::Clusters &clusters = pg::clusters_argument(fcinfo, table, 1);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	const int level = pg::enter_search_settings(); // a search for each row, which finds what the trigger finds
	check_components(clusters, result);
	if (clusters.star)
		check_stars(clusters, result);
	AtEOXact_GUC(true, level);
	SPI_finish();
	table_close(table, AccessShareLock);
	return (Datum) 0;
}

TXTFP_FUNCTION(txtfp_live_clusters_kept)
{
	InitMaterializedSRF(fcinfo, 0);
	auto *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Relation table = table_open(pg::relation_argument(fcinfo), AccessShareLock);
	const pg::Clusters &clusters = pg::clusters_argument(fcinfo, table, 2);
	if (!clusters.star)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("clusters \"%s\" are connected components, in which no row is kept for another", clusters.name),
				errhint("Create them with mode => 'star'.")));
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	if (PG_ARGISNULL(1)) {
		SPI_finish();
		table_close(table, AccessShareLock);
		return (Datum) 0;
	}
	Oid type = TupleDescAttr(result->setDesc, 0)->atttypid;
	const char *query = psprintf(
		"SELECT kept::%s, similarity, jaccard, containment, NULLIF(priority, '-Infinity'), NULLIF(kept_priority, "
		"'-Infinity'),"
		" since, until FROM (SELECT m.kept, m.similarity, m.jaccard, m.containment, m.priority, k.priority AS "
		"kept_priority,"
		" m.since, NULL::pg_catalog.timestamptz AS until FROM %s m LEFT JOIN %s k ON k.id OPERATOR(pg_catalog.=) m.kept"
		" WHERE m.id OPERATOR(pg_catalog.=) $1::%s AND m.kept OPERATOR(pg_catalog.<>) m.id"
		" UNION ALL SELECT h.kept, h.similarity, h.jaccard, h.containment, h.priority, h.kept_priority, h.since, "
		"h.until"
		" FROM %s h WHERE h.id OPERATOR(pg_catalog.=) $1::%s) AS all_times ORDER BY since DESC, until DESC NULLS FIRST",
		format_type_be_qualified(type), pg::state_text(clusters, "_members"), pg::state_text(clusters, "_members"),
		clusters.key_text, pg::state_text(clusters, "_history"), clusters.key_text);
	Datum id = PG_GETARG_DATUM(1);
	if (SPI_execute_with_args(query, 1, &type, &id, nullptr, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute_with_args failed: %s", SPI_result_code_string(SPI_result));
	for (uint64 i = 0; i < SPI_processed; ++i)
		tuplestore_puttuple(result->setResult, SPI_tuptable->vals[i]);
	SPI_finish();
	table_close(table, AccessShareLock);
	return (Datum) 0;
}
