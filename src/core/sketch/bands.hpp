// The band directory of an index of the access method `sketch`: an inverted index that tells which rows have a band of
// a MinHash sketch. src/core/sketch/README.md has the table.
//
// A band is four consecutive slots. Its key is a 32-bit hash of the 16 bits, or of compact sketches the 8 bits, that
// the signature keeps of each slot. Equal slots therefore give equal keys, and the directory can be built from the
// index alone.
//
// A table of the directory is a static tree of three levels. An item is a key and an entry; an entry is the number of a
// row within the index (group · rows of a group + row). The leaves hold the items in the order of their keys. The pages
// of fences hold the first key of each leaf, and the root holds the first key of each page of fences.
//
// All functions are pure: they neither allocate nor fail. A page is BLCKSZ bytes (`page_size`), aligned to 8 bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/sketch/layout.hpp"

namespace txtfp::core {

constexpr std::size_t band_slots = 4;
constexpr std::size_t max_bands = 256 / band_slots;

// The smallest number of bands that makes searches for a Jaccard similarity of at least 0.8 exact: one more than the
// number of slots that may differ (pigeonhole principle). `slots` is the number of slots of a sketch.
constexpr int default_bands(int slots) { return slots - (8 * slots + 9) / 10 + 1; }

// The number of bands that two sketches certainly have in common if at most `limit` slots differ: each slot spoils at
// most one band.
// The result may be negative.
constexpr int certain_bands(int bands, int limit) { return bands - limit; }

// The number of common bands to require of a row, so that a row with `limit` different slots is missed with a
// probability of at most 1 − recall. The result is at least certain_bands. 0: no such number exists, and the directory
// cannot serve the search.
int needed_bands(int bands, int slots, int limit, double recall) noexcept;

// The greatest limit for which needed_bands is at least `needed` (1 or more). −1: there is none.
int served_limit(int bands, int slots, int needed, double recall) noexcept;

// Writes the keys of bands 0 … n − 1 of a contiguous signature that has 8 or 16 `planes` of `plane_size` bytes each. n
// is at most 2 · plane_size.
void signature_band_keys(const std::uint8_t *signature, std::size_t planes, std::size_t plane_size, std::size_t n,
	std::uint32_t *keys) noexcept;

// The key of a leading column whose value has this hash, 32 bits as well: a leading column is looked up as if it were
// one more band.
std::uint32_t leading_key(std::uint32_t hash, std::size_t column) noexcept;

// ---- items: key and entry in one number, whose order is by key, then by entry

constexpr std::uint64_t band_item(std::uint32_t key, std::uint32_t entry) { return std::uint64_t{key} << 32 | entry; }
constexpr std::uint32_t item_key(std::uint64_t item) { return static_cast<std::uint32_t>(item >> 32); }
constexpr std::uint32_t item_entry(std::uint64_t item) { return static_cast<std::uint32_t>(item); }

// Sorts n items by key. The sort is stable: items with equal keys keep their order. `scratch` has room for n items.
void sort_items(std::uint64_t *items, std::size_t n, std::uint64_t *scratch) noexcept;

// ---- leaves: after the page header a BandLeafHeader, the entries (4 bytes each), and the key deltas (2 bytes each)

struct BandLeafHeader {
	std::uint32_t base; // first key
	std::uint16_t count;
	std::uint16_t shift; // the delta of an item is (key − base) >> shift; keys of equal deltas cannot be told apart
};
static_assert(sizeof(BandLeafHeader) == 8);

// Items of a full leaf; an even number, which aligns the deltas.
constexpr std::size_t leaf_capacity(std::size_t page_size)
{
	return (page_size - sketch_page_header - sketch_page_mark - sizeof(BandLeafHeader)) / 6 / 2 * 2;
}

// Byte offsets of both arrays within the page.
constexpr std::size_t leaf_entries = sketch_page_header + sizeof(BandLeafHeader);
constexpr std::size_t leaf_deltas(std::size_t page_size) { return leaf_entries + 4 * leaf_capacity(page_size); }

// Consecutive entries of a leaf. They point into the page.
struct BandRun {
	const std::uint32_t *entries;
	std::size_t count;
};

// Writes a leaf of n sorted items, 1 ≤ n ≤ leaf_capacity.
void fill_leaf(std::uint8_t *page, std::size_t page_size, const std::uint64_t *items, std::size_t n) noexcept;
bool has_sound_leaf_header(const std::uint8_t *page, std::size_t page_size) noexcept;
// The entries whose delta equals the delta of `key`. The leaf must have a sound header. If the leaf has a shift, entries of
// other keys may be among them.
BandRun leaf_run(const std::uint8_t *page, std::size_t page_size, std::uint32_t key) noexcept;
std::size_t leaf_count(const std::uint8_t *page) noexcept;
// True if the page can be a result of fill_leaf whose keys are all at least `least_key`.
bool is_sound_leaf(const std::uint8_t *page, std::size_t page_size, std::uint32_t least_key) noexcept;

// ---- fences and root: after the page header a BandFenceHeader, and keys in ascending order (4 bytes each)

struct BandFenceHeader {
	std::uint32_t count, zero;
};

// Keys of a full page of fences.
constexpr std::size_t fence_capacity(std::size_t page_size)
{
	return (page_size - sketch_page_header - sketch_page_mark - sizeof(BandFenceHeader)) / 4;
}

void fill_fences(std::uint8_t *page, const std::uint32_t *keys, std::size_t n) noexcept;
std::size_t fence_count(const std::uint8_t *page) noexcept; // as stored: on a damaged page more than fence_capacity
const std::uint32_t *fence_keys(const std::uint8_t *page) noexcept;
// True if the page is the result of fill_fences with these n keys.
bool is_sound_fences(const std::uint8_t *page, const std::uint32_t *keys, std::size_t n) noexcept;

// The numbers of pages of a table. The leaves come first, then the fences, then the root. A table without items has no
// page.
struct BandPages {
	std::uint32_t leaves, fences;
	constexpr std::uint32_t all() const { return leaves == 0 ? 0 : leaves + fences + 1; }
};
constexpr BandPages pages_of_leaves(std::uint64_t leaves, std::size_t page_size)
{
	return {static_cast<std::uint32_t>(leaves),
		static_cast<std::uint32_t>((leaves + fence_capacity(page_size) - 1) / fence_capacity(page_size))};
}
// If all leaves are full but the last one. A parallel build writes one of each partition of the keys that is not full.
constexpr BandPages band_pages(std::uint64_t items, std::size_t page_size)
{
	return pages_of_leaves((items + leaf_capacity(page_size) - 1) / leaf_capacity(page_size), page_size);
}

// ---- candidates

// Sorts n entries in place and keeps one of each that occurs at least `min_count` times (and at least once). Returns
// the number of those kept.
std::size_t keep_frequent_entries(std::uint32_t *entries, std::size_t n, int min_count) noexcept;

} // namespace txtfp::core
