// Parallel CREATE INDEX. Each process scans part of the table and writes groups of its own, whose numbers it takes from
// a shared counter, so that each process leaves at most one group that is not full. The items of the band directory go
// to shared files, divided by their leading bits; then each process sorts some of these partitions and writes their
// leaves.
//
// The leader leads from phase to phase: a phase begins when every process has ended the one before. An error in one of
// them ends the build: the leader raises it while it waits, and PostgreSQL ends the others.
#include "pg/sketch/build.hpp"

#include <algorithm>

#include "core/sketch/bands.hpp"
#include "pg/base/large_array.hpp"

extern "C" {
#include "access/parallel.h"
#include "access/relscan.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/index.h"
#include "executor/instrument.h"
#include "optimizer/optimizer.h"
#include "optimizer/plancat.h"
#include "pgstat.h"
#include "storage/condition_variable.h"
#include "storage/spin.h"
#include "tcop/tcopprot.h"
#include "utils/backend_progress.h"
#include "utils/snapmgr.h"
#include "utils/wait_event.h"
}

namespace txtfp::pg {

namespace sketch_build_steps {

namespace {

enum Phase { scan, sorted_rows, leaves, phases };

constexpr std::uint64_t key_shared = 1, key_item_counts = 2, key_row_counts = 3, key_scan = 4, key_query = 5,
						key_wal_usage = 6, key_buffer_usage = 7;
constexpr int min_item_bits = 5; // so that no process waits long for another one
constexpr BlockNumber groups_at_once = 32;
constexpr std::uint64_t tuples_at_once = 1024;
constexpr long report_interval = 200; // ms

} // namespace

struct SharedBuild {
	// set by the leader before the workers start
	Oid heap, index;
	bool is_concurrent;
	int writers, memory; // processes that may take part; kB for each of them
	int item_bits;
	std::size_t pages; // of a group
	SharedFileSet files;
	pg_atomic_uint64 tuples;       // so far; processes tell it from time to time
	pg_atomic_uint32 groups;       // claimed
	pg_atomic_uint32 blocks;       // that the file has at least
	pg_atomic_uint32 next[phases]; // part of the work of a phase to be claimed
	// set by the leader before the phase `leaves`
	core::BandTable table; // without leaves: there will be none
	dsm_handle keys;       // the first keys of the leaves
	// protected by the mutex
	slock_t mutex;
	ConditionVariable changed; // `phase` or `done`
	int phase, done;           // the current phase; how many workers have ended it
	std::uint64_t config;
	bool broken_hot_chain;
	double heap_tuples;
};

namespace {

// A process that takes part.
struct Part {
	Build *build;
	SharedBuild *shared;
	Relation heap;
	IndexInfo *info;
	ParallelTableScanDesc scan;
	bool is_leader;
	dsm_segment *keys_segment; // of the leader, so that it is there once all are done
};

// ---- phases

TableScanDesc begin_scan(Relation heap, ParallelTableScanDesc scan)
{
#if PG_VERSION_NUM >= 190000
	return table_beginscan_parallel(heap, scan, SO_NONE);
#else
	return table_beginscan_parallel(heap, scan);
#endif
}

void scan_table(Part &part)
{
	Build &build = *part.build;
	SharedBuild &shared = *part.shared;
	const double tuples = table_index_build_scan(part.heap, build.index, part.info, true, part.is_leader,
		build_callback, &build, begin_scan(part.heap, part.scan));
	pg_atomic_fetch_add_u64(&shared.tuples, static_cast<int64>(build.tuples - build.reported));
	SpinLockAcquire(&shared.mutex);
	shared.heap_tuples += tuples;
	shared.broken_hot_chain |= part.info->ii_BrokenHotChain;
	SpinLockRelease(&shared.mutex);
	if (build.row_files != nullptr)
		build.row_files->share();
}

std::uint32_t claim(SharedBuild &shared, Phase phase) { return pg_atomic_fetch_add_u32(&shared.next[phase], 1); }

void write_sorted_rows(Part &part)
{
	Build &build = *part.build;
	if (PartitionFiles *files = build.row_files; files != nullptr)
		for (std::uint32_t i; (i = claim(*part.shared, sorted_rows)) < files->partitions();)
			if (files->count(i) > 0) {
				RowSort *rows = RowSort::open(build.type->layout.signature_size,
					part.shared->memory - memory_of_sort(build, part.shared->memory));
				rows->add_partition(*files, i);
				put_sorted_rows(build, rows);
			}
	put_collected_rows(build);
	write_rest(build);
	if (build.sort != nullptr)
		build.sort->share();
}

std::uint32_t leaves_of(const BandSort &sort, std::uint32_t partition)
{
	return core::band_pages(sort.total_of(partition), BLCKSZ).leaves;
}

void write_partitions(Part &part)
{
	SharedBuild &shared = *part.shared;
	if (shared.table.leaves == 0)
		return;
	dsm_segment *segment = part.is_leader ? part.keys_segment : dsm_attach(shared.keys);
	if (segment == nullptr)
		ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("could not map dynamic shared memory segment")));
	auto *keys = static_cast<std::uint32_t *>(dsm_segment_address(segment));
	BandSort &sort = *part.build->sort;
	const std::uint32_t partitions = std::uint32_t{1} << shared.item_bits;
	std::uint32_t behind = 0, first = 0; // number of the first leaf of partition `behind`
	for (std::uint32_t i; (i = claim(shared, leaves)) < partitions;) {
		for (; behind < i; ++behind)
			first += leaves_of(sort, behind);
		if (sort.total_of(i) > 0)
			write_leaves(part.build->index, part.build->type->layout, shared.table, sort, i, first, keys);
	}
	if (!part.is_leader)
		dsm_detach(segment);
}

void work(Part &part, int phase)
{
	switch (phase) {
	case scan:
		return scan_table(part);
	case sorted_rows:
		return write_sorted_rows(part);
	default:
		return write_partitions(part);
	}
}

// Opens the files of a process.
Build *open_build(
	Relation index, SharedBuild &shared, int writer, std::uint64_t *item_counts, std::uint64_t *row_counts)
{
	const SketchClass &type = sketch_class(index);
	Build *build = new_build(index, shared.pages == type.layout.pages ? type : sized_class(type, shared.pages));
	build->shared = &shared;
	const int memory = memory_of_sort(*build, shared.memory);
	if (items_of_row(*build->type, build->bands) > 0)
		build->sort = BandSort::open_shared(CurrentMemoryContext, static_cast<std::size_t>(memory) * 1024,
			shared.item_bits, {&shared.files, "items", shared.writers, writer, item_counts});
	if (build->type->layout.keys > 0)
		build->row_files = open_row_files(
			build->type->layout.signature_size, {&shared.files, "rows", shared.writers, writer, row_counts});
	return build;
}

// ---- worker

void await_phase(SharedBuild &shared, int phase)
{
	ConditionVariablePrepareToSleep(&shared.changed);
	for (;;) {
		SpinLockAcquire(&shared.mutex);
		const bool has_begun = shared.phase >= phase;
		SpinLockRelease(&shared.mutex);
		if (has_begun)
			break;
		ConditionVariableSleep(&shared.changed, WAIT_EVENT_PARALLEL_CREATE_INDEX_SCAN);
	}
	ConditionVariableCancelSleep();
}

void end_phase(SharedBuild &shared)
{
	SpinLockAcquire(&shared.mutex);
	++shared.done;
	SpinLockRelease(&shared.mutex);
	ConditionVariableBroadcast(&shared.changed);
}

// ---- leader

void begin_phase(SharedBuild &shared, int phase)
{
	SpinLockAcquire(&shared.mutex);
	shared.phase = phase;
	shared.done = 0;
	SpinLockRelease(&shared.mutex);
	ConditionVariableBroadcast(&shared.changed);
}

void report_tuples(SharedBuild &shared)
{
	pgstat_progress_update_param(
		PROGRESS_CREATEIDX_TUPLES_DONE, static_cast<int64>(pg_atomic_read_u64(&shared.tuples)));
}

void await_workers(SharedBuild &shared, int workers)
{
	ConditionVariablePrepareToSleep(&shared.changed);
	for (;;) {
		report_tuples(shared);
		SpinLockAcquire(&shared.mutex);
		const bool are_done = shared.done == workers;
		SpinLockRelease(&shared.mutex);
		if (are_done)
			break;
		ConditionVariableTimedSleep(&shared.changed, report_interval, WAIT_EVENT_PARALLEL_CREATE_INDEX_SCAN);
	}
	ConditionVariableCancelSleep();
}

// What the leader does by itself before a phase. `meta` is the new metapage.
void prepare_phase(Part &part, int phase, Page meta)
{
	SharedBuild &shared = *part.shared;
	Build &build = *part.build;
	if (phase == leaves) {
		std::uint64_t items = 0;
		std::uint32_t number = 0;
		for (std::uint32_t i = 0; build.sort != nullptr && i < std::uint32_t{1} << shared.item_bits; ++i) {
			items += build.sort->total_of(i);
			number += leaves_of(*build.sort, i);
		}
		build.config = shared.config;
		const core::BandTable *table =
			plan_table(build, meta, pg_atomic_read_u32(&shared.groups), items, number, false);
		if (table == nullptr || table->leaves == 0)
			return;
		extend_for_table(build.index, build.type->layout, *table);
		part.keys_segment = dsm_create(sizeof(std::uint32_t) * table->leaves, 0);
		shared.keys = dsm_segment_handle(part.keys_segment);
		shared.table = *table;
	}
}

void lead(Part &part, ParallelContext *context)
{
	constexpr int64 reported[phases] = {phase_scan, phase_write, phase_bands};
	PGAlignedBlock meta;
	report_phase(phase_scan);
	for (int phase = scan; phase < phases; ++phase) {
		prepare_phase(part, phase, (Page) meta.data);
		if (phase == sorted_rows && part.build->row_files != nullptr)
			report_phase(reported[phase]);
		if (phase > scan)
			begin_phase(*part.shared, phase);
		work(part, phase);
		if (phase == scan)
			WaitForParallelWorkersToAttach(context); // raises an error if one could not start
		await_workers(*part.shared, context->nworkers_launched);
	}
	if (part.keys_segment != nullptr) {
		write_fences(part.build->index, part.build->type->layout, part.shared->table,
			static_cast<std::uint32_t *>(dsm_segment_address(part.keys_segment)));
		dsm_detach(part.keys_segment);
	}
	write_new_pages(part.build->index, sketch_meta_block, &meta, 1);
}

// How many workers PostgreSQL would use for a B-tree.
int workers_for(Relation heap, [[maybe_unused]] Relation index, [[maybe_unused]] const IndexInfo *info)
{
	if (RelationGetNumberOfBlocks(heap) == 0)
		return 0;
#if PG_VERSION_NUM >= 170000
	return info->ii_ParallelWorkers;
#else
	return plan_create_index_workers(RelationGetRelid(heap), RelationGetRelid(index));
#endif
}

int item_bits_for(const Build &build, Relation heap, int memory)
{
	BlockNumber pages;
	double rows, visible;
	estimate_rel_size(heap, nullptr, &pages, &rows, &visible);
	const double items = rows * items_of_row(*build.type, build.bands);
	return std::max(min_item_bits,
		BandSort::bits_for(
			static_cast<std::uint64_t>(items), static_cast<std::size_t>(memory_of_sort(build, memory)) * 1024));
}

std::size_t count_bytes(int writers, int bits)
{
	return (static_cast<std::size_t>(writers) << bits) * sizeof(std::uint64_t);
}

// The parts of the segment that the processes share.
struct Shares {
	SharedBuild *build;
	std::uint64_t *item_counts, *row_counts;
	WalUsage *wal;
	BufferUsage *buffers;
};

void reserve(shm_toc_estimator &estimator, std::size_t size)
{
	shm_toc_estimate_chunk(&estimator, size);
	shm_toc_estimate_keys(&estimator, 1);
}

template <class T> T *share(shm_toc *toc, std::uint64_t key, std::size_t size)
{
	void *memory = shm_toc_allocate(toc, size);
	memset(memory, 0, size);
	shm_toc_insert(toc, key, memory);
	return static_cast<T *>(memory);
}

void reserve_all(ParallelContext &context, Relation heap, Snapshot snapshot, int item_bits)
{
	const int workers = context.nworkers;
	reserve(context.estimator, sizeof(SharedBuild));
	reserve(context.estimator, count_bytes(workers + 1, item_bits));
	reserve(context.estimator, count_bytes(workers + 1, row_partition_bits));
	reserve(context.estimator, table_parallelscan_estimate(heap, snapshot));
	reserve(context.estimator, sizeof(WalUsage) * static_cast<std::size_t>(workers));
	reserve(context.estimator, sizeof(BufferUsage) * static_cast<std::size_t>(workers));
	if (debug_query_string != nullptr)
		reserve(context.estimator, strlen(debug_query_string) + 1);
}

Shares share_all(ParallelContext &context, const Build &build, Relation heap, const IndexInfo *info, Snapshot snapshot,
	int item_bits)
{
	const int writers = context.nworkers + 1;
	shm_toc *toc = context.toc;
	Shares shares{share<SharedBuild>(toc, key_shared, sizeof(SharedBuild)),
		share<std::uint64_t>(toc, key_item_counts, count_bytes(writers, item_bits)),
		share<std::uint64_t>(toc, key_row_counts, count_bytes(writers, row_partition_bits)),
		share<WalUsage>(toc, key_wal_usage, sizeof(WalUsage) * static_cast<std::size_t>(context.nworkers)),
		share<BufferUsage>(toc, key_buffer_usage, sizeof(BufferUsage) * static_cast<std::size_t>(context.nworkers))};
	SharedBuild &shared = *shares.build;
	shared.heap = RelationGetRelid(heap);
	shared.index = RelationGetRelid(build.index);
	shared.is_concurrent = info->ii_Concurrent;
	shared.writers = writers;
	shared.memory = maintenance_work_mem / writers;
	shared.item_bits = item_bits;
	shared.pages = build.type->layout.pages;
	SharedFileSetInit(&shared.files, context.seg);
	pg_atomic_init_u64(&shared.tuples, 0);
	pg_atomic_init_u32(&shared.groups, 0);
	pg_atomic_init_u32(&shared.blocks, 0);
	for (pg_atomic_uint32 &next : shared.next)
		pg_atomic_init_u32(&next, 0);
	SpinLockInit(&shared.mutex);
	ConditionVariableInit(&shared.changed);
	auto *scan_desc = share<ParallelTableScanDescData>(toc, key_scan, table_parallelscan_estimate(heap, snapshot));
	table_parallelscan_initialize(heap, scan_desc, snapshot);
	if (debug_query_string != nullptr)
		strcpy(share<char>(toc, key_query, strlen(debug_query_string) + 1), debug_query_string);
	return shares;
}

// Builds the index with the workers that have been launched.
void build_with_workers(
	ParallelContext *context, const Shares &shares, Build &build, Relation heap, IndexInfo *info, double *heap_tuples)
{
	SharedBuild &shared = *shares.build;
	Build *own = open_build(build.index, shared, 0, shares.item_counts, shares.row_counts);
	Part part{own, &shared, heap, info,
		static_cast<ParallelTableScanDesc>(shm_toc_lookup(context->toc, key_scan, false)), true, nullptr};
	lead(part, context);
	WaitForParallelWorkersToFinish(context);
	for (int i = 0; i < context->nworkers_launched; ++i)
		InstrAccumParallelQuery(&shares.buffers[i], &shares.wal[i]);
	info->ii_BrokenHotChain |= shared.broken_hot_chain;
	*heap_tuples = shared.heap_tuples;
	build.tuples = pg_atomic_read_u64(&shared.tuples);
	if (own->sort != nullptr)
		own->sort->close();
	if (own->row_files != nullptr)
		own->row_files->close();
	pfree(own);
}

} // namespace

