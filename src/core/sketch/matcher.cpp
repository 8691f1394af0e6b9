#include "core/sketch/matcher.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "core/base/neon.hpp"
#include "core/lavinhash/lavinhash.hpp"
#include "core/sketch/planes.hpp"
#include "core/tlsh/tlsh.hpp"

namespace txtfp::core {

namespace {

constexpr std::size_t page_planes = 4; // of a MinHash sketch on each page

std::uint64_t load(const std::uint8_t *p) noexcept
{
	std::uint64_t v;
	std::memcpy(&v, p, sizeof v);
	return v;
}

// Of 64 codes, see tlsh_code_distances.
int tlsh_codes(std::uint64_t low, std::uint64_t high, std::uint64_t probe_low, std::uint64_t probe_high) noexcept
{
	const std::uint64_t lower = low ^ probe_low, upper = high ^ probe_high, farthest = lower & upper & ~(low ^ high);
	return std::popcount(lower) + 2 * std::popcount(upper & ~lower) + 5 * std::popcount(farthest);
}

// Vectors as wide as a register: the compiler takes wider ones apart, number by number.
template <std::size_t width> struct Vectors {
	static constexpr std::size_t rows = width / 2;
	typedef std::uint8_t Bytes __attribute__((vector_size(width)));
	typedef std::uint8_t RowBytes __attribute__((vector_size(rows)));
	typedef std::uint16_t Rows __attribute__((vector_size(width)));
};

// Steps around a ring: 0 and 1 as they are, then 12 for each, less `from_two`.
template <typename Rows>
TXTFP_KERNEL void add_ring_distances(
	const Rows &from, std::uint16_t to, std::uint16_t ring, std::uint16_t from_two, Rows &sum) noexcept
{
	const auto last = static_cast<std::uint16_t>(ring - 1), half = static_cast<std::uint16_t>(ring / 2);
	const Rows up = (from - to) & last, far = (Rows) (up > half);
	const Rows steps = (far & (ring - up)) | (~far & up);
	sum += 12 * steps - ((Rows) (steps == 1) & 11) - ((Rows) (steps > 1) & from_two);
}

// As tlsh_header_distance, of as many rows as a vector has.
template <std::size_t width>
TXTFP_KERNEL void tlsh_headers_of(const std::uint8_t *length, const std::uint8_t *ratios, const std::uint8_t *checksum,
	const std::uint8_t *probe, std::uint16_t *out) noexcept
{
	typedef typename Vectors<width>::Rows Rows;
	typename Vectors<width>::RowBytes bytes[3];
	std::memcpy(&bytes[0], length, sizeof bytes[0]);
	std::memcpy(&bytes[1], ratios, sizeof bytes[1]);
	std::memcpy(&bytes[2], checksum, sizeof bytes[2]);
	const Rows both = __builtin_convertvector(bytes[1], Rows);
	Rows sum = (Rows) (__builtin_convertvector(bytes[2], Rows) != probe[2]) & 1;
	add_ring_distances(__builtin_convertvector(bytes[0], Rows), probe[0], 256, 0, sum);
	add_ring_distances<Rows>(both >> 4, probe[1] >> 4, 16, 12, sum);
	add_ring_distances<Rows>(both & 15, probe[1] & 15, 16, 12, sum);
	std::memcpy(out, &sum, sizeof sum);
}

// The last vector of several overlaps the one before.
struct TlshHeaders {
	template <std::size_t width>
	TXTFP_KERNEL static void run(const std::uint8_t *length, const std::uint8_t *ratios, const std::uint8_t *checksum,
		std::size_t n, const std::uint8_t *probe, std::uint16_t *out) noexcept
	{
		constexpr std::size_t rows = Vectors<width>::rows;
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

// Of the low four bits: see tlsh_ratio_distance.
inline uint8x16_t ratio_distances(uint8x16_t from, unsigned to) noexcept
{
	const uint8x16_t up = vandq_u8(vsubq_u8(from, vdupq_n_u8(static_cast<std::uint8_t>(to))), vdupq_n_u8(15));
	const uint8x16_t steps = vminq_u8(up, vsubq_u8(vdupq_n_u8(16), up)), one = vdupq_n_u8(1);
	return vmaxq_u8(vminq_u8(steps, one), vmulq_u8(vqsubq_u8(steps, one), vdupq_n_u8(12)));
}

// As tlsh_header_distance, of sixteen rows.
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

// Fewest steps from one multiset of nibbles to another: a step replaces, adds or removes one.
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

// As few planes as rule out almost all strangers, whose slots agree in p planes with a probability of 2^−p.
SketchMatcher::SketchMatcher(const SketchLayout &layout, const std::uint8_t *signature) noexcept : layout_(&layout)
{
	std::memcpy(signature_, signature, layout.signature_size);
	for (std::size_t planes = 1; planes < page_planes; ++planes) {
		const double slots = static_cast<double>(64 * words()), agree = std::ldexp(1.0, -static_cast<int>(planes));
		enough_[planes - 1] = static_cast<int>(slots * (1 - agree) - 4 * std::sqrt(slots * agree * (1 - agree)));
	}
	if (kind() != SketchKind::tlsh)
		return;
	for (int i = 0; i < 256; ++i) {
		of_length_[i] = static_cast<std::uint16_t>(tlsh_length_distance(signature_[0], i));
		of_ratios_[i] = static_cast<std::uint16_t>(
			tlsh_ratio_distance(signature_[1] >> 4, i >> 4) + tlsh_ratio_distance(signature_[1] & 15, i & 15));
	}
}

int SketchMatcher::most() const noexcept
{
	switch (kind()) {
	case SketchKind::minhash64:
	case SketchKind::minhash128:
	case SketchKind::minhash256:
		return static_cast<int>(64 * words());
	case SketchKind::simhash64:
		return 64;
	case SketchKind::tlsh:
		return 2473;
	case SketchKind::lavinhash:
		break;
	}
	return 100;
}

bool SketchMatcher::same_signature(const SketchMatcher &other) const noexcept
{
	return std::memcmp(signature_, other.signature_, layout_->signature_size) == 0;
}

std::size_t SketchMatcher::planes_for(int limit) const noexcept
{
	std::size_t planes = 1;
	while (planes < page_planes && limit >= enough_[planes - 1])
		++planes;
	return planes;
}

std::size_t SketchMatcher::bytes_read(int limit) const noexcept
{
	const SketchField *field = layout_->field;
	if (kind() <= SketchKind::minhash256)
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

void SketchMatcher::minhash_bounds(
	const std::uint8_t *page, std::size_t n, int limit, std::uint16_t *out) const noexcept
{
	const std::size_t planes = planes_for(limit);
	planes_of(0, page, n, planes, nullptr, out);
	if (planes == page_planes)
		return;
	std::uint16_t rows[sketch_max_rows];
	const std::size_t left = within(out, n, limit, rows);
	for (std::size_t i = 0; i < left; ++i) {
		SketchPartial partial;
		out[rows[i]] = static_cast<std::uint16_t>(refine(0, page, rows[i], partial));
	}
}

void SketchMatcher::tlsh_bounds(const std::uint8_t *page, std::size_t n, int limit, std::uint16_t *out) const noexcept
{
	const SketchField *field = layout_->field;
	header_distances(
		simd_level(), page + field[0].offset, page + field[1].offset, page + field[2].offset, n, signature_, out);
	tlsh_code_distances(
		plane_kernel(), page + field[3].offset, page + field[4].offset, n, signature_ + field[3].at, limit, out);
}

int SketchMatcher::lavinhash_bound(const std::uint8_t *page, std::size_t row) const noexcept
{
	const auto at = [&](std::size_t i) { return page + layout_->field[i].offset + layout_->field[i].size * row; };
	const std::uint8_t *own_bits = signature_ + layout_->field[1].at, *own_nibbles = signature_ + layout_->field[3].at;
	const int common = sum_of_minima(simd_level(), at(0), signature_);
	const int united = (at(1)[0] | at(1)[1] << 8) + (own_bits[0] | own_bits[1] << 8) - common;
	const float content = united == 0 ? 1.0f : static_cast<float>(common) / static_cast<float>(united);
	const int size = *at(2), own_size = signature_[layout_->field[2].at], longer = 2 * std::max(size, own_size);
	const int steps = std::max(2 * std::abs(size - own_size), nibble_steps(at(3), own_nibbles));
	// as lavinhash_structure and lavinhash_content: rounding keeps the order
	const float structure = longer == 0 ? 1.0f : 1.0f - static_cast<float>(steps) / static_cast<float>(longer);
	return 100 - lavinhash_score(structure, content, lavinhash_default_alpha);
}

void SketchMatcher::bounds(const std::uint8_t *page, std::size_t n, int limit, std::uint16_t *out) const noexcept
{
	switch (kind()) {
	case SketchKind::minhash64:
	case SketchKind::minhash128:
	case SketchKind::minhash256:
		return minhash_bounds(page, n, limit, out);
	case SketchKind::simhash64:
		return planes_of(0, page, n, 1, nullptr, out);
	case SketchKind::tlsh:
		return tlsh_bounds(page, n, limit, out);
	case SketchKind::lavinhash:
		break;
	}
	for (std::size_t i = 0; i < n; ++i)
		out[i] = static_cast<std::uint16_t>(lavinhash_bound(page, i));
}

std::size_t SketchMatcher::within(const std::uint16_t *bounds, std::size_t n, int limit, std::uint16_t *rows) noexcept
{
	if (limit < 0)
		return 0;
	const auto most = static_cast<std::uint16_t>(std::min(limit, 0xFFFF));
	return rows_within(plane_kernel(), bounds, n, most, rows);
}

void SketchMatcher::refine_all(std::size_t number, const std::uint8_t *page, std::size_t n, SketchPartials &partials,
	std::uint16_t *out) const noexcept
{
	if (layout_->pages == 1)
		return bounds(page, n, most(), out);
	if (number == 0)
		std::memset(partials.differ, 0, sizeof(std::uint64_t) * words() * n);
	planes_of(number, page, n, page_planes, partials.differ, out);
}

// Of a MinHash sketch, or of a SimHash value, which is one plane.
template <std::size_t W>
int SketchMatcher::refine_planes(
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

int SketchMatcher::refine(
	std::size_t number, const std::uint8_t *page, std::size_t row, SketchPartial &partial) const noexcept
{
	if (kind() == SketchKind::tlsh) {
		const SketchField *field = layout_->field;
		const std::uint8_t *low = page + field[3].offset + 16 * row, *high = page + field[4].offset + 16 * row;
		const std::uint8_t *probe = signature_ + field[3].at;
		return of_length_[page[field[0].offset + row]] + of_ratios_[page[field[1].offset + row]] +
			(page[field[2].offset + row] != signature_[2]) +
			tlsh_codes(load(low), load(high), load(probe), load(probe + 16)) +
			tlsh_codes(load(low + 8), load(high + 8), load(probe + 8), load(probe + 24));
	}
	if (kind() == SketchKind::lavinhash)
		return lavinhash_bound(page, row);
	if (number == 0)
		partial = {};
	switch (words()) {
	case 1:
		return refine_planes<1>(number, page, row, partial);
	case 2:
		return refine_planes<2>(number, page, row, partial);
	default:
		return refine_planes<4>(number, page, row, partial);
	}
}

} // namespace txtfp::core
