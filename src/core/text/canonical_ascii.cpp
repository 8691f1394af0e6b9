#include "core/text/canonical_ascii.hpp"

#include "core/base/neon.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace txtfp::core {

#if defined(__x86_64__)

namespace {

// Both shift 'A' … 'Z' to the greatest signed bytes, because there are no unsigned comparisons.
constexpr char shift = 0x7F - 'Z', below_a = 0x7F - 26;

// Each function lower-cases one block and returns whether the block is ASCII.
inline bool lower_block_sse2(const char *from, char *to) noexcept
{
	__m128i seen = _mm_setzero_si128();
	for (std::size_t i = 0; i < ascii_block; i += sizeof seen) {
		const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i *>(from + i));
		const __m128i upper = _mm_cmpgt_epi8(_mm_add_epi8(v, _mm_set1_epi8(shift)), _mm_set1_epi8(below_a));
		const __m128i lower = _mm_or_si128(v, _mm_and_si128(upper, _mm_set1_epi8(0x20)));
		_mm_storeu_si128(reinterpret_cast<__m128i *>(to + i), lower);
		seen = _mm_or_si128(seen, v);
	}
	return _mm_movemask_epi8(seen) == 0;
}

__attribute__((target("avx2"))) inline bool lower_block_avx2(const char *from, char *to) noexcept
{
	__m256i seen = _mm256_setzero_si256();
	for (std::size_t i = 0; i < ascii_block; i += sizeof seen) {
		const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(from + i));
		const __m256i upper = _mm256_cmpgt_epi8(_mm256_add_epi8(v, _mm256_set1_epi8(shift)), _mm256_set1_epi8(below_a));
		const __m256i lower = _mm256_or_si256(v, _mm256_and_si256(upper, _mm256_set1_epi8(0x20)));
		_mm256_storeu_si256(reinterpret_cast<__m256i *>(to + i), lower);
		seen = _mm256_or_si256(seen, v);
	}
	return _mm256_movemask_epi8(seen) == 0;
}

// The last block overlaps the one before it.
std::size_t lower_sse2(const char *from, std::size_t n, char *to) noexcept
{
	std::size_t done = 0;
	for (; n - done >= ascii_block; done += ascii_block)
		if (!lower_block_sse2(from + done, to + done))
			return done;
	return lower_block_sse2(from + n - ascii_block, to + n - ascii_block) ? n : done;
}

__attribute__((target("avx2"))) std::size_t lower_avx2(const char *from, std::size_t n, char *to) noexcept
{
	std::size_t done = 0;
	for (; n - done >= ascii_block; done += ascii_block)
		if (!lower_block_avx2(from + done, to + done))
			return done;
	return lower_block_avx2(from + n - ascii_block, to + n - ascii_block) ? n : done;
}

} // namespace

std::size_t lower_ascii_blocks(SimdLevel level, const char *from, std::size_t n, char *to) noexcept
{
	return level == SimdLevel::baseline ? lower_sse2(from, n, to) : lower_avx2(from, n, to);
}

#elif defined(TXTFP_NEON)

namespace {

inline bool lower_block_neon(const char *from, char *to) noexcept
{
	uint8x16_t seen = vdupq_n_u8(0);
	for (std::size_t i = 0; i < ascii_block; i += sizeof seen) {
		const uint8x16_t v = vld1q_u8(reinterpret_cast<const std::uint8_t *>(from + i));
		const uint8x16_t upper = vcltq_u8(vsubq_u8(v, vdupq_n_u8('A')), vdupq_n_u8(26));
		const uint8x16_t lower = vorrq_u8(v, vandq_u8(upper, vdupq_n_u8(0x20)));
		vst1q_u8(reinterpret_cast<std::uint8_t *>(to + i), lower);
		seen = vorrq_u8(seen, v);
	}
	return vmaxvq_u8(seen) < 0x80;
}

} // namespace

// The last block overlaps the one before it.
std::size_t lower_ascii_blocks(SimdLevel level, const char *from, std::size_t n, char *to) noexcept
{
	if (level == SimdLevel::baseline)
		return 0;
	std::size_t done = 0;
	for (; n - done >= ascii_block; done += ascii_block)
		if (!lower_block_neon(from + done, to + done))
			return done;
	return lower_block_neon(from + n - ascii_block, to + n - ascii_block) ? n : done;
}

#else

std::size_t lower_ascii_blocks(SimdLevel, const char *, std::size_t, char *) noexcept { return 0; }

#endif

} // namespace txtfp::core
