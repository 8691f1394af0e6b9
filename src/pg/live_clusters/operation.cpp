#include "pg/live_clusters/operation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pg/base/text_arg.hpp"
#include "pg/live_clusters/decided_pairs.hpp"
#include "pg/live_clusters/numbers.hpp"

extern "C" {
#include "access/xact.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
}

namespace txtfp::pg {

namespace {

Label label_of(const Clusters &clusters, const Rows &rows, uint64 i)
{
	Label label{};
	label.cluster = rows.number(i, 2);
	label.priority = rows.real(i, 3);
	if (!clusters.star)
		return label;
	label.kept = rows.key(i, 4);
	label.similarity = rows.real(i, 6);
	label.number = rows.number_if_any(i, 7);
	// A row kept that is gone already is replaced when its own change comes: until then no other row takes its place.
	const bool is_gone = rows.value(i, 5).isnull;
	label.kept_priority = is_gone ? std::numeric_limits<double>::infinity() : rows.real(i, 5);
	return label;
}

struct Position {
	Datum id;
	int index;
};

[[noreturn]] void report_concurrent_change()
{
	ereport(ERROR,
		(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			errmsg("could not serialize access due to a concurrent change of clusters"),
			errhint("The transaction might succeed if retried.")));
	pg_unreachable();
}

// The unique index of the key may have been dropped; and the index of a partitioned table may have more columns. An old
// snapshot shows a row that another transaction has deleted beside the one that this transaction has inserted instead.
[[noreturn]] void report_doubled_key(const Clusters &clusters)
{
	if (IsolationUsesXactSnapshot())
		report_concurrent_change();
	ereport(ERROR,
		(errcode(ERRCODE_UNIQUE_VIOLATION),
			errmsg("several rows of relation \"%s\" have the same value in key column \"%s\"",
				get_rel_name(clusters.table), clusters.key_column),
			errdetail("Clusters \"%s\" tell rows apart by it.", clusters.name)));
	pg_unreachable();
}

// Of a row of the clustered table
double priority_of(const Rows &rows, uint64 i, int column)
{
	const double priority = DatumGetFloat8(rows.value(i, column).value);
	if (std::isnan(priority))
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the priority of a row is not a number"),
				errhint("Rows without a priority have NULL, which is the least.")));
	return priority;
}

// All of it counts: a row in no cluster may have another priority by now, or another fingerprint that is as near as the
// one before.
bool same_rows(const Clusters &clusters, const Neighbours &a, const Neighbours &b)
{
	return a.count == b.count && std::equal(a.rows, a.rows + a.count, b.rows, [&](const auto &x, const auto &y) {
		return compare_keys(clusters.key, x.id, y.id) == 0 && x.similarity == y.similarity && x.priority == y.priority;
	});
}

bool same_labels(const Neighbours &a, const Neighbours &b)
{
	return std::equal(a.rows, a.rows + a.count, b.rows,
		[](const Neighbour &x, const Neighbour &y) { return x.label.cluster == y.label.cluster; });
}

bool are_in_one_cluster(const Neighbours &rows)
{
	const int64 first = rows.rows[0].label.cluster;
	return first != 0 && std::all_of(rows.rows, rows.rows + rows.count, [&](const Neighbour &row) {
		return row.label.cluster == first;
	});
}

// The row itself comes first, then its neighbours.
Neighbours with_itself(Datum id, double priority, const Neighbours &neighbours)
{
	Neighbours all{};
	all.count = neighbours.count + 1;
	all.rows =
		static_cast<Neighbour *>(palloc_extended(sizeof(Neighbour) * static_cast<Size>(all.count), MCXT_ALLOC_HUGE));
	all.rows[0] = {id, 1, priority, {}};
	std::copy_n(neighbours.rows, neighbours.count, all.rows + 1);
	return all;
}

constexpr uint64 of_cluster = 1, of_row = 2;
uint64 lock_space(const Clusters &clusters) { return static_cast<uint64>(clusters.members()) << 8; }

// The numbers of the locks for the clusters of rows; rows in no cluster count as clusters of their own, but for the
// first, which is the row to be changed: its keys are locked.
std::span<const std::uint64_t> cluster_keys(const Clusters &clusters, const Neighbours &rows)
{
	const uint64 space = lock_space(clusters);
	auto *keys = static_cast<std::uint64_t *>(
		palloc_extended(sizeof(std::uint64_t) * static_cast<Size>(rows.count), MCXT_ALLOC_HUGE));
	std::size_t n = 0;
	for (int i = 0; i < rows.count; ++i) {
		const Neighbour &row = rows.rows[i];
		if (row.label.cluster != 0)
			keys[n++] = hash_bytes_extended(reinterpret_cast<const unsigned char *>(&row.label.cluster),
				sizeof row.label.cluster, space | of_cluster);
		else if (i > 0)
			keys[n++] = row_lock(clusters, row.id);
	}
	std::sort(keys, keys + n);
	n = static_cast<std::size_t>(std::unique(keys, keys + n) - keys);
	return {keys, n};
}

