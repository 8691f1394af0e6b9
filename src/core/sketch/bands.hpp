// The band directory of an index of the access method `sketch`: which rows have a band of a MinHash sketch. docs/sketch.md draws it.
//
// A band is four slots, one behind the other. Its key is computed of the 16 bits that the signature keeps of each slot, so that
// equal slots give equal keys, and the directory can be made of the index alone. A table holds for every key, in their order, the
// entries of the rows that have it: an entry is a row's number within the index. The entries lie in leaves, the first key of each leaf in
// fences, the first key of each page of fences in the root.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/sketch/layout.hpp"

namespace txtfp::core {

constexpr std::size_t band_slots = 4;
constexpr std::size_t max_bands = 256 / band_slots;

// The number of bands that makes searches for a Jaccard similarity of at least 0.8 exact, by sketches of so many slots: one more than may differ.
constexpr int default_bands(int slots) { return slots - (8 * slots + 9) / 10 + 1; }

// How many of the bands two sketches have in common for certain, of which at most `limit` slots differ: a slot spoils one band. May be
// negative.
constexpr int certain_bands(int bands, int limit) { return bands - limit; }

// The same where it may be missed with probability 1 − recall; at least the number above, 0: no number of them suffices.
int needed_bands(int bands, int slots, int limit, double recall) noexcept;

// The keys of bands 0 … n − 1 of a signature in one piece, whose planes have `plane_size` bytes. n is at most 2 · plane_size.
void signature_band_keys(
	const std::uint8_t *signature, std::size_t plane_size, std::size_t n, std::uint32_t *keys) noexcept;

// ---- items: a key and an entry in one number, so that they sort by key, then entry

constexpr std::uint64_t band_item(std::uint32_t key, std::uint32_t entry) { return std::uint64_t{key} << 32 | entry; }
constexpr std::uint32_t item_key(std::uint64_t item) { return static_cast<std::uint32_t>(item >> 32); }
constexpr std::uint32_t item_entry(std::uint64_t item) { return static_cast<std::uint32_t>(item); }

// Sorts by the key alone; items of one key stay in their order. `scratch` has room for n.
void sort_items(std::uint64_t *items, std::size_t n, std::uint64_t *scratch) noexcept;

// ---- leaves: behind the page's header, then the entries, then what is left of each key

struct BandLeafHeader {
	std::uint32_t base; // first key
	std::uint16_t count;
	std::uint16_t shift; // an item's rest is (key − base) >> shift: keys that differ less count as equal
};
static_assert(sizeof(BandLeafHeader) == 8);

constexpr std::size_t leaf_room(std::size_t page_size)
{
	return (page_size - sketch_page_header - sketch_page_mark - sizeof(BandLeafHeader)) / 6 / 2 * 2;
}

// Where both begin.
constexpr std::size_t leaf_entries = sketch_page_header + sizeof(BandLeafHeader);
constexpr std::size_t leaf_rests(std::size_t page_size) { return leaf_entries + 4 * leaf_room(page_size); }

struct BandRun {
	const std::uint32_t *entries;
	std::size_t count;
};

// Of sorted items, 1 … leaf_room of them.
void fill_leaf(std::uint8_t *page, std::size_t page_size, const std::uint64_t *items, std::size_t n) noexcept;
BandRun leaf_run(const std::uint8_t *page, std::size_t page_size, std::uint32_t key) noexcept;
std::size_t leaf_count(const std::uint8_t *page) noexcept;
// Is it what fill_leaf writes?
bool is_sound_leaf(const std::uint8_t *page, std::size_t page_size, std::uint32_t least_key) noexcept;

// ---- fences and root: a header, then keys in order

struct BandFenceHeader {
	std::uint32_t count, zero;
};

constexpr std::size_t fence_room(std::size_t page_size)
{
	return (page_size - sketch_page_header - sketch_page_mark - sizeof(BandFenceHeader)) / 4;
}

void fill_fences(std::uint8_t *page, const std::uint32_t *keys, std::size_t n) noexcept;
std::size_t fence_count(const std::uint8_t *page) noexcept;
const std::uint32_t *fence_keys(const std::uint8_t *page) noexcept;

// The pages of a table of n items: the leaves come first, then the fences, then the root.
struct BandPages {
	std::uint32_t leaves, fences;
	constexpr std::uint32_t all() const { return leaves == 0 ? 0 : leaves + fences + 1; }
};
constexpr BandPages band_pages(std::uint64_t items, std::size_t page_size)
{
	const auto leaves = (items + leaf_room(page_size) - 1) / leaf_room(page_size);
	return {static_cast<std::uint32_t>(leaves),
		static_cast<std::uint32_t>((leaves + fence_room(page_size) - 1) / fence_room(page_size))};
}

// ---- candidates

// Sorts the entries and keeps those that come at least `least` times, each once; returns their number.
std::size_t entries_with(std::uint32_t *entries, std::size_t n, int least) noexcept;

} // namespace txtfp::core
