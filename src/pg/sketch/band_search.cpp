// Searches in the band directory. For each band of the probe, the search reads the entries of the rows that have the
// same band. Rows that have enough bands in common with the probe are candidates. Their signatures decide, as in any
// other scan.
//
// A row within the limit has at least `needed` of all `bands` bands. So it has at least d of any bands − needed + d of
// them (pigeonhole principle), and the other needed − d bands need not be read. The search omits bands that thousands
// of rows have. If there are too many of those, or if the bands have too many entries altogether, the scan visits all
// groups instead.
#include <algorithm>

#include "core/sketch/bands.hpp"
#include "pg/base/large_array.hpp"
#include "pg/base/settings.hpp"
#include "pg/sketch/scan.hpp"

namespace txtfp::pg::sketch_scan {

namespace {

constexpr int preferred_matches = 2; // one band would find every row; requiring two excludes most unrelated rows

// The leaves of a table that may contain a key, and the estimated position of its first item in the first of them.
struct LeafRange {
	std::uint32_t first, leaves, item_hint;
};

enum class Outcome { found, too_many, replaced };

struct Search {
	Relation index;
	Snapshot snapshot; // null: that of sketch_check, which reads every row
	const core::SketchLayout *layout;
	const SketchMap *map;
	int bands, needed;
	std::uint32_t keys[core::max_bands];
	std::uint8_t order[core::max_bands]; // the bands in the order of their keys
	const core::BandTable *table[core::max_band_tables];
	LeafRange *ranges; // that of band b in table t is ranges[t · bands + b]
	std::size_t tables;

	const LeafRange &range(std::size_t t, int band) const
	{
		return ranges[t * static_cast<std::size_t>(bands) + static_cast<std::size_t>(band)];
	}

	std::uint64_t max_entries; // of all bands together; a single band may have half as many
	std::uint32_t *entries;
	std::size_t count, capacity;
	BlockNumber missing_block; // where `lock` has not found the page of a table
	std::int64_t blocks_read;  // that of the scan
	bool has_requested;        // the leaves of all bands that were to be read

	Buffer lock(const core::BandTable &searched, std::uint32_t number)
	{
		const Buffer buffer = lock_table_page(index, *layout, searched, number);
		if (!BufferIsValid(buffer))
			missing_block = block_of(*layout, searched.first, 0) + number;
		else
			check_snapshot_age(snapshot, index, buffer);
		return buffer;
	}
};

// The end of the keys of page `number` of fences, or of the root, whose number is that of the pages of fences. Raises
// an error if the page has a wrong number of keys.
const std::uint32_t *fence_end(
	const Search &search, const core::BandTable &table, std::uint32_t number, const std::uint8_t *page)
{
	const std::size_t capacity = core::fence_capacity(BLCKSZ);
	const std::size_t expected =
		number == table.fences ? table.fences : std::min(capacity, table.leaves - number * capacity);
	if (core::fence_count(page) != expected)
		report_damage(search.index, block_of(*search.layout, table.first, 0) + table.leaves + number);
	return core::fence_keys(page) + expected;
}

// The number of entries beyond which reading all rows is cheaper.
std::uint64_t entry_limit(std::uint64_t rows) { return 256 + rows / 64; }

// Sets pages[b] to the range of pages of fences that may contain key b, first and end. False if the table has been
// replaced.
bool read_root(Search &search, const core::BandTable &table, std::uint32_t (*pages)[2])
{
	const Buffer buffer = search.lock(table, table.leaves + table.fences);
	if (!BufferIsValid(buffer))
		return false;
	const std::uint8_t *page = bytes_of(BufferGetPage(buffer));
	const std::uint32_t *first = core::fence_keys(page), *end = fence_end(search, table, table.fences, page);
	for (int b = 0; b < search.bands; ++b) {
		const std::uint32_t key = search.keys[b];
		const auto from = static_cast<std::uint32_t>(std::lower_bound(first, end, key) - first);
		pages[b][0] = from > 0 ? from - 1 : 0;
		pages[b][1] = static_cast<std::uint32_t>(std::upper_bound(first, end, key) - first);
	}
	UnlockReleaseBuffer(buffer);
	return true;
}

// The leaves that may contain a key, according to one page of fences. `number` is the number of this page.
LeafRange leaf_range_in(const Search &search, const core::BandTable &table, const std::uint8_t *page,
	std::uint32_t number, std::uint32_t key)
{
	const auto capacity = static_cast<std::uint32_t>(core::fence_capacity(BLCKSZ));
	const std::uint32_t *first = core::fence_keys(page), *end = fence_end(search, table, number, page);
	const std::uint32_t *from = std::lower_bound(first, end, key);
	if (from > first)
		--from;
	std::uint32_t item_hint = 0;
	if (from + 1 < end && key > *from && from[1] > *from)
		item_hint = static_cast<std::uint32_t>(
			std::min<std::uint64_t>(std::uint64_t{key - *from} * core::leaf_capacity(BLCKSZ) / (from[1] - *from),
				core::leaf_capacity(BLCKSZ) - 1));
	const auto at = static_cast<std::uint32_t>(from - first);
	const auto behind = static_cast<std::uint32_t>(std::upper_bound(from, end, key) - first);
	return {number * capacity + at, behind - at, item_hint};
}

// Reads pages of fences. A page stays locked until another one is requested.
class FenceReader {
public:
	FenceReader(Search &search, const core::BandTable &table) : search_(search), table_(table) {}

