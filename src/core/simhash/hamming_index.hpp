// Multi-index hashing (M. Norouzi, A. Punjani, D. Fleet, 2012) over the four 16-bit blocks of a 64-bit value: if two
// values differ in at most d = 4q + m bits (0 ≤ m < 4), then either one of the first m + 1 blocks differs in at most q
// bits or one of the others in at most q − 1. So a search enumerates the block values within those radii.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace txtfp::core {

constexpr int hamming_blocks = 4, hamming_block_bits = 16;
// Beyond this radius a search would look up more than 10,000 block values, and a scan is the better plan.
constexpr int max_indexed_distance = 15;

// Block 0 is the most significant. The wide key of a block: its number in the top 2 bits, then the value rotated so
// that the block leads, without its last 2 bits. Keys of one block share a prefix of 18 bits if the blocks are equal.
constexpr std::uint64_t wide_key(std::uint64_t value, int block) noexcept
{
	return std::uint64_t(block) << 62 | std::rotl(value, hamming_block_bits * block) >> 2;
}
constexpr int prefix_shift = 64 - 2 - hamming_block_bits;

// The compact key: block number and block, which is the prefix of the wide key alone.
constexpr std::uint64_t compact_key(std::uint64_t value, int block) noexcept
{
	return wide_key(value, block) >> prefix_shift;
}

// A lower bound of the distance, from two wide keys of the same block.
constexpr int wide_key_distance(std::uint64_t a, std::uint64_t b) noexcept { return std::popcount(a ^ b); }

// The number of bits of a block that may differ in a search within `radius`; −1: the search need not look at the block.
constexpr int block_radius(int radius, int block) noexcept { return block <= radius % 4 ? radius / 4 : radius / 4 - 1; }

// Calls fn(mask) for all masks of `bits` set bits among the low 16, in ascending order (Gosper's hack).
template <class Fn> void for_each_mask(int bits, Fn fn)
{
	if (bits == 0)
		return fn(0u);
	for (std::uint32_t mask = (1u << bits) - 1; mask < 1u << hamming_block_bits;) {
		fn(mask);
		const std::uint32_t lowest = mask & -mask, ripple = mask + lowest;
		mask = ripple | (mask ^ ripple) / lowest >> 2;
	}
}

// The compact keys that a search within `radius` (0 … max_indexed_distance) must look up, each once.
std::vector<std::uint32_t> probe_keys(std::uint64_t value, int radius);
std::size_t probe_key_count(int radius) noexcept;

} // namespace txtfp::core
