#include "core/simhash/hamming_join.hpp"

#include <bit>

#include "core/base/neon.hpp"

namespace txtfp::core {

namespace {

TXTFP_KERNEL std::size_t close_values(
	std::uint64_t value, const std::uint64_t *values, std::size_t n, int radius, std::uint16_t *found) noexcept
{
	std::size_t count = 0;
	for (std::size_t i = 0; i < n; ++i) {
		found[count] = static_cast<std::uint16_t>(i);
		count += __builtin_popcountll(value ^ values[i]) <= radius;
	}
	return count;
}

#if defined(TXTFP_NEON)
// Eight at a time; most have nothing close among them.
std::size_t close_values_neon(
	std::uint64_t value, const std::uint64_t *values, std::size_t n, int radius, std::uint16_t *found) noexcept
{
	constexpr std::size_t rows = 8;
	const uint8x16_t probe = vreinterpretq_u8_u64(vdupq_n_u64(value));
	const uint16x8_t most = vdupq_n_u16(static_cast<std::uint16_t>(radius));
	std::size_t count = 0, i = 0;
	for (; radius >= 0 && i + rows <= n; i += rows) {
		uint8x16_t differ[rows / 2];
#pragma GCC unroll 4
		for (std::size_t k = 0; k < rows / 2; ++k)
			differ[k] = veorq_u8(vreinterpretq_u8_u64(vld1q_u64(values + i + 2 * k)), probe);
		const uint8x8_t close = vmovn_u16(vcleq_u16(neon::count_rows<1>(differ), most));
		for (std::uint64_t hits = vget_lane_u64(vreinterpret_u64_u8(close), 0) & 0x0101010101010101; hits != 0;
			 hits &= hits - 1)
			found[count++] = static_cast<std::uint16_t>(i + static_cast<std::size_t>(std::countr_zero(hits)) / 8);
	}
	for (; i < n; ++i)
		if (std::popcount(value ^ values[i]) <= radius)
			found[count++] = static_cast<std::uint16_t>(i);
	return count;
}
#endif

} // namespace

std::size_t find_close(
	std::uint64_t value, const std::uint64_t *values, std::size_t n, int radius, std::uint16_t *found) noexcept
{
#if defined(TXTFP_NEON)
	if (simd_level() == SimdLevel::neon)
		return close_values_neon(value, values, n, radius, found);
#endif
	return dispatch<close_values>(simd_level(), value, values, n, radius, found);
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
