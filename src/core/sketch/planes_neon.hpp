// The kernel of planes.cpp for AArch64.
#pragma once

#include "core/base/neon.hpp"
#include "core/sketch/planes_plain.hpp"

namespace txtfp::core::plane_kernels {

struct Neon {
	template <std::size_t W, std::size_t P, bool keep> static void planes(const Input &in, std::uint16_t *out) noexcept
	{
		if (in.n < step)
			return planes_by_words<W, P, keep>(in, out);
		constexpr std::size_t registers = 4 * W;
		uint8x16_t probe[P][2];
		for (std::size_t p = 0; p < P; ++p) {
			alignas(64) std::uint8_t repeated[64];
			repeat<W>(in.probe, p, repeated);
			probe[p][0] = vld1q_u8(repeated);
			probe[p][1] = vld1q_u8(repeated + 16);
		}
		for (std::size_t i = 0; i < in.n; i = next_block(i, in.n)) {
			uint8x16_t any[registers];
#pragma GCC unroll 16
			for (std::size_t v = 0; v < registers; ++v) {
				std::uint64_t *differ = keep ? in.differ + W * i + 2 * v : nullptr;
				any[v] = keep ? vreinterpretq_u8_u64(vld1q_u64(differ)) : vdupq_n_u8(0);
#pragma GCC unroll 4
				for (std::size_t p = 0; p < P; ++p) {
					const uint8x16_t plane = vld1q_u8(in.rows + p * in.stride + 8 * W * i + 16 * v);
					any[v] = vorrq_u8(any[v], veorq_u8(plane, probe[p][v % 2]));
				}
				if (keep)
					vst1q_u64(differ, vreinterpretq_u64_u8(any[v]));
			}
			vst1q_u16(out + i, neon::count_rows<W>(any));
		}
	}

	static void codes(const Codes &in, std::uint16_t *out) noexcept
	{
		const uint8x16_t low_probe = vld1q_u8(in.probe), high_probe = vld1q_u8(in.probe + 16);
		for (std::size_t i = 0; i < in.n; ++i)
			if (out[i] <= in.limit) {
				const uint8x16_t low = vld1q_u8(in.low + 16 * i), high = vld1q_u8(in.high + 16 * i);
				const uint8x16_t lower = veorq_u8(low, low_probe), upper = veorq_u8(high, high_probe);
				const uint8x16_t farthest = vbicq_u8(vandq_u8(lower, upper), veorq_u8(low, high));
				const uint8x16_t twice = vcntq_u8(vbicq_u8(upper, lower));
				const uint8x16_t sum = vaddq_u8(vcntq_u8(lower), vaddq_u8(twice, twice));
				const uint8x16_t all = vmlaq_u8(sum, vcntq_u8(farthest), vdupq_n_u8(5)); // of eight codes at most 48
				out[i] = static_cast<std::uint16_t>(out[i] + vaddlvq_u8(all));
			}
	}

	static std::size_t within(
		const std::uint16_t *bounds, std::size_t n, std::uint16_t max_bound, std::uint16_t *rows) noexcept
	{
		const uint16x8_t limit = vdupq_n_u16(max_bound);
		std::size_t found = 0, i = 0;
		for (; i + 16 <= n; i += 16) {
			const uint16x8_t low = vcleq_u16(vld1q_u16(bounds + i), limit);
			const uint16x8_t high = vcleq_u16(vld1q_u16(bounds + i + 8), limit);
			const uint8x16_t close = vcombine_u8(vmovn_u16(low), vmovn_u16(high));
			std::uint64_t hits = neon::nibbles_of_bytes(close) & 0x1111111111111111;
			for (; hits != 0; hits &= hits - 1)
				rows[found++] = static_cast<std::uint16_t>(i + static_cast<std::size_t>(std::countr_zero(hits)) / 4);
		}
		return found + within_one_by_one(bounds, i, n, max_bound, rows + found);
	}
};

} // namespace txtfp::core::plane_kernels
