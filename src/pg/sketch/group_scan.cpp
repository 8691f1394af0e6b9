// The rows of one group that may fulfil the conditions of a scan: candidates by the first page or by the directory,
// refined by the other pages.
#include <algorithm>

#include "pg/sketch/scan.hpp"

extern "C" {
#include "pgstat.h"
#include "utils/rel.h"
#include "utils/spccache.h"
}

namespace txtfp::pg::sketch_scan {

bool reads_ahead(Relation index, std::int64_t blocks_read)
{
	return pgBufferUsage.shared_blks_read > blocks_read &&
		get_tablespace_io_concurrency(index->rd_rel->reltablespace) > 0;
}

bool may_fulfil(const Scan &scan, const core::SketchMatcher *matcher, int bound)
{
	for (int i = 0; i < scan.conditions; ++i)
		if (scan.condition[i].matcher == matcher && bound > scan.condition[i].limit)
			return false;
	return true;
}

void read_row_tids(
	Relation index, const Scan &scan, Buffer first, bool want_null, Candidates &candidates, FoundRow *found)
{
	Page page = BufferGetPage(first);
	std::size_t kept = 0;
	for (std::size_t i = 0; i < candidates.count; ++i) {
		const std::size_t row = candidates.row[i];
		const ItemPointerData tid = row_tids(page, scan.type->layout)[row];
		if (row >= group_header(page).used || !ItemPointerIsValid(&tid) ||
			row_is_null(page, scan.type->layout, row) != want_null)
			continue;
		if (ItemPointerGetBlockNumberNoCheck(&tid) == InvalidBlockNumber ||
			ItemPointerGetOffsetNumberNoCheck(&tid) > MaxHeapTuplesPerPage) // the limit of bitmaps, whatever the table is
			report_damage(index, BufferGetBlockNumber(first));
		candidates.row[kept] = candidates.row[i];
		found[kept++] = {tid, found[i].distance};
	}
	candidates.count = kept;
}

std::size_t bounds_of_all(
	Relation index, const Scan &scan, const core::SketchMatcher &matcher, std::uint32_t group, std::uint16_t *bounds)
{
	const core::SketchLayout &layout = scan.type->layout;
	core::SketchPartials partials;
	std::size_t used = 0; // of the first page; rows that are added while the others are read do not count
	for (std::size_t number = 0; number < layout.pages; ++number) {
		prefetch_group_page(index, layout, group + 1, number, BLCKSZ / 2);
		const Buffer buffer = lock_scanned_page(index, scan, group, number);
		if (number == 0)
			used = group_header(BufferGetPage(buffer)).used;
		matcher.refine_all(number, bytes_of(BufferGetPage(buffer)), used, partials, bounds);
		UnlockReleaseBuffer(buffer);
	}
	return used;
}

namespace {

// Keeps candidate i as number `kept` if its bound by one matcher fulfils the conditions of this matcher.
void keep_if_fulfilled(const Scan &scan, const core::SketchMatcher &matcher, std::size_t i, int bound,
	Candidates &candidates, std::size_t &kept, FoundRow *found)
{
	if (!may_fulfil(scan, &matcher, bound))
		return;
	candidates.row[kept] = candidates.row[i];
	found[kept] = found[i];
	if (&matcher == scan.order)
		found[kept].distance = static_cast<std::uint16_t>(bound);
	++kept;
}

// Refines the candidates by one page, and drops those that do not fulfil a condition.
void refine_page(const Scan &scan, const core::SketchMatcher &matcher, Page page, std::size_t number,
	Candidates &candidates, FoundRow *found, core::SketchPartial *partials)
{
	std::size_t kept = 0;
	for (std::size_t i = 0; i < candidates.count; ++i) {
		core::SketchPartial partial = partials[i];
		const int bound = matcher.refine(number, bytes_of(page), candidates.row[i], partial);
		const std::size_t before = kept;
		keep_if_fulfilled(scan, matcher, i, bound, candidates, kept, found);
		if (kept > before)
			partials[before] = partial;
	}
	candidates.count = kept;
}

// Requests the pages of a group from number `first` on.
void request_pages(Relation index, const core::SketchLayout &layout, std::uint32_t group, std::size_t first)
{
	for (std::size_t number = first; number < layout.pages; ++number)
		request_block(index, block_of(layout, group, number));
}

// Refines the candidates by one matcher and all pages of their group.
void refine_by(Relation index, const Scan &scan, const core::SketchMatcher &matcher, std::uint32_t group,
	Candidates &candidates, FoundRow *found)
{
	const core::SketchLayout &layout = scan.type->layout;
	if (candidates.count > layout.rows / many_share) {
		std::uint16_t bounds[sketch_max_rows];
		bounds_of_all(index, scan, matcher, group, bounds);
		std::size_t kept = 0;
		for (std::size_t i = 0; i < candidates.count; ++i)
			keep_if_fulfilled(scan, matcher, i, bounds[candidates.row[i]], candidates, kept, found);
		candidates.count = kept;
		return;
	}
	core::SketchPartial partials[sketch_max_rows];
	for (std::size_t number = 0; number < layout.pages && candidates.count > 0; ++number) {
		if (number == 1 && scan.by_bands && reads_ahead(index, scan.blocks_read))
			request_pages(index, layout, group, 2);
		const Buffer buffer = lock_scanned_page(index, scan, group, number);
		refine_page(scan, matcher, BufferGetPage(buffer), number, candidates, found, partials);
		UnlockReleaseBuffer(buffer);
	}
}

} // namespace

void refine(Relation index, const Scan &scan, std::uint32_t group, Candidates &candidates, FoundRow *found)
{
	for (int i = 0; i < scan.condition_matchers; ++i)
		refine_by(index, scan, *scan.condition_matcher[i], group, candidates, found);
	if (scan.order != nullptr)
		refine_by(index, scan, *scan.order, group, candidates, found);
}

void drop_other_keys(const Scan &scan, Page page, Candidates &candidates)
{
	if (scan.keys == 0)
		return;
	std::size_t kept = 0;
	for (std::size_t i = 0; i < candidates.count; ++i)
		if (has_keys(scan, page, candidates.row[i]))
			candidates.row[kept++] = candidates.row[i];
	candidates.count = kept;
}

namespace {

// Drops the candidates whose bound is above the limit; of the first condition, all rows are candidates.
void keep_within(Candidates &candidates, const std::uint16_t *bounds, std::size_t used, int limit, bool is_first)
{
	if (is_first) {
		candidates.count = core::SketchMatcher::within(bounds, used, limit, candidates.row);
		return;
	}
	std::uint16_t rows[sketch_max_rows];
	const std::size_t n = core::SketchMatcher::within(bounds, used, limit, rows);
	const std::uint16_t *end =
		std::set_intersection(candidates.row, candidates.row + candidates.count, rows, rows + n, candidates.row);
	candidates.count = static_cast<std::size_t>(end - candidates.row);
}

// The rows of a first page that may fulfil all conditions.
void find_candidates(const Scan &scan, Page page, Candidates &candidates)
{
	const std::size_t used = group_header(page).used;
	std::uint16_t bounds[sketch_max_rows];
	if (scan.conditions == 0) {
		candidates.count = used;
		for (std::size_t row = 0; row < used; ++row)
			candidates.row[row] = static_cast<std::uint16_t>(row);
		return;
	}
	for (int i = 0; i < scan.conditions; ++i) {
		const Condition &condition = scan.condition[i];
		condition.matcher->bounds(bytes_of(page), used, condition.limit, bounds);
		keep_within(candidates, bounds, used, condition.limit, i == 0);
		if (candidates.count == 0)
			return;
	}
}

// Requests the first pages of the groups of the next entries.
void request_groups(Relation index, Scan &scan)
{
	constexpr std::size_t entries_ahead = 32;
	const core::SketchLayout &layout = scan.type->layout;
	const std::size_t end = std::min(scan.entry_count, scan.next_entry + entries_ahead);
	if (scan.requested_entries >= std::min(scan.entry_count, scan.next_entry + entries_ahead / 2))
		return;
	for (std::size_t &i = scan.requested_entries; i < end; ++i)
		if (i == 0 || scan.entries[i] / layout.rows != scan.entries[i - 1] / layout.rows)
			request_block(index, block_of(layout, scan.entries[i] / layout.rows, 0));
}

// Sets the candidates to the next group's entries that the band directory found. Returns the group.
std::uint32_t next_candidates(Scan &scan, Candidates &candidates)
{
	const std::size_t rows = scan.type->layout.rows;
	const auto group = static_cast<std::uint32_t>(scan.entries[scan.next_entry] / rows);
	candidates.count = 0;
	for (; scan.next_entry < scan.entry_count && scan.entries[scan.next_entry] / rows == group; ++scan.next_entry)
		candidates.row[candidates.count++] = static_cast<std::uint16_t>(scan.entries[scan.next_entry] % rows);
	return group;
}

// Sets the candidates to the first n rows that are wanted.
void list_wanted(const bool *wanted, std::size_t n, Candidates &candidates)
{
	candidates.count = 0;
	for (std::size_t row = 0; row < n; ++row) { // without a branch, because there is no telling which rows these are
		candidates.row[candidates.count] = static_cast<std::uint16_t>(row);
		candidates.count += wanted[row];
	}
}

// The rows of a first page that may fulfil the conditions; with `want_null`, all rows of a page that has NULLs. If few
// rows have the wanted leading columns, refine() compares them one by one.
void find_rows(const Scan &scan, Page page, bool want_null, Candidates &candidates)
{
	const core::SketchGroupHeader &header = group_header(page);
	if (scan.keys > 0) {
		bool wanted[sketch_max_rows];
		compare_keys(scan, page, header.used, wanted);
		const auto n = static_cast<std::size_t>(std::count(wanted, wanted + header.used, true));
		if (want_null || scan.conditions == 0 || n <= scan.type->layout.rows / many_share)
			return list_wanted(wanted, header.used, candidates);
		find_candidates(scan, page, candidates);
		candidates.count = static_cast<std::size_t>(std::remove_if(candidates.row, candidates.row + candidates.count,
														[&](std::uint16_t row) { return !wanted[row]; }) -
			candidates.row);
		return;
	}
	if (!want_null)
		return find_candidates(scan, page, candidates);
	candidates.count = header.nulls == 0 ? 0 : header.used;
	for (std::size_t row = 0; row < candidates.count; ++row)
		candidates.row[row] = static_cast<std::uint16_t>(row);
}

} // namespace

bool next_rows(Relation index, Scan &scan, bool want_null)
{
	const core::SketchLayout &layout = scan.type->layout;
	Candidates candidates;
	for (;;) {
		CHECK_FOR_INTERRUPTS();
		const bool by_entries = scan.next_entry < scan.entry_count;
		VisitedGroup next;
		if (by_entries && reads_ahead(index, scan.blocks_read))
			request_groups(index, scan);
		if (by_entries)
			next.group = next_candidates(scan, candidates);
		else if (!next_visited(scan, &next))
			return false;
		const std::uint32_t group = next.group;
		const bool by_planes = layout.planes > 0 && !want_null && scan.conditions > 0;
		if (!by_entries && !by_planes)
			prefetch_group_page(index, layout, group + prefetch_distance, 0, scan.prefetch_bytes);
		if (by_planes && !find_by_terms(index, scan, group, candidates))
			continue;
		const Buffer buffer = lock_scanned_page(index, scan, group, 0);
		Page page = BufferGetPage(buffer);
		if (by_entries || by_planes)
			drop_other_keys(scan, page, candidates);
		else
			find_rows(scan, page, want_null, candidates);
		if (!by_planes) {
			++scan.counts[groups_read];
			scan.counts[rows_compared] +=
				static_cast<std::int64_t>(by_entries ? candidates.count : group_header(page).used);
		}
		read_row_tids(index, scan, buffer, want_null, candidates, scan.found);
		UnlockReleaseBuffer(buffer);
		if (!want_null && candidates.count > 0 && scan.conditions > 0 && !by_planes)
			refine(index, scan, group, candidates, scan.found);
		scan.found_count = candidates.count;
		scan.next_found = 0;
		if (scan.found_count > 0)
			return true;
	}
}

} // namespace txtfp::pg::sketch_scan
