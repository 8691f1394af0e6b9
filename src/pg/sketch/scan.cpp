// Scans. Without an ordering, a scan visits group after group and returns each row whose bound fulfils the conditions.
#include "pg/sketch/scan.hpp"

#include "pg/base/settings.hpp"

#include <algorithm>
#include <new>

extern "C" {
#include "access/table.h"
#include "catalog/pg_am.h"
#include "executor/instrument.h"
#include "nodes/tidbitmap.h"
#include "pgstat.h"
#include "utils/memutils.h"
#include "utils/rel.h"
}

namespace txtfp::pg {

using namespace sketch_scan;

namespace {

Scan &scan_of(IndexScanDesc scan) { return *static_cast<Scan *>(scan->opaque); }

// ---- start

void add_condition(Relation index, Scan &scan, const SketchMeta &meta, const ScanKeyData &key, bool is_order)
{
	SketchValue value;
	sketch_condition(index, *scan.type, key, value);
	if (!value.any_config)
		check_sketch_config(*scan.type, meta.config, value.config);
	const auto *matcher =
		new (palloc(sizeof(core::SketchMatcher))) core::SketchMatcher(scan.type->layout, value.signature, value.terms);
	if (is_order) {
		scan.order = matcher;
		return;
	}
	// most conditions have the same value as the ordering; its distances are then computed only once
	if (scan.order != nullptr && scan.order->same_signature(*matcher))
		matcher = scan.order;
	else
		scan.condition_matcher[scan.condition_matchers++] = matcher;
	const bool is_exact = scan.type->slots != 0 && key.sk_strategy == strategy_sketch_exact;
	scan.condition[scan.conditions++] = {matcher, value.limit, is_exact};
	scan.needs_recheck |= !matcher->is_exact() || value.any_config;
}

// A condition on a leading column. PostgreSQL compares the values of the rows that are found, because their hashes may
// be equal by chance.
void add_key_condition(Relation index, Scan &scan, const ScanKeyData &key)
{
	const auto column = static_cast<std::size_t>(key.sk_attno - 1);
	scan.needs_recheck = true;
	if ((key.sk_flags & SK_SEARCHNULL) != 0)
		scan.key[scan.keys++] = {column, hash_of_null};
	else if ((key.sk_flags & SK_SEARCHNOTNULL) != 0)
		return;
	else if ((key.sk_flags & SK_ISNULL) != 0)
		scan.is_empty = true;
	else
		scan.key[scan.keys++] = {column, condition_hash(index, key)};
}

void add_conditions(IndexScanDesc desc, Scan &scan, const SketchMeta &meta)
{
	if (desc->numberOfOrderBys > 0 && (desc->orderByData[0].sk_flags & SK_ISNULL) == 0)
		add_condition(desc->indexRelation, scan, meta, desc->orderByData[0], true);
	scan.condition = allocate<Condition>(scan.context, static_cast<std::size_t>(desc->numberOfKeys) + 1); // one of a step
	scan.condition_matcher =
		allocate<const core::SketchMatcher *>(scan.context, static_cast<std::size_t>(desc->numberOfKeys));
	scan.key = allocate<KeyCondition>(scan.context, static_cast<std::size_t>(desc->numberOfKeys));
	for (int i = 0; i < desc->numberOfKeys; ++i) {
		const ScanKeyData &key = desc->keyData[i];
		if (key.sk_attno <= scan.type->layout.keys) {
			add_key_condition(desc->indexRelation, scan, key);
		} else if ((key.sk_flags & SK_SEARCHNULL) != 0) {
			scan.wants_values = false;
		} else if ((key.sk_flags & SK_SEARCHNOTNULL) != 0) {
			scan.wants_nulls = false;
		} else if ((key.sk_flags & SK_ISNULL) != 0) {
			scan.is_empty = true;
		} else {
			scan.wants_nulls = false;
			add_condition(desc->indexRelation, scan, meta, key, false);
		}
	}
}

// The scan visits all groups; or, if it uses the band directory, those that no table covers.
void choose_groups(Scan &scan)
{
	const core::SketchDirectory &directory = scan.map->directory;
	scan.visited = static_cast<UnitRange *>(palloc(sizeof(UnitRange) * std::max<std::size_t>(directory.segments, 1)));
	for_each_segment(*scan.map, [&](std::uint32_t first, std::uint32_t end, std::uint32_t label) {
		if (scan.by_bands ? core::is_uncovered(directory, label) : core::is_group(label))
			scan.visited[scan.ranges++] = {first, end};
	});
}

// An ordered scan allocates memory for each group, so their number must not come from a damaged metapage.
void check_groups(Relation index, Scan &scan)
{
	for (int i = 0; i < scan.ranges; ++i)
		scan.visited_groups += scan.visited[i].end - scan.visited[i].first;
	const std::uint32_t end = scan.ranges > 0 ? scan.visited[scan.ranges - 1].end : 0;
	const std::uint64_t blocks = std::uint64_t{end} * scan.type->layout.pages + 1;
	if (scan.order != nullptr && !scan.by_bands && blocks > RelationGetNumberOfBlocks(index))
		report_damage(index, sketch_meta_block);
}

// Reading this many groups takes about as long as a search by bands (bench/tenants.sh).
constexpr std::uint64_t few_groups = 24;

// A step through the directory: its condition comes last, and goes if the directory does not serve it after all.
bool search_step(Relation index, Scan &scan, int limit)
{
	const bool is_exact = is_exact_scan(index, scan);
	scan.condition[scan.conditions++] = {scan.order, limit, is_exact};
	scan.is_step = search_bands(index, scan);
	scan.conditions -= !scan.is_step;
	return scan.is_step;
}

// Chooses the shortest way to the rows: through their leading columns, through their bands, or all groups.
void search_directory(Relation index, Scan &scan)
{
	const bool can_serve = bands_can_serve(index, scan);
	const int limit = can_serve ? -1 : next_step_limit(index, scan);
	const bool has_bands = can_serve || (limit > scan.returned && !is_exact_scan(index, scan));
	const std::uint64_t most = scan.map->meta.groups / 4;
	if (scan.keys > 0 && search_keys(index, scan, has_bands ? std::min(few_groups, most) : most))
		return;
	scan.blocks_read = pgBufferUsage.shared_blks_read;
	scan.by_bands = can_serve ? search_bands(index, scan) : limit > scan.returned && search_step(index, scan, limit);
	if (!scan.by_bands && scan.keys > 0 && has_bands)
		search_keys(index, scan, most);
}

// Decides whether to use the directory. Searches that do read few pages, so they get buffer hints only after some
// scans.
void choose_strategy(IndexScanDesc desc, Scan &scan)
{
	Relation index = desc->indexRelation;
	const bool may_search = scan.map->directory.tables > 0 && !scan.is_empty &&
		(scan.conditions > 0 || scan.keys > 0 || scan.order != nullptr);
	enable_buffer_hints(index, scan.type->layout, scan.map->meta.groups, !may_search);
	if (may_search)
		search_directory(index, scan);
	const bool is_short = scan.visited != nullptr || scan.by_bands;
	if (!scan.by_bands || scan.returned < 0) // several steps through the directory are one search
		++scan.counts[scan.by_bands ? by_bands : is_short ? by_leading_columns : of_all_groups];
	if (may_search && !is_short)
		enable_buffer_hints(index, scan.type->layout, scan.map->meta.groups, true);
	if (scan.visited == nullptr)
		choose_groups(scan);
	check_groups(index, scan);
}

// For the statistics views, and for EXPLAIN (ANALYZE) from PostgreSQL 18 on.
void count_search(IndexScanDesc desc)
{
	pgstat_count_index_scan(desc->indexRelation);
#if PG_VERSION_NUM >= 180000
	if (desc->instrument != nullptr)
		++desc->instrument->nsearches;
#endif
}

void start(IndexScanDesc desc)
{
	Scan &scan = scan_of(desc);
	MemoryContext old = MemoryContextSwitchTo(scan.context);
	count_search(desc);
	scan.snapshot = desc->xs_snapshot;
	scan.map = read_map(desc->indexRelation);
	scan.wants_values = scan.wants_nulls = true;
	scan.returned = -1;
	scan.order_all = sketch_order_all;
	add_conditions(desc, scan, scan.map->meta);
	choose_strategy(desc, scan);
	scan.prefetch_bytes = scan.order != nullptr ? scan.order->bytes_read(scan.order->max_distance())
		: scan.conditions > 0                   ? scan.condition[0].matcher->bytes_read(scan.condition[0].limit)
												: 0;
	scan.found = static_cast<FoundRow *>(MemoryContextAllocZero(scan.context, sizeof(FoundRow) * sketch_max_rows));
	scan.started = true;
	MemoryContextSwitchTo(old);
}

} // namespace

bool sketch_scan::begin_next_step(IndexScanDesc desc, Scan &scan)
{
	if (!scan.is_step)
		return false;
	MemoryContext old = MemoryContextSwitchTo(scan.context);
	scan.returned = scan.condition[--scan.conditions].limit;
	pfree(scan.visited);
	pfree(scan.entries);
	scan.entries = nullptr, scan.visited = nullptr;
	scan.entry_count = scan.next_entry = scan.requested_entries = 0;
	scan.ranges = scan.visited_groups = 0;
	scan.heap_count = scan.found_count = scan.next_found = 0;
	scan.is_step = scan.by_bands = scan.bounds_are_final = false;
	scan.min_bound = 0;
	restart_visit(scan);
	const bool ends = !scan.order_all && !is_exact_scan(desc->indexRelation, scan) &&
		next_step_limit(desc->indexRelation, scan) <= scan.returned;
	if (ends)
		scan.wants_nulls = false;
	else
		choose_strategy(desc, scan);
	MemoryContextSwitchTo(old);
	return !ends;
}

namespace {

void start_nulls(Scan &scan)
{
	scan.returning_nulls = true;
	restart_visit(scan);
}

// Sets scan.found to rows with a value, later to rows without, as far as the scan returns them. False at the end.
bool next_unordered(IndexScanDesc desc, Scan &scan)
{
	for (;;) {
		const bool want_null = scan.returning_nulls;
		if ((want_null ? scan.wants_nulls : scan.wants_values) && next_rows(desc->indexRelation, scan, want_null))
			return true;
		if (scan.returning_nulls)
			return false;
		start_nulls(scan);
	}
}

// ---- results

// Sets the distances of a row, or of a row whose distance is NULL. The executor computes the distances of all orderings
// but the first.
void set_distances(IndexScanDesc desc, const Scan &scan, int distance, bool is_null)
{
	desc->xs_recheckorderby = desc->numberOfOrderBys > 1 || (!is_null && !scan.order->is_exact());
	for (int i = 0; i < desc->numberOfOrderBys; ++i) {
		desc->xs_orderbyvals[i] = is_null ? (Datum) 0 : scan.type->distance(i == 0 ? distance : 0);
		desc->xs_orderbynulls[i] = is_null && (i == 0 || scan.returning_nulls);
	}
	if (is_null && !scan.returning_nulls) // the first ordering is by NULL
		for (int i = 1; i < desc->numberOfOrderBys; ++i)
			desc->xs_orderbyvals[i] = scan.type->distance(0);
}

// A damaged index may have rows in blocks that its table does not have. PostgreSQL would look for their files.
void check_table_block(IndexScanDesc desc, Scan &scan, BlockNumber block)
{
	if (block < scan.table_blocks)
		return;
	// searches for bitmaps are not given the table; whoever searches has locked it
	Relation table = table_open(desc->indexRelation->rd_index->indrelid, NoLock);
	const bool is_heap = table->rd_rel->relam == HEAP_TABLE_AM_OID; // others may number their rows differently
	scan.table_blocks = is_heap ? RelationGetNumberOfBlocks(table) : InvalidBlockNumber;
	table_close(table, NoLock);
	if (block >= scan.table_blocks)
		ereport(ERROR,
			(errcode(ERRCODE_INDEX_CORRUPTED),
				errmsg("index \"%s\" has a row in block %u, which its table does not have",
					RelationGetRelationName(desc->indexRelation), block),
				errhint("Please REINDEX it.")));
}

void set_row(IndexScanDesc desc, Scan &scan, const ItemPointerData &tid)
{
	check_table_block(desc, scan, ItemPointerGetBlockNumber(&tid));
	++scan.counts[rows_returned];
	desc->xs_heaptid = tid;
	desc->xs_recheck = scan.needs_recheck;
}

} // namespace

IndexScanDesc sketch_begin_scan(Relation index, int keys, int orderings)
{
	IndexScanDesc desc = RelationGetIndexScan(index, keys, orderings);
	auto *scan = static_cast<Scan *>(palloc0(sizeof(Scan)));
	scan->type = &sketch_class(index);
	scan->context = AllocSetContextCreate(CurrentMemoryContext, "sketch scan", ALLOCSET_DEFAULT_SIZES);
	desc->opaque = scan;
	if (orderings > 0) {
		desc->xs_orderbyvals = static_cast<Datum *>(palloc0(sizeof(Datum) * static_cast<std::size_t>(orderings)));
		desc->xs_orderbynulls = static_cast<bool *>(palloc0(sizeof(bool) * static_cast<std::size_t>(orderings)));
	}
	return desc;
}

namespace {

void end_counting(IndexScanDesc desc)
{
	Scan &scan = scan_of(desc);
	if (!scan.started)
		return;
	add_counts(desc->indexRelation, scan.counts);
	add(scan.finished, scan.counts);
}

} // namespace

void sketch_rescan(IndexScanDesc desc, ScanKey keys, int, ScanKey orderings, int)
{
	if (keys != nullptr && desc->numberOfKeys > 0)
		memmove(desc->keyData, keys, sizeof(ScanKeyData) * static_cast<std::size_t>(desc->numberOfKeys));
	if (orderings != nullptr && desc->numberOfOrderBys > 0)
		memmove(desc->orderByData, orderings, sizeof(ScanKeyData) * static_cast<std::size_t>(desc->numberOfOrderBys));
	end_counting(desc);
	Scan &scan = scan_of(desc);
	MemoryContext context = scan.context;
	MemoryContextReset(context);
	const SketchClass *type = scan.type;
	const SearchCounts finished = scan.finished;
	scan = {};
	scan.type = type;
	scan.finished = finished;
	scan.context = context;
}

bool sketch_get_tuple(IndexScanDesc desc, ScanDirection direction)
{
	Scan &scan = scan_of(desc);
	if (!ScanDirectionIsForward(direction))
		elog(ERROR, "access method \"sketch\" scans forward only");
	if (desc->xs_want_itup) // the cost estimate keeps the planner from this
		ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				errmsg("access method \"sketch\" does not support index-only scans"),
				errhint("SET enable_indexonlyscan = off.")));
	if (!scan.started)
		start(desc);
	if (scan.is_empty)
		return false;
	if (scan.order != nullptr && !scan.returning_nulls) {
		FoundRow found;
		if (scan.wants_values && next_ordered(desc, scan, found)) {
			set_distances(desc, scan, found.distance, false);
			set_row(desc, scan, found.tid);
			return true;
		}
		start_nulls(scan);
		scan.next_found = scan.found_count;
	}
	if (scan.next_found == scan.found_count && !next_unordered(desc, scan))
		return false;
	if (desc->numberOfOrderBys > 0)
		set_distances(desc, scan, 0, true);
	set_row(desc, scan, scan.found[scan.next_found++].tid);
	return true;
}

int64 sketch_get_bitmap(IndexScanDesc desc, TIDBitmap *bitmap)
{
	Scan &scan = scan_of(desc);
	if (!scan.started)
		start(desc);
	int64 rows = 0;
	while (!scan.is_empty && next_unordered(desc, scan)) {
		for (std::size_t i = 0; i < scan.found_count; ++i) {
			check_table_block(desc, scan, ItemPointerGetBlockNumber(&scan.found[i].tid));
			tbm_add_tuples(bitmap, &scan.found[i].tid, 1, scan.needs_recheck);
		}
		rows += static_cast<int64>(scan.found_count);
	}
	scan.counts[rows_returned] += rows;
	return rows;
}

void sketch_end_scan(IndexScanDesc desc)
{
	end_counting(desc);
	MemoryContextDelete(scan_of(desc).context);
}

} // namespace txtfp::pg
