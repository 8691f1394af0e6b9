#include "core/hamming_index.hpp"

namespace txtfp::core {

namespace {

// How many bits of a block a search within `radius` must allow to differ; −1: it need not look at the block.
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

constexpr std::size_t choose(int n, int k) noexcept
{
	std::size_t result = 1;
	for (int i = 1; i <= k; ++i)
		result = result * static_cast<std::size_t>(n - k + i) / static_cast<std::size_t>(i);
	return result;
}

} // namespace

std::size_t probe_key_count(int radius) noexcept
{
	std::size_t count = 0;
	for (int block = 0; block < hamming_blocks; ++block)
		for (int bits = 0; bits <= block_radius(radius, block); ++bits)
			count += choose(hamming_block_bits, bits);
	return count;
}

std::vector<std::uint32_t> probe_keys(std::uint64_t value, int radius)
{
	std::vector<std::uint32_t> keys;
	keys.reserve(probe_key_count(radius));
	for (int block = 0; block < hamming_blocks; ++block) {
		const auto key = static_cast<std::uint32_t>(compact_key(value, block));
		for (int bits = 0; bits <= block_radius(radius, block); ++bits)
			for_each_mask(bits, [&](std::uint32_t mask) { keys.push_back(key ^ mask); });
	}
	return keys;
}

} // namespace txtfp::core
