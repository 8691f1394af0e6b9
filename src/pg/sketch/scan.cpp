// Scans. Without an ordering: group after group, each row whose bound fulfils the conditions. With an ordering: first the bounds of
// all rows from the first pages, then best first, in stages: the rows of the smallest bounds, some hundred, are looked up in the
// other pages and wait in a heap until no row beyond the stage can come before them. Each stage has four times the rows of the
// one before. So ten neighbours cost little more than the bounds, and all rows cost but few looks at a page.
#include "pg/sketch/sketch.hpp"

#include <algorithm>
#include <new>

#include "pg/base/huge.hpp"

extern "C" {
#include "access/relscan.h"
#include "nodes/tidbitmap.h"
#include "utils/memutils.h"
}

namespace txtfp::pg {

namespace {

using core::sketch_max_rows;
constexpr std::uint64_t first_stage = 256;
constexpr std::uint32_t ahead = 4; // groups whose pages are fetched from memory meanwhile

// In place of a bound: there is no row, or a condition excludes it.
constexpr std::uint16_t no_row = 0xFFFF;

struct Condition {
	const core::SketchMatcher *matcher;
	int limit;
};

// A row that fulfils the conditions, as far as the index knows.
struct Found {
	ItemPointerData tid;
	std::uint16_t distance; // bound by the ordering; 0 without one
};

struct Scan {
	const SketchClass *type;
	MemoryContext context; // of what follows, reset by a rescan
	bool started;
	bool nothing; // a condition is NULL: no row fulfils it
	bool values;  // rows with a value are wanted,
	bool nulls;   // and rows without
	bool inexact; // the conditions must be rechecked
	int conditions;
	Condition *condition;
	const core::SketchMatcher *order; // null: none, or by NULL
	std::size_t bytes;                // of the fields of a first page that will be read
	std::uint32_t groups, group;      // all, next
	Found *found;                     // of the group at hand, or the NULLs of it
	std::size_t count, next;
	bool giving_nulls; // all other rows have been given
	// ordered scans
	std::uint16_t *bounds; // of all rows
	std::uint64_t *histogram;
	int reached;         // rows with smaller bounds are in the heap, or were given
	std::uint64_t stage; // least rows of the next stage
	Found *heap;         // by distance, then TID; the smallest first
	std::size_t heap_count, heap_room;
};

Scan &scan_of(IndexScanDesc scan) { return *static_cast<Scan *>(scan->opaque); }

// ---- start

void add_condition(Scan &scan, Relation index, const SketchMeta &meta, const ScanKeyData &key, bool is_order)
{
	SketchValue value;
	value.any_config = false;
	scan.type->condition(key.sk_strategy, key.sk_argument, value);
	if (!value.any_config)
		check_sketch_config(*scan.type, meta.config, value.config);
	const auto *matcher =
		new (palloc(sizeof(core::SketchMatcher))) core::SketchMatcher(scan.type->layout, value.signature);
	if (is_order) {
		scan.order = matcher;
		return;
	}
	// mostly the same value as that of the ordering, whose distances are then computed once
	if (scan.order != nullptr && scan.order->same_signature(*matcher))
		matcher = scan.order;
	scan.condition[scan.conditions++] = {matcher, value.limit};
	scan.inexact |= !matcher->is_exact();
}

void add_conditions(IndexScanDesc desc, Scan &scan, const SketchMeta &meta)
{
	if (desc->numberOfOrderBys > 0 && (desc->orderByData[0].sk_flags & SK_ISNULL) == 0)
		add_condition(scan, desc->indexRelation, meta, desc->orderByData[0], true);
	scan.condition = allocate<Condition>(scan.context, static_cast<std::size_t>(desc->numberOfKeys));
	for (int i = 0; i < desc->numberOfKeys; ++i) {
		const ScanKeyData &key = desc->keyData[i];
		if ((key.sk_flags & SK_SEARCHNULL) != 0) {
			scan.values = false;
		} else if ((key.sk_flags & SK_SEARCHNOTNULL) != 0) {
			scan.nulls = false;
		} else if ((key.sk_flags & SK_ISNULL) != 0) {
			scan.nothing = true;
		} else {
			scan.nulls = false;
			add_condition(scan, desc->indexRelation, meta, key, false);
		}
	}
}

void start(IndexScanDesc desc)
{
	Scan &scan = scan_of(desc);
	MemoryContext old = MemoryContextSwitchTo(scan.context);
	const SketchMeta meta = read_meta(desc->indexRelation);
	scan.groups = meta.groups;
	remember_buffers(desc->indexRelation, scan.type->layout, scan.groups);
	scan.values = scan.nulls = true;
	add_conditions(desc, scan, meta);
	scan.bytes = scan.order != nullptr ? scan.order->bytes_read(scan.order->most())
		: scan.conditions > 0          ? scan.condition[0].matcher->bytes_read(scan.condition[0].limit)
									   : 0;
	scan.found = allocate<Found>(scan.context, sketch_max_rows);
	scan.started = true;
	MemoryContextSwitchTo(old);
}

// ---- a group

bool may_fulfil(const Scan &scan, const core::SketchMatcher *matcher, int bound)
{
	for (int i = 0; i < scan.conditions; ++i)
		if (scan.condition[i].matcher == matcher && bound > scan.condition[i].limit)
			return false;
	return true;
}

// Rows to be looked at in all pages of their group.
struct Candidates {
	std::size_t count;
	std::uint16_t row[sketch_max_rows];
};

// The rows of a first page that may fulfil all conditions.
void find_candidates(const Scan &scan, Page page, Candidates &candidates)
{
	const std::size_t used = group_header(page).used;
	std::uint16_t bounds[sketch_max_rows], within[sketch_max_rows];
	if (scan.conditions == 0) {
		candidates.count = used;
		for (std::size_t row = 0; row < used; ++row)
			candidates.row[row] = static_cast<std::uint16_t>(row);
		return;
	}
	for (int i = 0; i < scan.conditions; ++i) {
		const Condition &condition = scan.condition[i];
		std::uint16_t *rows = i == 0 ? candidates.row : within;
		condition.matcher->bounds(bytes_of(page), used, condition.limit, bounds);
		const std::size_t n = core::SketchMatcher::within(bounds, used, condition.limit, rows);
		candidates.count = i == 0
			? n
			: static_cast<std::size_t>(std::set_intersection(candidates.row, candidates.row + candidates.count, within,
										   within + n, candidates.row) -
				  candidates.row);
		if (candidates.count == 0)
			return;
	}
}

// Looks at one page; candidates that turn out not to fulfil a condition are dropped.
void refine_page(const Scan &scan, const core::SketchMatcher &matcher, Page page, std::size_t number,
	Candidates &candidates, Found *found, core::SketchPartial *partials)
{
	std::size_t kept = 0;
	for (std::size_t i = 0; i < candidates.count; ++i) {
		core::SketchPartial partial = partials[i];
		const int bound = matcher.refine(number, bytes_of(page), candidates.row[i], partial);
		if (!may_fulfil(scan, &matcher, bound))
			continue;
		candidates.row[kept] = candidates.row[i];
		found[kept] = found[i];
		if (&matcher == scan.order)
			found[kept].distance = static_cast<std::uint16_t>(bound);
		partials[kept++] = partial;
	}
	candidates.count = kept;
}

// The TIDs of the candidates that are rows; `want_null`: with NULL, otherwise with a value.
void take_tids(const Scan &scan, Page page, bool want_null, Candidates &candidates, Found *found)
{
	std::size_t kept = 0;
	for (std::size_t i = 0; i < candidates.count; ++i) {
		const std::size_t row = candidates.row[i];
		const ItemPointerData tid = row_tids(page, scan.type->layout)[row];
		if (row >= group_header(page).used || !ItemPointerIsValid(&tid) ||
			row_is_null(page, scan.type->layout, row) != want_null)
			continue;
		candidates.row[kept] = candidates.row[i];
		found[kept++] = {tid, 0};
	}
	candidates.count = kept;
}

// All that the group's pages say of the candidates, by one probe.
void refine_by(Relation index, const Scan &scan, const core::SketchMatcher &matcher, std::uint32_t group,
	Candidates &candidates, Found *found)
{
	const core::SketchLayout &layout = scan.type->layout;
	core::SketchPartial partials[sketch_max_rows];
	for (std::size_t number = 0; number < layout.pages && candidates.count > 0; ++number) {
		const Buffer buffer = lock_group_page(index, layout, group, number, BUFFER_LOCK_SHARE);
		refine_page(scan, matcher, BufferGetPage(buffer), number, candidates, found, partials);
		UnlockReleaseBuffer(buffer);
	}
}

// The candidates that fulfil the conditions, as far as the index knows.
void refine(Relation index, const Scan &scan, std::uint32_t group, Candidates &candidates, Found *found)
{
	for (int i = 0; i < scan.conditions; ++i) {
		const core::SketchMatcher *matcher = scan.condition[i].matcher;
		bool seen = matcher == scan.order;
		for (int j = 0; j < i; ++j)
			seen |= scan.condition[j].matcher == matcher;
		if (!seen)
			refine_by(index, scan, *matcher, group, candidates, found);
	}
	if (scan.order != nullptr)
		refine_by(index, scan, *scan.order, group, candidates, found);
}

// The rows of the next groups, without an ordering; false at the end.
bool next_group(IndexScanDesc desc, Scan &scan, bool want_null)
{
	const core::SketchLayout &layout = scan.type->layout;
	Candidates candidates;
	while (scan.group < scan.groups) {
		CHECK_FOR_INTERRUPTS();
		const std::uint32_t group = scan.group++;
		prefetch_group_page(desc->indexRelation, layout, group + ahead, 0, scan.bytes);
		const Buffer buffer = lock_group_page(desc->indexRelation, layout, group, 0, BUFFER_LOCK_SHARE);
		Page page = BufferGetPage(buffer);
		if (want_null) {
			candidates.count = group_header(page).nulls == 0 ? 0 : group_header(page).used;
			for (std::size_t row = 0; row < candidates.count; ++row)
				candidates.row[row] = static_cast<std::uint16_t>(row);
		} else {
			find_candidates(scan, page, candidates);
		}
		take_tids(scan, page, want_null, candidates, scan.found);
		UnlockReleaseBuffer(buffer);
		if (!want_null && candidates.count > 0 && scan.conditions > 0)
			refine(desc->indexRelation, scan, group, candidates, scan.found);
		scan.count = candidates.count;
		scan.next = 0;
		if (scan.count > 0)
			return true;
	}
	return false;
}

// Rows with a value, then rows without, as far as they are wanted; false at the end.
bool next_unordered(IndexScanDesc desc, Scan &scan)
{
	for (;;) {
		const bool want_null = scan.giving_nulls;
		if ((want_null ? scan.nulls : scan.values) && next_group(desc, scan, want_null))
			return true;
		if (scan.giving_nulls)
			return false;
		scan.giving_nulls = true;
		scan.group = 0;
	}
}

// ---- ordered scans

bool comes_before(const Found &a, const Found &b)
{
	if (a.distance != b.distance)
		return a.distance < b.distance;
	return ItemPointerCompare(const_cast<ItemPointerData *>(&a.tid), const_cast<ItemPointerData *>(&b.tid)) < 0;
}

bool comes_after(const Found &a, const Found &b) { return comes_before(b, a); }

// The bounds of a group's rows by the ordering. Counts them.
void bound_group(Scan &scan, Page page, std::uint16_t *bounds)
{
	const core::SketchLayout &layout = scan.type->layout;
	const core::SketchGroupHeader &header = group_header(page);
	const std::size_t used = header.used;
	scan.order->bounds(bytes_of(page), used, scan.order->most(), bounds);
	std::fill(bounds + used, bounds + layout.rows, no_row);
	std::uint16_t other[sketch_max_rows];
	for (int i = 0; i < scan.conditions; ++i) {
		const Condition &condition = scan.condition[i];
		const std::uint16_t *of = bounds;
		if (condition.matcher != scan.order) {
			condition.matcher->bounds(bytes_of(page), used, condition.limit, other);
			of = other;
		}
		for (std::size_t row = 0; row < used; ++row)
			if (of[row] > condition.limit)
				bounds[row] = no_row;
	}
	if (header.free > 0 || header.nulls > 0)
		for (std::size_t row = 0; row < used; ++row)
			if (row_is_null(page, layout, row) || !ItemPointerIsValid(&row_tids(page, layout)[row]))
				bounds[row] = no_row;
	for (std::size_t row = 0; row < used; ++row)
		if (bounds[row] != no_row)
			++scan.histogram[bounds[row]];
}

void bound_all(IndexScanDesc desc, Scan &scan)
{
	const core::SketchLayout &layout = scan.type->layout;
	scan.bounds = allocate<std::uint16_t>(scan.context, std::size_t{layout.rows} * scan.groups);
	scan.histogram = static_cast<std::uint64_t *>(
		MemoryContextAllocZero(scan.context, sizeof(std::uint64_t) * static_cast<std::size_t>(scan.order->most() + 1)));
	for (std::uint32_t group = 0; group < scan.groups; ++group) {
		CHECK_FOR_INTERRUPTS();
		prefetch_group_page(desc->indexRelation, layout, group + ahead, 0, scan.bytes);
		const Buffer buffer = lock_group_page(desc->indexRelation, layout, group, 0, BUFFER_LOCK_SHARE);
		bound_group(scan, BufferGetPage(buffer), scan.bounds + std::size_t{group} * layout.rows);
		UnlockReleaseBuffer(buffer);
	}
	scan.stage = first_stage;
}

// It is no heap again before the end of the stage.
void append(Scan &scan, const Found &found)
{
	if (scan.heap_count == scan.heap_room) {
		scan.heap_room = std::max<std::size_t>(1024, 2 * scan.heap_room);
		scan.heap = enlarge(scan.context, scan.heap, scan.heap_room);
	}
	scan.heap[scan.heap_count++] = found;
}

// Looks up the rows of one group whose bounds are from `first` to before `end`.
void look_up(IndexScanDesc desc, Scan &scan, std::uint32_t group, int first, int end)
{
	const core::SketchLayout &layout = scan.type->layout;
	const std::uint16_t *bounds = scan.bounds + std::size_t{group} * layout.rows;
	Candidates candidates;
	candidates.count = 0;
	const std::size_t n = core::SketchMatcher::within(bounds, layout.rows, end - 1, candidates.row);
	for (std::size_t i = 0; i < n; ++i)
		if (bounds[candidates.row[i]] >= first)
			candidates.row[candidates.count++] = candidates.row[i];
	if (candidates.count == 0)
		return;
	CHECK_FOR_INTERRUPTS();
	const Buffer buffer = lock_group_page(desc->indexRelation, layout, group, 0, BUFFER_LOCK_SHARE);
	take_tids(scan, BufferGetPage(buffer), false, candidates, scan.found);
	UnlockReleaseBuffer(buffer);
	refine(desc->indexRelation, scan, group, candidates, scan.found);
	for (std::size_t i = 0; i < candidates.count; ++i)
		append(scan, scan.found[i]);
}

// False if there are no more rows.
bool next_stage(IndexScanDesc desc, Scan &scan)
{
	std::uint64_t rows = 0;
	int end = scan.reached;
	while (end <= scan.order->most() && rows < scan.stage)
		rows += scan.histogram[end++];
	if (rows == 0)
		return false;
	for (std::uint32_t group = 0; group < scan.groups; ++group)
		look_up(desc, scan, group, scan.reached, end);
	std::make_heap(scan.heap, scan.heap + scan.heap_count, comes_after);
	scan.reached = end;
	scan.stage *= 4;
	return true;
}

bool next_ordered(IndexScanDesc desc, Scan &scan, Found &found)
{
	if (scan.bounds == nullptr)
		bound_all(desc, scan);
	// a row that is not in the heap has a distance of at least `reached`
	while (scan.heap_count == 0 || scan.heap[0].distance >= scan.reached)
		if (!next_stage(desc, scan))
			break;
	if (scan.heap_count == 0)
		return false;
	std::pop_heap(scan.heap, scan.heap + scan.heap_count, comes_after);
	found = scan.heap[--scan.heap_count];
	return true;
}

// The distances of the row, or of a row whose distance is NULL. Of orderings but the first nothing is known.
void give_distances(IndexScanDesc desc, const Scan &scan, int distance, bool is_null)
{
	desc->xs_recheckorderby = desc->numberOfOrderBys > 1 || (!is_null && !scan.order->is_exact());
	for (int i = 0; i < desc->numberOfOrderBys; ++i) {
		desc->xs_orderbyvals[i] = is_null ? (Datum) 0 : scan.type->distance(i == 0 ? distance : 0);
		desc->xs_orderbynulls[i] = is_null && (i == 0 || scan.giving_nulls);
	}
	if (is_null && !scan.giving_nulls) // ordered by NULL first
		for (int i = 1; i < desc->numberOfOrderBys; ++i)
			desc->xs_orderbyvals[i] = scan.type->distance(0);
}

void give(IndexScanDesc desc, const Scan &scan, const ItemPointerData &tid)
{
	desc->xs_heaptid = tid;
	desc->xs_recheck = scan.inexact;
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

void sketch_rescan(IndexScanDesc desc, ScanKey keys, int, ScanKey orderings, int)
{
	if (keys != nullptr && desc->numberOfKeys > 0)
		memmove(desc->keyData, keys, sizeof(ScanKeyData) * static_cast<std::size_t>(desc->numberOfKeys));
	if (orderings != nullptr && desc->numberOfOrderBys > 0)
		memmove(desc->orderByData, orderings, sizeof(ScanKeyData) * static_cast<std::size_t>(desc->numberOfOrderBys));
	Scan &scan = scan_of(desc);
	MemoryContext context = scan.context;
	MemoryContextReset(context);
	const SketchClass *type = scan.type;
	scan = {};
	scan.type = type;
	scan.context = context;
}

bool sketch_get_tuple(IndexScanDesc desc, ScanDirection direction)
{
	Scan &scan = scan_of(desc);
	if (!ScanDirectionIsForward(direction))
		elog(ERROR, "access method \"sketch\" scans forward only");
	if (desc->xs_want_itup) // its cost says so
		ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				errmsg("access method \"sketch\" does not support index-only scans"),
				errhint("SET enable_indexonlyscan = off.")));
	if (!scan.started)
		start(desc);
	if (scan.nothing)
		return false;
	if (scan.order != nullptr && !scan.giving_nulls) {
		Found found;
		if (scan.values && next_ordered(desc, scan, found)) {
			give_distances(desc, scan, found.distance, false);
			give(desc, scan, found.tid);
			return true;
		}
		scan.giving_nulls = true;
	}
	if (scan.next == scan.count && !next_unordered(desc, scan))
		return false;
	if (desc->numberOfOrderBys > 0)
		give_distances(desc, scan, 0, true);
	give(desc, scan, scan.found[scan.next++].tid);
	return true;
}

int64 sketch_get_bitmap(IndexScanDesc desc, TIDBitmap *bitmap)
{
	Scan &scan = scan_of(desc);
	if (!scan.started)
		start(desc);
	int64 rows = 0;
	while (!scan.nothing && next_unordered(desc, scan)) {
		for (std::size_t i = 0; i < scan.count; ++i)
			tbm_add_tuples(bitmap, &scan.found[i].tid, 1, scan.inexact);
		rows += static_cast<int64>(scan.count);
	}
	return rows;
}

void sketch_end_scan(IndexScanDesc desc) { MemoryContextDelete(scan_of(desc).context); }

} // namespace txtfp::pg
