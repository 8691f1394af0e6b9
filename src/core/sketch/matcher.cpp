#include "core/sketch/matcher.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "core/base/cpu.hpp"
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

[[gnu::always_inline]] inline int count_bits(std::uint64_t bits) noexcept { return __builtin_popcountll(bits); }

// Of 64 codes, by the bits of their exclusive or: the lower one alone is a distance of 1, the upper one alone of 2, both are
// 1 for the codes 1 and 2, and 6 for 0 and 3, whose own bits are equal.
[[gnu::always_inline]] inline int tlsh_codes(
	std::uint64_t low, std::uint64_t high, std::uint64_t probe_low, std::uint64_t probe_high) noexcept
{
	const std::uint64_t lower = low ^ probe_low, upper = high ^ probe_high, farthest = lower & upper & ~(low ^ high);
	return count_bits(lower) + 2 * count_bits(upper & ~lower) + 5 * count_bits(farthest);
}

// For rows whose header leaves it open.
TXTFP_CLONES void add_tlsh_bodies(const std::uint8_t *__restrict low, const std::uint8_t *__restrict high,
	const std::uint8_t *__restrict probe, std::size_t n, int limit, std::uint16_t *__restrict out) noexcept
{
	const std::uint64_t low_0 = load(probe), low_1 = load(probe + 8), high_0 = load(probe + 16),
						high_1 = load(probe + 24);
	for (std::size_t i = 0; i < n; ++i)
		if (out[i] <= limit)
			out[i] =
				static_cast<std::uint16_t>(out[i] + tlsh_codes(load(low + 16 * i), load(high + 16 * i), low_0, high_0) +
					tlsh_codes(load(low + 16 * i + 8), load(high + 16 * i + 8), low_1, high_1));
}

TXTFP_CLONES int common_counts(const std::uint8_t *__restrict a, const std::uint8_t *__restrict b) noexcept
{
	int common = 0;
	for (std::size_t i = 0; i < lavinhash_filter_size / 8; ++i)
		common += std::min(a[i], b[i]);
	return common;
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

SketchMatcher::SketchMatcher(const SketchLayout &layout, const std::uint8_t *signature) noexcept : layout_(&layout)
{
	std::memcpy(signature_, signature, layout.signature_size);
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

// As few planes as rule out almost all strangers, whose slots agree in p planes with a probability of 2^−p.
std::size_t SketchMatcher::planes_for(int limit) const noexcept
{
	const double slots = static_cast<double>(64 * words());
	for (const std::size_t planes : {1, 2}) {
		const double agree = std::ldexp(1.0, -static_cast<int>(planes));
		if (slots * (1 - agree) - 4 * std::sqrt(slots * agree * (1 - agree)) > limit)
			return planes;
	}
	return page_planes;
}

void SketchMatcher::minhash_bounds(
	const std::uint8_t *page, std::size_t n, int limit, std::uint16_t *out) const noexcept
{
	const std::size_t planes = planes_for(limit), stride = layout_->field[1].offset - layout_->field[0].offset;
	plane_distances(plane_kernel(), page + layout_->field[0].offset, stride, words(), planes, n, signature_, out);
	if (planes < page_planes)
		for (std::size_t i = 0; i < n; ++i)
			if (out[i] <= limit) {
				SketchPartial partial;
				out[i] = static_cast<std::uint16_t>(refine(0, page, i, partial));
			}
}

void SketchMatcher::tlsh_bounds(const std::uint8_t *page, std::size_t n, int limit, std::uint16_t *out) const noexcept
{
	const SketchField *field = layout_->field;
	for (std::size_t i = 0; i < n; ++i)
		out[i] = static_cast<std::uint16_t>(of_length_[page[field[0].offset + i]] +
			of_ratios_[page[field[1].offset + i]] + (page[field[2].offset + i] != signature_[2]));
	add_tlsh_bodies(page + field[3].offset, page + field[4].offset, signature_ + field[3].at, n, limit, out);
}

int SketchMatcher::lavinhash_bound(const std::uint8_t *page, std::size_t row) const noexcept
{
	const auto at = [&](std::size_t i) { return page + layout_->field[i].offset + layout_->field[i].size * row; };
	const std::uint8_t *own_bits = signature_ + layout_->field[1].at, *own_nibbles = signature_ + layout_->field[3].at;
	const int common = common_counts(at(0), signature_);
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
		return plane_distances(plane_kernel(), page + layout_->field[0].offset, 0, 1, 1, n, signature_, out);
	case SketchKind::tlsh:
		return tlsh_bounds(page, n, limit, out);
	case SketchKind::lavinhash:
		break;
	}
	for (std::size_t i = 0; i < n; ++i)
		out[i] = static_cast<std::uint16_t>(lavinhash_bound(page, i));
}

// In most blocks there is none.
TXTFP_CLONES std::size_t SketchMatcher::within(
	const std::uint16_t *bounds, std::size_t n, int limit, std::uint16_t *rows) noexcept
{
	constexpr std::size_t block = 32;
	const auto most = static_cast<std::uint16_t>(std::clamp(limit, 0, 0xFFFF));
	std::size_t found = 0;
	if (limit < 0)
		return 0;
	for (std::size_t first = 0; first < n; first += block) {
		const std::size_t size = std::min(block, n - first);
		std::uint16_t any = 0;
		for (std::size_t i = 0; i < size; ++i)
			any |= static_cast<std::uint16_t>(bounds[first + i] <= most);
		if (any != 0)
			for (std::size_t i = first; i < first + size; ++i)
				if (bounds[i] <= most)
					rows[found++] = static_cast<std::uint16_t>(i);
	}
	return found;
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
