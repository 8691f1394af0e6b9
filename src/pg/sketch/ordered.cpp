// Scans with an ordering. First the bounds of all rows from the first pages. Then, best first, in stages: the rows of the smallest
// bounds, at first some dozens, are looked up in the other pages and wait in a heap until no other row can come before them. Each
// stage has eight times the rows of the one before. Before that costs as much as all pages of all groups, those are looked at
// instead, one after the other, and the bounds become what they say. So ten neighbours cost little more than the bounds, and
// all rows, or those of a stranger, which is equally far from everything, not much more than to read the index.
#include "pg/sketch/scan.hpp"

#include <algorithm>

extern "C" {
#include "utils/memutils.h"
}

namespace txtfp::pg::sketch_scan {

namespace {

constexpr std::uint64_t first_stage = 64, stage_growth = 8;
constexpr std::size_t sample = 4; // of so many rows one is counted to find out where a stage ends
bool comes_after(const Found &a, const Found &b)
{
	if (a.distance != b.distance)
		return a.distance > b.distance;
	return ItemPointerCompare(const_cast<ItemPointerData *>(&a.tid), const_cast<ItemPointerData *>(&b.tid)) > 0;
}

std::uint16_t *bounds_of(const Scan &scan, std::uint32_t group)
{
	return scan.bounds + std::size_t{group} * scan.type->layout.rows;
}

// Takes out the rows whose bound by a condition's value is over its limit.
void apply_conditions(const Scan &scan, const core::SketchMatcher *matcher, const std::uint16_t *by, std::size_t used,
	std::uint16_t *bounds)
{
	for (int i = 0; i < scan.conditions; ++i)
		if (const Condition &condition = scan.condition[i]; condition.matcher == matcher)
			for (std::size_t row = 0; row < used; ++row)
				if (by[row] > condition.limit)
					bounds[row] = no_row;
}

// Counts every `step`th row; the last place is for those that are none.
void count(const Scan &scan, const std::uint16_t *bounds, std::size_t n, std::size_t step)
{
	const auto last = static_cast<std::uint16_t>(scan.order->most() + 1);
	std::uint64_t *histogram = scan.histogram;
	for (std::size_t i = 0; i < n; i += step)
		histogram[std::min(bounds[i], last)] += step;
}

void clear_counts(const Scan &scan)
{
	memset(scan.histogram, 0, sizeof(std::uint64_t) * static_cast<std::size_t>(scan.order->most() + 2));
}

// The bounds of a group's rows by the ordering. Counts some of them.
void bound_group(Scan &scan, Page page, std::uint16_t *bounds)
{
	const core::SketchLayout &layout = scan.type->layout;
	const core::SketchGroupHeader &header = group_header(page);
	const std::size_t used = header.used;
	scan.order->bounds(bytes_of(page), used, scan.order->most(), bounds);
	std::fill(bounds + used, bounds + layout.rows, no_row);
	apply_conditions(scan, scan.order, bounds, used, bounds);
	std::uint16_t other[sketch_max_rows];
	for (int i = 0; i < scan.conditions; ++i)
		if (const Condition &condition = scan.condition[i]; condition.matcher != scan.order) {
			condition.matcher->bounds(bytes_of(page), used, condition.limit, other);
			for (std::size_t row = 0; row < used; ++row)
				if (other[row] > condition.limit)
					bounds[row] = no_row;
		}
	if (header.free > 0 || header.nulls > 0)
		for (std::size_t row = 0; row < used; ++row)
			if (row_is_null(page, layout, row) || !ItemPointerIsValid(&row_tids(page, layout)[row]))
				bounds[row] = no_row;
	count(scan, bounds, used, sample);
}

void bound_all(Relation index, Scan &scan)
{
	const core::SketchLayout &layout = scan.type->layout;
	scan.bounds = allocate<std::uint16_t>(scan.context, std::size_t{layout.rows} * scan.groups);
	scan.histogram = allocate<std::uint64_t>(scan.context, static_cast<std::size_t>(scan.order->most() + 2));
	clear_counts(scan);
	std::fill_n(scan.bounds, std::size_t{layout.rows} * scan.groups, no_row); // of units that are no groups
	ReadAhead read = start_read_ahead(index, layout);
	for (std::uint32_t group; next_visited(scan, &group);) {
		CHECK_FOR_INTERRUPTS();
		prefetch_group_page(index, layout, group + ahead, 0, scan.bytes);
		read_ahead(index, layout, group, scan.groups, read);
		const Buffer buffer = lock_group_page(index, layout, group, 0, BUFFER_LOCK_SHARE);
		bound_group(scan, BufferGetPage(buffer), bounds_of(scan, group));
		UnlockReleaseBuffer(buffer);
	}
	scan.stage = first_stage;
}

// ---- some rows

// It is no heap again before the end of the stage.
void append(Scan &scan, const Found &found)
{
	if (scan.heap_count == scan.heap_room) {
		scan.heap_room = std::max<std::size_t>(1024, 2 * scan.heap_room);
		scan.heap = enlarge(scan.context, scan.heap, scan.heap_room);
	}
	scan.heap[scan.heap_count++] = found;
}

// Takes out the rows of a group whose bounds are at most `limit`.
void take_rows(const Scan &scan, std::uint32_t group, int limit, Candidates &candidates)
{
	std::uint16_t *bounds = bounds_of(scan, group);
	candidates.count = core::SketchMatcher::within(bounds, scan.type->layout.rows, limit, candidates.row);
	for (std::size_t i = 0; i < candidates.count; ++i) {
		std::uint16_t &bound = bounds[candidates.row[i]];
		scan.found[i].distance = bound;
		bound = no_row;
	}
}

void read_tids(Relation index, const Scan &scan, std::uint32_t group, Candidates &candidates)
{
	CHECK_FOR_INTERRUPTS();
	const Buffer buffer = lock_group_page(index, scan.type->layout, group, 0, BUFFER_LOCK_SHARE);
	take_tids(scan, BufferGetPage(buffer), false, candidates, scan.found);
	UnlockReleaseBuffer(buffer);
}

// The rows whose bounds are below `end`.
void look_up_some(Relation index, Scan &scan, int end)
{
	Candidates candidates;
	for (std::uint32_t group = 0; group < scan.groups; ++group) {
		take_rows(scan, group, end - 1, candidates);
		if (candidates.count == 0)
			continue;
		read_tids(index, scan, group, candidates);
		if (scan.type->layout.pages > 1) // otherwise the bounds are all that the index knows
			refine(index, scan, group, candidates, scan.found);
		for (std::size_t i = 0; i < candidates.count; ++i)
			append(scan, scan.found[i]);
	}
	std::make_heap(scan.heap, scan.heap + scan.heap_count, comes_after);
	scan.reached = end;
}

// ---- all rows

void refine_group(Relation index, Scan &scan, std::uint32_t group)
{
	std::uint16_t *bounds = bounds_of(scan, group), refined[sketch_max_rows];
	const std::size_t rows = scan.type->layout.rows;
	for (int i = 0; i <= scan.others; ++i) {
		const core::SketchMatcher *matcher = i < scan.others ? scan.other[i] : scan.order;
		const std::size_t used = bounds_of_all(index, scan, *matcher, group, refined);
		std::fill(refined + used, refined + rows, no_row);
		apply_conditions(scan, matcher, refined, rows, bounds);
	}
	for (std::size_t row = 0; row < rows; ++row)
		if (bounds[row] != no_row)
			bounds[row] = refined[row];
}

void look_up_all(Relation index, Scan &scan)
{
	clear_counts(scan);
	scan.range = 0;
	scan.group = 0;
	for (std::uint32_t group; next_visited(scan, &group);) {
		CHECK_FOR_INTERRUPTS();
		if (scan.type->layout.pages > 1)
			refine_group(index, scan, group);
		count(scan, bounds_of(scan, group), scan.type->layout.rows, 1);
	}
	scan.final = true;
	scan.reached = 0;
	scan.group = 0;
}

// The next stage. A row looked up here and there costs as much as some half of a group whose rows are all looked up.
void look_up(Relation index, Scan &scan)
{
	std::uint64_t rows = 0, left = 0;
	int end = scan.reached;
	while (end <= scan.order->most() && rows < scan.stage)
		rows += scan.histogram[end++];
	for (int i = scan.reached; i <= scan.order->most(); ++i)
		left += scan.histogram[i];
	if (left > 2 * scan.groups && scan.looked_up > 0 && scan.looked_up + rows > scan.groups)
		return look_up_all(index, scan);
	look_up_some(index, scan, end);
	scan.final = end > scan.order->most();
	scan.looked_up += rows;
	scan.stage *= stage_growth;
}

// The rows with the smallest of the final bounds, group after group; false if there are no more.
bool next_final(Relation index, Scan &scan)
{
	Candidates candidates;
	for (; scan.reached <= scan.order->most(); ++scan.reached, scan.group = 0) {
		std::uint64_t &left = scan.histogram[scan.reached];
		while (left > 0 && scan.group < scan.groups) {
			const std::uint32_t group = scan.group++;
			take_rows(scan, group, scan.reached, candidates);
			if (candidates.count == 0)
				continue;
			left -= candidates.count;
			read_tids(index, scan, group, candidates);
			for (std::size_t i = 0; i < candidates.count; ++i)
				scan.found[i].distance = static_cast<std::uint16_t>(scan.reached);
			scan.count = candidates.count;
			scan.next = 0;
			if (scan.count > 0)
				return true;
		}
	}
	return false;
}

// What the band directory finds is little: all of it goes to the heap, and nothing is left.
void find_by_bands(Relation index, Scan &scan)
{
	while (next_rows(index, scan, false))
		for (std::size_t i = 0; i < scan.count; ++i)
			append(scan, scan.found[i]);
	std::make_heap(scan.heap, scan.heap + scan.heap_count, comes_after);
	scan.count = scan.next = 0;
	scan.reached = scan.order->most() + 1;
	scan.final = true;
}

} // namespace

bool next_ordered(IndexScanDesc desc, Scan &scan, Found &found)
{
	Relation index = desc->indexRelation;
	if (scan.by_bands) {
		if (!scan.final)
			find_by_bands(index, scan);
	} else if (scan.bounds == nullptr) {
		bound_all(index, scan);
	}
	// of rows that are not in the heap, none has a distance below `reached`
	while (!scan.final && (scan.heap_count == 0 || scan.heap[0].distance > scan.reached))
		look_up(index, scan);
	if (scan.final && scan.next == scan.count)
		next_final(index, scan);
	const bool has_final = scan.final && scan.next < scan.count;
	if (scan.heap_count > 0 && (!has_final || scan.heap[0].distance <= scan.found[scan.next].distance)) {
		std::pop_heap(scan.heap, scan.heap + scan.heap_count, comes_after);
		found = scan.heap[--scan.heap_count];
		return true;
	}
	if (has_final)
		found = scan.found[scan.next++];
	return has_final;
}

} // namespace txtfp::pg::sketch_scan
