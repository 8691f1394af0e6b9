#include "core/lavinhash/lavinhash.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/bytes.hpp"
#include "core/base/neon.hpp"

namespace txtfp::core {

namespace {

constexpr std::uint8_t magic = 'H', version = 1;
constexpr std::size_t max_nibbles = 2 * lavinhash_max_structure;

constexpr std::size_t structure_size(std::span<const std::uint8_t> bytes) noexcept
{
	return bytes[2] | std::size_t{bytes[3]} << 8;
}

struct Overlap {
	std::uint32_t common, united;
};

TXTFP_KERNEL Overlap overlap(const std::uint8_t *a, const std::uint8_t *b) noexcept
{
	std::uint32_t common = 0, united = 0;
	for (std::size_t i = 0; i < lavinhash_filter_size; i += 8) {
		const std::uint64_t x = load_le64(a + i), y = load_le64(b + i);
		common += static_cast<std::uint32_t>(__builtin_popcountll(x & y));
		united += static_cast<std::uint32_t>(__builtin_popcountll(x | y));
	}
	return {common, united};
}

#if defined(TXTFP_NEON)
Overlap overlap_neon(const std::uint8_t *a, const std::uint8_t *b) noexcept
{
	uint16x8_t common = vdupq_n_u16(0), united = common; // of each 16 bits at most 16 · 64
	for (std::size_t i = 0; i < lavinhash_filter_size; i += sizeof(uint8x16_t)) {
		const uint8x16_t x = vld1q_u8(a + i), y = vld1q_u8(b + i);
		common = vpadalq_u8(common, vcntq_u8(vandq_u8(x, y)));
		united = vpadalq_u8(united, vcntq_u8(vorrq_u8(x, y)));
	}
	return {vaddlvq_u16(common), vaddlvq_u16(united)};
}
#endif

Overlap filter_overlap(SimdLevel level, const std::uint8_t *a, const std::uint8_t *b) noexcept
{
#if defined(TXTFP_NEON)
	if (level == SimdLevel::neon)
		return overlap_neon(a, b);
#endif
	return dispatch<overlap>(level, a, b);
}

// The nibbles of a structure layer, with its padding.
struct Nibbles {
	std::uint8_t values[max_nibbles];
	std::size_t count;

	explicit Nibbles(LavinhashBytes form) noexcept : count(2 * structure_size(form))
	{
		for (std::size_t i = 0; i < count; ++i)
			values[i] = form[lavinhash_min_size + i / 2] >> (i % 2 == 0 ? 4 : 0) & 15;
	}
	std::span<const std::uint8_t> view() const noexcept { return {values, count}; }
};

// 64 rows of one column of the edit-distance table (G. Myers, 1999; blocks as in H. Hyyrö, 2003). Bit i of `up` says
// that cell i is one more than the cell before it; bit i of `down` says that it is one less.
struct Column {
	std::uint64_t up = ~std::uint64_t{0}, down = 0;

