#include "core/minhash/bucket_pairs.hpp"

#include <bit>
#include <functional>

#include "core/base/neon.hpp"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace txtfp::core {

namespace {

template <std::size_t Words, class Merge>
TXTFP_KERNEL std::size_t find_masks(const std::uint64_t *__restrict mask, const std::uint64_t *__restrict masks,
	std::size_t n, unsigned most, std::uint32_t *__restrict found, Merge merge) noexcept
{
	std::uint64_t own[Words];
	std::copy_n(mask, Words, own);
	std::size_t count = 0;
	for (std::size_t i = 0; i < n; ++i) {
		unsigned bits = 0;
		for (std::size_t w = 0; w < Words; ++w)
			bits += static_cast<unsigned>(__builtin_popcountll(merge(own[w], masks[i * Words + w])));
		found[count] = static_cast<std::uint32_t>(i); // branch-free: the next write overwrites a rejected index
		count += bits <= most;
	}
	return count;
}

template <class Merge>
TXTFP_KERNEL std::size_t find_masks(const std::uint64_t *mask, const std::uint64_t *masks, std::size_t n,
	std::size_t words, unsigned most, std::uint32_t *found) noexcept
{
	switch (words) {
	case 1:
		return find_masks<1>(mask, masks, n, most, found, Merge());
	case 2:
		return find_masks<2>(mask, masks, n, most, found, Merge());
	default:
		return find_masks<4>(mask, masks, n, most, found, Merge());
	}
}

template <class Slot>
TXTFP_KERNEL void compare_slots(const Slot *sketch, const Slot *common, std::size_t slots, std::uint64_t *mask) noexcept
{
	for (std::size_t word = 0; word < slots / 64; ++word) {
		std::uint64_t bits = 0;
		for (std::size_t i = 0; i < 64; ++i)
			bits |= std::uint64_t{sketch[word * 64 + i] != common[word * 64 + i]} << i;
		mask[word] = bits;
	}
}

#if defined(__x86_64__)

// Every x86-64 processor has these instructions.
void compare_bytes_sse2(
	const std::uint8_t *sketch, const std::uint8_t *common, std::size_t slots, std::uint64_t *mask) noexcept
{
	const auto load = [](const std::uint8_t *p) { return _mm_loadu_si128(reinterpret_cast<const __m128i *>(p)); };
	for (std::size_t word = 0; word < slots / 64; ++word) {
		std::uint64_t equal = 0;
		for (std::size_t i = 0; i < 64; i += 16) {
			const __m128i bytes = _mm_cmpeq_epi8(load(sketch + word * 64 + i), load(common + word * 64 + i));
			equal |= std::uint64_t{static_cast<std::uint16_t>(_mm_movemask_epi8(bytes))} << i;
		}
		mask[word] = ~equal;
	}
}

#elif defined(TXTFP_NEON)

void compare_bytes_neon(
	const std::uint8_t *sketch, const std::uint8_t *common, std::size_t slots, std::uint64_t *mask) noexcept
{
	const auto equal = [&](std::size_t i) { return vceqq_u8(vld1q_u8(sketch + i), vld1q_u8(common + i)); };
	for (std::size_t word = 0; word < slots / 64; ++word)
		mask[word] =
			~neon::mask_of_bytes(equal(word * 64), equal(word * 64 + 16), equal(word * 64 + 32), equal(word * 64 + 48));
}

// A byte for each of sixteen slots: 0xFF where both are equal.
uint8x16_t equal_slots(const std::uint64_t *a, const std::uint64_t *b) noexcept
{
	uint32x4_t quarters[4];
#pragma GCC unroll 4
	for (std::size_t i = 0; i < 4; ++i) {
		const std::uint64_t *x = a + 4 * i, *y = b + 4 * i;
		quarters[i] = vuzp1q_u32(vreinterpretq_u32_u64(vceqq_u64(vld1q_u64(x), vld1q_u64(y))),
			vreinterpretq_u32_u64(vceqq_u64(vld1q_u64(x + 2), vld1q_u64(y + 2))));
	}
	const uint16x8_t low = vuzp1q_u16(vreinterpretq_u16_u32(quarters[0]), vreinterpretq_u16_u32(quarters[1]));
	const uint16x8_t high = vuzp1q_u16(vreinterpretq_u16_u32(quarters[2]), vreinterpretq_u16_u32(quarters[3]));
	return vuzp1q_u8(vreinterpretq_u8_u16(low), vreinterpretq_u8_u16(high));
}

void compare_slots_neon(
	const std::uint64_t *sketch, const std::uint64_t *common, std::size_t slots, std::uint64_t *mask) noexcept
{
	for (std::size_t word = 0; word < slots / 64; ++word, sketch += 64, common += 64)
		mask[word] = ~neon::mask_of_bytes(equal_slots(sketch, common), equal_slots(sketch + 16, common + 16),
			equal_slots(sketch + 32, common + 32), equal_slots(sketch + 48, common + 48));
}

uint8x16_t merged(std::bit_or<std::uint64_t>, uint8x16_t a, uint8x16_t b) noexcept { return vorrq_u8(a, b); }
uint8x16_t merged(std::bit_xor<std::uint64_t>, uint8x16_t a, uint8x16_t b) noexcept { return veorq_u8(a, b); }

// Eight masks at a time; in most there is none to be found.
template <std::size_t Words, class Merge>
std::size_t find_masks_neon(const std::uint64_t *mask, const std::uint64_t *masks, std::size_t n, unsigned most,
	std::uint32_t *found, Merge merge) noexcept
{
	constexpr std::size_t rows = 8, registers = 4 * Words;
	uint64x2_t own[2] = {vdupq_n_u64(mask[0]), vdupq_n_u64(mask[0])};
	if (Words > 1)
		own[0] = own[1] = vld1q_u64(mask);
	if (Words > 2)
		own[1] = vld1q_u64(mask + 2);
	const uint16x8_t limit = vdupq_n_u16(static_cast<std::uint16_t>(most < 64 * Words ? most : 64 * Words));
	std::size_t count = 0, i = 0;
	for (; i + rows <= n; i += rows) {
		uint8x16_t bits[registers];
#pragma GCC unroll 16
		for (std::size_t k = 0; k < registers; ++k)
			bits[k] = merged(
				merge, vreinterpretq_u8_u64(own[k % 2]), vreinterpretq_u8_u64(vld1q_u64(masks + i * Words + 2 * k)));
		const uint8x8_t close = vmovn_u16(vcleq_u16(neon::count_rows<Words>(bits), limit));
		for (std::uint64_t hits = vget_lane_u64(vreinterpret_u64_u8(close), 0) & 0x0101010101010101; hits != 0;
			 hits &= hits - 1)
			found[count++] = static_cast<std::uint32_t>(i + static_cast<std::size_t>(std::countr_zero(hits)) / 8);
	}
	const std::size_t rest = find_masks<Words>(mask, masks + i * Words, n - i, most, found + count, merge);
	for (const std::size_t end = count + rest; count < end; ++count)
		found[count] += static_cast<std::uint32_t>(i);
	return count;
}

#endif

template <class Merge>
std::size_t find_masks_at(SimdLevel level, const std::uint64_t *mask, const std::uint64_t *masks, std::size_t n,
	std::size_t words, unsigned most, std::uint32_t *found) noexcept
{
#if defined(TXTFP_NEON)
	if (level == SimdLevel::neon)
		switch (words) {
		case 1:
			return find_masks_neon<1>(mask, masks, n, most, found, Merge());
		case 2:
			return find_masks_neon<2>(mask, masks, n, most, found, Merge());
		default:
			return find_masks_neon<4>(mask, masks, n, most, found, Merge());
		}
#endif
	return dispatch<find_masks<Merge>>(level, mask, masks, n, words, most, found);
}

} // namespace