bool build_in_parallel(Build &build, Relation heap, IndexInfo *info, double *heap_tuples)
{
	const int workers = workers_for(heap, build.index, info);
	if (workers <= 0)
		return false;
	EnterParallelMode();
	ParallelContext *context = CreateParallelContext("$libdir/txtfp", "txtfp_sketch_build_worker", workers);
	Snapshot snapshot = info->ii_Concurrent ? RegisterSnapshot(GetTransactionSnapshot()) : SnapshotAny;
	const int item_bits = item_bits_for(build, heap, maintenance_work_mem / (workers + 1));
	reserve_all(*context, heap, snapshot, item_bits);
	InitializeParallelDSM(context);
	bool is_built = false;
	if (context->seg != nullptr) { // otherwise there is no shared memory to be had
		const Shares shares = share_all(*context, build, heap, info, snapshot, item_bits);
		LaunchParallelWorkers(context);
		is_built = context->nworkers_launched > 0;
		if (is_built)
			build_with_workers(context, shares, build, heap, info, heap_tuples);
	}
	if (IsMVCCSnapshot(snapshot))
		UnregisterSnapshot(snapshot);
	DestroyParallelContext(context);
	ExitParallelMode();
	return is_built;
}

std::uint32_t claim_shared_group(Build &build)
{
	SharedBuild &shared = *build.shared;
	const std::uint32_t group = pg_atomic_fetch_add_u32(&shared.groups, 1);
	if (group >= core::sketch_most_units(build.type->layout, build.bands > 0) - groups_at_once)
		report_full(build.index);
	if (block_of(build.type->layout, group + 1, 0) > pg_atomic_read_u32(&shared.blocks)) {
		const BlockNumber end = block_of(build.type->layout, group + groups_at_once, 0);
		add_blocks(build.index, end);
		// A process that has added less may set a smaller number after this. Then somebody asks once more.
		pg_atomic_write_u32(&shared.blocks, end);
	}
	return group;
}