	// nullptr: the table has been replaced
	const std::uint8_t *page(std::uint32_t number)
	{
		if (!BufferIsValid(buffer_) || number != number_) {
			release();
			buffer_ = search_.lock(table_, table_.leaves + number);
			number_ = number;
		}
		return BufferIsValid(buffer_) ? bytes_of(BufferGetPage(buffer_)) : nullptr;
	}

	void release()
	{
		if (BufferIsValid(buffer_))
			UnlockReleaseBuffer(buffer_);
		buffer_ = InvalidBuffer;
	}

private:
	Search &search_;
	const core::BandTable &table_;
	Buffer buffer_ = InvalidBuffer;
	std::uint32_t number_ = 0;
};

// Finds the leaf ranges of all keys in one table. False if the table has been replaced.
bool find_leaf_ranges(Search &search, const core::BandTable &table, LeafRange *ranges)
{
	const auto capacity = static_cast<std::uint32_t>(core::fence_capacity(BLCKSZ));
	std::uint32_t pages[core::max_bands][2];
	if (!read_root(search, table, pages))
		return false;
	FenceReader fences(search, table);
	for (int i = 0; i < search.bands; ++i) {
		const int b = search.order[i];
		const std::uint32_t key = search.keys[b], first = pages[b][0], behind = pages[b][1];
		ranges[b] = {0, 0, 0};
		if (behind == 0) // the key is less than all keys of the table
			continue;
		const std::uint8_t *page = fences.page(first);
		if (page == nullptr)
			return false;
		ranges[b] = leaf_range_in(search, table, page, first, key);
		if (behind - 1 == first)
			continue;
		if (page = fences.page(behind - 1); page == nullptr) // the items of the key end under this page
			return false;
		const std::uint32_t *keys = core::fence_keys(page);
		ranges[b].leaves = (behind - 1) * capacity +
			static_cast<std::uint32_t>(std::upper_bound(keys, fence_end(search, table, behind - 1, page), key) - keys) -
			ranges[b].first;
	}
	fences.release();
	return true;
}

void append(Search &search, const core::BandRun &run)
{
	if (run.count == 0)
		return;
	if (search.count + run.count > search.capacity) {
		search.capacity = std::max(2 * search.capacity, search.count + run.count);
		search.entries = static_cast<std::uint32_t *>(repalloc_huge(search.entries, 4 * search.capacity));
	}
	memcpy(search.entries + search.count, run.entries, 4 * run.count);
	search.count += run.count;
}

// Adds the entries of a key in one leaf, which is locked, and releases it.
void append_from_leaf(
	Search &search, const core::BandTable &table, std::uint32_t number, Buffer leaf, std::uint32_t key)
{
	const std::uint8_t *page = bytes_of(BufferGetPage(leaf));
	if (!core::has_sound_leaf_header(page, BLCKSZ))
		report_damage(search.index, block_of(*search.layout, table.first, 0) + number);
	append(search, core::leaf_run(page, BLCKSZ, key));
	UnlockReleaseBuffer(leaf);
}

// Adds the entries of a band in all tables. If there are too many, adds none.
Outcome read_band(Search &search, int band)
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
void request_leaves(Search &search, int begin, int end)
{
	search.has_requested = true;
	for (std::size_t t = 0; t < search.tables; ++t)
		for (int band = begin; band < end; ++band)
			if (const LeafRange &range = search.range(t, band); range.leaves > 0)
				request_block(search.index, block_of(*search.layout, search.table[t]->first, 0) + range.first);
}

// Reads as many bands as are needed. Sets `min_matches` to the number of them that a row must have.
Outcome read_bands(Search &search, int *min_matches)
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

void find_tables(Search &search, int items_per_row)
{
	std::uint64_t items = 0;
	for (std::size_t i = 0; i < search.map->directory.tables; ++i)
		if (const core::BandTable &table = search.map->directory.table[i]; table.live != 0) {
			items += table.items;
			if (table.leaves > 0)
				search.table[search.tables++] = &table;
		}
	search.max_entries = entry_limit(items / static_cast<std::uint64_t>(items_per_row));
}

Outcome run(Search &search, Scan &scan)
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
		const int required = scan.condition[i].limit < 0
			? 0
			: core::needed_bands(bands, scan.type->slots, scan.condition[i].limit, recall);
		if (required > *needed) {
			*needed = required;
			best = &scan.condition[i];
		}
	}
	return best;
}

