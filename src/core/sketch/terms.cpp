#include "core/sketch/terms.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/base/cpu.hpp"

namespace txtfp::core {

namespace {

// The hash is mixed, because the terms come from anywhere.
std::size_t bit_of(const SketchLayout &layout, std::int32_t term) noexcept
{
	auto hash = static_cast<std::uint32_t>(term);
	hash = (hash ^ hash >> 16) * 0x7FEB352Du;
	hash = (hash ^ hash >> 15) * 0x846CA68Bu;
	hash ^= hash >> 16;
	return static_cast<std::size_t>(std::uint64_t{hash} * layout.planes >> 32);
}

std::uint16_t stored_count(std::size_t n) noexcept { return static_cast<std::uint16_t>(std::min(n, terms_max_count)); }

} // namespace

void terms_signature(const SketchLayout &layout, const std::int32_t *terms, std::size_t n, std::uint8_t *out) noexcept
{
	std::memset(out, 0, layout.signature_size);
	const std::uint16_t count = stored_count(n);
	std::memcpy(out, &count, sizeof count);
	std::uint8_t *bits = out + planes_at(layout);
	for (std::size_t i = 0; i < n; ++i) {
		const std::size_t bit = bit_of(layout, terms[i]);
		bits[bit / 8] = static_cast<std::uint8_t>(bits[bit / 8] | 1 << bit % 8);
	}
}

void make_term_probe(const SketchLayout &layout, const std::int32_t *terms, std::size_t n, TermMeasure measure,
	TermProbe &probe) noexcept
{
	probe.measure = measure;
	probe.count = static_cast<std::uint32_t>(n);
	probe.bits = static_cast<std::uint16_t>(std::min(n, terms_listed));
	for (std::size_t i = 0; i < probe.bits; ++i)
		probe.bit[i] = static_cast<std::uint16_t>(bit_of(layout, terms[i]));
	std::sort(probe.bit, probe.bit + probe.bits);
	for (std::size_t page = 0; page < layout.pages; ++page)
		probe.listed[page] = static_cast<std::uint16_t>(
			std::lower_bound(probe.bit, probe.bit + probe.bits, layout.plane_limit[page]) - probe.bit);
}

// A similarity slightly below `least` may become `least` when it is rounded, which one step more than makes up for.
int terms_limit(double least) noexcept
{
	if (!(least <= 1.0001))
		return -1;
	return std::clamp(static_cast<int>(std::floor(terms_scale * (1 - least))) + 1, 0, terms_scale);
}

namespace {

int bound_of_share(std::size_t part, std::size_t whole) noexcept
{
	if (whole == 0)
		return terms_scale;
	return part >= whole ? 0 : terms_scale - static_cast<int>((terms_scale * std::uint64_t{part} + whole - 1) / whole);
}

} // namespace

int terms_bound(const TermProbe &probe, std::size_t common, std::size_t row_count) noexcept
{
	const std::size_t both = row_count == terms_max_count ? common : std::min(common, row_count);
	switch (probe.measure) {
	case TermMeasure::united:
		return bound_of_share(both, probe.count + row_count - both);
	case TermMeasure::of_probe:
		return bound_of_share(both, probe.count);
	case TermMeasure::of_row:
		return bound_of_share(both, row_count);
	case TermMeasure::equal:
		return stored_count(probe.count) == row_count && common == probe.count ? 0 : terms_scale;
	default:
		return 0;
	}
}

// ---- all rows of a group

namespace {

// Vectors as wide as a register.
template <std::size_t width> struct TermVectors {
	typedef std::uint64_t Bits __attribute__((vector_size(width)));
	typedef std::uint16_t Short __attribute__((vector_size(width / 2)));
	typedef std::int32_t Long __attribute__((vector_size(width)));
	typedef float Real __attribute__((vector_size(width)));
};

template <class V> TXTFP_KERNEL void add_three(V &sum, const V &a, const V &b, V &carry) noexcept
{
	const V different = a ^ b;
	carry = (a & b) | (different & sum);
	sum ^= different;
}

// Adds `carry` to the counter from bit `from` on.
template <class V> TXTFP_KERNEL void ripple(V *counter, std::size_t from, std::size_t bits, const V &added) noexcept
{
	V carry = added;
	for (std::size_t i = from; i < bits; ++i) {
		const V next = counter[i] & carry;
		counter[i] ^= carry;
		carry = next;
	}
}

// Adds n planes to the counters of as many rows as a vector has bits. Four planes are added at once where there are so
// many.
template <std::size_t width>
TXTFP_KERNEL void add_planes(const std::uint8_t *const *plane, std::size_t n, std::size_t at, std::size_t bits,
	bool start, TermCounts &counts) noexcept
{
	typedef typename TermVectors<width>::Bits V;
	V counter[terms_counter_bits] = {};
	for (std::size_t i = 0; !start && i < bits; ++i)
		std::memcpy(&counter[i], counts.counter[i] + at, width);
	std::size_t i = 0;
	for (V in[4]; bits > 2 && i + 4 <= n; i += 4) {
		for (std::size_t j = 0; j < 4; ++j)
			std::memcpy(&in[j], plane[i + j] + at, width);
		V two_a, two_b, four;
		add_three<V>(counter[0], in[0], in[1], two_a);
		add_three<V>(counter[0], in[2], in[3], two_b);
		add_three<V>(counter[1], two_a, two_b, four);
		ripple<V>(counter, 2, bits, four);
	}
	for (V in; i < n; ++i) {
		std::memcpy(&in, plane[i] + at, width);
		ripple<V>(counter, 0, bits, in);
	}
	for (std::size_t b = 0; b < bits; ++b)
		std::memcpy(counts.counter[b] + at, &counter[b], width);
}

struct AddPlanes {
	template <std::size_t width>
	TXTFP_KERNEL static void run(const std::uint8_t *const *plane, std::size_t n, std::size_t size, std::size_t bits,
		bool start, TermCounts *counts) noexcept
	{
		for (std::size_t at = 0; at < size; at += width)
			add_planes<width>(plane, n, at, bits, start, *counts);
	}
};

std::size_t counter_bits(const TermProbe &probe) noexcept
{
	return static_cast<std::size_t>(std::bit_width(std::uint32_t{probe.bits}));
}

// spread[b] has the bits of b as bytes.
constexpr auto spread = [] {
	std::array<std::uint64_t, 256> bytes{};
	for (std::size_t b = 0; b < 256; ++b)
		for (std::size_t i = 0; i < 8; ++i)
			bytes[b] |= std::uint64_t{b >> i & 1} << 8 * i;
	return bytes;
}();

// The counts of eight rows.
void counts_of_eight(const TermCounts &counts, std::size_t at, std::size_t bits, std::uint16_t *out) noexcept
{
	std::uint64_t low = 0, high = 0;
	for (std::size_t i = 0; i < std::min<std::size_t>(bits, 8); ++i)
		low |= spread[counts.counter[i][at]] << i;
	for (std::size_t i = 8; i < bits; ++i)
		high |= spread[counts.counter[i][at]] << (i - 8);
	for (std::size_t i = 0; i < 8; ++i)
		out[i] = static_cast<std::uint16_t>((low >> 8 * i & 0xFF) | (high >> 8 * i & 0xFF) << 8);
}

// Bounds of rows from their counts by division in floats. A quotient of numbers below 2^24 is wrong by at most 2^-24 of
// itself, so the distance is reduced by more than that.
struct DivideCounts {
	template <std::size_t width>
	TXTFP_KERNEL static void run(TermMeasure measure, std::uint32_t probe, std::uint32_t more,
		const std::uint16_t *common, const std::uint16_t *rows, std::size_t n, std::uint16_t *out) noexcept
	{
		constexpr std::size_t lanes = width / 4;
		typedef typename TermVectors<width>::Short Short;
		typedef typename TermVectors<width>::Long Long;
		typedef typename TermVectors<width>::Real Real;
		for (std::size_t first = 0; first < n; first += lanes) {
			const std::size_t i = std::min(first, n - lanes); // the last vector overlaps the one before it
			Short x, y;
			std::memcpy(&x, common + i, sizeof x);
			std::memcpy(&y, rows + i, sizeof y);
			Long both = __builtin_convertvector(x, Long) + static_cast<std::int32_t>(more);
			const Long row = __builtin_convertvector(y, Long), less = (Long) (row < both);
			both = (less & row) | (~less & both);
			Long whole = row;
			if (measure == TermMeasure::united)
				whole = row + static_cast<std::int32_t>(probe) - both;
			else if (measure == TermMeasure::of_probe)
				whole = Long{} + static_cast<std::int32_t>(probe);
			whole += (Long) (whole == 0) & 1;
			const Real share = __builtin_convertvector(both, Real) / __builtin_convertvector(whole, Real);
			Long distance = __builtin_convertvector(1024.0f - 1024.0f * share - 0.001f, Long);
			distance &= (Long) (distance > 0);
			const Short result = __builtin_convertvector(distance, Short);
			std::memcpy(out + i, &result, sizeof result);
		}
	}
};

} // namespace

void count_terms(const SketchLayout &layout, const TermProbe &probe, std::size_t number, const std::uint8_t *page,
	TermCounts &counts) noexcept
{
	const std::size_t begin = number == 0 ? 0 : probe.listed[number - 1], end = probe.listed[number];
	const std::size_t first = number == 0 ? 0 : layout.plane_limit[number - 1];
	const std::uint8_t *plane[terms_listed];
	for (std::size_t i = begin; i < end; ++i)
		plane[i - begin] = page + layout.plane_offset[number] + (probe.bit[i] - first) * layout.plane_size;
	if (number == 0 || end > begin)
		dispatch_by_width<AddPlanes>(simd_level(), static_cast<const std::uint8_t *const *>(plane), end - begin,
			std::size_t{layout.plane_size}, counter_bits(probe), number == 0, &counts);
}

void bounds_of_counts(const TermProbe &probe, std::size_t number, const TermCounts &counts,
	const std::uint16_t *row_counts, std::size_t n, std::uint16_t *out) noexcept
{
	std::uint16_t common[sketch_max_rows + 8];
	const std::size_t bits = counter_bits(probe), more = probe.count - probe.listed[number];
	for (std::size_t row = 0; row < n; row += 8)
		counts_of_eight(counts, row / 8, bits, common + row);
	const bool is_share = probe.measure <= TermMeasure::of_row;
	if (!is_share || n < 16 || probe.count > terms_max_count) {
		for (std::size_t row = 0; row < n; ++row)
			out[row] = static_cast<std::uint16_t>(terms_bound(probe, common[row] + more, row_counts[row]));
		return;
	}
	dispatch_by_width<DivideCounts>(simd_level(), probe.measure, probe.count, static_cast<std::uint32_t>(more),
		static_cast<const std::uint16_t *>(common), row_counts, n, out);
}

} // namespace txtfp::core
