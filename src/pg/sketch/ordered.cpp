// Scans with an ordering. At first, the scan computes the bounds of all rows from the first pages of their groups. Then
// it looks up the rows with the smallest bounds in the other pages, in stages: the first stage has some dozens of rows,
// and each one has eight times as many as the one before. Rows that have been looked up wait in a heap until no other
// row can have a smaller distance. Before the stages cost as much as reading all pages of all groups, the scan reads
// these sequentially instead, and the bounds become final.
//
// The ten nearest rows therefore cost little more than the bounds. All rows, or the neighbours of a probe that is
// equally far from everything, cost not much more than reading the whole index.
//
// term_search.cpp has the scans of sets of terms.
#include "pg/sketch/scan.hpp"

#include <algorithm>

extern "C" {
#include "utils/memutils.h"
}

namespace txtfp::pg::sketch_scan {

bool comes_after(const FoundRow &a, const FoundRow &b)
{
	if (a.distance != b.distance)
		return a.distance > b.distance;
	return ItemPointerCompare(const_cast<ItemPointerData *>(&a.tid), const_cast<ItemPointerData *>(&b.tid)) > 0;
}

void append(Scan &scan, const FoundRow &found)
{
	if (scan.heap_count == scan.heap_capacity) {
		scan.heap_capacity = std::max<std::size_t>(1024, 2 * scan.heap_capacity);
		scan.heap = enlarge(scan.context, scan.heap, scan.heap_capacity);
	}
	scan.heap[scan.heap_count++] = found;
}

namespace {

constexpr std::uint64_t first_stage = 64, stage_growth = 8;
constexpr std::size_t sample = 4; // one in `sample` rows is counted to find out where a stage ends

std::uint16_t *bounds_of(const Scan &scan, const VisitedGroup &visited)
{
	return scan.bounds + std::size_t{visited.position} * scan.type->layout.rows;
}

// Excludes the rows whose bounds by a matcher, `by`, exceed the limit of a condition that uses it.
void apply_conditions(const Scan &scan, const core::SketchMatcher *matcher, const std::uint16_t *by, std::size_t used,
	std::uint16_t *bounds)
{
	for (int i = 0; i < scan.conditions; ++i)
		if (const Condition &condition = scan.condition[i]; condition.matcher == matcher)
			for (std::size_t row = 0; row < used; ++row)
				if (by[row] > condition.limit)
					bounds[row] = no_row;
}

// Adds n bounds to the histogram. Counts one in `step` of them, with this weight. The last bucket is for no_row.
void count(const Scan &scan, const std::uint16_t *bounds, std::size_t n, std::size_t step)
{
	const auto last = static_cast<std::uint16_t>(scan.order->max_distance() + 1);
	std::uint64_t *histogram = scan.histogram;
	for (std::size_t i = 0; i < n; i += step)
		histogram[std::min(bounds[i], last)] += step;
}

void clear_counts(const Scan &scan)
{
	memset(scan.histogram, 0, sizeof(std::uint64_t) * static_cast<std::size_t>(scan.order->max_distance() + 2));
}

// True if the bounds of a group need no other pages than bound_all() has read.
bool starts_final(const Scan &scan) { return scan.type->layout.pages == 1; }

// Computes the bounds of a group's rows by the conditions and the ordering.
void bound_rows(Scan &scan, Page page, std::uint16_t *bounds)
{
	const std::size_t used = group_header(page).used;
	scan.order->bounds(bytes_of(page), used, scan.order->max_distance(), bounds);
	apply_conditions(scan, scan.order, bounds, used, bounds);
	std::uint16_t other[sketch_max_rows];
	for (int i = 0; i < scan.conditions; ++i)
		if (const Condition &condition = scan.condition[i]; condition.matcher != scan.order) {
			condition.matcher->bounds(bytes_of(page), used, condition.limit, other);
			for (std::size_t row = 0; row < used; ++row)
				if (other[row] > condition.limit)
					bounds[row] = no_row;
		}
}

// Excludes what is no row, and rows that have other leading columns.
void exclude_rows(Scan &scan, Page page, std::uint16_t *bounds)
{
	const core::SketchLayout &layout = scan.type->layout;
	const core::SketchGroupHeader &header = group_header(page);
	const std::size_t used = header.used;
	std::fill(bounds + used, bounds + layout.rows, no_row);
	if (header.free > 0 || header.nulls > 0)
		for (std::size_t row = 0; row < used; ++row)
			if (row_is_null(page, layout, row) || !ItemPointerIsValid(&row_tids(page, layout)[row]))
				bounds[row] = no_row;
	if (scan.keys > 0) {
		bool wanted[sketch_max_rows];
		compare_keys(scan, page, used, wanted);
		for (std::size_t row = 0; row < used; ++row)
			bounds[row] = wanted[row] ? bounds[row] : no_row;
	}
}

void refine_group(Relation index, const Scan &scan, const VisitedGroup &visited)
{
	std::uint16_t *bounds = bounds_of(scan, visited), refined[sketch_max_rows];
	const std::size_t rows = scan.type->layout.rows;
	for (int i = 0; i <= scan.condition_matchers; ++i) {
		const core::SketchMatcher *matcher = i < scan.condition_matchers ? scan.condition_matcher[i] : scan.order;
		const std::size_t used = bounds_of_all(index, scan, *matcher, visited.group, refined);
		std::fill(refined + used, refined + rows, no_row);
		apply_conditions(scan, matcher, refined, rows, bounds);
	}
	for (std::size_t row = 0; row < rows; ++row)
		if (bounds[row] != no_row)
			bounds[row] = refined[row] > scan.returned ? refined[row] : no_row;
}

// Computes the bounds of a group's rows, and samples them for the histogram.
void bound_group(Relation index, Scan &scan, const VisitedGroup &visited)
{
	std::uint16_t *bounds = bounds_of(scan, visited);
	const Buffer buffer = lock_scanned_page(index, scan, visited.group, 0);
	Page page = BufferGetPage(buffer);
	const std::size_t used = group_header(page).used;
	++scan.counts[groups_read];
	scan.counts[rows_compared] += static_cast<std::int64_t>(used);
	bound_rows(scan, page, bounds);
	exclude_rows(scan, page, bounds);
	UnlockReleaseBuffer(buffer);
	count(scan, bounds, used, scan.keys > 0 ? 1 : sample);
}

void bound_all(Relation index, Scan &scan)
{
	const core::SketchLayout &layout = scan.type->layout;
	scan.bounds = allocate<std::uint16_t>(scan.context, layout.rows * scan.visited_groups);
	scan.histogram = allocate<std::uint64_t>(scan.context, static_cast<std::size_t>(scan.order->max_distance() + 2));
	clear_counts(scan);
	for (VisitedGroup next; next_visited(scan, &next);) {
		CHECK_FOR_INTERRUPTS();
		prefetch_group_page(index, layout, next.group + prefetch_distance, 0, scan.prefetch_bytes);
		bound_group(index, scan, next);
	}
	scan.stage_rows = first_stage;
}

// ---- some rows

// Sets the candidates to the rows of a group whose bounds are at most `limit`, and removes these bounds.
void select_rows(const Scan &scan, const VisitedGroup &visited, int limit, Candidates &candidates)
{
	std::uint16_t *bounds = bounds_of(scan, visited);
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
	const Buffer buffer = lock_scanned_page(index, scan, group, 0);
	read_row_tids(index, scan, buffer, false, candidates, scan.found);
	UnlockReleaseBuffer(buffer);
}

// Appends a row to the heap's array, unless a step before has returned it.
void append_rest(Scan &scan, const FoundRow &found)
{
	if (found.distance > scan.returned)
		append(scan, found);
}

// Looks up the rows whose bounds are less than `end`, and moves them to the heap.
void look_up_some(Relation index, Scan &scan, int end)
{
	Candidates candidates;
	restart_visit(scan);
	for (VisitedGroup next; next_visited(scan, &next);) {
		select_rows(scan, next, end - 1, candidates);
		if (candidates.count == 0)
			continue;
		read_tids(index, scan, next.group, candidates);
		if (!starts_final(scan))
			refine(index, scan, next.group, candidates, scan.found);
		for (std::size_t i = 0; i < candidates.count; ++i)
			append_rest(scan, scan.found[i]);
	}
	std::make_heap(scan.heap, scan.heap + scan.heap_count, comes_after);
	scan.min_bound = end;
	restart_visit(scan);
}

// ---- all rows

void look_up_all(Relation index, Scan &scan)
{
	clear_counts(scan);
	restart_visit(scan);
	for (VisitedGroup next; next_visited(scan, &next);) {
		CHECK_FOR_INTERRUPTS();
		if (!starts_final(scan))
			refine_group(index, scan, next);
		count(scan, bounds_of(scan, next), scan.type->layout.rows, 1);
	}
	scan.bounds_are_final = true;
	scan.min_bound = 0;
	restart_visit(scan);
}

// The next stage. Looking up a single row costs about half as much as refining all rows of a group.
void look_up(Relation index, Scan &scan)
{
	std::uint64_t rows = 0, left = 0;
	int end = scan.min_bound;
	while (end <= scan.order->max_distance() && rows < scan.stage_rows)
		rows += scan.histogram[end++];
	for (int i = scan.min_bound; i <= scan.order->max_distance(); ++i)
		left += scan.histogram[i];
	if (left > 2 * scan.visited_groups && scan.looked_up > 0 && scan.looked_up + rows > scan.visited_groups)
		return look_up_all(index, scan);
	look_up_some(index, scan, end);
	scan.bounds_are_final = end > scan.order->max_distance();
	scan.looked_up += rows;
	scan.stage_rows *= stage_growth;
}

// Sets scan.found to the rows of one group that have the smallest of the final bounds. False if there are no more.
bool next_final(Relation index, Scan &scan)
{
	Candidates candidates;
	for (; scan.min_bound <= scan.order->max_distance(); ++scan.min_bound, restart_visit(scan)) {
		std::uint64_t &left = scan.histogram[scan.min_bound];
		for (VisitedGroup next; left > 0 && next_visited(scan, &next);) {
			select_rows(scan, next, scan.min_bound, candidates);
			if (candidates.count == 0)
				continue;
			left -= candidates.count;
			read_tids(index, scan, next.group, candidates);
			for (std::size_t i = 0; i < candidates.count; ++i)
				scan.found[i].distance = static_cast<std::uint16_t>(scan.min_bound);
			scan.found_count = candidates.count;
			scan.next_found = 0;
			if (scan.found_count > 0)
				return true;
		}
	}
	return false;
}

// Moves all rows that the band directory finds to the heap; they are few.
void find_by_bands(Relation index, Scan &scan)
{
	while (next_rows(index, scan, false))
		for (std::size_t i = 0; i < scan.found_count; ++i)
			append_rest(scan, scan.found[i]);
	std::make_heap(scan.heap, scan.heap + scan.heap_count, comes_after);
	scan.found_count = scan.next_found = 0;
	scan.min_bound = scan.order->max_distance() + 1;
	scan.bounds_are_final = true;
}

// Sets `found` to the next row of a step. False at its end.
bool next_of_step(Relation index, Scan &scan, FoundRow &found)
{
	if (scan.by_bands) {
		if (!scan.bounds_are_final)
			find_by_bands(index, scan);
	} else if (scan.bounds == nullptr) {
		bound_all(index, scan);
	}
	// no row outside the heap has a distance less than min_bound
	while (!scan.bounds_are_final && (scan.heap_count == 0 || scan.heap[0].distance > scan.min_bound))
		look_up(index, scan);
	if (scan.bounds_are_final && scan.next_found == scan.found_count)
		next_final(index, scan);
	const bool has_final = scan.bounds_are_final && scan.next_found < scan.found_count;
	if (scan.heap_count > 0 && (!has_final || scan.heap[0].distance <= scan.found[scan.next_found].distance)) {
		std::pop_heap(scan.heap, scan.heap + scan.heap_count, comes_after);
		found = scan.heap[--scan.heap_count];
		return true;
	}
	if (has_final)
		found = scan.found[scan.next_found++];
	return has_final;
}

} // namespace

bool next_ordered(IndexScanDesc desc, Scan &scan, FoundRow &found)
{
	Relation index = desc->indexRelation;
	if (scan.type->layout.planes > 0)
		return next_of_terms(index, scan, found);
	do
		if (next_of_step(index, scan, found))
			return true;
	while (begin_next_step(desc, scan));
	return false;
}

} // namespace txtfp::pg::sketch_scan
