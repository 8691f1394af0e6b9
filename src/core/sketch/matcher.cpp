#include "core/sketch/matcher.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "core/base/neon.hpp"
#include "core/lavinhash/lavinhash.hpp"
#include "core/sketch/planes.hpp"
#include "core/sketch/planes_plain.hpp"
#include "core/tlsh/tlsh.hpp"

namespace txtfp::core {

namespace {

using plane_kernels::code_distance;
using plane_kernels::load;

constexpr std::size_t page_planes = fields_of_page;

// Vectors as wide as a register. The compiler would process wider ones element by element.
template <std::size_t width> struct Vectors {
	static constexpr std::size_t rows = width / 2;
	typedef std::uint8_t Bytes __attribute__((vector_size(width)));
	typedef std::uint8_t RowBytes __attribute__((vector_size(rows)));
	typedef std::uint16_t Rows __attribute__((vector_size(width)));
};

// Adds tlsh_ratio_distance of the probe's ratio and each of `ratios`: 0, 1, or 12 for each step beyond the first; at
// most 84.
template <typename Bytes>
TXTFP_KERNEL void add_ratio_distances(const Bytes &ratios, std::uint8_t probe, Bytes &sum) noexcept
{
	const Bytes up = (ratios - probe) & 15, down = 16 - up, steps = up < down ? up : down;
	const Bytes one = (Bytes) (steps > 0) & 1, beyond = steps - one;
	const Bytes twice = beyond + beyond, four = twice + twice, twelve = four + four + four;
	sum += one > twelve ? one : twelve;
}

// tlsh_header_distance for `width` rows.
template <std::size_t width>
TXTFP_KERNEL void tlsh_headers_of(const std::uint8_t *length, const std::uint8_t *ratios, const std::uint8_t *checksum,
	const std::uint8_t *probe, std::uint16_t *out) noexcept
{
	typedef typename Vectors<width>::Bytes Bytes;
	typedef typename Vectors<width>::RowBytes RowBytes;
	typedef typename Vectors<width>::Rows Rows;
	Bytes lengths, both, checksums;
	std::memcpy(&lengths, length, width);
	std::memcpy(&both, ratios, width);
	std::memcpy(&checksums, checksum, width);
	Bytes small = (Bytes) (checksums != probe[2]) & 1;
	add_ratio_distances<Bytes>(both >> 4, probe[1] >> 4, small);
	add_ratio_distances<Bytes>(both & 15, probe[1] & 15, small);
	const Bytes up = lengths - probe[0], down = -up, steps = up < down ? up : down;
	const Bytes less = (Bytes) (steps == 1) & 11; // one step is 1, others are 12 each
	for (std::size_t half = 0; half < 2; ++half) {
		RowBytes parts[3];
		std::memcpy(&parts[0], reinterpret_cast<const char *>(&small) + half * sizeof parts[0], sizeof parts[0]);
		std::memcpy(&parts[1], reinterpret_cast<const char *>(&steps) + half * sizeof parts[0], sizeof parts[0]);
		std::memcpy(&parts[2], reinterpret_cast<const char *>(&less) + half * sizeof parts[0], sizeof parts[0]);
		const Rows sum = __builtin_convertvector(parts[0], Rows) + 12 * __builtin_convertvector(parts[1], Rows) -
			__builtin_convertvector(parts[2], Rows);
		std::memcpy(out + half * Vectors<width>::rows, &sum, sizeof sum);
	}
}

// tlsh_header_distance for n rows. The last vector overlaps the one before it.
struct TlshHeaders {
	template <std::size_t width>
	TXTFP_KERNEL static void run(const std::uint8_t *length, const std::uint8_t *ratios, const std::uint8_t *checksum,
		std::size_t n, const std::uint8_t *probe, std::uint16_t *out) noexcept
	{
		constexpr std::size_t rows = width;
		if (n < rows) {
			std::uint8_t padded[3][rows] = {};
			std::uint16_t all[rows];
			std::memcpy(padded[0], length, n);
			std::memcpy(padded[1], ratios, n);
			std::memcpy(padded[2], checksum, n);
			tlsh_headers_of<width>(padded[0], padded[1], padded[2], probe, all);
			std::memcpy(out, all, 2 * n);
			return;
		}
		for (std::size_t first = 0; first < n; first += rows) {
			const std::size_t i = std::min(first, n - rows);
			tlsh_headers_of<width>(length + i, ratios + i, checksum + i, probe, out + i);
		}
	}
};

// The sum of the smaller of each two counts: an upper bound of the number of bits that two filters have in common.
struct CommonCounts {
	template <std::size_t width> TXTFP_KERNEL static int run(const std::uint8_t *a, const std::uint8_t *b) noexcept
	{
		typedef typename Vectors<width>::Bytes Counts;
		typedef typename Vectors<width>::Rows Sums;
		Sums sums{};
		for (std::size_t i = 0; i < lavinhash_filter_size / 8; i += width) {
			Counts x, y;
			std::memcpy(&x, a + i, sizeof x);
			std::memcpy(&y, b + i, sizeof y);
			const Counts more = (Counts) (x > y), least = (more & y) | (~more & x); // at most 64 each
			const Sums pairs = (Sums) least;
			sums += (pairs & 0xFF) + (pairs >> 8);
		}
		std::uint16_t parts[Vectors<width>::rows];
		std::memcpy(parts, &sums, sizeof parts);
		int sum = 0;
		for (const std::uint16_t part : parts)
			sum += part;
		return sum;
	}
};

#if defined(TXTFP_NEON)

// tlsh_ratio_distance for the low four bits of each byte.
inline uint8x16_t ratio_distances(uint8x16_t from, unsigned to) noexcept
{
	const uint8x16_t up = vandq_u8(vsubq_u8(from, vdupq_n_u8(static_cast<std::uint8_t>(to))), vdupq_n_u8(15));
	const uint8x16_t steps = vminq_u8(up, vsubq_u8(vdupq_n_u8(16), up)), one = vdupq_n_u8(1);
	return vmaxq_u8(vminq_u8(steps, one), vmulq_u8(vqsubq_u8(steps, one), vdupq_n_u8(12)));
}

// tlsh_header_distance for sixteen rows.
inline void sixteen_headers(const std::uint8_t *length, const std::uint8_t *ratios, const std::uint8_t *checksum,
	const std::uint8_t *probe, std::uint16_t *out) noexcept
{
	const uint8x16_t both = vld1q_u8(ratios), one = vdupq_n_u8(1);
	const uint8x16_t other = vandq_u8(vmvnq_u8(vceqq_u8(vld1q_u8(checksum), vdupq_n_u8(probe[2]))), one);
	const uint8x16_t small = vaddq_u8(
		other, vaddq_u8(ratio_distances(vshrq_n_u8(both, 4), probe[1] >> 4), ratio_distances(both, probe[1] & 15u)));
	const uint8x16_t up = vsubq_u8(vld1q_u8(length), vdupq_n_u8(probe[0]));
	const uint8x16_t steps = vminq_u8(up, vsubq_u8(vdupq_n_u8(0), up));
	const uint8x16_t less = vandq_u8(vceqq_u8(steps, one), vdupq_n_u8(11)); // one step is 1, others are 12 each
	const uint8x8_t twelve = vdup_n_u8(12);
	const uint16x8_t low = vmull_u8(vget_low_u8(steps), twelve), high = vmull_u8(vget_high_u8(steps), twelve);
	vst1q_u16(out, vsubw_u8(vaddw_u8(low, vget_low_u8(small)), vget_low_u8(less)));
	vst1q_u16(out + 8, vsubw_u8(vaddw_u8(high, vget_high_u8(small)), vget_high_u8(less)));
}

void tlsh_headers_neon(const std::uint8_t *length, const std::uint8_t *ratios, const std::uint8_t *checksum,
	std::size_t n, const std::uint8_t *probe, std::uint16_t *out) noexcept
{
	constexpr std::size_t rows = 16;
	if (n < rows)
		return TlshHeaders::run<16>(length, ratios, checksum, n, probe, out);
	for (std::size_t first = 0; first < n; first += rows) {
		const std::size_t i = std::min(first, n - rows);
		sixteen_headers(length + i, ratios + i, checksum + i, probe, out + i);
	}
}

int common_counts_neon(const std::uint8_t *a, const std::uint8_t *b) noexcept
{
	uint16x8_t sum = vdupq_n_u16(0);
	for (std::size_t i = 0; i < lavinhash_filter_size / 8; i += sizeof(uint8x16_t))
		sum = vpadalq_u8(sum, vminq_u8(vld1q_u8(a + i), vld1q_u8(b + i)));
	return vaddvq_u16(sum);
}

#endif

void header_distances(SimdLevel level, const std::uint8_t *length, const std::uint8_t *ratios,
	const std::uint8_t *checksum, std::size_t n, const std::uint8_t *probe, std::uint16_t *out) noexcept
{
#if defined(TXTFP_NEON)
	if (level == SimdLevel::neon)
		return tlsh_headers_neon(length, ratios, checksum, n, probe, out);
#endif
	dispatch_by_width<TlshHeaders>(level, length, ratios, checksum, n, probe, out);
}

int sum_of_minima(SimdLevel level, const std::uint8_t *a, const std::uint8_t *b) noexcept
{
#if defined(TXTFP_NEON)
	if (level == SimdLevel::neon)
		return common_counts_neon(a, b);
#endif
	return dispatch_by_width<CommonCounts>(level, a, b);
}

// The edit distance of two multisets of nibbles, given by their counts: a step replaces, adds or removes one nibble.
int nibble_steps(const std::uint8_t *a, const std::uint8_t *b) noexcept
{
	int more = 0, fewer = 0;
	for (std::size_t i = 0; i < 16; ++i) {
		more += std::max(0, a[i] - b[i]);
		fewer += std::max(0, b[i] - a[i]);
	}
	return std::max(more, fewer);
}

} // namespace

struct SignatureWays {
	using Matcher = SketchMatcher;
	static constexpr SignatureFunctions functions(SignatureWay way) noexcept
	{
		switch (way) {
		case SignatureWay::planes:
			return {&Matcher::prepare_planes, &Matcher::plane_bounds, &Matcher::refine_planes};
		case SignatureWay::digest:
			return {&Matcher::prepare_digest, &Matcher::digest_bounds, &Matcher::refine_digest};
		case SignatureWay::filter:
			return {nullptr, &Matcher::filter_bounds, &Matcher::refine_filter};
		case SignatureWay::terms:
			break;
		}
		return {};
	}
};

SketchMatcher::SketchMatcher(const SketchLayout &layout, const std::uint8_t *signature, const TermProbe *terms) noexcept
	: layout_(&layout), way_(SignatureWays::functions(layout.kind->way)), terms_(terms)
{
	std::memcpy(signature_, signature, layout.signature_size);
	if (way_.prepare != nullptr)
		(this->*way_.prepare)();
}

// Slots of an unrelated row agree in p planes with a probability of 2^−p. plane_limits_ is four standard deviations
// below the number of slots that are then expected to differ.
void SketchMatcher::prepare_planes() noexcept
{
	for (std::size_t planes = 1; planes < page_planes; ++planes) {
		const double slots = static_cast<double>(64 * words()), agree = std::ldexp(1.0, -static_cast<int>(planes));
		plane_limits_[planes - 1] = static_cast<int>(slots * (1 - agree) - 4 * std::sqrt(slots * agree * (1 - agree)));
	}
}

void SketchMatcher::prepare_digest() noexcept
{
	for (int i = 0; i < 256; ++i) {
		length_distance_[i] = static_cast<std::uint16_t>(tlsh_length_distance(signature_[0], i));
		ratios_distance_[i] = static_cast<std::uint16_t>(
			tlsh_ratio_distance(signature_[1] >> 4, i >> 4) + tlsh_ratio_distance(signature_[1] & 15, i & 15));
	}
}

bool SketchMatcher::same_signature(const SketchMatcher &other) const noexcept
{
	if (terms_ != nullptr)
		return terms_->measure == other.terms_->measure && terms_->count == other.terms_->count &&
			std::memcmp(terms_->listed, other.terms_->listed, sizeof terms_->listed[0] * layout_->pages) == 0 &&
			std::memcmp(terms_->plane, other.terms_->plane, sizeof terms_->plane[0] * terms_hashes * terms_->terms) ==
			0;
	return std::memcmp(signature_, other.signature_, layout_->signature_size) == 0;
}

std::size_t SketchMatcher::planes_for(int limit) const noexcept
{
	const std::size_t most = std::min<std::size_t>(page_planes, layout_->fields);
	std::size_t planes = 1;
	while (planes < most && limit >= plane_limits_[planes - 1])
		++planes;
	return planes;
}

std::size_t SketchMatcher::bytes_read(int limit) const noexcept
{
	const SketchField *field = layout_->field;
	if (layout_->kind->way == SignatureWay::planes)
		return planes_for(limit) * std::size_t{layout_->rows} * field[0].size;
	std::size_t size = 0;
	for (std::size_t i = 0; i < layout_->fields; ++i)
		size += std::size_t{layout_->rows} * field[i].size;
	return size;
}

void SketchMatcher::planes_of(std::size_t number, const std::uint8_t *page, std::size_t n, std::size_t planes,
	std::uint64_t *differ, std::uint16_t *out) const noexcept
{
	const SketchField &first = layout_->field[page_planes * number];
	const std::size_t stride = layout_->fields > 1 ? layout_->field[1].offset - layout_->field[0].offset : 0;
	plane_distances(
		plane_kernel(), page + first.offset, stride, words(), planes, n, signature_ + first.at, differ, out);
}

void SketchMatcher::plane_bounds(const std::uint8_t *page, std::size_t n, int limit, std::uint16_t *out) const noexcept
{
	const std::size_t planes = planes_for(limit);
	planes_of(0, page, n, planes, nullptr, out);
	if (planes == page_planes || planes == layout_->fields)
		return;
	std::uint16_t rows[sketch_max_rows];
	const std::size_t left = within(out, n, limit, rows);
	for (std::size_t i = 0; i < left; ++i) {
		SketchPartial partial;
		out[rows[i]] = static_cast<std::uint16_t>(refine_planes(0, page, rows[i], partial));
	}
}

void SketchMatcher::digest_bounds(const std::uint8_t *page, std::size_t n, int limit, std::uint16_t *out) const noexcept
{
	const SketchField *field = layout_->field;
	header_distances(
		simd_level(), page + field[0].offset, page + field[1].offset, page + field[2].offset, n, signature_, out);
	tlsh_code_distances(
		plane_kernel(), page + field[3].offset, page + field[4].offset, n, signature_ + field[3].at, limit, out);
}

int SketchMatcher::refine_filter(std::size_t, const std::uint8_t *page, std::size_t row, SketchPartial &) const noexcept
{
	const auto at = [&](std::size_t i) { return page + layout_->field[i].offset + layout_->field[i].size * row; };
	const std::uint8_t *own_bits = signature_ + layout_->field[1].at, *own_nibbles = signature_ + layout_->field[3].at;
	const int common = sum_of_minima(simd_level(), at(0), signature_);
	const int united = (at(1)[0] | at(1)[1] << 8) + (own_bits[0] | own_bits[1] << 8) - common;
	const float content = united == 0 ? 1.0f : static_cast<float>(common) / static_cast<float>(united);
	const int size = *at(2), own_size = signature_[layout_->field[2].at], longer = 2 * std::max(size, own_size);
	const int steps = std::max(2 * std::abs(size - own_size), nibble_steps(at(3), own_nibbles));
	// rounded as in lavinhash_structure and lavinhash_content, so that a bound never exceeds the distance
	const float structure = longer == 0 ? 1.0f : 1.0f - static_cast<float>(steps) / static_cast<float>(longer);
	return 100 - lavinhash_score(structure, content, lavinhash_default_alpha);
}

void SketchMatcher::filter_bounds(const std::uint8_t *page, std::size_t n, int, std::uint16_t *out) const noexcept
{
	SketchPartial none;
	for (std::size_t i = 0; i < n; ++i)
		out[i] = static_cast<std::uint16_t>(refine_filter(0, page, i, none));
}

std::size_t SketchMatcher::within(const std::uint16_t *bounds, std::size_t n, int limit, std::uint16_t *rows) noexcept
{
	if (limit < 0)
		return 0;
	const auto max_bound = static_cast<std::uint16_t>(std::min(limit, 0xFFFF));
	return rows_within(plane_kernel(), bounds, n, max_bound, rows);
}

void SketchMatcher::refine_all(std::size_t number, const std::uint8_t *page, std::size_t n, SketchPartials &partials,
	std::uint16_t *out) const noexcept
{
	if (layout_->pages == 1)
		return bounds(page, n, max_distance(), out);
	if (number == 0)
		std::memset(partials.differ, 0, sizeof(std::uint64_t) * words() * n);
	planes_of(number, page, n, page_planes, partials.differ, out);
}

template <std::size_t W>
int SketchMatcher::refine_words(
	std::size_t number, const std::uint8_t *page, std::size_t row, SketchPartial &partial) const noexcept
{
	const std::size_t first = page_planes * number, end = std::min<std::size_t>(first + page_planes, layout_->fields);
	for (std::size_t i = first; i < end; ++i) {
		const std::uint8_t *plane = page + layout_->field[i].offset + 8 * W * row, *probe = signature_ + 8 * W * i;
		for (std::size_t w = 0; w < W; ++w)
			partial.differ[w] |= load(plane + 8 * w) ^ load(probe + 8 * w);
	}
	int differ = 0;
	for (std::size_t w = 0; w < W; ++w)
		differ += std::popcount(partial.differ[w]);
	return differ;
}

int SketchMatcher::refine_planes(
	std::size_t number, const std::uint8_t *page, std::size_t row, SketchPartial &partial) const noexcept
{
	if (number == 0)
		partial = {};
	switch (words()) {
	case 1:
		return refine_words<1>(number, page, row, partial);
	case 2:
		return refine_words<2>(number, page, row, partial);
	default:
		return refine_words<4>(number, page, row, partial);
	}
}

int SketchMatcher::refine_digest(std::size_t, const std::uint8_t *page, std::size_t row, SketchPartial &) const noexcept
{
	const SketchField *field = layout_->field;
	const std::uint8_t *low = page + field[3].offset + 16 * row, *high = page + field[4].offset + 16 * row;
	const std::uint8_t *probe = signature_ + field[3].at;
	return length_distance_[page[field[0].offset + row]] + ratios_distance_[page[field[1].offset + row]] +
		(page[field[2].offset + row] != signature_[2]) +
		code_distance(load(low), load(high), load(probe), load(probe + 16)) +
		code_distance(load(low + 8), load(high + 8), load(probe + 8), load(probe + 24));
}

} // namespace txtfp::core
