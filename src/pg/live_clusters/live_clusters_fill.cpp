// live_clusters_fill: adds the rows that existed before the trigger to the clusters, in committed batches while writers
// continue. Each row is treated as if it were inserted, so that a row that is in already does no harm and a broken run
// can be repeated.
#include "pg/live_clusters/live_clusters_arguments.hpp"
#include "pg/live_clusters/operation.hpp"

extern "C" {
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/resowner.h"
}

using namespace txtfp;

namespace {

enum class Phase { members, rows }; // the members again, if that is wanted; then the rows of the table

struct Batch {
	Datum *ids, *fingerprints; // fingerprints: of rows of the table
	uint64 count;
};

struct Position {
	bool begun;
	Datum last; // the id before the next batch
};

Batch empty_batch(uint64 room)
{
	const Size size = sizeof(Datum) * (room + 1);
	return {static_cast<Datum *>(palloc(size)), static_cast<Datum *>(palloc(size)), 0};
}

// Of a result whose first column is the id.
Batch batch_of(const pg::Rows &rows)
{
	Batch batch = empty_batch(rows.count);
	for (; batch.count < rows.count; ++batch.count)
		batch.ids[batch.count] = rows.key(batch.count, 1);
	return batch;
}

// The order of the batches. With a nondeterministic collation, rows whose keys are equal are told apart by their bytes;
// an index of the table still serves.
const char *order_text(const pg::Clusters &clusters, Phase phase)
{
	if (phase == Phase::members)
		return "t.id";
	const char *key = pg::key_text(clusters, "t");
	return clusters.key_needs_bytes ? psprintf("%s, %s", key, pg::key_bytes(clusters, "t")) : key;
}

const char *batch_text(const pg::Clusters &clusters, Phase phase, bool begun, int size)
{
	const bool rows = phase == Phase::rows;
	const char *order = order_text(clusters, phase);
	const char *after = !begun ? ""
							   : psprintf(" AND ROW (%s) OPERATOR(pg_catalog.>) ROW (%s)", order,
									 rows && clusters.key_needs_bytes ? "$1, $1" : "$1");
	if (!rows)
		return psprintf("SELECT t.id FROM %s t WHERE true%s ORDER BY %s LIMIT %d",
			pg::state_text(clusters, pg::State::members), after, order, size);
	const char *fingerprint = pg::fingerprint_text(clusters, "t");
	return psprintf("SELECT %s, %s FROM %s t WHERE %s IS NOT NULL%s ORDER BY %s LIMIT %d", pg::key_text(clusters, "t"),
		fingerprint, pg::table_text(clusters), fingerprint, after, order, size);
}

// The next batch.
Batch next_batch(const pg::Clusters &clusters, Phase phase, const Position &position, int size)
{
	const bool rows = phase == Phase::rows;
	const pg::QueryParameter last{clusters.key.type, false, 0};
	const pg::Rows found = pg::run(clusters, batch_text(clusters, phase, position.begun, size),
		{&last, position.begun ? 1u : 0u}, &position.last, rows ? clusters.table : clusters.members(),
		rows ? "kf" : "k");
	Batch batch = batch_of(found);
	for (uint64 i = 0; rows && i < found.count; ++i) {
		const Datum value = found.value(i, 2).value; // not NULL, says the query
		batch.fingerprints[i] =
			clusters.fingerprint_length == -1 ? PointerGetDatum(PG_DETOAST_DATUM_COPY(value)) : value;
	}
	found.done();
	return batch;
}

// Those rows of the batch that have a similar row. The others are in no cluster, nor will they be before the end of the
// transaction: it locks the rows, so nobody else writes a similar one. One statement searches for all, which saves most
// of the time that a row by itself takes.
Batch rows_with_neighbours(const pg::Clusters &clusters, const Batch &batch)
{
	for (uint64 i = 0; i < batch.count; ++i)
		pg::lock_row(clusters, &batch.fingerprints[i], 1, true).finish();
	const char *text =
		psprintf("SELECT %s FROM pg_catalog.unnest($1) AS b (id) JOIN %s a ON %s,"
				 " LATERAL (SELECT FROM %s t WHERE %s AND %s OPERATOR(pg_catalog.<>) %s LIMIT 1) AS found",
			pg::key_text(clusters, "a"), pg::table_text(clusters), pg::key_is(clusters, "a", "b.id"),
			pg::table_text(clusters),
			pg::similar_text(clusters, pg::fingerprint_text(clusters, "t"), pg::fingerprint_text(clusters, "a"), "$2"),
			pg::key_bytes(clusters, "t"), pg::key_text(clusters, "a"));
	const pg::QueryParameter parameters[] = {
		{get_array_type(clusters.key.type), false, 0}, pg::limit_parameter(clusters)};
	const Datum values[] = {pg::key_array(clusters.key, batch.ids, static_cast<int>(batch.count)), 0};
	const pg::Rows rows = pg::run(clusters, text, parameters, values, clusters.table, "k");
	const Batch found = batch_of(rows);
	rows.done();
	return found;
}

// Returns the number of rows; the last of their ids goes to `position`, in the context `memory`.
uint64 fill_batch(pg::Clusters &clusters, Phase phase, Position &position, int size, MemoryContext memory)
{
	const pg::SearchScope scope = pg::enter_scope(clusters);
	pg::lock_state(clusters, RowExclusiveLock);
	clusters.state_is_locked = true;
	const Batch batch = next_batch(clusters, phase, position, size);
	const bool search_together = phase == Phase::rows && size > 1 && !IsolationUsesXactSnapshot() &&
		!OidIsValid(clusters.relation(pg::State::together));
	const Batch rows = search_together ? rows_with_neighbours(clusters, batch) : batch;
	for (uint64 i = 0; i < rows.count; ++i) {
		CHECK_FOR_INTERRUPTS();
		pg::go_over_row(clusters, rows.ids[i], phase == Phase::members, size > 1);
	}
	if (batch.count > 0) {
		const MemoryContext caller = MemoryContextSwitchTo(memory);
		position = {true, pg::copy_key(clusters.key, batch.ids[batch.count - 1])};
		MemoryContextSwitchTo(caller);
	}
	pg::leave_search_scope(scope);
	return batch.count;
}

uint64 fill_batch(FunctionCallInfo fcinfo, Phase phase, Position &position, int size, MemoryContext memory)
{
	Relation table = pg::open_own_table(pg::relation_argument(fcinfo), AccessShareLock);
	uint64 count = 0;
	pg::with_clusters_argument(
		fcinfo, table, 3, [&](pg::Clusters &clusters) { count = fill_batch(clusters, phase, position, size, memory); });
	table_close(table, NoLock);
	return count;
}

// The same in a subtransaction. Returns false where a deadlock with transactions of several statements has ended it: it
// has given its locks back then, and may be repeated.
bool try_batch(FunctionCallInfo fcinfo, Phase phase, Position &position, int size, MemoryContext memory, uint64 &count)
{
	const ResourceOwner owner = CurrentResourceOwner;
	volatile bool done = false;
	BeginInternalSubTransaction(nullptr);
	MemoryContextSwitchTo(memory);
	PG_TRY();
	{
		count = fill_batch(fcinfo, phase, position, size, memory);
		ReleaseCurrentSubTransaction();
		done = true;
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(memory);
		ErrorData *error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
		if (error->sqlerrcode != ERRCODE_T_R_DEADLOCK_DETECTED)
			ReThrowError(error);
		FreeErrorData(error);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(memory);
	CurrentResourceOwner = owner;
	return done;
}

} // namespace

TXTFP_FUNCTION(txtfp_live_clusters_fill)
{
	const int size = PG_ARGISNULL(1) ? 100 : PG_GETARG_INT32(1);
	const bool again = !PG_ARGISNULL(2) && PG_GETARG_BOOL(2);
	if (size < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("batch must be at least 1, not %d", size)));
	const bool atomic = fcinfo->context == nullptr || !IsA(fcinfo->context, CallContext) ||
		castNode(CallContext, fcinfo->context)->atomic;
	if (SPI_connect_ext(atomic ? 0 : SPI_OPT_NONATOMIC) != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	const MemoryContext memory = CurrentMemoryContext;
	for (const Phase phase : {Phase::members, Phase::rows}) {
		if (phase == Phase::members && !again)
			continue;
		Position position{};
		for (bool more = true; more;) {
			CHECK_FOR_INTERRUPTS();
			uint64 count = 0;
			if (!try_batch(fcinfo, phase, position, size, memory, count))
				continue;
			if (!atomic)
				SPI_commit();
			more = count == static_cast<uint64>(size);
		}
	}
	SPI_finish();
	PG_RETURN_VOID();
}
