#include "core/sketch/terms.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/base/cpu.hpp"

namespace txtfp::core {

namespace {

// The planes of a term: they are on the same page, and pages get terms in proportion to their planes.
struct TermPlanes {
	std::size_t page, first;           // the page, and the number of its first plane
	std::uint16_t plane[terms_hashes]; // numbers within the page
};

class PlanesOfTerms {
public:
	explicit PlanesOfTerms(const SketchLayout &layout) noexcept
		: all_(layout.planes), head_(layout.plane_limit[0]),
		  each_(layout.plane_limit[1] - std::size_t{layout.plane_limit[0]}),
		  reciprocal_((std::size_t{1} << 24) / each_ + 1)
	{
	}

	// The term is mixed, because it comes from anywhere. Each 16 bits choose the page or a plane.
	TXTFP_KERNEL TermPlanes of(std::int32_t term) const noexcept
	{
		std::uint64_t hash = static_cast<std::uint32_t>(term) * 0x9E3779B97F4A7C15u;
		hash = (hash ^ hash >> 32) * 0xD6E8FEB86659FD93u;
		hash ^= hash >> 32;
		const std::size_t any = (hash & 0xFFFF) * all_ >> 16;
		const bool is_later = any >= head_;
		const std::size_t later = ((any - head_) * reciprocal_ >> 24) & (std::size_t{0} - is_later);
		TermPlanes planes{later + is_later, is_later ? head_ + later * each_ : 0, {}};
		const std::size_t n = is_later ? each_ : head_;
		for (std::size_t i = 0; i < terms_hashes; ++i)
			planes.plane[i] = static_cast<std::uint16_t>((hash >> 16 * (i + 1) & 0xFFFF) * n >> 16);
		return planes;
	}

private:
	std::size_t all_, head_, each_; // planes: of a row, of the first page, of each further page
	std::size_t reciprocal_;        // so that a number of planes times it, shifted right by 24, is divided by each_
};

std::uint16_t stored_count(std::size_t n) noexcept { return static_cast<std::uint16_t>(std::min(n, terms_max_count)); }

} // namespace

void terms_signature(const SketchLayout &layout, const std::int32_t *terms, std::size_t n, std::uint8_t *out) noexcept
{
	std::memset(out, 0, layout.signature_size);
	const std::uint16_t count = stored_count(n);
	std::memcpy(out, &count, sizeof count);
	std::uint8_t *bits = out + planes_at(layout);
	const PlanesOfTerms places(layout);
	for (std::size_t i = 0; i < n; ++i) {
		const TermPlanes planes = places.of(terms[i]);
		for (const std::uint16_t plane : planes.plane) {
			const std::size_t bit = planes.first + plane;
			bits[bit / 8] = static_cast<std::uint8_t>(bits[bit / 8] | 1 << bit % 8);
		}
	}
}

std::uint16_t terms_count(const std::uint8_t *signature) noexcept
{
	std::uint16_t count;
	std::memcpy(&count, signature, sizeof count);
	return count;
}

void make_term_probe(const SketchLayout &layout, const std::int32_t *terms, std::size_t n, TermMeasure measure,
	TermProbe &probe) noexcept
{
	probe.measure = measure;
	probe.count = static_cast<std::uint32_t>(n);
	probe.terms = static_cast<std::uint16_t>(std::min(n, terms_listed));
	std::uint16_t *next = probe.plane;
	const PlanesOfTerms places(layout);
	for (std::size_t page = 0; page < layout.pages; ++page) {
		for (std::size_t i = 0; i < probe.terms; ++i) {
			const TermPlanes planes = places.of(terms[i]);
			if (planes.page == page)
				for (const std::uint16_t plane : planes.plane)
					*next++ = static_cast<std::uint16_t>(layout.plane_offset[page] + plane * layout.plane_size);
		}
		probe.listed[page] = static_cast<std::uint16_t>(static_cast<std::size_t>(next - probe.plane) / terms_hashes);
	}
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

// The bound is at most `limit` if 1024 · both > share · whole. The share is one step less than the limit asks, because
// terms_bounds may be one step less.
std::size_t terms_needed(const TermProbe &probe, int limit, std::uint16_t least, std::uint16_t most) noexcept
{
	const std::size_t none = std::size_t{probe.count} + 1;
	if (limit < 0)
		return none;
	if (probe.measure == TermMeasure::nothing || limit >= terms_scale - 1)
		return 0;
	if (probe.measure == TermMeasure::equal) {
		const std::uint16_t count = stored_count(probe.count);
		return count < least || count > most ? none : probe.count;
	}
	const auto share = static_cast<std::uint64_t>(terms_scale - 2 - limit);
	// the row has as many terms as are needed
	const std::uint64_t fewest = probe.measure == TermMeasure::of_row ? 1 : share * probe.count / terms_scale + 1;
	std::uint64_t row = std::max<std::uint64_t>(least, fewest);
	if (most == terms_max_count)
		row = std::min<std::uint64_t>(row, terms_max_count);
	if (row > most)
		return none;
	switch (probe.measure) {
	case TermMeasure::united:
		return share * (probe.count + row) / (terms_scale + share) + 1;
	case TermMeasure::of_probe:
		return share * probe.count / terms_scale + 1;
	default:
		return share * row / terms_scale + 1;
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

template <class V> TXTFP_KERNEL bool any(const V &bits) noexcept
{
	std::uint64_t words[sizeof(V) / 8], all = 0;
	std::memcpy(words, &bits, sizeof words);
	for (const std::uint64_t word : words)
		all |= word;
	return all != 0;
}

template <class V> TXTFP_KERNEL void add_three(V &sum, const V &a, const V &b, V &carry) noexcept
{
	const V different = a ^ b;
	carry = (a & b) | (different & sum);
	sum ^= different;
}

// Adds `carry` to the counter from bit `from` on.
template <std::size_t from, std::size_t bits, class V> TXTFP_KERNEL void ripple(V *counter, const V &added) noexcept
{
	V carry = added;
#pragma GCC unroll 10
	for (std::size_t i = from; i < bits; ++i) {
		const V next = counter[i] & carry;
		counter[i] ^= carry;
		carry = next;
	}
}

// The rows whose counters are at least `least`, which the counters can hold.
template <std::size_t bits, class V> TXTFP_KERNEL void reaching(const V *counter, std::size_t least, V &rows) noexcept
{
	V more{}, equal = ~V{};
#pragma GCC unroll 10
	for (std::size_t i = 1; i <= bits; ++i) {
		const V one = V{} - (least >> (bits - i) & 1); // all bits, or none
		more |= equal & counter[bits - i] & ~one;
		equal &= ~(counter[bits - i] ^ one);
	}
	rows &= more | equal;
}

// What one lane of rows counts on a page.
struct PageTerms {
	const std::uint8_t *page;
	const std::uint16_t *plane;
	std::size_t n, left; // terms on the page; on it and those after it
	std::size_t needed;
	bool start;
};

// Counts the terms of a page for as many rows as a vector has bits. Four terms are added at once where there are so
// many. False if no row can reach what is needed.
template <std::size_t width, std::size_t bits>
TXTFP_KERNEL bool count_lane(const PageTerms &terms, std::size_t at, TermCounts &counts) noexcept
{
	typedef typename TermVectors<width>::Bits V;
	V open, counter[bits] = {};
	std::memcpy(&open, counts.open + at, width);
	if (!any<V>(open))
		return false;
	if (!terms.start)
#pragma GCC unroll 10
		for (std::size_t i = 0; i < bits; ++i)
			std::memcpy(&counter[i], counts.counter[i] + at, width);
	const auto load = [&](std::size_t i, V & rows) __attribute__((always_inline))
	{
		const std::uint16_t *plane = terms.plane + terms_hashes * i;
		V other;
		std::memcpy(&rows, terms.page + plane[0] + at, width);
		for (std::size_t j = 1; j < terms_hashes; ++j) {
			std::memcpy(&other, terms.page + plane[j] + at, width);
			rows &= other;
		}
	};
	std::size_t i = 0, left = terms.left;
	bool is_open = true;
	for (V in[4]; i + 4 <= terms.n && is_open; i += 4) {
		for (std::size_t j = 0; j < 4; ++j)
			load(i + j, in[j]);
		V two_a, two_b, four;
		add_three<V>(counter[0], in[0], in[1], two_a);
		add_three<V>(counter[0], in[2], in[3], two_b);
		add_three<V>(counter[1], two_a, two_b, four);
		ripple<2, bits>(counter, four);
		left -= 4;
		if (terms.needed > left) {
			reaching<bits>(counter, terms.needed - left, open);
			is_open = any<V>(open);
		}
	}
	for (V in; i < terms.n && is_open; ++i) {
		load(i, in);
		ripple<0, bits>(counter, in);
		--left;
	}
	if (terms.needed > left)
		reaching<bits>(counter, terms.needed - left, open);
#pragma GCC unroll 10
	for (std::size_t b = 0; b < bits; ++b)
		std::memcpy(counts.counter[b] + at, &counter[b], width);
	std::memcpy(counts.open + at, &open, width);
	return any<V>(open);
}

struct CountTerms {
	template <std::size_t width, std::size_t bits>
	TXTFP_KERNEL static bool lanes(const PageTerms &terms, std::size_t size, TermCounts &counts) noexcept
	{
		bool is_open = false;
		for (std::size_t at = 0; at < size; at += width)
			is_open |= count_lane<width, bits>(terms, at, counts);
		return is_open;
	}

	template <std::size_t width>
	TXTFP_KERNEL static bool run(
		const PageTerms *terms, std::size_t size, std::size_t bits, TermCounts *counts) noexcept
	{
		if (bits <= 6)
			return lanes<width, 6>(*terms, size, *counts);
		return bits <= 8 ? lanes<width, 8>(*terms, size, *counts) : lanes<width, 10>(*terms, size, *counts);
	}
};

std::size_t counter_bits(const TermProbe &probe) noexcept
{
	return static_cast<std::size_t>(std::bit_width(std::uint32_t{probe.terms}));
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
	TXTFP_KERNEL static void run(TermMeasure measure, std::uint32_t probe, const std::uint32_t *common,
		const std::uint16_t *rows, std::size_t n, std::uint16_t *out) noexcept
	{
		constexpr std::size_t lanes = width / 4;
		typedef typename TermVectors<width>::Short Short;
		typedef typename TermVectors<width>::Long Long;
		typedef typename TermVectors<width>::Real Real;
		for (std::size_t i = 0; i < n; i += lanes) {
			Long both{};
			Short y{};
			std::memcpy(&both, common + i, std::min(sizeof both, 4 * (n - i)));
			std::memcpy(&y, rows + i, std::min(sizeof y, 2 * (n - i)));
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
			std::memcpy(out + i, &result, std::min(sizeof result, 2 * (n - i)));
		}
	}
};

} // namespace

void start_counts(const SketchLayout &layout, std::size_t n, TermCounts &counts) noexcept
{
	std::memset(counts.open, 0, std::max<std::size_t>(layout.plane_size, 64));
	std::memset(counts.open, 0xFF, n / 8);
	if (n % 8 > 0)
		counts.open[n / 8] = static_cast<std::uint8_t>((1 << n % 8) - 1);
}

bool count_terms(const SketchLayout &layout, const TermProbe &probe, std::size_t number, const std::uint8_t *page,
	std::size_t needed, TermCounts &counts) noexcept
{
	const std::size_t before = number == 0 ? 0 : probe.listed[number - 1];
	const PageTerms terms{page, probe.plane + terms_hashes * before, probe.listed[number] - before,
		probe.count - before, needed, number == 0};
	return dispatch_by_width<CountTerms>(
		simd_level(), &terms, std::size_t{layout.plane_size}, counter_bits(probe), &counts);
}

void terms_bounds(const TermProbe &probe, const std::uint32_t *common, const std::uint16_t *row_counts, std::size_t n,
	std::uint16_t *out) noexcept
{
	if (probe.measure > TermMeasure::of_row || probe.count > terms_max_count) {
		for (std::size_t i = 0; i < n; ++i)
			out[i] = static_cast<std::uint16_t>(terms_bound(probe, common[i], row_counts[i]));
		return;
	}
	dispatch_by_width<DivideCounts>(simd_level(), probe.measure, probe.count, common, row_counts, n, out);
}

std::size_t rows_of_counts(const SketchLayout &layout, const TermProbe &probe, const TermCounts &counts,
	const std::uint16_t *row_counts, int limit, std::uint16_t *rows, std::uint16_t *bounds) noexcept
{
	std::uint32_t common[sketch_max_rows];
	std::uint16_t their_counts[sketch_max_rows];
	const std::size_t bits = counter_bits(probe), more = probe.count - probe.terms;
	std::size_t n = 0;
	for (std::size_t at = 0; at < layout.plane_size; ++at) {
		if (counts.open[at] == 0)
			continue;
		std::uint16_t eight[8];
		counts_of_eight(counts, at, bits, eight);
		for (unsigned left = counts.open[at]; left != 0; left &= left - 1) {
			const auto i = static_cast<std::size_t>(std::countr_zero(left));
			rows[n] = static_cast<std::uint16_t>(8 * at + i);
			their_counts[n] = row_counts[rows[n]];
			common[n++] = static_cast<std::uint32_t>(eight[i] + more);
		}
	}
	if (n == 0)
		return 0;
	terms_bounds(probe, common, their_counts, n, bounds);
	std::size_t kept = 0;
	for (std::size_t i = 0; i < n; ++i)
		if (bounds[i] <= limit) {
			rows[kept] = rows[i];
			bounds[kept++] = bounds[i];
		}
	return kept;
}

} // namespace txtfp::core
