#include "core/simhash/hamming_join.hpp"

#include "core/base/cpu.hpp"

namespace txtfp::core {

TXTFP_CLONES std::size_t find_close(
	std::uint64_t value, const std::uint64_t *values, std::size_t n, int radius, std::uint16_t *found) noexcept
{
	std::size_t count = 0;
	for (std::size_t i = 0; i < n; ++i) {
		found[count] = static_cast<std::uint16_t>(i);
		count += __builtin_popcountll(value ^ values[i]) <= radius;
	}
	return count;
}

BlockMasks::BlockMasks() noexcept
{
	std::size_t filled = 0;
	for (int bits = 0; bits <= max_mask_bits; ++bits) {
		for_each_mask(bits, [&](std::uint32_t mask) { masks[filled++] = static_cast<std::uint16_t>(mask); });
		count[bits] = filled;
	}
}

bool is_indexed_join(std::size_t n, int radius) noexcept
{
	constexpr double group_cost = 4; // cost of looking at a group, in units of one comparison of values
	if (block_radius(radius, 0) > max_mask_bits)
		return false;
	const double rows = static_cast<double>(n), groups = static_cast<double>(probe_key_count(radius)) / 2;
	return groups * (group_cost + rows / hamming_block_values) < rows / 2;
}

} // namespace txtfp::core
