// Searches in the band directory. The tables say for each band of the probe in which leaves the rows are that have it. Rows that have enough
// of the bands are candidates, which are then judged by their signatures as in any other scan.
//
// Rows within the limit have `needed` bands in common with the probe. So some of the bands need not be looked up: of any bands − needed + d of
// them, such a row has d. That leaves out bands that thousands of rows have. Where too many are like that, or all bands
// together bring too many entries, the scan looks at all groups instead.
#include <algorithm>

#include "core/sketch/bands.hpp"
#include "pg/base/large_array.hpp"
#include "pg/base/settings.hpp"
#include "pg/sketch/scan.hpp"

namespace txtfp::pg::sketch_scan {

namespace {

constexpr int wanted_demand = 2; // one is enough to find a row, two keep most strangers out

// The leaves of a table that may have a key, and about where it is in the first one.
struct Place {
	std::uint32_t leaf, leaves, guess;
};

enum class Outcome { found, too_many, gone };

struct Search {
	Relation index;
	const core::SketchLayout *layout;
	const SketchMap *map;
	int bands, needed;
	std::uint32_t keys[core::max_bands];
	std::uint8_t order[core::max_bands]; // of the bands by their keys
	const core::BandTable *table[core::max_band_tables];
	Place *places; // of band b in table t: places[t · bands + b]
	std::size_t tables;

	const Place &place(std::size_t t, int band) const
	{
		return places[t * static_cast<std::size_t>(bands) + static_cast<std::size_t>(band)];
	}

	std::uint64_t most; // entries; of one band half of it
	std::uint32_t *entries;
	std::size_t count, room;
};

// What all entries together may cost, beside a look at every row.
std::uint64_t most_entries(std::uint64_t rows) { return 256 + rows / 64; }

// Copies of what the root says of each key: the first and the last page of fences that may have it.
bool read_root(const Search &search, const core::BandTable &table, std::uint32_t (*pages)[2])
{
	const Buffer buffer = lock_table_page(search.index, *search.layout, table, table.leaves + table.fences);
	if (!BufferIsValid(buffer))
		return false;
	const std::uint8_t *page = bytes_of(BufferGetPage(buffer));
	const std::uint32_t *first = core::fence_keys(page), *end = first + core::fence_count(page);
	for (int b = 0; b < search.bands; ++b) {
		const std::uint32_t key = search.keys[b];
		const auto from = static_cast<std::uint32_t>(std::lower_bound(first, end, key) - first);
		pages[b][0] = from > 0 ? from - 1 : 0;
		pages[b][1] = static_cast<std::uint32_t>(std::upper_bound(first, end, key) - first); // one behind
	}
	UnlockReleaseBuffer(buffer);
	return true;
}

// What one page of fences, `number`, says of a key whose run begins in a leaf of it.
Place place_in(const std::uint8_t *page, std::uint32_t number, std::uint32_t key)
{
	const auto room = static_cast<std::uint32_t>(core::fence_room(BLCKSZ));
	const std::uint32_t *first = core::fence_keys(page), *end = first + core::fence_count(page);
	const std::uint32_t *from = std::lower_bound(first, end, key);
	if (from > first)
		--from;
	std::uint32_t guess = 0;
	if (from + 1 < end && key > *from && from[1] > *from)
		guess = static_cast<std::uint32_t>(std::min<std::uint64_t>(
			std::uint64_t{key - *from} * core::leaf_room(BLCKSZ) / (from[1] - *from), core::leaf_room(BLCKSZ) - 1));
	const auto at = static_cast<std::uint32_t>(from - first);
	const auto behind = static_cast<std::uint32_t>(std::upper_bound(from, end, key) - first);
	return {number * room + at, behind - at, guess};
}

// Keeps a page of fences locked as long as it is asked for again.
class FenceReader {
public:
	FenceReader(const Search &search, const core::BandTable &table) : search_(search), table_(table) {}

