#include "core/minhash/minhash_compact.hpp"

#include <algorithm>

#include "core/base/neon.hpp"
#include "core/minhash/minhash_text.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace txtfp::core {

namespace {

constexpr std::uint64_t wire_head = minhash_schema | std::uint64_t{8} << 16; // schema, bits of a slot, zeros

TXTFP_KERNEL void fold_slots(
	const std::uint64_t *__restrict slots, std::size_t n, std::uint8_t *__restrict out) noexcept
{
	for (std::size_t i = 0; i < n; ++i)
		out[i] = compact_slot(slots[i]);
}

// Each kernel counts the equal bytes of whole registers and returns how many bytes it has looked at. A byte of a sum is
// at most minhash_max_slots / 16.
#if defined(__x86_64__)

std::size_t count_sse2(const std::uint8_t *a, const std::uint8_t *b, std::size_t n, unsigned &equal) noexcept
{
	const auto load = [](const std::uint8_t *p) { return _mm_loadu_si128(reinterpret_cast<const __m128i *>(p)); };
	__m128i sums = _mm_setzero_si128();
	std::size_t i = 0;
	for (; i + 16 <= n; i += 16) // an equal byte is −1
		sums = _mm_sub_epi8(sums, _mm_cmpeq_epi8(load(a + i), load(b + i)));
	const __m128i halves = _mm_sad_epu8(sums, _mm_setzero_si128());
	equal = static_cast<unsigned>(_mm_cvtsi128_si32(halves) + _mm_extract_epi16(halves, 4));
	return i;
}

__attribute__((target("avx2,popcnt"))) std::size_t count_avx2(
	const std::uint8_t *a, const std::uint8_t *b, std::size_t n, unsigned &equal) noexcept
{
	std::size_t i = 0;
	for (; i + 32 <= n; i += 32) {
		const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(a + i));
		const __m256i y = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(b + i));
		const int mask = _mm256_movemask_epi8(_mm256_cmpeq_epi8(x, y));
		equal += static_cast<unsigned>(__builtin_popcount(static_cast<unsigned>(mask)));
	}
	return i;
}

__attribute__((target("avx512f,avx512bw,popcnt"))) std::size_t count_avx512(
	const std::uint8_t *a, const std::uint8_t *b, std::size_t n, unsigned &equal) noexcept
{
	std::size_t i = 0;
	for (; i + 64 <= n; i += 64)
		equal += static_cast<unsigned>(
			__builtin_popcountll(_mm512_cmpeq_epi8_mask(_mm512_loadu_si512(a + i), _mm512_loadu_si512(b + i))));
	return i;
}

#elif defined(TXTFP_NEON)

std::size_t count_neon(const std::uint8_t *a, const std::uint8_t *b, std::size_t n, unsigned &equal) noexcept
{
	uint8x16_t sums = vdupq_n_u8(0);
	std::size_t i = 0;
	for (; i + 16 <= n; i += 16)
		sums = vsubq_u8(sums, vceqq_u8(vld1q_u8(a + i), vld1q_u8(b + i)));
	equal = vaddlvq_u8(sums);
	return i;
}

#endif

std::size_t count_registers([[maybe_unused]] const std::uint8_t *a, [[maybe_unused]] const std::uint8_t *b,
	[[maybe_unused]] std::size_t n, [[maybe_unused]] unsigned &equal) noexcept
{
#if defined(__x86_64__)
	switch (simd_level()) {
	case SimdLevel::avx512:
		return count_avx512(a, b, n, equal);
	case SimdLevel::avx2:
		return count_avx2(a, b, n, equal);
	default:
		return count_sse2(a, b, n, equal);
	}
#elif defined(TXTFP_NEON)
	if (simd_level() == SimdLevel::neon)
		return count_neon(a, b, n, equal);
#endif
	return 0;
}

} // namespace

void compact(ConstSlots slots, std::uint8_t *out) noexcept
{
	dispatch<fold_slots>(simd_level(), slots.data(), slots.size(), out);
}

unsigned matching_slots_plain(ConstCompactSlots a, ConstCompactSlots b) noexcept
{
	unsigned equal = 0;
	for (std::size_t i = 0; i < a.size(); ++i)
		equal += a[i] == b[i];
	return equal;
}

unsigned matching_slots(ConstCompactSlots a, ConstCompactSlots b) noexcept
{
	unsigned equal = 0;
	const std::size_t done = count_registers(a.data(), b.data(), a.size(), equal);
	return done == a.size() ? equal : equal + matching_slots_plain(a.subspan(done), b.subspan(done));
}

std::uint64_t band_key(ConstCompactSlots slots, int rows, int band) noexcept
{
	const auto size = static_cast<std::size_t>(rows);
	return xxh3_64(slots.data() + size * static_cast<std::size_t>(band), size, static_cast<std::uint64_t>(band));
}

void band_keys(ConstCompactSlots slots, Banding banding, std::uint64_t *out) noexcept
{
	for (int band = 0; band < banding.bands; ++band)
		out[band] = band_key(slots, banding.rows, band);
}

int first_common_band(ConstCompactSlots a, ConstCompactSlots b, Banding banding) noexcept
{
	const auto rows = static_cast<std::size_t>(banding.rows);
	for (int band = 0; band < banding.bands; ++band) {
		const std::size_t first = rows * static_cast<std::size_t>(band);
		if (std::memcmp(&a[first], &b[first], rows) == 0)
			return band;
	}
	return -1;
}

void write_wire(ConstCompactSlots slots, std::uint8_t *out) noexcept
{
	store_le64(out, wire_head);
	std::copy(slots.begin(), slots.end(), out + 8);
}

MinhashParse read_wire(std::span<const std::uint8_t> in, CompactSlots slots) noexcept
{
	if (in.size() != compact_wire_size(slots.size()))
		return MinhashParse::bad_length;
	const std::uint64_t head = load_le64(in.data());
	if ((head & 0xFFFF) != minhash_schema)
		return MinhashParse::bad_schema;
	if ((head >> 16 & 0xFF) != 8)
		return MinhashParse::bad_bits;
	if (head >> 24 != 0)
		return MinhashParse::bad_padding;
	std::copy(in.begin() + 8, in.end(), slots.begin());
	return MinhashParse::ok;
}

void write_text(std::uint64_t config, ConstCompactSlots slots, char *out) noexcept
{
	write_text_form(config, slots, out);
}

MinhashParse read_text(std::string_view in, std::uint64_t &config, CompactSlots slots) noexcept
{
	return read_text_form(in, config, slots);
}

} // namespace txtfp::core
