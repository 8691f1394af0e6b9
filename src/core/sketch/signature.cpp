#include "core/sketch/signature.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "core/base/bytes.hpp"
#include "core/base/neon.hpp"

namespace txtfp::core {

namespace {

constexpr std::size_t block = 64; // slots that a kernel processes at once

// Writes the low and the high bytes of the hashes of n slots. n is a multiple of `block`.
TXTFP_KERNEL void mix_slots(const std::uint64_t *__restrict slots, std::size_t n, std::uint8_t *__restrict low,
	std::uint8_t *__restrict high) noexcept
{
	for (std::size_t first = 0; first < n; first += block) {
		std::uint16_t mixed[block];
		for (std::size_t i = 0; i < block; ++i)
			mixed[i] = minhash_mixed_slot(slots[first + i]);
		for (std::size_t i = 0; i < block; ++i)
			low[first + i] = static_cast<std::uint8_t>(mixed[i]);
		for (std::size_t i = 0; i < block; ++i)
			high[first + i] = static_cast<std::uint8_t>(mixed[i] >> 8);
	}
}

#if defined(__x86_64__)
// Writes the eight bit planes of n bytes. n is a multiple of 16.
void byte_planes(const std::uint8_t *bytes, std::size_t n, std::uint8_t *out) noexcept
{
	for (std::size_t i = 0; i < n; i += 16) {
		__m128i next = _mm_loadu_si128(reinterpret_cast<const __m128i *>(bytes + i));
		for (std::size_t plane = 8; plane-- > 0;) {
			const auto bits = static_cast<std::uint16_t>(_mm_movemask_epi8(next)); // the highest bit of each byte
			std::memcpy(out + plane * n / 8 + i / 8, &bits, sizeof bits);
			next = _mm_add_epi8(next, next);
		}
	}
}
#else
// Bit j of byte i becomes bit i of byte j (Hacker's Delight, 7-3).
constexpr std::uint64_t transposed(std::uint64_t x) noexcept
{
	std::uint64_t t = (x ^ x >> 7) & 0x00AA00AA00AA00AA;
	x ^= t ^ t << 7;
	t = (x ^ x >> 14) & 0x0000CCCC0000CCCC;
	x ^= t ^ t << 14;
	t = (x ^ x >> 28) & 0x00000000F0F0F0F0;
	return x ^ t ^ t << 28;
}

// Writes the eight bit planes of n bytes. n is a multiple of 8.
void byte_planes(const std::uint8_t *bytes, std::size_t n, std::uint8_t *out) noexcept
{
	for (std::size_t i = 0; i < n / 8; ++i) {
		const std::uint64_t bits = transposed(load_le64(bytes + 8 * i));
		for (std::size_t plane = 0; plane < 8; ++plane)
			out[plane * n / 8 + i] = static_cast<std::uint8_t>(bits >> 8 * plane);
	}
}
#endif

#if defined(TXTFP_NEON)
// The same, sixteen bytes at a time. n is a multiple of 16.
void byte_planes_neon(const std::uint8_t *bytes, std::size_t n, std::uint8_t *out) noexcept
{
	constexpr std::uint8_t together[16] = {0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15};
	const auto swap = [](uint64x2_t x, uint64x2_t t, uint64x2_t shifted) {
		return veorq_u64(x, veorq_u64(t, shifted));
	};
	for (std::size_t i = 0; i < n; i += 16) {
		uint64x2_t x = vreinterpretq_u64_u8(vld1q_u8(bytes + i));
		uint64x2_t t = vandq_u64(veorq_u64(x, vshrq_n_u64(x, 7)), vdupq_n_u64(0x00AA00AA00AA00AA));
		x = swap(x, t, vshlq_n_u64(t, 7));
		t = vandq_u64(veorq_u64(x, vshrq_n_u64(x, 14)), vdupq_n_u64(0x0000CCCC0000CCCC));
		x = swap(x, t, vshlq_n_u64(t, 14));
		t = vandq_u64(veorq_u64(x, vshrq_n_u64(x, 28)), vdupq_n_u64(0x00000000F0F0F0F0));
		x = swap(x, t, vshlq_n_u64(t, 28));
		std::uint8_t planes[16];
		vst1q_u8(planes, vqtbl1q_u8(vreinterpretq_u8_u64(x), vld1q_u8(together)));
		for (std::size_t plane = 0; plane < 8; ++plane)
			std::memcpy(out + plane * n / 8 + i / 8, planes + 2 * plane, 2);
	}
}
#endif

// Compresses the even bits of a word into its lower half.
constexpr std::uint64_t even_bits(std::uint64_t x) noexcept
{
	x &= 0x5555555555555555;
	x = (x | x >> 1) & 0x3333333333333333;
	x = (x | x >> 2) & 0x0F0F0F0F0F0F0F0F;
	x = (x | x >> 4) & 0x00FF00FF00FF00FF;
	x = (x | x >> 8) & 0x0000FFFF0000FFFF;
	return (x | x >> 16) & 0x00000000FFFFFFFF;
}

} // namespace

void minhash_signature(ConstSlots slots, std::uint8_t *out) noexcept
{
	std::uint8_t bytes[2][minhash_max_slots];
	dispatch<mix_slots>(simd_level(), slots.data(), slots.size(), bytes[0], bytes[1]);
	for (std::size_t half = 0; half < 2; ++half)
		compact_signature({bytes[half], slots.size()}, out + half * slots.size());
}

void compact_signature(ConstCompactSlots slots, std::uint8_t *out) noexcept
{
#if defined(TXTFP_NEON)
	if (simd_level() == SimdLevel::neon)
		return byte_planes_neon(slots.data(), slots.size(), out);
#endif
	byte_planes(slots.data(), slots.size(), out);
}

void simhash_signature(std::uint64_t bits, std::uint8_t *out) noexcept { store_le64(out, bits); }

void tlsh_signature(const Tlsh &digest, std::uint8_t *out) noexcept
{
	out[0] = static_cast<std::uint8_t>(digest.length_class());
	out[1] = digest.bytes[2];
	out[2] = static_cast<std::uint8_t>(digest.checksum());
	for (std::size_t i = 0; i < 2; ++i) {
		const std::uint64_t a = load_le64(digest.body() + 16 * i), b = load_le64(digest.body() + 16 * i + 8);
		store_le64(out + 3 + 8 * i, even_bits(a) | even_bits(b) << 32);
		store_le64(out + 3 + 16 + 8 * i, even_bits(a >> 1) | even_bits(b >> 1) << 32);
	}
}

void lavinhash_signature(LavinhashBytes form, std::uint8_t *out) noexcept
{
	const std::uint8_t *filter = form.data() + lavinhash_filter_offset;
	unsigned all = 0;
	for (std::size_t i = 0; i < lavinhash_filter_size / 8; ++i) {
		out[i] = static_cast<std::uint8_t>(std::popcount(load_le64(filter + 8 * i)));
		all += out[i];
	}
	const LavinhashBytes structure = form.subspan(lavinhash_min_size);
	out[128] = static_cast<std::uint8_t>(all);
	out[129] = static_cast<std::uint8_t>(all >> 8);
	out[130] = static_cast<std::uint8_t>(structure.size());
	unsigned values[16] = {};
	for (const std::uint8_t byte : structure) {
		++values[byte >> 4];
		++values[byte & 15];
	}
	for (std::size_t i = 0; i < 16; ++i)
		out[131 + i] = static_cast<std::uint8_t>(std::min(values[i], 255u));
}

} // namespace txtfp::core