Neighbours copy_of(const Neighbours &rows)
{
	return with_itself(rows.rows[0].id, rows.rows[0].priority, {rows.rows + 1, rows.count - 1});
}

// Fails unless the transaction's snapshot shows the clusters as they are: their rows in _sets change with each change
// of them.
void check_snapshot(Clusters &clusters, const Neighbours &rows)
{
	if (!IsolationUsesXactSnapshot())
		return;
	Neighbours latest = copy_of(rows);
	read_labels(clusters, latest, Snapshot::latest);
	if (!same_labels(rows, latest))
		report_concurrent_change();
	auto *numbers =
		static_cast<int64 *>(palloc_extended(sizeof(int64) * static_cast<Size>(rows.count), MCXT_ALLOC_HUGE));
	std::transform(rows.rows, rows.rows + rows.count, numbers, [](const Neighbour &row) { return row.label.cluster; });
	const Datum values = number_array(numbers, rows.count);
	(void) write(clusters, Statement::lock_sets, &values);
}

// Locks the clusters of the rows, whose labels are true afterwards.
void lock_clusters(Clusters &clusters, Neighbours &rows, KeyLocks &locks)
{
	read_labels(clusters, rows);
	for (;;) {
		const std::span<const std::uint64_t> keys = cluster_keys(clusters, rows);
		if (keys.empty())
			break;
		locks.add(keys);
		Neighbours now = copy_of(rows);
		read_labels(clusters, now);
		const bool same = same_labels(rows, now);
		rows = now;
		if (same)
			break;
		locks.release(keys);
	}
	check_snapshot(clusters, rows);
}

// The neighbours of the row. Where the transaction does not see all of them, or sees others, it fails.
Neighbours neighbours_of(Clusters &clusters, Datum id, const StoredRow &row)
{
	if (!row.exists)
		return {nullptr, 0};
	const Neighbours seen = find_neighbours(clusters, id, row);
	if (IsolationUsesXactSnapshot() &&
		!same_rows(clusters, seen, find_neighbours(clusters, id, row, Snapshot::latest)))
		report_concurrent_change();
	return seen;
}

} // namespace

uint64 row_lock(const Clusters &clusters, Datum id)
{
	return hash_key(clusters.key, id, lock_space(clusters) | of_row);
}

void touch(Clusters &clusters, int64 cluster)
{
	if (!clusters.has_decided_pairs())
		return;
	if (clusters.touched_count == clusters.touched_room) {
		clusters.touched_room *= 2;
		clusters.touched = static_cast<int64 *>(
			repalloc_huge(clusters.touched, sizeof(int64) * static_cast<Size>(clusters.touched_room)));
	}
	clusters.touched[clusters.touched_count++] = cluster;
}

StoredRow read_row(Clusters &clusters, Datum id)
{
	const Rows rows = read(clusters, Statement::row, &id);
	if (rows.count > 1)
		report_doubled_key(clusters);
	StoredRow row{};
	if (rows.count > 0) {
		const NullableDatum fingerprint = rows.value(0, 1);
		row = {!fingerprint.isnull, fingerprint.value, priority_of(rows, 0, 2), rows.value(0, 3)};
	}
	if (row.exists && clusters.fingerprint_length == -1)
		row.fingerprint = PointerGetDatum(PG_DETOAST_DATUM_COPY(row.fingerprint));
	if (row.exists && !row.text.isnull)
		row.text.value = PointerGetDatum(PG_DETOAST_DATUM_COPY(row.text.value));
	rows.done();
	return row;
}

bool is_linked(const Clusters &clusters, const ComparedRow &a, const ComparedRow &b, double similarity)
{
	if (a.text.isnull || b.text.isnull)
		return false;
	const bool is_a_kept = is_before(clusters.key, a.rank, b.rank);
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "txtfp texts", ALLOCSET_DEFAULT_SIZES);
	const MemoryContext caller = MemoryContextSwitchTo(scratch);
	const std::string_view first = to_utf8(DatumGetTextPP(a.text.value)), second = to_utf8(DatumGetTextPP(b.text.value));
	const core::PairDecision decision =
		decide(*clusters.decision, is_a_kept ? second : first, is_a_kept ? first : second, similarity);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(scratch);
	return decision.outcome == core::removal::removed;
}

Neighbours find_neighbours(Clusters &clusters, Datum id, const StoredRow &row, Snapshot snapshot)
{
	const Datum values[] = {row.fingerprint, id};
	const Rows rows = read(clusters, Statement::neighbours, values, snapshot);
	Neighbours found{nullptr, 0};
	found.rows =
		static_cast<Neighbour *>(palloc_extended(sizeof(Neighbour) * std::max<Size>(1, rows.count), MCXT_ALLOC_HUGE));
	if (clusters.decision != nullptr && rows.count > 0)
		use_tokens_of(*clusters.decision, *clusters.kind, row.fingerprint);
	for (uint64 i = 0; i < rows.count; ++i) {
		CHECK_FOR_INTERRUPTS();
		const Neighbour other{rows.key(i, 1), rows.real(i, 2), priority_of(rows, i, 3), {}};
		const bool is_certain = rows.number_if_any(i, 5) != 0;
		if (is_certain ||
			is_linked(clusters, {{id, row.priority}, row.text}, {{other.id, other.priority}, rows.value(i, 4)},
				other.similarity))
			found.rows[found.count++] = other;
	}
	rows.done();
	return found;
}

