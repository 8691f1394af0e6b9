// The kernels of planes.cpp for x86-64.
#pragma once

#include "core/sketch/planes_plain.hpp"

#include <immintrin.h>

#define TXTFP_AVX2 "avx2,popcnt"
#define TXTFP_AVX512 "avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,popcnt"

namespace txtfp::core::plane_kernels {

struct Popcnt {
	template <std::size_t W, std::size_t P, bool keep>
	[[gnu::target("popcnt")]] static void planes(const Input &in, std::uint16_t *out) noexcept
	{
		planes_by_words<W, P, keep>(in, out);
	}
	// Rows are chosen before their codes are read, because a branch for each row would often be mispredicted.
	[[gnu::target("popcnt")]] static void codes(const Codes &in, std::uint16_t *out) noexcept
	{
		constexpr std::size_t most = 64;
		std::uint16_t rows[most];
		for (std::size_t first = 0; first < in.n; first += most) {
			const std::size_t n = std::min(most, in.n - first);
			std::size_t found = 0;
			for (std::size_t i = 0; i < n; ++i) {
				rows[found] = static_cast<std::uint16_t>(first + i);
				found += out[first + i] <= in.limit;
			}
			for (std::size_t i = 0; i < found; ++i)
				add_code_distance(in, rows[i], out);
		}
	}
	// SSE2 cannot compare unsigned numbers, but it has a saturating subtraction.
	static std::size_t within(
		const std::uint16_t *bounds, std::size_t n, std::uint16_t max_bound, std::uint16_t *rows) noexcept
	{
		const __m128i limit = _mm_set1_epi16(static_cast<short>(max_bound));
		std::size_t found = 0, i = 0;
		for (; i + 8 <= n; i += 8) {
			const __m128i over = _mm_subs_epu16(_mm_loadu_si128(reinterpret_cast<const __m128i *>(bounds + i)), limit);
			auto hits = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi16(over, _mm_setzero_si128())));
			for (hits &= 0x5555; hits != 0; hits &= hits - 1)
				rows[found++] = static_cast<std::uint16_t>(i + static_cast<std::size_t>(std::countr_zero(hits)) / 2);
		}
		return found + within_one_by_one(bounds, i, n, max_bound, rows + found);
	}
};

