#include "pg/sketch/table_search.hpp"

#include <algorithm>

#include "pg/base/large_array.hpp"

namespace txtfp::pg {

namespace sketch_scan {

namespace {

// The end of the keys of page `number` of fences, or of the root, whose number is the number of pages of fences. Raises
// an error if the page has a wrong number of keys.
const std::uint32_t *fence_end(
	const TableSearch &search, const core::BandTable &table, std::uint32_t number, const std::uint8_t *page)
{
	const std::size_t capacity = core::fence_capacity(BLCKSZ);
	const std::size_t expected =
		number == table.fences ? table.fences : std::min(capacity, table.leaves - number * capacity);
	if (core::fence_count(page) != expected)
		report_damage(search.index, block_of(*search.layout, table.first, 0) + table.leaves + number);
	return core::fence_keys(page) + expected;
}

// Sets pages[b] to the range of pages of fences that may contain key b, first and end. False if the table has been
// replaced.
bool read_root(TableSearch &search, const core::BandTable &table, std::uint32_t (*pages)[2])
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
LeafRange leaf_range_in(const TableSearch &search, const core::BandTable &table, const std::uint8_t *page,
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
	FenceReader(TableSearch &search, const core::BandTable &table) : search_(search), table_(table) {}

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
	TableSearch &search_;
	const core::BandTable &table_;
	Buffer buffer_ = InvalidBuffer;
	std::uint32_t number_ = 0;
};

} // namespace

bool find_leaf_ranges(TableSearch &search, const core::BandTable &table, LeafRange *ranges)
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

namespace {

void append(TableSearch &search, const core::BandRun &run)
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

} // namespace

void append_from_leaf(
	TableSearch &search, const core::BandTable &table, std::uint32_t number, Buffer leaf, std::uint32_t key)
{
	const std::uint8_t *page = bytes_of(BufferGetPage(leaf));
	if (!core::has_sound_leaf_header(page, BLCKSZ))
		report_damage(search.index, block_of(*search.layout, table.first, 0) + number);
	append(search, core::leaf_run(page, BLCKSZ, key));
	UnlockReleaseBuffer(leaf);
}

namespace {

// The number of entries beyond which reading all rows is cheaper.
std::uint64_t entry_limit(std::uint64_t rows) { return 256 + rows / 64; }

void find_tables(TableSearch &search, int items_per_row)
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

} // namespace

TableSearch start_search(Relation index, const Scan &scan, int bands)
{
	TableSearch search{};
	search.index = index;
	search.snapshot = scan.snapshot;
	search.layout = &scan.type->layout;
	search.map = scan.map;
	search.bands = bands;
	search.blocks_read = scan.blocks_read;
	find_tables(search, items_of_row(*scan.type, scan.map->directory.bands));
	return search;
}

SketchMap *read_newer_map(const TableSearch &search)
{
	SketchMap *map = read_map(search.index);
	for (std::size_t t = 0; t < search.tables; ++t)
		if (core::find_table(map->directory, search.table[t]->id) == nullptr)
			return map;
	report_damage(search.index, search.missing_block);
}

} // namespace sketch_scan

using namespace sketch_scan;

std::size_t table_entries(Relation index, const core::SketchLayout &layout, const core::BandTable &table,
	std::uint32_t key, std::uint32_t **entries, std::size_t *capacity)
{
	if (table.leaves == 0)
		return 0;
	TableSearch search{};
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