	// Advances by one symbol. `equal` marks the cells whose symbol it is. carry_up and carry_down pass the difference
	// across the upper edge in and the difference across the lower edge out; ends_up and ends_down receive the
	// differences of all rows.
	void step(std::uint64_t equal, bool &carry_up, bool &carry_down, std::uint64_t &ends_up,
		std::uint64_t &ends_down) noexcept
	{
		const std::uint64_t vertical = equal | down;
		equal |= std::uint64_t{carry_down};
		const std::uint64_t diagonal = (((equal & up) + up) ^ up) | equal;
		ends_up = down | ~(diagonal | up);
		ends_down = up & diagonal;
		const std::uint64_t shifted_up = ends_up << 1 | std::uint64_t{carry_up};
		const std::uint64_t shifted_down = ends_down << 1 | std::uint64_t{carry_down};
		carry_up = ends_up >> 63 != 0;
		carry_down = ends_down >> 63 != 0;
		up = shifted_down | ~(vertical | shifted_up);
		down = shifted_up & vertical;
	}
};

// Edit distance of two sequences of nibbles; a is not empty.
int edit_distance(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) noexcept
{
	constexpr std::size_t max_words = (max_nibbles + 63) / 64;
	std::uint64_t positions[16][max_words] = {};
	for (std::size_t i = 0; i < a.size(); ++i)
		positions[a[i]][i / 64] |= std::uint64_t{1} << i % 64;
	const std::size_t last = (a.size() - 1) / 64, last_bit = (a.size() - 1) % 64;
	Column columns[max_words];
	int distance = static_cast<int>(a.size());
	for (const std::uint8_t symbol : b) {
		bool carry_up = true, carry_down = false;
		std::uint64_t ends_up = 0, ends_down = 0;
		for (std::size_t word = 0; word <= last; ++word)
			columns[word].step(positions[symbol][word], carry_up, carry_down, ends_up, ends_down);
		distance += static_cast<int>(ends_up >> last_bit & 1) - static_cast<int>(ends_down >> last_bit & 1);
	}
	return distance;
}

} // namespace

LavinhashError lavinhash_check(std::span<const std::uint8_t> bytes) noexcept
{
	if (bytes.size() < lavinhash_min_size)
		return LavinhashError::size;
	if (bytes[0] != magic)
		return LavinhashError::magic;
	if (bytes[1] != version)
		return LavinhashError::version;
	if (structure_size(bytes) > lavinhash_max_structure)
		return LavinhashError::structure;
	return bytes.size() == lavinhash_min_size + structure_size(bytes) ? LavinhashError::none : LavinhashError::size;
}

LavinhashBuilder::LavinhashBuilder(std::uint64_t total, const LavinhashOptions &options) noexcept
	: left_(total), content_(total, options), structure_(total)
{
}

void LavinhashBuilder::append(std::span<const std::uint8_t> piece, StopToken stop)
{
	constexpr std::size_t slice_size = 1 << 15; // bytes; a slice stays in the cache while both layers read it
	if (piece.size() > left_)
		throw Error(ErrorKind::internal, "more bytes than announced");
	left_ -= piece.size();
	while (!piece.empty()) {
		const std::span<const std::uint8_t> slice = piece.first(std::min(piece.size(), slice_size));
		content_.append(slice);
		structure_.append(slice);
		piece = piece.subspan(slice.size());
		stop.check();
	}
}

std::size_t LavinhashBuilder::finish(std::uint8_t *out)
{
	if (left_ != 0)
		throw Error(ErrorKind::internal, "fewer bytes than announced");
	const std::size_t size = structure_.finish(out + lavinhash_min_size);
	content_.finish(out + lavinhash_filter_offset);
	out[0] = magic;
	out[1] = version;
	out[2] = static_cast<std::uint8_t>(size);
	out[3] = 0; // the high byte of the size: lavinhash_max_structure is less than 256
	return lavinhash_min_size + size;
}

std::size_t lavinhash(
	std::span<const std::uint8_t> bytes, const LavinhashOptions &options, std::uint8_t *out, StopToken stop)
{
	if (bytes.empty())
		return 0;
	LavinhashBuilder builder(bytes.size(), options);
	builder.append(bytes, stop);
	const std::size_t size = builder.finish(out);
	return lavinhash_says_nothing({out, size}) ? 0 : size;
}

bool lavinhash_says_nothing(LavinhashBytes form) noexcept
{
	const LavinhashBytes filter = form.subspan(lavinhash_filter_offset, lavinhash_filter_size);
	return std::all_of(filter.begin(), filter.end(), [](std::uint8_t byte) { return byte == 0; });
}

float lavinhash_content(LavinhashBytes a, LavinhashBytes b) noexcept
{
	const Overlap bits =
		filter_overlap(simd_level(), a.data() + lavinhash_filter_offset, b.data() + lavinhash_filter_offset);
	return bits.united == 0 ? 1.0f : static_cast<float>(bits.common) / static_cast<float>(bits.united);
}

int lavinhash_edit_distance(LavinhashBytes a, LavinhashBytes b) noexcept
{
	const Nibbles all_a(a), all_b(b);
	std::span<const std::uint8_t> x = all_a.view(), y = all_b.view();
	while (!x.empty() && !y.empty() && x.front() == y.front()) {
		x = x.subspan(1);
		y = y.subspan(1);
	}
	while (!x.empty() && !y.empty() && x.back() == y.back()) {
		x = x.first(x.size() - 1);
		y = y.first(y.size() - 1);
	}
	if (x.size() < y.size())
		std::swap(x, y); // x is the longer one: each symbol of y costs a step, 64 symbols of x fit in a word
	return x.empty() ? 0 : edit_distance(x, y);
}

float lavinhash_structure(LavinhashBytes a, LavinhashBytes b) noexcept
{
	const std::size_t longer = 2 * std::max(structure_size(a), structure_size(b));
	if (longer == 0)
		return 1.0f;
	return 1.0f - static_cast<float>(lavinhash_edit_distance(a, b)) / static_cast<float>(longer);
}

int lavinhash_score(float structure, float content, float alpha) noexcept
{
	const float weighted = alpha * structure + (1.0f - alpha) * content;
	return static_cast<int>(std::clamp(std::floor(weighted * 100.0f), 0.0f, 100.0f));
}

int lavinhash_similarity(LavinhashBytes a, LavinhashBytes b, float alpha) noexcept
{
	return lavinhash_score(lavinhash_structure(a, b), lavinhash_content(a, b), alpha);
}

bool lavinhash_similar(LavinhashBytes a, LavinhashBytes b, int min_score) noexcept
{
	const float content = lavinhash_content(a, b); // the score grows with the structure similarity
	return lavinhash_score(1.0f, content, lavinhash_default_alpha) >= min_score &&
		lavinhash_score(lavinhash_structure(a, b), content, lavinhash_default_alpha) >= min_score;
}

} // namespace txtfp::core