struct Avx2 {
	// The number of set bits in each byte.
	[[gnu::target(TXTFP_AVX2), gnu::always_inline]] static inline __m256i bits_of_bytes(__m256i bits) noexcept
	{
		const __m256i nibble = _mm256_set1_epi8(15),
					  counts =
						  _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
		const __m256i low = _mm256_shuffle_epi8(counts, _mm256_and_si256(bits, nibble));
		const __m256i high = _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi16(bits, 4), nibble));
		return _mm256_add_epi8(low, high);
	}

	// The number of set bits in each 64 bits.
	[[gnu::target(TXTFP_AVX2), gnu::always_inline]] static inline __m256i count_bits(__m256i bits) noexcept
	{
		return _mm256_sad_epu8(bits_of_bytes(bits), _mm256_setzero_si256());
	}

	// The lower halves of the 64-bit lanes of both: a0 a1 b0 b1, a2 a3 b2 b3
	[[gnu::target(TXTFP_AVX2), gnu::always_inline]] static inline __m256i halves(__m256i a, __m256i b) noexcept
	{
		return _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0x88));
	}

	// Eight sums of W words each, as 16-bit lanes
	template <std::size_t W>
	[[gnu::target(TXTFP_AVX2), gnu::always_inline]] static inline __m128i add_words(const __m256i *sums) noexcept
	{
		if constexpr (W == 1) {
			const __m256i all = halves(sums[0], sums[1]), shorts = _mm256_packs_epi32(all, all); // 0 1 4 5, 2 3 6 7
			return _mm_unpacklo_epi32(_mm256_castsi256_si128(shorts), _mm256_extracti128_si256(shorts, 1));
		} else if constexpr (W == 2) {
			const __m256i rows =
				_mm256_hadd_epi32(halves(sums[0], sums[1]), halves(sums[2], sums[3])); // 0 2 4 6, 1 3 5 7
			const __m256i shorts = _mm256_packs_epi32(rows, rows);
			return _mm_unpacklo_epi16(_mm256_castsi256_si128(shorts), _mm256_extracti128_si256(shorts, 1));
		} else {
			__m128i four[2];
			for (std::size_t i = 0; i < 2; ++i) {
				const __m256i parts =
					_mm256_hadd_epi32(halves(sums[4 * i], sums[4 * i + 1]), halves(sums[4 * i + 2], sums[4 * i + 3]));
				four[i] = _mm_add_epi32(_mm256_castsi256_si128(parts), _mm256_extracti128_si256(parts, 1));
			}
			return _mm_packs_epi32(four[0], four[1]);
		}
	}

	template <std::size_t W, std::size_t P, bool keep>
	[[gnu::target(TXTFP_AVX2)]] static void planes(const Input &in, std::uint16_t *out) noexcept
	{
		if (in.n < step)
			return planes_by_words<W, P, keep>(in, out);
		__m256i probe[P];
		for (std::size_t p = 0; p < P; ++p) {
			alignas(64) std::uint8_t repeated[64];
			repeat<W>(in.probe, p, repeated);
			probe[p] = _mm256_load_si256(reinterpret_cast<const __m256i *>(repeated));
		}
		for (std::size_t i = 0; i < in.n; i = next_block(i, in.n)) {
			__m256i sums[2 * W];
			for (std::size_t v = 0; v < 2 * W; ++v) {
				auto *differ = keep ? reinterpret_cast<__m256i *>(in.differ + W * i + 4 * v) : nullptr;
				__m256i any = keep ? _mm256_loadu_si256(differ) : _mm256_setzero_si256();
				for (std::size_t p = 0; p < P; ++p) {
					const auto *at = reinterpret_cast<const __m256i *>(in.rows + p * in.stride + 8 * W * i + 32 * v);
					any = _mm256_or_si256(any, _mm256_xor_si256(_mm256_loadu_si256(at), probe[p]));
				}
				if (keep)
					_mm256_storeu_si256(differ, any);
				sums[v] = count_bits(any);
			}
			_mm_storeu_si128(reinterpret_cast<__m128i *>(out + i), add_words<W>(sums));
		}
	}

	// The distances of the codes of two rows, the sum of each in two lanes of 64 bits. A byte of the sum is at most 8 ·
	// 6.
	[[gnu::target(TXTFP_AVX2), gnu::always_inline]] static inline __m256i code_distances(
		__m256i low, __m256i high, __m256i low_probe, __m256i high_probe) noexcept
	{
		const __m256i lower = _mm256_xor_si256(low, low_probe), upper = _mm256_xor_si256(high, high_probe);
		const __m256i farthest = _mm256_andnot_si256(_mm256_xor_si256(low, high), _mm256_and_si256(lower, upper));
		const __m256i twice = bits_of_bytes(_mm256_andnot_si256(lower, upper)), five = bits_of_bytes(farthest);
		__m256i sum = _mm256_add_epi8(bits_of_bytes(lower), _mm256_add_epi8(twice, twice));
		sum = _mm256_add_epi8(sum, _mm256_add_epi8(five, _mm256_slli_epi16(five, 2))); // five is at most 8
		return _mm256_sad_epu8(sum, _mm256_setzero_si256());
	}

	[[gnu::target(TXTFP_AVX2)]] static void codes(const Codes &in, std::uint16_t *out) noexcept
	{
		const __m256i low_probe =
			_mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i *>(in.probe)));
		const __m256i high_probe =
			_mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i *>(in.probe + 16)));
		const __m128i most = _mm_set1_epi16(static_cast<short>(std::min(in.limit, 0xFFFF)));
		std::size_t i = 0;
		for (; i + step <= in.n; i += step) {
			const __m128i sofar = _mm_loadu_si128(reinterpret_cast<const __m128i *>(out + i));
			const __m128i within = _mm_cmpeq_epi16(_mm_subs_epu16(sofar, most), _mm_setzero_si128());
			if (_mm_testz_si128(within, within))
				continue;
			__m256i sums[4];
			for (std::size_t v = 0; v < 4; ++v)
				sums[v] =
					code_distances(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(in.low + 16 * i + 32 * v)),
						_mm256_loadu_si256(reinterpret_cast<const __m256i *>(in.high + 16 * i + 32 * v)), low_probe,
						high_probe);
			_mm_storeu_si128(reinterpret_cast<__m128i *>(out + i), _mm_add_epi16(sofar, add_words<2>(sums)));
		}
		codes_by_words({in.low + 16 * i, in.high + 16 * i, in.n - i, in.probe, in.limit}, out + i);
	}

	[[gnu::target(TXTFP_AVX2)]] static std::size_t within(
		const std::uint16_t *bounds, std::size_t n, std::uint16_t max_bound, std::uint16_t *rows) noexcept
	{
		const __m256i limit = _mm256_set1_epi16(static_cast<short>(max_bound));
		std::size_t found = 0, i = 0;
		for (; i + 16 <= n; i += 16) {
			const __m256i over =
				_mm256_subs_epu16(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(bounds + i)), limit);
			auto hits =
				static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi16(over, _mm256_setzero_si256())));
			for (hits &= 0x55555555; hits != 0; hits &= hits - 1)
				rows[found++] = static_cast<std::uint16_t>(i + static_cast<std::size_t>(std::countr_zero(hits)) / 2);
		}
		return found + within_one_by_one(bounds, i, n, max_bound, rows + found);
	}
};