void read_labels(Clusters &clusters, Neighbours &rows, Snapshot snapshot)
{
	KeyTable positions;
	positions.open(clusters.key, sizeof(Position), rows.count);
	auto *ids = static_cast<Datum *>(palloc_extended(sizeof(Datum) * static_cast<Size>(rows.count), MCXT_ALLOC_HUGE));
	for (int i = 0; i < rows.count; ++i) {
		bool found;
		ids[i] = rows.rows[i].id;
		static_cast<Position *>(positions.enter(ids[i], found))->index = i;
		if (found)
			report_doubled_key(clusters);
		rows.rows[i].label = {};
	}
	const Datum array = key_array(clusters.key, ids, rows.count);
	const Rows labels = read(clusters, Statement::labels, &array, snapshot);
	for (uint64 i = 0; i < labels.count; ++i) {
		const auto *position = static_cast<const Position *>(positions.find(labels.key(i, 1)));
		if (position == nullptr)
			report_contradiction(clusters, State::members);
		rows.rows[position->index].label = label_of(clusters, labels, i);
	}
	labels.done();
	pfree(ids);
	pfree(DatumGetPointer(array));
	positions.close();
}

KeyLocks lock_row(const Clusters &clusters, const Datum *fingerprints, int n, bool alone)
{
	std::uint64_t keys[2 * core::max_lock_keys];
	std::size_t count = 0;
	for (int i = 0; i < n; ++i)
		count += row_keys(*clusters.kind, clusters.locks, fingerprints[i], clusters.members(), keys + count);
	std::sort(keys, keys + count);
	count = static_cast<std::size_t>(std::unique(keys, keys + count) - keys);
	return {clusters.members(), {keys, count}, alone || count == 0};
}

namespace {

bool is_same_row(const Clusters &clusters, const StoredRow &a, const StoredRow &b)
{
	const bool by_value = get_typbyval(clusters.fingerprint_type);
	return a.priority == b.priority &&
		datum_image_eq(a.fingerprint, b.fingerprint, by_value, clusters.fingerprint_length);
}

// What an operation remembers of itself.
void begin(Clusters &clusters)
{
	begin_events(clusters);
	clusters.numbers = nullptr;
	clusters.touched_count = 0;
	clusters.touched_room = 16;
	if (clusters.has_decided_pairs())
		clusters.touched = static_cast<int64 *>(palloc(sizeof(int64) * 16));
}

} // namespace

void refresh_row(Clusters &clusters, Datum id, const StoredRow *given, bool leave, bool changed, KeyLocks &locks)
{
	lock_partners(clusters, id, locks);
	const StoredRow row = given != nullptr ? *given : read_row(clusters, id);
	const Neighbours neighbours = neighbours_of(clusters, id, row);
	if (!leave && neighbours.count == 0)
		return;
	Neighbours all = with_itself(id, row.priority, neighbours);
	lock_clusters(clusters, all, locks);
	if (!leave && !clusters.star && are_in_one_cluster(all))
		return;
	begin(clusters);
	const bool enters = all.count > 1, decided = clusters.has_decided_pairs() && has_pairs(clusters, all);
	if (clusters.star || decided)
		begin_numbers(clusters, id, !changed);
	if (decided)
		name_members(clusters, all);
	const int64 left = leave ? all.rows[0].label.cluster : 0;
	if (left != 0) {
		leave_cluster(clusters, id, all.rows[0].label, enters);
		read_labels(clusters, all);
	}
	Entry entry{};
	if (enters)
		entry = enter_clusters(clusters, all);
	if (clusters.star && !decided && (enters || leave))
		update_stars(clusters, all, leave, entry);
	const int64 entered = enters ? store(clusters, entry) : 0;
	if (enters && left != 0)
		dissolve_single(clusters, left);
	if (decided && entry.set.cluster == Entry::new_cluster)
		clusters.numbers->created(entered);
	if (decided)
		apply_decided_pairs(clusters, entered);
	if (clusters.numbers != nullptr)
		clusters.numbers->tell(entered);
	tell_events(clusters);
}

void go_over_row(Clusters &clusters, Datum id, bool leave, bool alone)
{
	// A batch has many rows, and an operation keeps nothing for the next one. The connection's memory is used.
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	StoredRow row = read_row(clusters, id);
	for (bool same = false; !same;) {
		KeyLocks locks = lock_row(clusters, &row.fingerprint, row.exists, alone);
		lock_partners(clusters, id, locks);
		const StoredRow now = read_row(clusters, id); // another transaction may have changed the row meanwhile
		same = row.exists == now.exists && (!now.exists || is_same_row(clusters, row, now));
		if (same && (leave || now.exists))
			refresh_row(clusters, id, &now, leave, false, locks);
		locks.finish();
		row = now;
	}
	SPI_finish();
}

} // namespace txtfp::pg
