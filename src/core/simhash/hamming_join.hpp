// All pairs of distinct 64-bit values within a Hamming distance, exactly: multi-index hashing (see hamming_index.hpp)
// with both sides in memory. For each of the four 16-bit blocks the values are grouped by it, and a group is compared
// with the groups whose block differs in as few bits as the radius demands. A pair that several blocks find is emitted
// by the first of them. If that would cost more than comparing all pairs (few values, large radius), all pairs are
// compared.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/simhash/hamming_index.hpp"

namespace txtfp::core {

constexpr std::size_t hamming_block_values = std::size_t{1} << hamming_block_bits;

// Working memory for a join of n values; the caller owns it.
struct HammingJoinSpace {
	std::uint64_t *values;  // n: the values, grouped by the current block
	std::uint32_t *places;  // n: their positions in the input
	std::uint32_t *offsets; // hamming_block_values + 1
};

// Writes the positions i < n with distance(value, values[i]) ≤ radius in ascending order; returns their number.
constexpr std::size_t hamming_chunk = 1024; // n at most
std::size_t find_close(
	std::uint64_t value, const std::uint64_t *values, std::size_t n, int radius, std::uint16_t *found) noexcept;

// Masks of up to max_mask_bits of 16 bits, by number of bits.
constexpr int max_mask_bits = 5;
struct BlockMasks {
	std::uint16_t masks[6885];
	std::size_t count[max_mask_bits + 1]; // number of masks with at most that many bits
	BlockMasks() noexcept;
};

bool is_indexed_join(std::size_t n, int radius) noexcept; // true: by blocks; false: all pairs

// Calls emit(i, j) for each pair of positions in `values`, and poll(n) whenever n more of steps() are done. Both may
// leave by longjmp.
template <class Emit, class Poll> class HammingJoin {
public:
	HammingJoin(std::span<const std::uint64_t> values, int radius, HammingJoinSpace space, Emit emit, Poll poll)
		: values_(values), radius_(radius), space_(space), emit_(emit), poll_(poll)
	{
	}

	std::uint64_t steps() const noexcept
	{
		const int blocks = is_indexed_join(values_.size(), radius_) ? std::min(radius_ + 1, hamming_blocks) : 1;
		return values_.size() * static_cast<std::uint64_t>(blocks);
	}

	void run()
	{
		if (!is_indexed_join(values_.size(), radius_))
			return compare_all();
		const BlockMasks masks;
		for (int block = 0; block < hamming_blocks; ++block)
			if (const int bits = block_radius(radius_, block); bits >= 0) {
				group_by(block);
				join_groups(block, {masks.masks, masks.count[bits]});
			}
	}

private:
	static std::size_t block_of(std::uint64_t value, int block) noexcept { return compact_key(value, block) & 0xFFFF; }

	void poll_now_and_then(std::size_t i)
	{
		if (i % 4096 == 0)
			poll_(0);
	}

	// A counting sort.
	void group_by(int block)
	{
		std::uint32_t *offsets = space_.offsets;
		std::fill_n(offsets, hamming_block_values + 1, 0);
		for (std::size_t i = 0; i < values_.size(); ++i) {
			poll_now_and_then(i);
			++offsets[block_of(values_[i], block) + 1];
		}
		for (std::size_t i = 0; i < hamming_block_values; ++i)
			offsets[i + 1] += offsets[i];
		for (std::size_t i = values_.size();
			 i-- > 0;) { // downwards, so that the offsets end as the starts of the groups
			poll_now_and_then(i);
			const std::uint32_t at = --offsets[block_of(values_[i], block) + 1];
			space_.values[at] = values_[i];
			space_.places[at] = static_cast<std::uint32_t>(i);
		}
		std::copy_n(offsets + 1, hamming_block_values, offsets);
		offsets[hamming_block_values] = static_cast<std::uint32_t>(values_.size());
	}

	void join_groups(int block, std::span<const std::uint16_t> masks)
	{
		const std::uint32_t *offsets = space_.offsets;
		for (std::size_t x = 0; x < hamming_block_values; ++x) {
			if (offsets[x] == offsets[x + 1])
				continue;
			poll_(offsets[x + 1] - offsets[x]);
			for (const std::uint16_t mask : masks)
				if (const std::size_t y = x ^ mask; y >= x && offsets[y] != offsets[y + 1])
					for (std::uint32_t i = offsets[x]; i < offsets[x + 1]; ++i)
						compare(i, y == x ? i + 1 : offsets[y], offsets[y + 1], block);
		}
	}

	void compare(std::size_t i, std::size_t from, std::size_t to, int block)
	{
		std::uint16_t found[hamming_chunk];
		for (; from < to; from += hamming_chunk) {
			if (to - from > hamming_chunk)
				poll_(0);
			const std::size_t n = std::min(to - from, hamming_chunk);
			const std::size_t count = find_close(space_.values[i], space_.values + from, n, radius_, found);
			for (std::size_t k = 0; k < count; ++k)
				if (const std::size_t j = from + found[k]; is_first(block, space_.values[i] ^ space_.values[j]))
					emit_(space_.places[i], space_.places[j]);
		}
	}

	// True if no earlier block finds a pair with this difference.
	bool is_first(int block, std::uint64_t difference) const noexcept
	{
		for (int b = 0; b < block; ++b)
			if (std::popcount(block_of(difference, b)) <= block_radius(radius_, b))
				return false;
		return true;
	}

	void compare_all()
	{
		std::uint16_t found[hamming_chunk];
		for (std::size_t i = 0; i < values_.size(); ++i) {
			poll_(1);
			for (std::size_t from = i + 1; from < values_.size(); from += hamming_chunk) {
				poll_(0);
				const std::size_t n = std::min(values_.size() - from, hamming_chunk);
				const std::size_t count = find_close(values_[i], values_.data() + from, n, radius_, found);
				for (std::size_t k = 0; k < count; ++k)
					emit_(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(from + found[k]));
			}
		}
	}

	std::span<const std::uint64_t> values_;
	int radius_;
	HammingJoinSpace space_;
	Emit emit_;
	Poll poll_;
};

} // namespace txtfp::core