// g++ 12 warns about its own unmasked intrinsics; therefore masks of all ones are used.
struct Avx512 {
	// Sums of adjacent lanes: first of a, then of b
	[[gnu::target(TXTFP_AVX512), gnu::always_inline]] static inline __m512i add_pairs(__m512i a, __m512i b) noexcept
	{
		const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14),
					  odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
		return _mm512_add_epi64(
			_mm512_maskz_permutex2var_epi64(0xFF, a, even, b), _mm512_maskz_permutex2var_epi64(0xFF, a, odd, b));
	}

	// Eight sums of W words each
	template <std::size_t W>
	[[gnu::target(TXTFP_AVX512), gnu::always_inline]] static inline __m512i add_words(const __m512i *sums) noexcept
	{
		if constexpr (W == 1)
			return sums[0];
		else if constexpr (W == 2)
			return add_pairs(sums[0], sums[1]);
		else
			return add_pairs(add_pairs(sums[0], sums[1]), add_pairs(sums[2], sums[3]));
	}

	template <std::size_t W, std::size_t P, bool keep>
	[[gnu::target(TXTFP_AVX512)]] static void planes(const Input &in, std::uint16_t *out) noexcept
	{
		if (in.n < step)
			return planes_by_words<W, P, keep>(in, out);
		__m512i probe[P];
		for (std::size_t p = 0; p < P; ++p) {
			alignas(64) std::uint8_t repeated[64];
			repeat<W>(in.probe, p, repeated);
			probe[p] = _mm512_load_si512(repeated);
		}
		for (std::size_t i = 0; i < in.n; i = next_block(i, in.n)) {
			__m512i sums[W];
			for (std::size_t v = 0; v < W; ++v) {
				std::uint64_t *differ = keep ? in.differ + W * i + 8 * v : nullptr;
				__m512i any = keep ? _mm512_loadu_si512(differ) : _mm512_setzero_si512();
				for (std::size_t p = 0; p < P; ++p) {
					const __m512i plane = _mm512_loadu_si512(in.rows + p * in.stride + 8 * W * i + 64 * v);
					any = _mm512_ternarylogic_epi64(any, plane, probe[p], 0xF6); // any | (plane ^ probe)
				}
				if (keep)
					_mm512_storeu_si512(differ, any);
				sums[v] = _mm512_popcnt_epi64(any);
			}
			const __m128i shorts = _mm512_maskz_cvtepi64_epi16(0xFF, add_words<W>(sums));
			_mm_storeu_si128(reinterpret_cast<__m128i *>(out + i), shorts);
		}
	}

	[[gnu::target(TXTFP_AVX512)]] static void codes(const Codes &in, std::uint16_t *out) noexcept
	{
		const __m512i low_probe =
			_mm512_maskz_broadcast_i32x4(0xFFFF, _mm_loadu_si128(reinterpret_cast<const __m128i *>(in.probe)));
		const __m512i high_probe =
			_mm512_maskz_broadcast_i32x4(0xFFFF, _mm_loadu_si128(reinterpret_cast<const __m128i *>(in.probe + 16)));
		const __m128i limits = _mm_set1_epi16(static_cast<short>(std::min(in.limit, 0xFFFF)));
		std::size_t i = 0;
		for (; i + step <= in.n; i += step) {
			const __m128i sofar = _mm_loadu_si128(reinterpret_cast<const __m128i *>(out + i));
			if (_mm_cmple_epu16_mask(sofar, limits) == 0)
				continue;
			__m512i sums[2];
			for (std::size_t v = 0; v < 2; ++v) {
				const __m512i low = _mm512_loadu_si512(in.low + 16 * i + 64 * v),
							  high = _mm512_loadu_si512(in.high + 16 * i + 64 * v);
				const __m512i lower = _mm512_xor_si512(low, low_probe), upper = _mm512_xor_si512(high, high_probe);
				const __m512i twice = _mm512_popcnt_epi64(_mm512_ternarylogic_epi64(upper, lower, lower, 0x30));
				const __m512i five = _mm512_popcnt_epi64(
					_mm512_and_si512(_mm512_and_si512(lower, upper), _mm512_ternarylogic_epi64(low, high, high, 0xC3)));
				sums[v] = _mm512_add_epi64(_mm512_popcnt_epi64(lower), _mm512_add_epi64(twice, twice));
				sums[v] = _mm512_add_epi64(sums[v], _mm512_add_epi64(five, _mm512_maskz_slli_epi64(0xFF, five, 2)));
			}
			const __m128i shorts = _mm512_maskz_cvtepi64_epi16(0xFF, add_pairs(sums[0], sums[1]));
			_mm_storeu_si128(reinterpret_cast<__m128i *>(out + i), _mm_add_epi16(sofar, shorts));
		}
		codes_by_words({in.low + 16 * i, in.high + 16 * i, in.n - i, in.probe, in.limit}, out + i);
	}

	[[gnu::target(TXTFP_AVX512)]] static std::size_t within(
		const std::uint16_t *bounds, std::size_t n, std::uint16_t max_bound, std::uint16_t *rows) noexcept
	{
		const __m512i limit = _mm512_set1_epi16(static_cast<short>(max_bound));
		std::size_t found = 0;
		for (std::size_t i = 0; i < n; i += 32) {
			const __mmask32 there = n - i >= 32 ? 0xFFFFFFFF : (1U << (n - i)) - 1;
			std::uint32_t hits =
				_mm512_mask_cmple_epu16_mask(there, _mm512_maskz_loadu_epi16(there, bounds + i), limit);
			for (; hits != 0; hits &= hits - 1)
				rows[found++] = static_cast<std::uint16_t>(i + static_cast<std::size_t>(std::countr_zero(hits)));
		}
		return found;
	}
};

} // namespace txtfp::core::plane_kernels