	// nullptr: the table is gone
	const std::uint8_t *page(std::uint32_t number)
	{
		if (!BufferIsValid(buffer_) || number != number_) {
			release();
			buffer_ = lock_table_page(search_.index, *search_.layout, table_, table_.leaves + number);
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
	const Search &search_;
	const core::BandTable &table_;
	Buffer buffer_ = InvalidBuffer;
	std::uint32_t number_ = 0;
};

// The places of all keys in one table; false if it is gone.
bool find_places(const Search &search, const core::BandTable &table, Place *places)
{
	const auto room = static_cast<std::uint32_t>(core::fence_room(BLCKSZ));
	std::uint32_t pages[core::max_bands][2];
	if (!read_root(search, table, pages))
		return false;
	FenceReader fences(search, table);
	for (int i = 0; i < search.bands; ++i) {
		const int b = search.order[i];
		const std::uint32_t key = search.keys[b], first = pages[b][0], behind = pages[b][1];
		places[b] = {0, 0, 0};
		if (behind == 0) // less than all keys
			continue;
		const std::uint8_t *page = fences.page(first);
		if (page == nullptr)
			return false;
		places[b] = place_in(page, first, key);
		if (behind - 1 == first)
			continue;
		if (page = fences.page(behind - 1); page == nullptr) // the run ends there
			return false;
		const std::uint32_t *keys = core::fence_keys(page);
		places[b].leaves = (behind - 1) * room +
			static_cast<std::uint32_t>(std::upper_bound(keys, keys + core::fence_count(page), key) - keys) -
			places[b].leaf;
	}
	fences.release();
	return true;
}

void append(Search &search, const core::BandRun &run)
{
	if (run.count == 0)
		return;
	if (search.count + run.count > search.room) {
		search.room = std::max(2 * search.room, search.count + run.count);
		search.entries = static_cast<std::uint32_t *>(repalloc_huge(search.entries, 4 * search.room));
	}
	memcpy(search.entries + search.count, run.entries, 4 * run.count);
	search.count += run.count;
}

// The entries of a band in all tables. Too many: none of them has been added.
Outcome read_band(Search &search, int band)
{
	const std::size_t before = search.count;
	std::uint64_t certain = 0; // leaves between the first and the last one have nothing else
	for (std::size_t t = 0; t < search.tables; ++t)
		if (const Place &place = search.place(t, band); place.leaves > 2)
			certain += std::uint64_t{place.leaves - 2} * core::leaf_room(BLCKSZ);
	if (certain > search.most / 2)
		return Outcome::too_many;
	for (std::size_t t = 0; t < search.tables; ++t) {
		const Place &place = search.place(t, band);
		for (std::uint32_t i = 0; i < place.leaves; ++i) {
			const Buffer buffer = lock_table_page(search.index, *search.layout, *search.table[t], place.leaf + i);
			if (!BufferIsValid(buffer))
				return Outcome::gone;
			append(search, core::leaf_run(bytes_of(BufferGetPage(buffer)), BLCKSZ, search.keys[band]));
			UnlockReleaseBuffer(buffer);
		}
		if (search.count - before > search.most / 2) {
			search.count = before;
			return Outcome::too_many;
		}
	}
	return Outcome::found;
}

// Reads as many bands as are needed; `demand`: how many of them a row must have.
Outcome read_bands(Search &search, int *demand)
{
	int spare = search.needed - std::min(search.needed, wanted_demand); // bands that need not be read
	*demand = search.needed - spare;
	for (std::size_t t = 0; t < search.tables; ++t)
		for (int band = 0; band < search.bands - spare; ++band)
			if (const Place &place = search.place(t, band); place.leaves > 0)
				prefetch_leaf(search.index, *search.layout, *search.table[t], place.leaf, place.guess);
	for (int band = 0, left = search.bands - spare; left > 0; ++band, --left) {
		const Outcome outcome = read_band(search, band);
		if (outcome == Outcome::gone || search.count > search.most)
			return outcome == Outcome::gone ? outcome : Outcome::too_many;
		if (outcome == Outcome::found)
			continue;
		if (spare > 0) {
			--spare;
			++left; // another one instead
		} else if (--*demand == 0) {
			return Outcome::too_many;
		}
	}
	return Outcome::found;
}

// Rows that the scan finds in other ways, too, are left to these.
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

void find_tables(Search &search)
{
	std::uint64_t items = 0;
	for (std::size_t i = 0; i < search.map->directory.tables; ++i)
		if (const core::BandTable &table = search.map->directory.table[i]; table.live != 0) {
			items += table.items;
			if (table.leaves > 0)
				search.table[search.tables++] = &table;
		}
	search.most = most_entries(items / static_cast<std::uint64_t>(search.bands));
}

Outcome run(Search &search, Scan &scan)
{
	search.places = static_cast<Place *>(
		palloc(sizeof(Place) * std::max<std::size_t>(search.tables, 1) * static_cast<std::size_t>(search.bands)));
	search.room = 256;
	search.entries = static_cast<std::uint32_t *>(palloc(4 * search.room));
	for (std::size_t t = 0; t < search.tables; ++t)
		if (!find_places(search, *search.table[t], search.places + t * static_cast<std::size_t>(search.bands)))
			return Outcome::gone;
	int demand;
	if (const Outcome outcome = read_bands(search, &demand); outcome != Outcome::found)
		return outcome;
	const std::size_t n = core::entries_with(search.entries, search.count, demand);
	scan.entries = search.entries;
	scan.entry_count = drop_uncovered(*search.map, search.layout->rows, search.entries, n);
	return Outcome::found;
}

// The condition that demands the most bands.
const Condition *strictest(const Scan &scan, int bands, double recall, int *needed)
{
	const Condition *best = nullptr;
	*needed = 0;
	for (int i = 0; i < scan.conditions; ++i) {
		const int own = scan.condition[i].limit < 0
			? 0
			: core::needed_bands(bands, scan.type->slots, scan.condition[i].limit, recall);
		if (own > *needed) {
			*needed = own;
			best = &scan.condition[i];
		}
	}
	return best;
}

} // namespace

bool search_bands(Relation index, Scan &scan)
{
	for (;;) {
		CHECK_FOR_INTERRUPTS();
		const core::SketchDirectory &directory = scan.map->directory;
		Search search{};
		search.index = index;
		search.layout = &scan.type->layout;
		search.map = scan.map;
		search.bands = directory.bands;
		if (search.bands == 0 || directory.tables == 0 || scan.conditions == 0)
			return false;
		const double recall = sketch_recall >= 0 ? sketch_recall : sketch_options(index, *scan.type).recall;
		const Condition *condition = strictest(scan, search.bands, recall, &search.needed);
		if (condition == nullptr)
			return false;
		find_tables(search);
		if (search.tables == 0)
			return false;
		core::signature_band_keys(condition->matcher->signature(), scan.type->layout.field[0].size,
			static_cast<std::size_t>(search.bands), search.keys);
		for (int b = 0; b < search.bands; ++b)
			search.order[b] = static_cast<std::uint8_t>(b);
		std::sort(search.order, search.order + search.bands,
			[&](std::uint8_t a, std::uint8_t b) { return search.keys[a] < search.keys[b]; });
		const Outcome outcome = run(search, scan);
		if (outcome != Outcome::gone)
			return outcome == Outcome::found;
		scan.map = read_map(index); // a table was replaced since it was read
	}
}

} // namespace txtfp::pg::sketch_scan

namespace txtfp::pg {

using namespace sketch_scan;

std::size_t table_entries(Relation index, const core::SketchLayout &layout, const core::BandTable &table,
	std::uint32_t key, std::uint32_t **entries, std::size_t *room)
{
	if (table.leaves == 0)
		return 0;
	Search search{};
	search.index = index;
	search.layout = &layout;
	search.bands = 1;
	search.keys[0] = key;
	search.entries = *entries;
	search.room = *room;
	Place place{};
	if (find_places(search, table, &place))
		for (std::uint32_t i = 0; i < place.leaves; ++i) {
			const Buffer buffer = lock_table_page(index, layout, table, place.leaf + i);
			if (!BufferIsValid(buffer))
				break;
			append(search, core::leaf_run(bytes_of(BufferGetPage(buffer)), BLCKSZ, key));
			UnlockReleaseBuffer(buffer);
		}
	*entries = search.entries;
	*room = search.room;
	return search.count;
}

} // namespace txtfp::pg
