#include "core/sketch/planes.hpp"

#include <bit>
#include <cstring>
#include <initializer_list>

#if defined(__x86_64__)
#include <immintrin.h>
#define TXTFP_PLANES_X86 1
#endif

namespace txtfp::core {

namespace {

inline std::uint64_t load(const std::uint8_t *p) noexcept
{
	std::uint64_t v;
	std::memcpy(&v, p, sizeof v);
	return v;
}

struct Input {
	const std::uint8_t *rows;
	std::size_t stride;
	const std::uint8_t *probe;
};

// Rows first … n − 1, one after the other.
template <std::size_t W, std::size_t P>
[[gnu::always_inline]] inline void by_words(
	const Input &in, std::size_t first, std::size_t n, std::uint16_t *out) noexcept
{
	std::uint64_t probe[P][W];
	std::memcpy(probe, in.probe, sizeof probe);
	for (std::size_t i = first; i < n; ++i) {
		int differ = 0;
		for (std::size_t w = 0; w < W; ++w) {
			std::uint64_t any = 0;
			for (std::size_t p = 0; p < P; ++p)
				any |= load(in.rows + p * in.stride + 8 * (W * i + w)) ^ probe[p][w];
			differ += std::popcount(any);
		}
		out[i] = static_cast<std::uint16_t>(differ);
	}
}

template <std::size_t W, std::size_t P> struct Baseline {
	static void run(const Input &in, std::size_t n, std::uint16_t *out) noexcept { by_words<W, P>(in, 0, n, out); }
};

#ifdef TXTFP_PLANES_X86

template <std::size_t W, std::size_t P> struct Popcnt {
	[[gnu::target("popcnt")]] static void run(const Input &in, std::size_t n, std::uint16_t *out) noexcept
	{
		by_words<W, P>(in, 0, n, out);
	}
};

// The probe's plane over and over, 64 bytes.
template <std::size_t W> void repeat(const std::uint8_t *probe, std::size_t plane, std::uint8_t *out) noexcept
{
	for (std::size_t i = 0; i < 8 / W; ++i)
		std::memcpy(out + 8 * W * i, probe + 8 * W * plane, 8 * W);
}

template <std::size_t W, std::size_t P> struct Avx2 {
	static constexpr std::size_t step = 4 / W; // rows of a vector

	[[gnu::target("avx2,popcnt")]] static void run(const Input &in, std::size_t n, std::uint16_t *out) noexcept
	{
		const __m256i counts =
			_mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
		const __m256i nibble = _mm256_set1_epi8(15);
		__m256i probe[P];
		for (std::size_t p = 0; p < P; ++p) {
			alignas(64) std::uint8_t repeated[64];
			repeat<W>(in.probe, p, repeated);
			probe[p] = _mm256_load_si256(reinterpret_cast<const __m256i *>(repeated));
		}
		std::size_t i = 0;
		for (; i + step <= n; i += step) {
			__m256i any = _mm256_setzero_si256();
			for (std::size_t p = 0; p < P; ++p) {
				const auto *at = reinterpret_cast<const __m256i *>(in.rows + p * in.stride + 8 * W * i);
				any = _mm256_or_si256(any, _mm256_xor_si256(_mm256_loadu_si256(at), probe[p]));
			}
			const __m256i low = _mm256_shuffle_epi8(counts, _mm256_and_si256(any, nibble));
			const __m256i high = _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi16(any, 4), nibble));
			const __m256i sums = _mm256_sad_epu8(_mm256_add_epi8(low, high), _mm256_setzero_si256());
			alignas(32) std::uint64_t of_words[4];
			_mm256_store_si256(reinterpret_cast<__m256i *>(of_words), sums);
			for (std::size_t row = 0; row < step; ++row) {
				std::uint64_t sum = 0;
				for (std::size_t w = 0; w < W; ++w)
					sum += of_words[W * row + w];
				out[i + row] = static_cast<std::uint16_t>(sum);
			}
		}
		by_words<W, P>(in, i, n, out);
	}
};

#define TXTFP_AVX512 "avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,popcnt"