void share_config(const Build &build)
{
	SharedBuild &shared = *build.shared;
	SpinLockAcquire(&shared.mutex);
	const std::uint64_t others = shared.config;
	if (others == 0)
		shared.config = build.config;
	SpinLockRelease(&shared.mutex);
	check_sketch_config(*build.type, others, build.config);
}

void share_progress(Build &build)
{
	if (build.tuples - build.reported < tuples_at_once)
		return;
	pg_atomic_fetch_add_u64(&build.shared->tuples, static_cast<int64>(build.tuples - build.reported));
	build.reported = build.tuples;
	if (!IsParallelWorker())
		report_tuples(*build.shared);
}

} // namespace sketch_build_steps

} // namespace txtfp::pg

using namespace txtfp::pg;
using namespace txtfp::pg::sketch_build_steps;

extern "C" PGDLLEXPORT void txtfp_sketch_build_worker(dsm_segment *segment, shm_toc *toc);

// What a worker runs.
void txtfp_sketch_build_worker(dsm_segment *segment, shm_toc *toc)
{
	debug_query_string = static_cast<char *>(shm_toc_lookup(toc, key_query, true));
	pgstat_report_activity(STATE_RUNNING, debug_query_string);
	auto *shared = static_cast<SharedBuild *>(shm_toc_lookup(toc, key_shared, false));
	const LOCKMODE heap_lock = shared->is_concurrent ? ShareUpdateExclusiveLock : ShareLock;
	const LOCKMODE index_lock = shared->is_concurrent ? RowExclusiveLock : AccessExclusiveLock;
	Relation heap = table_open(shared->heap, heap_lock), index = index_open(shared->index, index_lock);
	SharedFileSetAttach(&shared->files, segment);
	InstrStartParallelQuery();
	Build *build = open_build(index, *shared, ParallelWorkerNumber + 1,
		static_cast<std::uint64_t *>(shm_toc_lookup(toc, key_item_counts, false)),
		static_cast<std::uint64_t *>(shm_toc_lookup(toc, key_row_counts, false)));
	IndexInfo *info = BuildIndexInfo(index);
	info->ii_Concurrent = shared->is_concurrent;
	Part part{build, shared, heap, info, static_cast<ParallelTableScanDesc>(shm_toc_lookup(toc, key_scan, false)),
		false, nullptr};
	for (int phase = scan; phase < phases; ++phase) {
		await_phase(*shared, phase);
		work(part, phase);
		end_phase(*shared);
	}
	auto *buffers = static_cast<BufferUsage *>(shm_toc_lookup(toc, key_buffer_usage, false));
	auto *wal = static_cast<WalUsage *>(shm_toc_lookup(toc, key_wal_usage, false));
	InstrEndParallelQuery(&buffers[ParallelWorkerNumber], &wal[ParallelWorkerNumber]);
	index_close(index, index_lock);
	table_close(heap, heap_lock);
}
