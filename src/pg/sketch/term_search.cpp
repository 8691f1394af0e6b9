// Searches of sets of terms. A search goes through the groups with a limit of the distance. From the limit and from the
// numbers of terms that the rows of a group have, follows how many terms a row must have in common with the probe. The
// search reads the planes of the probe's terms, page by page, as long as a row may reach this number.
//
// With an ordering, the limit is not known. A pass looks for the nearest rows, some more than a hundred: its limit is the
// greatest distance of the nearest ones so far. So it reads fewer and fewer planes. It visits one group in some at first,
// because rows of the same length lie together. The rows wait in a heap until they are returned. If all have been, a
// further pass looks for more of them, beyond the limit of the one before. Rows without a term of the probe come last,
// group by group.
#include "pg/sketch/scan.hpp"

#include <algorithm>

namespace txtfp::pg::sketch_scan {

namespace {

constexpr std::uint64_t pass_growth = 8, largest_pass = 1 << 20; // rows
constexpr std::uint32_t first_groups = 32;                       // one in this many groups is visited first

// For the ten nearest rows, PostgreSQL compares some tens of rows by the similarity of sets, and some hundreds by the
// words in them: common terms, which the bound counts, need not lie together. A pass that finds too few costs another
// one, a pass that finds more than needed has a wider limit.
constexpr std::uint64_t first_pass(core::TermMeasure measure)
{
	return measure == core::TermMeasure::united ? 64 : 512;
}

// Rows of a group, ascending, and their bounds.
struct BoundedRows {
	std::size_t count;
	std::uint16_t row[sketch_max_rows], bound[sketch_max_rows];
};

// Sets `rows` to the rows of a group whose bound is at most `limit`.
void rows_of_group(
	Relation index, Scan &scan, const core::TermProbe &probe, int limit, std::uint32_t group, BoundedRows &rows)
{
	const core::SketchLayout &layout = scan.type->layout;
	core::TermCounts counts;
	std::size_t needed = 0;
	rows.count = 0;
	for (std::size_t number = 0; number < layout.pages; ++number) {
		if (!core::has_terms(probe, number))
			continue;
		prefetch_group_planes(index, probe, layout, group + 1, number); // which mostly needs the same pages
		const Buffer buffer = lock_scanned_page(index, scan, group, number);
		const std::uint8_t *page = bytes_of(BufferGetPage(buffer));
		if (number == 0) {
			const core::SketchGroupHeader &header = group_header(BufferGetPage(buffer));
			needed = core::terms_needed(probe, limit, header.least, header.most);
			if (needed > probe.count) {
				UnlockReleaseBuffer(buffer);
				return;
			}
			scan.counts[rows_compared] += header.used;
			core::start_counts(layout, header.used, counts);
		}
		const bool is_open = core::count_terms(layout, probe, number, page, needed, counts);
		UnlockReleaseBuffer(buffer);
		if (!is_open)
			return;
	}
	const Buffer buffer = lock_scanned_page(index, scan, group, 0);
	const auto *row_counts = (const std::uint16_t *) (bytes_of(BufferGetPage(buffer)) + layout.field[0].offset);
	rows.count = core::rows_of_counts(layout, probe, counts, row_counts, limit, rows.row, rows.bound);
	UnlockReleaseBuffer(buffer);
}

// Keeps the rows whose bound by the conditions of other matchers than the ordering's is within their limits.
void apply_others(Relation index, Scan &scan, std::uint32_t group, BoundedRows &rows)
{
	BoundedRows others;
	for (int i = 0; i < scan.conditions && rows.count > 0; ++i) {
		const Condition &condition = scan.condition[i];
		if (condition.matcher == scan.order)
			continue;
		rows_of_group(index, scan, *condition.matcher->terms(), condition.limit, group, others);
		std::size_t kept = 0;
		for (std::size_t j = 0; j < rows.count; ++j)
			if (std::binary_search(others.row, others.row + others.count, rows.row[j])) {
				rows.row[kept] = rows.row[j];
				rows.bound[kept++] = rows.bound[j];
			}
		rows.count = kept;
	}
}

// The greatest distance that the conditions on the ordering's probe allow.
int greatest_distance(const Scan &scan)
{
	int greatest = core::terms_scale;
	for (int i = 0; i < scan.conditions; ++i)
		if (scan.condition[i].matcher == scan.order)
			greatest = std::min(greatest, scan.condition[i].limit);
	return greatest;
}

// Sets scan.found to the rows of a group whose distance is from scan.min_bound to `limit`. Returns their number.
std::size_t find_near(Relation index, Scan &scan, std::uint32_t group, int limit)
{
	CHECK_FOR_INTERRUPTS();
	BoundedRows rows;
	++scan.counts[groups_read];
	rows_of_group(index, scan, *scan.order->terms(), limit, group, rows);
	apply_others(index, scan, group, rows);
	Candidates candidates;
	candidates.count = 0;
	for (std::size_t i = 0; i < rows.count; ++i)
		if (rows.bound[i] >= scan.min_bound)
			candidates.row[candidates.count++] = rows.row[i];
	if (candidates.count == 0)
		return 0;
	const Buffer buffer = lock_scanned_page(index, scan, group, 0);
	drop_other_keys(scan, BufferGetPage(buffer), candidates);
	for (std::size_t i = 0, j = 0; i < candidates.count; ++i) {
		while (rows.row[j] != candidates.row[i])
			++j;
		scan.found[i].distance = rows.bound[j];
	}
	read_row_tids(index, scan, buffer, false, candidates, scan.found);
	UnlockReleaseBuffer(buffer);
	return candidates.count;
}

// The rows of a pass so far. The limit is the least distance within which there are enough of them.
struct Pass {
	std::uint64_t wanted, within; // within the limit
	int limit;
	std::uint64_t number[core::terms_scale + 1]; // of rows with each distance
};

void visit(Relation index, Scan &scan, std::uint32_t group, Pass &pass)
{
	const std::size_t n = find_near(index, scan, group, pass.limit);
	for (std::size_t i = 0; i < n; ++i) {
		append(scan, scan.found[i]);
		++pass.number[scan.found[i].distance];
	}
	pass.within += n;
	while (pass.within - pass.number[pass.limit] >= pass.wanted)
		pass.within -= pass.number[pass.limit--];
}

// Moves the nearest rows beyond the rows of the last pass to the heap, which is empty.
void make_pass(Relation index, Scan &scan)
{
	Pass pass{scan.stage_rows, 0, std::min(core::terms_scale - 1, greatest_distance(scan)), {}};
	const std::uint32_t first = scan.visited_groups > first_groups ? first_groups : 1;
	for (const bool is_first : {true, false}) {
		if (!is_first && first == 1)
			break;
		restart_visit(scan);
		for (VisitedGroup next; next_visited(scan, &next);)
			if ((next.position % first == 0) == is_first)
				visit(index, scan, next.group, pass);
	}
	const FoundRow *end = std::remove_if(
		scan.heap, scan.heap + scan.heap_count, [&](const FoundRow &row) { return row.distance > pass.limit; });
	scan.heap_count = static_cast<std::size_t>(end - scan.heap);
	std::make_heap(scan.heap, scan.heap + scan.heap_count, comes_after);
	scan.min_bound = pass.limit + 1;
	scan.stage_rows = std::min(scan.stage_rows * pass_growth, largest_pass);
	restart_visit(scan);
}

// Sets scan.found to the next group's rows without a term of the probe. False at the end.
bool next_rest(Relation index, Scan &scan)
{
	for (VisitedGroup next; next_visited(scan, &next);) {
		scan.found_count = find_near(index, scan, next.group, core::terms_scale);
		scan.next_found = 0;
		if (scan.found_count > 0)
			return true;
	}
	return false;
}

} // namespace

bool find_by_terms(Relation index, Scan &scan, std::uint32_t group, Candidates &candidates)
{
	BoundedRows rows;
	++scan.counts[groups_read];
	rows_of_group(index, scan, *scan.condition[0].matcher->terms(), scan.condition[0].limit, group, rows);
	if (scan.conditions > 1)
		apply_others(index, scan, group, rows);
	candidates.count = rows.count;
	std::copy_n(rows.row, rows.count, candidates.row);
	return rows.count > 0;
}

bool next_of_terms(Relation index, Scan &scan, FoundRow &found)
{
	if (scan.stage_rows == 0)
		scan.stage_rows = first_pass(scan.order->terms()->measure);
	const int greatest = greatest_distance(scan);
	while (scan.heap_count == 0 && scan.min_bound <= std::min(greatest, core::terms_scale - 1))
		make_pass(index, scan);
	if (scan.heap_count > 0) {
		std::pop_heap(scan.heap, scan.heap + scan.heap_count, comes_after);
		found = scan.heap[--scan.heap_count];
		return true;
	}
	if (scan.next_found == scan.found_count && (greatest < core::terms_scale || !next_rest(index, scan)))
		return false;
	found = scan.found[scan.next_found++];
	return true;
}

} // namespace txtfp::pg::sketch_scan
