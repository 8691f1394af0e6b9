#include "core/sketch/bands.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "core/base/bytes.hpp"
#include "core/base/splitmix.hpp"
#include "core/minhash/lsh.hpp"

namespace txtfp::core {

namespace {

constexpr std::size_t max_planes = 16, word_bands = 16; // a 64-bit word of a plane holds the bits of this many bands

// Transposes a 16 × 16 matrix of nibbles: nibble c of word r becomes nibble r of word c (Hacker's Delight, 7-3).
void transpose_nibbles(std::uint64_t *words) noexcept
{
	std::uint64_t mask = 0x00000000FFFFFFFF;
	for (std::size_t j = 8; j != 0; j >>= 1, mask ^= mask << 4 * j)
		for (std::size_t k = 0; k < 16; k = ((k | j) + 1) & ~j) {
			const std::uint64_t t = (words[k] >> 4 * j ^ words[k | j]) & mask;
			words[k | j] ^= t;
			words[k] ^= t << 4 * j;
		}
}

// Hashes the 4 × 16 bits of a band; the upper half is zero if there are only eight planes.
std::uint32_t band_key(std::uint64_t slots, std::size_t band) noexcept
{
	return static_cast<std::uint32_t>(SplitMix64::mixed(slots + (band + 1) * SplitMix64::step) >> 32);
}

BandLeafHeader leaf_header(const std::uint8_t *page) noexcept
{
	BandLeafHeader header;
	std::memcpy(&header, page + sketch_page_header, sizeof header);
	return header;
}

const std::uint32_t *entries_of(const std::uint8_t *page) noexcept
{
	return reinterpret_cast<const std::uint32_t *>(page + leaf_entries);
}

const std::uint16_t *deltas_of(const std::uint8_t *page, std::size_t page_size) noexcept
{
	return reinterpret_cast<const std::uint16_t *>(page + leaf_deltas(page_size));
}

// The index of the first of n sorted deltas that is at least `wanted`, or n. The deltas are spread evenly, so an
// interpolation search finds a near one; a galloping search then brackets the result.
std::size_t first_at_least(const std::uint16_t *deltas, std::size_t n, std::uint16_t wanted) noexcept
{
	const std::size_t last = n - 1, range = deltas[last];
	const std::size_t guess = wanted >= range ? last : last * wanted / (range + 1);
	std::size_t low = 0, high = n; // the result is at least `low` and at most `high`
	if (deltas[guess] < wanted) {
		low = guess + 1;
		for (std::size_t step = 16; low + step < n && deltas[low + step] < wanted; step *= 2)
			low += step + 1;
		for (std::size_t step = 16; low + step < n; step *= 2)
			if (deltas[low + step] >= wanted) {
				high = low + step;
				break;
			}
	} else {
		high = guess;
		for (std::size_t step = 16; step < high; step *= 2)
			if (deltas[high - step] < wanted) {
				low = high - step + 1;
				break;
			}
	}
	return static_cast<std::size_t>(std::lower_bound(deltas + low, deltas + high, wanted) - deltas);
}

} // namespace

int needed_bands(int bands, int slots, int limit, double recall) noexcept
{
	const int certain = std::max(certain_bands(bands, limit), 0);
	if (limit < 0 || recall >= 1)
		return certain;
	const double threshold = static_cast<double>(slots - limit) / slots;
	return std::max(certain, min_matching_bands(threshold, {bands, static_cast<int>(band_slots)}, recall));
}

int served_limit(int bands, int slots, int needed, double recall) noexcept
{
	int low = -1, high = slots; // needed_bands falls with the limit
	while (low < high) {
		const int limit = low + (high - low + 1) / 2;
		if (needed_bands(bands, slots, limit, recall) >= needed)
			low = limit;
		else
			high = limit - 1;
	}
	return low;
}

void signature_band_keys(
	const std::uint8_t *signature, std::size_t planes, std::size_t plane_size, std::size_t n, std::uint32_t *keys) noexcept
{
	for (std::size_t first = 0; first < n; first += word_bands) {
		std::uint64_t words[max_planes] = {};
		for (std::size_t p = 0; p < planes; ++p)
			words[p] = load_le64(signature + p * plane_size + 8 * (first / word_bands));
		transpose_nibbles(words);
		for (std::size_t i = 0; i < word_bands && first + i < n; ++i)
			keys[first + i] = band_key(words[i], first + i);
	}
}

std::uint32_t leading_key(std::uint32_t hash, std::size_t column) noexcept
{
	return static_cast<std::uint32_t>(SplitMix64::mixed(hash + (max_bands + column + 1) * SplitMix64::step) >> 32);
}

// A radix sort by 11 bits of the key at a time, the least significant ones first.
void sort_items(std::uint64_t *items, std::size_t n, std::uint64_t *scratch) noexcept
{
	constexpr std::size_t digit = 11, digits = 3, values = std::size_t{1} << digit;
	std::size_t counts[digits][values] = {};
	const auto digit_of = [](std::uint64_t item, std::size_t d) { return item >> (32 + digit * d) & (values - 1); };
	for (std::size_t i = 0; i < n; ++i)
		for (std::size_t d = 0; d < digits; ++d)
			++counts[d][digit_of(items[i], d)];
	std::uint64_t *from = items, *to = scratch;
	for (std::size_t d = 0; d < digits; ++d) {
		if (n == 0 || counts[d][digit_of(from[0], d)] == n)
			continue; // all items have the same digit
		std::size_t next = 0;
		for (std::size_t &count : counts[d])
			next += std::exchange(count, next);
		for (std::size_t i = 0; i < n; ++i)
			to[counts[d][digit_of(from[i], d)]++] = from[i];
		std::swap(from, to);
	}
	if (from != items)
		std::memcpy(items, from, n * sizeof *items);
}

void fill_leaf(std::uint8_t *page, std::size_t page_size, const std::uint64_t *items, std::size_t n) noexcept
{
	const std::uint32_t base = item_key(items[0]), range = item_key(items[n - 1]) - base;
	const int bits = std::bit_width(range);
	const BandLeafHeader header{
		base, static_cast<std::uint16_t>(n), static_cast<std::uint16_t>(std::max(bits - 16, 0))};
	std::memcpy(page + sketch_page_header, &header, sizeof header);
	auto *entries = const_cast<std::uint32_t *>(entries_of(page));
	auto *deltas = const_cast<std::uint16_t *>(deltas_of(page, page_size));
	for (std::size_t i = 0; i < n; ++i) {
		entries[i] = item_entry(items[i]);
		deltas[i] = static_cast<std::uint16_t>((item_key(items[i]) - base) >> header.shift);
	}
}

bool has_sound_leaf_header(const std::uint8_t *page, std::size_t page_size) noexcept
{
	const BandLeafHeader header = leaf_header(page);
	return header.count > 0 && header.count <= leaf_capacity(page_size) && header.shift <= 16;
}

BandRun leaf_run(const std::uint8_t *page, std::size_t page_size, std::uint32_t key) noexcept
{
	const BandLeafHeader header = leaf_header(page);
	if (key < header.base || (key - header.base) >> header.shift > 0xFFFF)
		return {nullptr, 0};
	const auto wanted = static_cast<std::uint16_t>((key - header.base) >> header.shift);
	const std::uint16_t *deltas = deltas_of(page, page_size);
	const std::size_t first = first_at_least(deltas, header.count, wanted);
	std::size_t end = first;
	while (end < header.count && deltas[end] == wanted)
		++end;
	return {entries_of(page) + first, end - first};
}

std::size_t leaf_count(const std::uint8_t *page) noexcept { return leaf_header(page).count; }

bool is_sound_leaf(const std::uint8_t *page, std::size_t page_size, std::uint32_t least_key) noexcept
{
	const BandLeafHeader header = leaf_header(page);
	const std::uint16_t *deltas = deltas_of(page, page_size);
	return has_sound_leaf_header(page, page_size) && header.base >= least_key && deltas[0] == 0 &&
		std::is_sorted(deltas, deltas + header.count);
}

void fill_fences(std::uint8_t *page, const std::uint32_t *keys, std::size_t n) noexcept
{
	const BandFenceHeader header{static_cast<std::uint32_t>(n), 0};
	std::memcpy(page + sketch_page_header, &header, sizeof header);
	std::memcpy(page + sketch_page_header + sizeof header, keys, 4 * n);
}

namespace {

BandFenceHeader fence_header(const std::uint8_t *page) noexcept
{
	BandFenceHeader header;
	std::memcpy(&header, page + sketch_page_header, sizeof header);
	return header;
}

} // namespace

std::size_t fence_count(const std::uint8_t *page) noexcept { return fence_header(page).count; }

const std::uint32_t *fence_keys(const std::uint8_t *page) noexcept
{
	return reinterpret_cast<const std::uint32_t *>(page + sketch_page_header + sizeof(BandFenceHeader));
}

bool is_sound_fences(const std::uint8_t *page, const std::uint32_t *keys, std::size_t n) noexcept
{
	const BandFenceHeader header = fence_header(page);
	return header.count == n && header.zero == 0 && std::memcmp(fence_keys(page), keys, 4 * n) == 0;
}

std::size_t keep_frequent_entries(std::uint32_t *entries, std::size_t n, int min_count) noexcept
{
	std::sort(entries, entries + n);
	std::size_t kept = 0;
	for (std::size_t first = 0, end; first < n; first = end) {
		for (end = first + 1; end < n && entries[end] == entries[first];)
			++end;
		if (end - first >= static_cast<std::size_t>(std::max(min_count, 1)))
			entries[kept++] = entries[first];
	}
	return kept;
}

} // namespace txtfp::core
