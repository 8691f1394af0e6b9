// What the NEON kernels share; empty on other processors. NEON has no instruction that gathers one bit of each byte, so
// masks and counts are made by adding neighbours.
#pragma once

#include "core/base/cpu.hpp"

#if defined(TXTFP_NEON)

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>

namespace txtfp::core::neon {

// Bit i of the result is set where byte i of the 64 is 0xFF; all are 0 or 0xFF.
inline std::uint64_t mask_of_bytes(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d) noexcept
{
	constexpr std::uint8_t bits[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
	const uint8x16_t bit = vld1q_u8(bits);
	const uint8x16_t low = vpaddq_u8(vandq_u8(a, bit), vandq_u8(b, bit));
	const uint8x16_t high = vpaddq_u8(vandq_u8(c, bit), vandq_u8(d, bit));
	const uint8x16_t quarters = vpaddq_u8(low, high), all = vpaddq_u8(quarters, quarters);
	return vgetq_lane_u64(vreinterpretq_u64_u8(all), 0);
}

// Four bits for each of 16 bytes that are all 0 or 0xFF.
inline std::uint64_t nibbles_of_bytes(uint8x16_t bytes) noexcept
{
	return vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(bytes), 4)), 0);
}

// Loops over registers are unrolled by hand, because g++ -O2 would keep the registers in memory.

// The sums of neighbouring bytes, until one register is left.
template <std::size_t Registers> inline uint8x16_t add_neighbours(const uint8x16_t (&bytes)[Registers]) noexcept
{
	if constexpr (Registers == 1) {
		return bytes[0];
	} else {
		uint8x16_t sums[Registers / 2];
#pragma GCC unroll 8
		for (std::size_t i = 0; i < Registers / 2; ++i)
			sums[i] = vpaddq_u8(bytes[2 * i], bytes[2 * i + 1]);
		return add_neighbours(sums);
	}
}

// The set bits of each of eight rows of W words of 64 bits, which follow each other in 4 · W registers. W is 1, 2 or 4.
template <std::size_t W> inline uint16x8_t count_rows(const uint8x16_t *bits) noexcept
{
	constexpr std::size_t registers = W == 4 ? 8 : 4 * W;
	uint8x16_t counts[registers]; // of W == 4 only the sum of both halves of a row: at most 16 in a byte
#pragma GCC unroll 8
	for (std::size_t i = 0; i < registers; ++i)
		counts[i] = W == 4 ? vaddq_u8(vcntq_u8(bits[2 * i]), vcntq_u8(bits[2 * i + 1])) : vcntq_u8(bits[i]);
	return vpaddlq_u8(add_neighbours(counts)); // two bytes are left of each row, of at most 128 each
}

} // namespace txtfp::core::neon

#endif
