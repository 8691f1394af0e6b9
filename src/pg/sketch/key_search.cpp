// Searches in the band directory by leading columns: for the groups that have rows with a value.
#include <algorithm>

#include "pg/base/large_array.hpp"
#include "pg/sketch/table_search.hpp"

namespace txtfp::pg::sketch_scan {

namespace {

// Sets search.keys[0] and search.ranges to the key condition that has the fewest leaves, and `leaves` to their number.
// False if a table has been replaced.
bool choose_key(TableSearch &search, const Scan &scan, std::uint64_t *leaves)
{
	auto *ranges = static_cast<LeafRange *>(palloc(sizeof(LeafRange) * search.tables));
	search.ranges = static_cast<LeafRange *>(palloc(sizeof(LeafRange) * search.tables));
	*leaves = ~std::uint64_t{0};
	for (int i = 0; i < scan.keys; ++i) {
		const std::uint32_t before = search.keys[0];
		std::uint64_t sum = 0;
		search.keys[0] = core::leading_key(scan.key[i].hash, scan.key[i].column);
		for (std::size_t t = 0; t < search.tables; ++t) {
			if (!find_leaf_ranges(search, *search.table[t], &ranges[t]))
				return false;
			sum += ranges[t].leaves;
		}
		if (sum < *leaves) {
			*leaves = sum;
			std::swap(ranges, search.ranges);
		} else {
			search.keys[0] = before;
		}
	}
	pfree(ranges);
	return true;
}

// Replaces the entries of a run, which are in ascending order, by the numbers of their groups, each once.
void keep_groups(TableSearch &search, std::size_t from)
{
	const std::uint32_t rows = search.layout->rows;
	std::size_t kept = from;
	// The first row of the group that was kept last. Dividing each entry would take longer than the rest of most
	// searches.
	std::uint64_t first = ~std::uint64_t{0};
	if (from > 0)
		first = std::uint64_t{search.entries[from - 1]} * rows;
	for (std::size_t i = from; i < search.count; ++i)
		if (const std::uint32_t entry = search.entries[i]; entry < first || entry - first >= rows) {
			const std::uint32_t group = entry / rows;
			first = std::uint64_t{group} * rows;
			search.entries[kept++] = group;
		}
	search.count = kept;
}

// Reads the groups of the chosen key.
Outcome read_groups_of_key(TableSearch &search, std::uint64_t max_groups)
{
	search.capacity = 256;
	search.entries = static_cast<std::uint32_t *>(palloc(4 * search.capacity));
	for (std::size_t t = 0; t < search.tables; ++t)
		for (std::uint32_t i = 0; i < search.ranges[t].leaves; ++i) {
			const std::uint32_t number = search.ranges[t].first + i;
			const std::size_t before = search.count;
			const Buffer buffer = search.lock(*search.table[t], number);
			if (!BufferIsValid(buffer))
				return Outcome::replaced;
			append_from_leaf(search, *search.table[t], number, buffer, search.keys[0]);
			keep_groups(search, before);
			if (search.count > max_groups)
				return Outcome::too_many;
		}
	std::sort(search.entries, search.entries + search.count);
	search.count =
		static_cast<std::size_t>(std::unique(search.entries, search.entries + search.count) - search.entries);
	return Outcome::found;
}

// Appends a range to the groups to be visited, which it follows.
void append_range(Scan &scan, std::uint32_t first, std::uint32_t end)
{
	if (scan.ranges > 0 && scan.visited[scan.ranges - 1].end == first)
		scan.visited[scan.ranges - 1].end = end;
	else
		scan.visited[scan.ranges++] = {first, end};
}

// Sets the groups to be visited: those that were found, as far as tables cover them, and all uncovered ones.
void visit_groups(const TableSearch &search, Scan &scan)
{
	const core::SketchDirectory &directory = search.map->directory;
	const std::uint32_t *next = search.entries, *behind = search.entries + search.count;
	scan.visited = allocate<UnitRange>(scan.context, search.count + directory.segments);
	for_each_segment(*search.map, [&](std::uint32_t first, std::uint32_t end, std::uint32_t label) {
		if (core::is_uncovered(directory, label))
			append_range(scan, first, end);
		for (; next < behind && *next < end; ++next)
			if (core::is_group(label) && !core::is_uncovered(directory, label))
				append_range(scan, *next, *next + 1);
	});
}

} // namespace

bool search_keys(Relation index, Scan &scan, std::uint64_t max_groups)
{
	for (;;) {
		CHECK_FOR_INTERRUPTS();
		TableSearch search = start_search(index, scan, 1);
		std::uint64_t leaves = 0;
		Outcome outcome = Outcome::replaced;
		if (search.tables == 0 || choose_key(search, scan, &leaves)) {
			// this many leaves between the first and the last ones of the tables have entries of this key alone
			const std::uint64_t certain = leaves - std::min<std::uint64_t>(leaves, 2 * search.tables);
			outcome = certain * core::leaf_capacity(BLCKSZ) / search.layout->rows > max_groups
				? Outcome::too_many
				: read_groups_of_key(search, max_groups);
		}
		if (outcome == Outcome::found)
			visit_groups(search, scan);
		if (outcome != Outcome::replaced)
			return outcome == Outcome::found;
		scan.map = read_newer_map(search);
	}
}

} // namespace txtfp::pg::sketch_scan