// Reads the metapage again after a page of a table has not been found. If none of the tables has been replaced, the
// page is damaged.
SketchMap *read_newer_map(const Search &search)
{
	SketchMap *map = read_map(search.index);
	for (std::size_t t = 0; t < search.tables; ++t)
		if (core::find_table(map->directory, search.table[t]->id) == nullptr)
			return map;
	report_damage(search.index, search.missing_block);
}

} // namespace

namespace {

double recall_of(Relation index, const Scan &scan)
{
	return sketch_recall >= 0 ? sketch_recall : sketch_options(index, *scan.type).recall;
}

Search start_search(Relation index, const Scan &scan, int bands)
{
	Search search{};
	search.index = index;
	search.snapshot = scan.snapshot;
	search.layout = &scan.type->layout;
	search.map = scan.map;
	search.bands = bands;
	search.blocks_read = scan.blocks_read;
	find_tables(search, items_of_row(*scan.type, scan.map->directory.bands));
	return search;
}

} // namespace

bool bands_can_serve(Relation index, const Scan &scan)
{
	const core::SketchDirectory &directory = scan.map->directory;
	int needed;
	return directory.bands > 0 && directory.tables > 0 &&
		strictest(scan, directory.bands, recall_of(index, scan), &needed) != nullptr;
}

bool search_bands(Relation index, Scan &scan)
{
	while (bands_can_serve(index, scan)) {
		CHECK_FOR_INTERRUPTS();
		Search search = start_search(index, scan, scan.map->directory.bands);
		const Condition *condition = strictest(scan, search.bands, recall_of(index, scan), &search.needed);
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

// ---- leading columns

namespace {

// Sets search.keys[0] and search.ranges to the key condition that has the fewest leaves, and `leaves` to their number.
// False if a table has been replaced.
bool choose_key(Search &search, const Scan &scan, std::uint64_t *leaves)
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
void keep_groups(Search &search, std::size_t from)
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
Outcome read_groups_of_key(Search &search, std::uint64_t max_groups)
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
void visit_groups(const Search &search, Scan &scan)
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
		Search search = start_search(index, scan, 1);
		std::uint64_t leaves = 0;
		Outcome outcome = Outcome::replaced;
		if (search.tables == 0 || choose_key(search, scan, &leaves)) {
			// so many leaves between the first and the last ones of the tables have entries of this key alone
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

namespace txtfp::pg {

using namespace sketch_scan;

std::size_t table_entries(Relation index, const core::SketchLayout &layout, const core::BandTable &table,
	std::uint32_t key, std::uint32_t **entries, std::size_t *capacity)
{
	if (table.leaves == 0)
		return 0;
	Search search{};
	search.index = index;
	search.layout = &layout;
	search.bands = 1;
	search.keys[0] = key;
	search.entries = *entries;
	search.capacity = *capacity;
	LeafRange range{};
	if (find_leaf_ranges(search, table, &range))
		for (std::uint32_t i = 0; i < range.leaves; ++i) {
			const Buffer buffer = search.lock(table, range.first + i);
			if (!BufferIsValid(buffer))
				break;
			append_from_leaf(search, table, range.first + i, buffer, key);
		}
	*entries = search.entries;
	*capacity = search.capacity;
	return search.count;
}

} // namespace txtfp::pg