std::uint64_t most_frequent(std::uint64_t *values, std::size_t n) noexcept
{
	std::sort(values, values + n);
	std::uint64_t best = values[0];
	for (std::size_t begin = 0, most = 0, end; begin < n; begin = end) {
		for (end = begin + 1; end < n && values[end] == values[begin];)
			++end;
		if (end - begin > most) {
			most = end - begin;
			best = values[begin];
		}
	}
	return best;
}

void deviations_of(
	const std::uint64_t *sketch, const std::uint64_t *common, std::size_t slots, std::uint64_t *mask) noexcept
{
#if defined(TXTFP_NEON)
	if (simd_level() == SimdLevel::neon)
		return compare_slots_neon(sketch, common, slots, mask);
#endif
	dispatch<compare_slots<std::uint64_t>>(simd_level(), sketch, common, slots, mask);
}

void deviations_of(
	const std::uint8_t *sketch, const std::uint8_t *common, std::size_t slots, std::uint64_t *mask) noexcept
{
#if defined(__x86_64__)
	compare_bytes_sse2(sketch, common, slots, mask);
#else
#if defined(TXTFP_NEON)
	if (simd_level() == SimdLevel::neon)
		return compare_bytes_neon(sketch, common, slots, mask);
#endif
	compare_slots(sketch, common, slots, mask);
#endif
}

std::size_t close_unions(const std::uint64_t *mask, const std::uint64_t *masks, std::size_t n, std::size_t words,
	unsigned most, std::uint32_t *found) noexcept
{
	return find_masks_at<std::bit_or<std::uint64_t>>(simd_level(), mask, masks, n, words, most, found);
}

std::size_t close_masks(const std::uint64_t *mask, const std::uint64_t *masks, std::size_t n, std::size_t words,
	unsigned most, std::uint32_t *found) noexcept
{
	return find_masks_at<std::bit_xor<std::uint64_t>>(simd_level(), mask, masks, n, words, most, found);
}

} // namespace txtfp::core