template <std::size_t W, std::size_t P> struct Avx512 {
	static constexpr std::size_t step = 8 / W;

	[[gnu::target(TXTFP_AVX512)]] static void run(const Input &in, std::size_t n, std::uint16_t *out) noexcept
	{
		__m512i probe[P];
		for (std::size_t p = 0; p < P; ++p) {
			alignas(64) std::uint8_t repeated[64];
			repeat<W>(in.probe, p, repeated);
			probe[p] = _mm512_load_si512(repeated);
		}
		std::size_t i = 0;
		for (; i + step <= n; i += step) {
			__m512i any = _mm512_setzero_si512();
			for (std::size_t p = 0; p < P; ++p) {
				const __m512i plane = _mm512_loadu_si512(in.rows + p * in.stride + 8 * W * i);
				any = _mm512_ternarylogic_epi64(any, plane, probe[p], 0xF6); // any | (plane ^ probe)
			}
			// g++ 12 warns of its own unmasked intrinsics
			__m512i sums = _mm512_popcnt_epi64(any);
			if constexpr (W >= 2)
				sums = _mm512_add_epi64(sums, _mm512_maskz_shuffle_epi32(0xFFFF, sums, _MM_PERM_BADC));
			if constexpr (W == 4)
				sums = _mm512_add_epi64(sums, _mm512_maskz_permutex_epi64(0xFF, sums, 0x4E));
			// the first word of each row has the row's sum
			if constexpr (W == 2)
				sums = _mm512_maskz_compress_epi64(0x55, sums);
			if constexpr (W == 4)
				sums = _mm512_maskz_compress_epi64(0x11, sums);
			const __m128i shorts = _mm512_maskz_cvtepi64_epi16(0xFF, sums);
			std::memcpy(out + i, &shorts, 2 * step);
		}
		by_words<W, P>(in, i, n, out);
	}
};

#endif

template <template <std::size_t, std::size_t> class Kernel, std::size_t W>
void choose_planes(const Input &in, std::size_t planes, std::size_t n, std::uint16_t *out) noexcept
{
	switch (planes) {
	case 1:
		return Kernel<W, 1>::run(in, n, out);
	case 2:
		return Kernel<W, 2>::run(in, n, out);
	default:
		return Kernel<W, 4>::run(in, n, out);
	}
}

template <template <std::size_t, std::size_t> class Kernel>
void choose(const Input &in, std::size_t words, std::size_t planes, std::size_t n, std::uint16_t *out) noexcept
{
	switch (words) {
	case 1:
		return choose_planes<Kernel, 1>(in, planes, n, out);
	case 2:
		return choose_planes<Kernel, 2>(in, planes, n, out);
	default:
		return choose_planes<Kernel, 4>(in, planes, n, out);
	}
}

} // namespace

bool has_kernel(PlaneKernel kernel) noexcept
{
#ifdef TXTFP_PLANES_X86
	__builtin_cpu_init();
	switch (kernel) {
	case PlaneKernel::baseline:
		return true;
	case PlaneKernel::popcnt:
		return __builtin_cpu_supports("popcnt");
	case PlaneKernel::avx2:
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt");
	case PlaneKernel::avx512:
		return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
			__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
			__builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("popcnt");
	}
	return false;
#else
	return kernel == PlaneKernel::baseline;
#endif
}

PlaneKernel plane_kernel() noexcept
{
	static const PlaneKernel best = [] {
		for (const PlaneKernel kernel : {PlaneKernel::avx512, PlaneKernel::avx2, PlaneKernel::popcnt})
			if (has_kernel(kernel))
				return kernel;
		return PlaneKernel::baseline;
	}();
	return best;
}

const char *name(PlaneKernel kernel) noexcept
{
	switch (kernel) {
	case PlaneKernel::avx512:
		return "avx512";
	case PlaneKernel::avx2:
		return "avx2";
	case PlaneKernel::popcnt:
		return "popcnt";
	case PlaneKernel::baseline:
		break;
	}
	return "baseline";
}

void plane_distances(PlaneKernel kernel, const std::uint8_t *rows, std::size_t stride, std::size_t words,
	std::size_t planes, std::size_t n, const std::uint8_t *probe, std::uint16_t *out) noexcept
{
	const Input in{rows, stride, probe};
#ifdef TXTFP_PLANES_X86
	switch (kernel) {
	case PlaneKernel::avx512:
		return choose<Avx512>(in, words, planes, n, out);
	case PlaneKernel::avx2:
		return choose<Avx2>(in, words, planes, n, out);
	case PlaneKernel::popcnt:
		return choose<Popcnt>(in, words, planes, n, out);
	case PlaneKernel::baseline:
		break;
	}
#endif
	choose<Baseline>(in, words, planes, n, out);
}

} // namespace txtfp::core
