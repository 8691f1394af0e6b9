// Searches in the band directory. For each band of the probe, the search reads the entries of the rows that have the
// same band. Rows that have enough bands in common with the probe are candidates. Their signatures decide, as in any
// other scan.
//
// A row within the limit has at least `needed` of all `bands` bands. So it has at least d of any bands − needed + d of
// them (pigeonhole principle), and the other needed − d bands need not be read. The search omits bands that thousands
// of rows have. If there are too many of those, or if the bands have too many entries altogether, the scan visits all
// groups instead.
#include <algorithm>

#include "pg/base/large_array.hpp"
#include "pg/sketch/table_search.hpp"

namespace txtfp::pg::sketch_scan {

namespace {

constexpr int preferred_matches = 2; // one band would find every row; requiring two excludes most unrelated rows

// Adds the entries of a band in all tables. If there are too many, adds none.
Outcome read_band(TableSearch &search, int band)
{
	const std::size_t before = search.count;
	std::uint64_t certain = 0; // leaves between the first and the last one contain only items of this key
	for (std::size_t t = 0; t < search.tables; ++t)
		if (const LeafRange &range = search.range(t, band); range.leaves > 2)
			certain += std::uint64_t{range.leaves - 2} * core::leaf_capacity(BLCKSZ);
	if (certain > search.max_entries / 2)
		return Outcome::too_many;
	for (std::size_t t = 0; t < search.tables; ++t) {
		const LeafRange &range = search.range(t, band);
		for (std::uint32_t i = 0; i < range.leaves; ++i) {
			const Buffer buffer = search.lock(*search.table[t], range.first + i);
			if (!BufferIsValid(buffer))
				return Outcome::replaced;
			append_from_leaf(search, *search.table[t], range.first + i, buffer, search.keys[band]);
		}
		if (search.count - before > search.max_entries / 2) {
			search.count = before;
			return Outcome::too_many;
		}
	}
	return Outcome::found;
}

// Requests the first leaf of each of some bands in each table.
void request_leaves(TableSearch &search, int begin, int end)
{
	search.has_requested = true;
	for (std::size_t t = 0; t < search.tables; ++t)
		for (int band = begin; band < end; ++band)
			if (const LeafRange &range = search.range(t, band); range.leaves > 0)
				request_block(search.index, block_of(*search.layout, search.table[t]->first, 0) + range.first);
}

// Reads as many bands as are needed. Sets `min_matches` to the number of them that a row must have.
Outcome read_bands(TableSearch &search, int *min_matches)
{
	int spare_bands = search.needed - std::min(search.needed, preferred_matches); // bands that need not be read
	*min_matches = search.needed - spare_bands;
	for (std::size_t t = 0; t < search.tables; ++t)
		for (int band = 0; band < search.bands - spare_bands; ++band)
			if (const LeafRange &range = search.range(t, band); range.leaves > 0)
				prefetch_leaf(search.index, *search.layout, *search.table[t], range.first, range.item_hint);
	for (int band = 0, left = search.bands - spare_bands; left > 0; ++band, --left) {
		if (!search.has_requested && reads_ahead(search.index, search.blocks_read))
			request_leaves(search, band, band + left);
		const Outcome outcome = read_band(search, band);
		if (outcome == Outcome::replaced || search.count > search.max_entries)
			return outcome == Outcome::replaced ? outcome : Outcome::too_many;
		if (outcome == Outcome::found)
			continue;
		if (spare_bands > 0) {
			--spare_bands;
			++left; // read another band instead
		} else if (--*min_matches == 0) {
			return Outcome::too_many;
		}
	}
	return Outcome::found;
}

// Drops entries of groups that are uncovered by now, because the scan visits these groups anyway.
std::size_t drop_uncovered(const SketchMap &map, std::size_t rows, std::uint32_t *entries, std::size_t n)
{
	std::size_t kept = 0;
	for (std::size_t i = 0; i < n; ++i) {
		const auto unit = static_cast<std::uint32_t>(entries[i] / rows);
		if (unit >= map.meta.groups)
			continue;
		if (const std::uint32_t label = core::label_of(map.directory, unit);
			core::is_group(label) && !core::is_uncovered(map.directory, label))
			entries[kept++] = entries[i];
	}
	return kept;
}

Outcome run(TableSearch &search, Scan &scan)
{
	search.ranges = static_cast<LeafRange *>(
		palloc(sizeof(LeafRange) * std::max<std::size_t>(search.tables, 1) * static_cast<std::size_t>(search.bands)));
	search.capacity = 256;
	search.entries = static_cast<std::uint32_t *>(palloc(4 * search.capacity));
	for (std::size_t t = 0; t < search.tables; ++t)
		if (!find_leaf_ranges(search, *search.table[t], search.ranges + t * static_cast<std::size_t>(search.bands)))
			return Outcome::replaced;
	int min_matches;
	if (const Outcome outcome = read_bands(search, &min_matches); outcome != Outcome::found)
		return outcome;
	const std::size_t n = core::keep_frequent_entries(search.entries, search.count, min_matches);
	scan.entries = search.entries;
	scan.entry_count = drop_uncovered(*search.map, search.layout->rows, search.entries, n);
	return Outcome::found;
}

// The condition that requires the most bands, and how many. nullptr if no condition requires any.
const Condition *strictest(const Scan &scan, int bands, double recall, int *needed)
{
	const Condition *best = nullptr;
	*needed = 0;
	for (int i = 0; i < scan.conditions; ++i) {
		const Condition &condition = scan.condition[i];
		const int required = condition.limit < 0
			? 0
			: core::needed_bands(bands, scan.type->slots, condition.limit, condition.is_exact ? 1 : recall);
		if (required > *needed) {
			*needed = required;
			best = &scan.condition[i];
		}
	}
	return best;
}

} // namespace

bool bands_can_serve(Relation index, const Scan &scan)
{
	const core::SketchDirectory &directory = scan.map->directory;
	int needed;
	return directory.bands > 0 && directory.tables > 0 &&
		strictest(scan, directory.bands, recall_in_force(index), &needed) != nullptr;
}

bool is_exact_scan(Relation index, const Scan &scan)
{
	return recall_in_force(index) >= 1 ||
		std::any_of(scan.condition, scan.condition + scan.conditions, [](const Condition &one) { return one.is_exact; });
}

namespace {

// A step through the directory takes about as long as reading this many groups, and those that no table covers. If no row
// may be missed, the probe's similar rows are seldom all that is asked for, and a step must not cost what is seen: one
// in `step_share` of the time for all groups.
constexpr std::uint64_t step_groups = 8, step_share = 50;

bool is_worth_a_step(const SketchMap &map)
{
	std::uint64_t groups = 0, uncovered = 0;
	for_each_segment(map, [&](std::uint32_t first, std::uint32_t end, std::uint32_t label) {
		groups += core::is_group(label) ? end - first : 0;
		uncovered += core::is_uncovered(map.directory, label) ? end - first : 0;
	});
	return groups >= step_share * (step_groups + uncovered);
}

} // namespace

int next_step_limit(Relation index, const Scan &scan)
{
	const core::SketchDirectory &directory = scan.map->directory;
	if (scan.order == nullptr || !scan.wants_values || directory.bands == 0 || directory.tables == 0)
		return -1;
	const bool is_exact = is_exact_scan(index, scan);
	if (is_exact && !is_worth_a_step(*scan.map))
		return -1;
	// one common band finds rows that are farther, but thousands of others, too
	for (int needed = preferred_matches; needed > (is_exact ? 1 : 0); --needed)
		if (const int limit = core::served_limit(
				directory.bands, scan.type->slots, needed, is_exact ? 1 : recall_in_force(index));
			limit > scan.returned)
			return limit;
	return -1;
}

bool search_bands(Relation index, Scan &scan)
{
	while (bands_can_serve(index, scan)) {
		CHECK_FOR_INTERRUPTS();
		TableSearch search = start_search(index, scan, scan.map->directory.bands);
		const Condition *condition = strictest(scan, search.bands, recall_in_force(index), &search.needed);
		if (search.tables == 0)
			return false;
		core::signature_band_keys(condition->matcher->signature(), scan.type->layout.fields,
			scan.type->layout.field[0].size, static_cast<std::size_t>(search.bands), search.keys);
		for (int b = 0; b < search.bands; ++b)
			search.order[b] = static_cast<std::uint8_t>(b);
		std::sort(search.order, search.order + search.bands,
			[&](std::uint8_t a, std::uint8_t b) { return search.keys[a] < search.keys[b]; });
		const Outcome outcome = run(search, scan);
		if (outcome != Outcome::replaced)
			return outcome == Outcome::found;
		scan.map = read_newer_map(search);
	}
	return false;
}

} // namespace txtfp::pg::sketch_scan
