// live_clusters_check: what the tables of clusters say, beside what follows from the pairs that a search for each row
// finds. live_clusters_kept: which row was kept for a row, and why.
//
// Both run with the rights of the caller, on the tables themselves: nothing that stands in their place is read.
#include <utility>

#include "pg/base/text_arg.hpp"
#include "pg/live_clusters/decided_pairs.hpp"
#include "pg/live_clusters/live_clusters_arguments.hpp"
#include "pg/live_clusters/statements.hpp"
#include "pg/trigger/search_scope.hpp"

extern "C" {
#include "access/table.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"
}

using namespace txtfp;

namespace {

// A row with similar rows, an entry of a KeyTable. Stars: a row that is not in the table is a centre, or alone.
struct Found {
	Datum id;
	Datum kept;    // stars
	Found *parent; // components: of a union-find, whose root has the rest
	pg::Rank first;
	int64 size;
	bool is_stored;
	Found *next; // of all
};

struct DecidedRow { // an entry of a KeyTable
	Datum id, kept;
};

Found *root_of(Found *row)
{
	for (; row->parent != row; row = row->parent)
		row->parent = row->parent->parent;
	return row;
}

void unite(const pg::Clusters &clusters, Found *a, Found *b)
{
	a = root_of(a);
	b = root_of(b);
	if (a == b)
		return;
	if (a->size < b->size)
		std::swap(a, b);
	b->parent = a;
	a->size += b->size;
	if (pg::is_before(clusters.key, b->first, a->first))
		a->first = b->first;
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

// Calls run(rows) for the rows of a query, some thousands at a time.
template <class Fn>
void for_each(const pg::Clusters &clusters, const char *text, std::span<const pg::QueryParameter> parameters,
	const char *results, const Fn &run)
{
	Portal cursor = pg::open_cursor(*pg::prepare(clusters, text, parameters), nullptr);
	for (;;) {
		CHECK_FOR_INTERRUPTS();
		SPI_cursor_fetch(cursor, true, 4096);
		const pg::Rows rows{&clusters, clusters.members(), results, SPI_processed, SPI_tuptable};
		for (uint64 i = 0; i < rows.count; ++i)
			run(rows, i);
		rows.done();
		if (rows.count == 0)
			break;
	}
	SPI_cursor_close(cursor);
}

class Check {
public:
	Check(pg::Clusters &clusters, ReturnSetInfo *result) : clusters_(clusters), result_(result)
	{
		found_.open(clusters.key, sizeof(Found), 1024);
		decided_rows_.open(clusters.key, sizeof(DecidedRow), 64);
		linked_.open(clusters.key, sizeof(Found), 1024);
		if (clusters.decision != nullptr)
			use_tokens();
		if (clusters.has_decided_pairs())
			read_decided_rows();
	}

	// A cluster is a connected component; it is named after its first member.
	void components()
	{
		for_each_pair("",
			[&](const pg::Rows &rows, uint64 i) { unite(clusters_, member(rows, i, 1, 3), member(rows, i, 2, 4)); });
		if (OidIsValid(clusters_.relation(pg::State::together)))
			for_each(clusters_, together_text(), {}, "kkdd", [&](const pg::Rows &rows, uint64 i) {
				unite(clusters_, member(rows, i, 1, 3), member(rows, i, 2, 4));
			});
		for_each(clusters_, psprintf("SELECT l.a, l.b FROM %s l", pg::state_text(clusters_, pg::State::links)), {},
			"kk", [&](const pg::Rows &rows, uint64 i) { follow_link(rows, i); });
		for_each(clusters_,
			psprintf("SELECT m.id, s.first, s.size FROM %s m LEFT JOIN %s s ON s.cluster OPERATOR(pg_catalog.=) "
					 "m.cluster ORDER BY 1",
				pg::state_text(clusters_, pg::State::members), pg::state_text(clusters_, pg::State::sets)),
			{}, "kki", [&](const pg::Rows &rows, uint64 i) { compare_component(rows, i); });
		for (const Found *row = all_; row != nullptr; row = row->next)
			if (!row->is_stored)
				put(result_, "cluster", shown(clusters_, row->id), nullptr,
					shown(clusters_, root_of(const_cast<Found *>(row))->first.id));
		if (!clusters_.star)
			for_each(clusters_,
				psprintf("SELECT m.id, COALESCE(m.kept, s.first), s.first FROM %s m JOIN %s s ON s.cluster"
						 " OPERATOR(pg_catalog.=) m.cluster ORDER BY 1",
					pg::state_text(clusters_, pg::State::members), pg::state_text(clusters_, pg::State::sets)),
				{}, "kkk", [&](const pg::Rows &rows, uint64 i) { compare_part(rows, i); });
		empty_sets();
		links();
		priorities();
	}

	// Similarities of rows to those that are kept for them.
	void similarities()
	{
		for_each(clusters_,
			psprintf("SELECT m.id, m.similarity, CASE WHEN m.id OPERATOR(pg_catalog.=) m.kept THEN 1 ELSE %s END"
					 " FROM %s m JOIN %s JOIN %s ORDER BY 1",
				pg::similarity_text(
					clusters_, pg::fingerprint_text(clusters_, "a"), pg::fingerprint_text(clusters_, "t")),
				pg::state_text(clusters_, pg::State::members), row_of("a", "m.id"), row_of("t", "m.kept")),
			{}, "kdd", [&](const pg::Rows &rows, uint64 i) { compare_number("similarity", rows, i); });
	}

	// In the order of priority a row is no centre if a centre before it is similar to it.
	void stars()
	{
		const char *a = pg::key_bytes(clusters_, "a"), *t = pg::key_bytes(clusters_, "t");
		const char *rank_a = pg::priority_text(clusters_, "a"), *rank_t = pg::priority_text(clusters_, "t");
		for_each_pair(psprintf(" AND ROW (-%s, %s) OPERATOR(pg_catalog.<) ROW (-%s, %s) ORDER BY 3 DESC, 1, 4 DESC, 2",
						  rank_t, t, rank_a, a),
			[&](const pg::Rows &rows, uint64 i) { choose_star(rows, i); });
		for_each(clusters_,
			psprintf("SELECT m.id, m.kept FROM %s m ORDER BY 1", pg::state_text(clusters_, pg::State::members)), {},
			"kk", [&](const pg::Rows &rows, uint64 i) { compare_star(rows, i); });
	}

	// Clusters that are parts of components: each has one number, and each number one cluster.
	void numbers()
	{
		const char *members = pg::state_text(clusters_, pg::State::members);
		const char *rows = clusters_.star
			? psprintf("SELECT m.id, m.kept, m.number FROM %s m", members)
			: psprintf(
				  "SELECT m.id, COALESCE(m.kept, s.first) AS kept, CASE WHEN m.kept IS NULL THEN COALESCE(s.number,"
				  " s.cluster) ELSE m.number END AS number FROM %s m JOIN %s s ON s.cluster"
				  " OPERATOR(pg_catalog.=) m.cluster",
				  members, pg::state_text(clusters_, pg::State::sets));
		for_each(clusters_,
			psprintf(
				"SELECT w.id, w.number, CASE WHEN w.size OPERATOR(pg_catalog.>) 1 AND (w.number IS NULL OR"
				" w.number OPERATOR(pg_catalog.<>) w.least) THEN w.least END FROM (SELECT r.id, r.kept, r.number,"
				" pg_catalog.count(*) OVER c AS size, pg_catalog.min(r.number) OVER c AS least,"
				" pg_catalog.first_value(r.kept) OVER (PARTITION BY r.number ORDER BY r.kept) AS owner FROM (%s) AS r"
				" WINDOW c AS (PARTITION BY r.kept)) AS w WHERE CASE WHEN w.size OPERATOR(pg_catalog.=) 1 THEN"
				" w.number IS NOT NULL ELSE w.number IS NULL OR w.number OPERATOR(pg_catalog.<>) w.least OR w.owner"
				" OPERATOR(pg_catalog.<>) w.kept END ORDER BY 1",
				rows),
			{}, "kii", [&](const pg::Rows &found, uint64 i) {
				put(result_, "number", shown(clusters_, key(found, i, 1)), number(found, i, 2), number(found, i, 3));
			});
	}

private:
	void use_tokens()
	{
		const char *fingerprint = pg::fingerprint_text(clusters_, "t");
		const pg::Rows rows = pg::run(clusters_,
			psprintf("SELECT %s FROM %s t WHERE %s IS NOT NULL LIMIT 1", fingerprint, pg::table_text(clusters_), fingerprint),
			{}, nullptr, clusters_.table, "f");
		if (rows.count > 0)
			pg::use_tokens_of(*clusters_.decision, *clusters_.kind, rows.value(0, 1).value);
	}

	// The row of the clustered table that has a key; no index serves this.
	const char *row_of(const char *row, const char *key) const
	{
		return psprintf("%s %s ON %s OPERATOR(pg_catalog.=) %s", pg::table_text(clusters_), row,
			pg::key_bytes(clusters_, row), key);
	}

	// Clusters in which no row is.
	void empty_sets()
	{
		for_each(clusters_,
			psprintf("SELECT s.first FROM %s s WHERE NOT EXISTS (SELECT FROM %s m WHERE m.cluster OPERATOR(pg_catalog.=)"
					 " s.cluster) ORDER BY 1",
				pg::state_text(clusters_, pg::State::sets), pg::state_text(clusters_, pg::State::members)),
			{}, "k", [&](const pg::Rows &rows, uint64 i) {
				const char *first = shown(clusters_, key(rows, i, 1));
				put(result_, "cluster", first, first, nullptr);
			});
	}

	// Links whose rows are neither similar nor together, or are two by their texts.
	void links()
	{
		const pg::QueryParameter limit = pg::limit_parameter(clusters_);
		const char *fingerprint_a = pg::fingerprint_text(clusters_, "a"),
				   *fingerprint_t = pg::fingerprint_text(clusters_, "t");
		const char *text = psprintf("SELECT l.a, l.b, COALESCE(%s, '-Infinity'), COALESCE(%s, '-Infinity'), %s, %s,"
									" CASE WHEN COALESCE(%s, false) THEN %s END FROM %s l LEFT JOIN %s LEFT JOIN %s"
									" WHERE (%s OR COALESCE(%s, false) OPERATOR(pg_catalog.=) false)",
			pg::priority_text(clusters_, "a"), pg::priority_text(clusters_, "t"), pg::text_text(clusters_, "a"),
			pg::text_text(clusters_, "t"), pg::similar_text(clusters_, fingerprint_t, fingerprint_a, "$1"),
			pg::similarity_text(clusters_, fingerprint_t, fingerprint_a), pg::state_text(clusters_, pg::State::links),
			row_of("a", "l.a"), row_of("t", "l.b"), clusters_.decision != nullptr ? "true" : "false",
			pg::similar_text(clusters_, fingerprint_t, fingerprint_a, "$1"));
		if (OidIsValid(clusters_.relation(pg::State::together))) {
			const char *x = pg::pair_text(clusters_, "a"), *y = pg::pair_text(clusters_, "b");
			text = psprintf("%s AND NOT EXISTS (SELECT FROM %s x WHERE (%s OPERATOR(pg_catalog.=) l.a AND %s"
							" OPERATOR(pg_catalog.=) l.b) OR (%s OPERATOR(pg_catalog.=) l.b AND %s"
							" OPERATOR(pg_catalog.=) l.a))",
				text, pg::state_text(clusters_, pg::State::together), x, y, x, y);
		}
		for_each(
			clusters_, psprintf("%s ORDER BY 1, 2", text), {&limit, 1}, "kkddttd", [&](const pg::Rows &rows, uint64 i) {
				if (rows.value(i, 7).isnull || !is_decided(rows, i))
					put(result_, "link", shown(clusters_, key(rows, i, 1)), shown(clusters_, key(rows, i, 2)), nullptr);
			});
	}

	// The priorities of members, and of each cluster, which has its first member's.
	void priorities()
	{
		const char *members = pg::state_text(clusters_, pg::State::members);
		for_each(clusters_,
			psprintf("SELECT m.id, m.priority, %s FROM %s m JOIN %s UNION ALL SELECT m.id, s.priority, m.priority"
					 " FROM %s s JOIN %s m ON m.id OPERATOR(pg_catalog.=) s.first ORDER BY 1",
				pg::priority_text(clusters_, "t"), members, row_of("t", "m.id"),
				pg::state_text(clusters_, pg::State::sets), members),
			{}, "kdd", [&](const pg::Rows &rows, uint64 i) { compare_number("priority", rows, i); });
	}

	void compare_number(const char *part, const pg::Rows &rows, uint64 i)
	{
		const char *texts[2];
		for (int column = 2; column <= 3; ++column) {
			const NullableDatum value = rows.value(i, column);
			texts[column - 2] = value.isnull ? "" : pg::shortest(DatumGetFloat8(value.value));
		}
		if (strcmp(texts[0], texts[1]) != 0)
			put(result_, part, shown(clusters_, key(rows, i, 1)), texts[0], texts[1]);
	}

	static const char *number(const pg::Rows &rows, uint64 i, int column)
	{
		const NullableDatum value = rows.value(i, column);
		return value.isnull ? nullptr : psprintf(INT64_FORMAT, DatumGetInt64(value.value));
	}

	// Of a pair of similar rows in the columns of for_each_pair
	bool is_decided(const pg::Rows &rows, uint64 i) const
	{
		const auto row = [&](int n) {
			return pg::ComparedRow{
				{key(rows, i, n), DatumGetFloat8(rows.value(i, n + 2).value)}, rows.value(i, n + 4)};
		};
		return clusters_.decision == nullptr ||
			pg::is_linked(clusters_, row(1), row(2), DatumGetFloat8(rows.value(i, 7).value));
	}

	// All pairs (a, t) of similar rows that are linked, their priorities, texts and similarity, each in both orders unless
	// `rest` has a condition.
	template <class Fn> void for_each_pair(const char *rest, const Fn &run)
	{
		const pg::QueryParameter limit = pg::limit_parameter(clusters_);
		const char *fingerprint_a = pg::fingerprint_text(clusters_, "a"),
				   *fingerprint_t = pg::fingerprint_text(clusters_, "t");
		const char *similarity = clusters_.decision == nullptr
			? "1::pg_catalog.float8"
			: pg::similarity_text(clusters_, fingerprint_t, fingerprint_a);
		const char *text =
			psprintf("SELECT %s, %s, %s, %s, %s, %s, %s FROM %s a JOIN %s t ON %s AND %s OPERATOR(pg_catalog.<>) %s%s",
				pg::key_bytes(clusters_, "a"), pg::key_bytes(clusters_, "t"), pg::priority_text(clusters_, "a"),
				pg::priority_text(clusters_, "t"), pg::text_text(clusters_, "a"), pg::text_text(clusters_, "t"),
				similarity, pg::table_text(clusters_), pg::table_text(clusters_),
				pg::similar_text(clusters_, fingerprint_t, fingerprint_a, "$1"), pg::key_bytes(clusters_, "t"),
				pg::key_bytes(clusters_, "a"), rest);
		for_each(clusters_, text, {&limit, 1}, "kkddttd", [&](const pg::Rows &rows, uint64 i) {
			if (is_decided(rows, i))
				run(rows, i);
		});
	}

	// A text may be compressed or stored out of line.
	Datum key(const pg::Rows &rows, uint64 i, int column) const
	{
		const NullableDatum value = rows.value(i, column);
		if (value.isnull)
			pg::report_contradiction(clusters_, rows.from);
		return clusters_.key.length == -1 ? PointerGetDatum(PG_DETOAST_DATUM_PACKED(value.value)) : value.value;
	}

	Found *enter(Datum id, bool &found)
	{
		auto *row = static_cast<Found *>(found_.enter(id, found));
		if (!found) {
			*row = {pg::copy_key(clusters_.key, id), 0, row, {}, 1, false, all_};
			all_ = row;
		}
		return row;
	}

	// Rows that links connect, in a table of their own.
	Found *linked(Datum id)
	{
		bool found;
		auto *row = static_cast<Found *>(linked_.enter(id, found));
		if (!found)
			*row = {pg::copy_key(clusters_.key, id), 0, row, {}, 1, false, nullptr};
		return row;
	}

	void follow_link(const pg::Rows &rows, uint64 i)
	{
		Found *a = root_of(linked(key(rows, i, 1))), *b = root_of(linked(key(rows, i, 2)));
		if (a == b) // links form a tree
			return put(
				result_, "link", shown(clusters_, key(rows, i, 1)), shown(clusters_, key(rows, i, 2)), nullptr);
		if (a->size < b->size)
			std::swap(a, b);
		a->size += std::exchange(b->parent, a)->size;
	}

	Found *member(const pg::Rows &rows, uint64 i, int id, int priority)
	{
		bool found;
		Found *row = enter(key(rows, i, id), found);
		if (!found)
			row->first = {row->id, DatumGetFloat8(rows.value(i, priority).value)};
		return row;
	}

	void compare_component(const pg::Rows &rows, uint64 i)
	{
		const NullableDatum size = rows.value(i, 3);
		const bool has_no_set = size.isnull;
		const Datum id = key(rows, i, 1);
		auto *row = static_cast<Found *>(found_.find(id));
		const bool is_doubled = row != nullptr && std::exchange(row->is_stored, true);
		const Found *expected = row != nullptr ? root_of(row) : nullptr;
		const Datum first = has_no_set ? 0 : key(rows, i, 2);
		if (expected == nullptr || has_no_set || is_doubled || pg::compare_keys(clusters_.key, first, expected->first.id) != 0 ||
			DatumGetInt64(size.value) != expected->size)
			put(result_, "cluster", shown(clusters_, id), has_no_set ? nullptr : shown(clusters_, first),
				expected == nullptr || is_doubled ? nullptr : shown(clusters_, expected->first.id));
		else if (root_of(linked(id)) != root_of(linked(first)))
			put(result_, "link", shown(clusters_, id), nullptr, shown(clusters_, first));
	}

	void choose_star(const pg::Rows &rows, uint64 i)
	{
		const Datum other = key(rows, i, 2);
		if (found_.find(other) != nullptr)
			return;
		bool found;
		Found *row = enter(key(rows, i, 1), found);
		if (!found)
			row->kept = pg::copy_key(clusters_.key, other);
	}

	// The members of components with pairs that are apart or together, and what their `kept` should be.
	void read_decided_rows()
	{
		struct Number {
			int64 value;
			Number *next;
		} *numbers = nullptr;
		for_each(clusters_, decided_text(), {}, "i", [&](const pg::Rows &rows, uint64 i) {
			auto *number = static_cast<Number *>(palloc(sizeof(Number)));
			*number = {rows.number(i, 1), numbers};
			numbers = number;
		});
		for (; numbers != nullptr; numbers = numbers->next) {
			const pg::Expected expected = pg::expected_members(clusters_, numbers->value);
			for (int i = 0; i < expected.count; ++i) {
				bool found;
				static_cast<DecidedRow *>(decided_rows_.enter(expected.ids[i], found))->kept = expected.kept[i];
			}
		}
	}

	const char *decided_text() const
	{
		const char *members = pg::state_text(clusters_, pg::State::members);
		const char *text = psprintf("SELECT m.cluster FROM %s m WHERE m.excepted", members);
		for (const pg::State which : {pg::State::apart, pg::State::together})
			if (OidIsValid(clusters_.relation(which)))
				text = psprintf("%s UNION SELECT m.cluster FROM %s x, %s m, %s n WHERE m.id OPERATOR(pg_catalog.=) %s"
								" AND n.id OPERATOR(pg_catalog.=) %s AND n.cluster OPERATOR(pg_catalog.=) m.cluster",
					text, pg::state_text(clusters_, which), members, members, pg::pair_text(clusters_, "a"),
					pg::pair_text(clusters_, "b"));
		return text;
	}

	// As for_each_pair, of rows that are together.
	const char *together_text() const
	{
		return psprintf("SELECT %s, %s, %s, %s FROM %s x JOIN %s a ON %s JOIN %s t ON %s WHERE %s IS NOT NULL AND %s IS"
						" NOT NULL AND %s OPERATOR(pg_catalog.<>) %s",
			pg::key_bytes(clusters_, "a"), pg::key_bytes(clusters_, "t"), pg::priority_text(clusters_, "a"),
			pg::priority_text(clusters_, "t"), pg::state_text(clusters_, pg::State::together),
			pg::table_text(clusters_), pg::key_is(clusters_, "a", pg::pair_text(clusters_, "a")),
			pg::table_text(clusters_), pg::key_is(clusters_, "t", pg::pair_text(clusters_, "b")),
			pg::fingerprint_text(clusters_, "a"), pg::fingerprint_text(clusters_, "t"), pg::key_bytes(clusters_, "a"),
			pg::key_bytes(clusters_, "t"));
	}

	void compare_part(const pg::Rows &rows, uint64 i)
	{
		const Datum id = key(rows, i, 1), stored = key(rows, i, 2);
		const auto *row = static_cast<const DecidedRow *>(decided_rows_.find(id));
		const Datum expected = row != nullptr ? row->kept : key(rows, i, 3);
		if (pg::compare_keys(clusters_.key, stored, expected) != 0)
			put(result_, "cluster", shown(clusters_, id), shown(clusters_, stored), shown(clusters_, expected));
	}

	void compare_star(const pg::Rows &rows, uint64 i)
	{
		const Datum id = key(rows, i, 1), kept = key(rows, i, 2);
		const auto *row = static_cast<const Found *>(found_.find(id));
		const auto *decided = static_cast<const DecidedRow *>(decided_rows_.find(id));
		const Datum expected = decided != nullptr ? decided->kept : row != nullptr ? row->kept : id;
		if (pg::compare_keys(clusters_.key, kept, expected) != 0)
			put(result_, "kept", shown(clusters_, id), shown(clusters_, kept), shown(clusters_, expected));
	}

	pg::Clusters &clusters_;
	ReturnSetInfo *result_;
	pg::KeyTable found_, decided_rows_, linked_;
	Found *all_ = nullptr;
};

// The rows that were kept for the row $1, in the type of the caller's id.
const char *kept_text(const pg::Clusters &clusters, Oid type)
{
	const char *members = pg::state_text(clusters, pg::State::members);
	return psprintf(
		"SELECT kept::%s, similarity, jaccard, containment, NULLIF(priority, '-Infinity'), NULLIF(kept_priority, "
		"'-Infinity'),"
		" since, until FROM (SELECT m.kept, m.similarity, m.jaccard, m.containment, m.priority, k.priority AS "
		"kept_priority,"
		" m.since, NULL::pg_catalog.timestamptz AS until FROM %s m LEFT JOIN %s k ON k.id OPERATOR(pg_catalog.=) m.kept"
		" WHERE m.id OPERATOR(pg_catalog.=) $1::%s AND m.kept OPERATOR(pg_catalog.<>) m.id"
		" UNION ALL SELECT h.kept, h.similarity, h.jaccard, h.containment, h.priority, h.kept_priority, h.since, "
		"h.until"
		" FROM %s h WHERE h.id OPERATOR(pg_catalog.=) $1::%s) AS all_times ORDER BY since DESC, until DESC NULLS FIRST",
		pg::type_text(type), members, members, pg::key_type_text(clusters.key.type),
		pg::state_text(clusters, pg::State::history), pg::key_type_text(clusters.key.type));
}

void put_kept(const pg::Clusters &clusters, Datum id, ReturnSetInfo *result)
{
	const Oid type = TupleDescAttr(result->setDesc, 0)->atttypid;
	const pg::QueryParameter parameter{type, false, 0};
	Oid tables[] = {clusters.members(), clusters.relation(pg::State::history)};
	pg::TableQuery *query = pg::prepare_query(kept_text(clusters, type), {&parameter, 1}, tables);
	pg::execute_query(*query, &id, true);
	for (int i = 0; i < result->setDesc->natts; ++i)
		if (!pg::is_column(SPI_tuptable->tupdesc, i + 1, {TupleDescAttr(result->setDesc, i)->atttypid}))
			pg::report_contradiction(clusters, pg::State::history);
	for (uint64 i = 0; i < SPI_processed; ++i)
		tuplestore_puttuple(result->setResult, SPI_tuptable->vals[i]);
}

} // namespace

TXTFP_FUNCTION(txtfp_live_clusters_check)
{
	InitMaterializedSRF(fcinfo, 0);
	auto *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Relation table = pg::open_known_table(pg::relation_argument(fcinfo), AccessShareLock);
	pg::with_clusters_argument(fcinfo, table, 1, [&](pg::Clusters &clusters) {
		pg::lock_clustered_table(clusters);
		pg::lock_state(clusters, AccessShareLock);
		clusters.state_is_locked = clusters.in_one_snapshot = true;
		if (SPI_connect() != SPI_OK_CONNECT)
			elog(ERROR, "SPI_connect failed");
		const int level = pg::enter_search_settings(); // a search for each row, which finds what the trigger finds
		Check(clusters, result).components();
		if (clusters.star) {
			Check(clusters, result).stars();
			Check(clusters, result).similarities();
		}
		if (clusters.has_parts())
			Check(clusters, result).numbers();
		AtEOXact_GUC(true, level);
		SPI_finish();
	});
	table_close(table, AccessShareLock);
	return (Datum) 0;
}

TXTFP_FUNCTION(txtfp_live_clusters_kept)
{
	InitMaterializedSRF(fcinfo, 0);
	auto *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Relation table = pg::open_known_table(pg::relation_argument(fcinfo), AccessShareLock);
	pg::with_clusters_argument(fcinfo, table, 2, [&](pg::Clusters &clusters) {
		if (!clusters.star)
			ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg(
						"clusters \"%s\" are connected components, in which no row is kept for another", clusters.name),
					errhint("Create them with mode => 'star'.")));
		pg::lock_clustered_table(clusters);
		pg::lock_state(clusters, AccessShareLock);
		if (PG_ARGISNULL(1))
			return;
		if (SPI_connect() != SPI_OK_CONNECT)
			elog(ERROR, "SPI_connect failed");
		put_kept(clusters, PG_GETARG_DATUM(1), result);
		SPI_finish();
	});
	table_close(table, AccessShareLock);
	return (Datum) 0;
}
