// The fast paths to the words that word_segment finds, from the most special to the most general. Each passes on to the
// next what it cannot decide:
//   ascii_words     64 bytes of ASCII at a time, with SSE2 or NEON
//   ascii_piece     one piece of ASCII text
//   ideographs      a run of them, each a word of its own
//   table_segment   one segment of any text, by a table of class pairs
//   word_segment    the rules
#include <algorithm>
#include <array>
#include <bit>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "core/base/neon.hpp"
#include "core/text/segment.hpp"
#include "core/text/segment_ascii.hpp"
#include "core/text/segment_rules.hpp"

namespace txtfp::core {

using namespace ascii;
using namespace word_rules;

namespace {

constexpr std::size_t word_batch_bytes = 1 << 16; // bytes of text that one call of next_words passes

// The action for a character, given the class of the last character before it that WB4 does not ignore.
enum class Action : std::uint8_t {
	stop,   // a boundary before it
	accept, // it joins
	ignore, // it joins, and what follows meets the class on the left as before (WB4)
	middle, // it joins if the right class follows
	rules,  // the decision needs more than these two: the rules do the whole segment
};

constexpr Action action_for(WordBreak left, WordBreak right) noexcept
{
	using enum WordBreak;
	if (left == newline || left == lf)
		return Action::stop;
	if (left == cr || left == zwj || right == zwj)
		return Action::rules;
	if (is_newline(right))
		return Action::stop;
	if (left == regional_indicator && right == regional_indicator)
		return Action::rules;
	if (left == w_seg_space) // WB3d; an ignored character in between parts two spaces, so it is remembered
		return right == w_seg_space || is_ignored(right) ? Action::accept : Action::stop;
	if (is_ignored(right))
		return Action::ignore;
	if (joins(left, right))
		return Action::accept;
	if (waits_for(left, right))
		return left == hebrew_letter ? Action::rules : Action::middle; // WB7a: a quote may join on its own
	return Action::stop;
}

constexpr std::size_t action_stride = unicode::word_mask + 1; // a class can index the table without a check

constexpr auto actions = [] {
	constexpr unsigned classes = static_cast<unsigned>(WordBreak::w_seg_space) + 1;
	std::array<Action, action_stride * action_stride> table{};
	for (unsigned left = 0; left < classes; ++left)
		for (unsigned right = 0; right < classes; ++right)
			table[left * action_stride + right] =
				action_for(static_cast<WordBreak>(left), static_cast<WordBreak>(right));
	return table;
}();

// The properties of a character stay packed here: unpacked as in word_char, this loop is half as fast.
inline RuleSegment table_segment(std::string_view text, std::size_t from, bool last) noexcept
{
	const char *const end = text.data() + text.size();
	const char *p = text.data() + from;
	unsigned length = 0;
	const auto read = [end, &length](const char *at) {
		const Decoded c = decode(at, end);
		length = c.length;
		return unicode::word_value(c.code_point);
	};
	std::uint8_t seen = read(p);
	const auto segment_to = [&](std::size_t to) { return RuleSegment{to, (seen & unicode::alphanumeric_bit) != 0}; };
	unsigned left = seen & unicode::word_mask;
	for (p += length; p < end; p += length) {
		std::uint8_t value = read(p);
		unsigned right = value & unicode::word_mask;
		switch (actions[left * action_stride + right]) {
		case Action::stop:
			return segment_to(static_cast<std::size_t>(p - text.data()));
		case Action::middle: {
			const char *const after = p + length;
			if (after == end)
				return word_segment(text, from, last);
			const unsigned middle = right;
			value = read(after);
			right = value & unicode::word_mask;
			if (is_ignored(static_cast<WordBreak>(right)))
				return word_segment(text, from, last);
			if (!completes(static_cast<WordBreak>(left), static_cast<WordBreak>(middle), static_cast<WordBreak>(right)))
				return segment_to(static_cast<std::size_t>(p - text.data()));
			p = after;
			[[fallthrough]];
		}
		case Action::accept:
			left = right;
			[[fallthrough]];
		case Action::ignore:
			seen |= value;
			break;
		case Action::rules:
			return word_segment(text, from, last);
		}
	}
	return last ? segment_to(text.size()) : word_segment(text, from, last); // the rules decide what is final
}

// Writes ideographs to `out`, from place `count` on, as long as another one follows, behind which the rules begin anew.
// Returns the boundary at which to continue.
inline std::size_t ideographs(
	std::string_view text, std::size_t from, std::size_t until, std::span<WordRange> out, std::size_t &count) noexcept
{
	const char *const end = text.data() + text.size();
	bool more = starts_ideograph(text.data() + from, end);
	while (more && from < until && count < out.size() &&
		(more = starts_ideograph(text.data() + from + ideograph_bytes, end))) {
		out[count++] = {from, from + ideograph_bytes};
		from += ideograph_bytes;
	}
	return from;
}

// Like next_word, but it begins no segment at or after `until`.
inline Segment next_word_before(std::string_view text, std::size_t from, std::size_t until, bool last) noexcept
{
	std::size_t at = from;
	while (at < until) {
		if (byte_class(text[at]) != non_ascii) {
			const AsciiPiece piece = ascii_piece(text, at, last);
			if (piece.end != npos) {
				if (piece.word)
					return {at, piece.end, true};
				at = piece.end;
				continue;
			}
		}
		const RuleSegment segment = table_segment(text, at, last);
		if (segment.end == npos)
			return {at, at, false};
		if (segment.alphanumeric)
			return {at, segment.end, true};
		at = segment.end;
	}
	return {at, at, false};
}

#if defined(__SSE2__) || defined(TXTFP_NEON)
#define TXTFP_WORD_BLOCKS 1

constexpr std::size_t block_bytes = 64;
constexpr std::size_t block_words =
	32; // the most words that can end in a block: each has two edges, and one word may reach in

// Bit i belongs to byte i of a block.
struct BlockMasks {
	std::uint64_t letter = 0, digit = 0, connector = 0;
	std::uint64_t letter_middle = 0, digit_middle = 0; // joins two letters, two digits
	bool ascii = true;
};

#if defined(__SSE2__)

constexpr bool has_word_blocks() noexcept { return true; }

// low ≤ byte < low + width, as −1 or 0; SSE2 compares signed only, so `low` is shifted to −128.
inline __m128i in_range(__m128i bytes, char low, int width) noexcept
{
	return _mm_cmplt_epi8(_mm_add_epi8(bytes, _mm_set1_epi8(static_cast<char>(-128 - low))),
		_mm_set1_epi8(static_cast<char>(-128 + width)));
}

inline BlockMasks classify_block(const char *p) noexcept
{
	BlockMasks m;
	__m128i all = _mm_setzero_si128();
#pragma GCC unroll 4
	for (unsigned i = 0; i < block_bytes; i += 16) {
		const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i *>(p + i));
		const auto bits = [i](__m128i x) { return std::uint64_t{static_cast<unsigned>(_mm_movemask_epi8(x))} << i; };
		const auto is = [v](char c) { return _mm_cmpeq_epi8(v, _mm_set1_epi8(c)); };
		const __m128i either = _mm_or_si128(is('.'), is('\''));
		m.letter |= bits(in_range(_mm_or_si128(v, _mm_set1_epi8(0x20)), 'a', 26));
		m.digit |= bits(in_range(v, '0', 10));
		m.connector |= bits(is('_'));
		m.letter_middle |= bits(_mm_or_si128(either, is(':')));
		m.digit_middle |= bits(_mm_or_si128(either, _mm_or_si128(is(','), is(';'))));
		all = _mm_or_si128(all, v);
	}
	m.ascii = _mm_movemask_epi8(all) == 0;
	return m;
}

#else

inline bool has_word_blocks() noexcept { return simd_level() == SimdLevel::neon; }

// low ≤ byte < low + width, as 0xFF or 0
inline uint8x16_t in_range(uint8x16_t bytes, char low, std::uint8_t width) noexcept
{
	return vcltq_u8(vsubq_u8(bytes, vdupq_n_u8(static_cast<std::uint8_t>(low))), vdupq_n_u8(width));
}

inline uint8x16_t equal(uint8x16_t bytes, char c) noexcept
{
	return vceqq_u8(bytes, vdupq_n_u8(static_cast<std::uint8_t>(c)));
}

inline BlockMasks classify_block(const char *p) noexcept
{
	const auto *const bytes = reinterpret_cast<const std::uint8_t *>(p);
	const uint8x16_t v[4] = {vld1q_u8(bytes), vld1q_u8(bytes + 16), vld1q_u8(bytes + 32), vld1q_u8(bytes + 48)};
	const auto mask = [&v](auto is) { return neon::mask_of_bytes(is(v[0]), is(v[1]), is(v[2]), is(v[3])); };
	const auto either = [](uint8x16_t x) { return vorrq_u8(equal(x, '.'), equal(x, '\'')); };
	BlockMasks m;
	m.letter = mask([](uint8x16_t x) { return in_range(vorrq_u8(x, vdupq_n_u8(0x20)), 'a', 26); });
	m.digit = mask([](uint8x16_t x) { return in_range(x, '0', 10); });
	m.connector = mask([](uint8x16_t x) { return equal(x, '_'); });
	m.letter_middle = mask([either](uint8x16_t x) { return vorrq_u8(either(x), equal(x, ':')); });
	m.digit_middle =
		mask([either](uint8x16_t x) { return vorrq_u8(either(x), vorrq_u8(equal(x, ','), equal(x, ';'))); });
	m.ascii = vmaxvq_u8(vorrq_u8(vorrq_u8(v[0], v[1]), vorrq_u8(v[2], v[3]))) < 0x80;
	return m;
}

#endif

// The properties of the byte before a block; each is 0 or 1.
struct BlockCarry {
	std::uint64_t word = 0, letter = 0, digit = 0;
};

// The bytes that belong to a word, or to a run of connectors alone. `after` is the byte behind the block.
inline std::uint64_t word_bits(const BlockMasks &m, const BlockCarry &before, char after) noexcept
{
	const std::uint64_t next_letter = byte_class(after) == ascii_letter, next_digit = byte_class(after) == ascii_digit;
	const std::uint64_t in_letters = (m.letter << 1 | before.letter) & (m.letter >> 1 | next_letter << 63);
	const std::uint64_t in_digits = (m.digit << 1 | before.digit) & (m.digit >> 1 | next_digit << 63);
	return m.letter | m.digit | m.connector | (m.letter_middle & in_letters) | (m.digit_middle & in_digits);
}

// Writes the words that end in a block, and returns their number. Bit i of `starts` and `ends`: a word begins at byte
// i, ends before it. `start`: of the word that reaches into the block, then of the one that reaches out of it.
inline std::size_t write_words(std::uint64_t starts, std::uint64_t ends, bool inside, std::size_t base,
	std::size_t &start, WordRange *out) noexcept
{
	const auto pop_first = [base](std::uint64_t &edges) {
		const std::size_t edge = base + static_cast<std::size_t>(std::countr_zero(edges));
		edges &= edges - 1;
		return edge;
	};
	std::size_t count = 0;
	if (inside && ends != 0)
		out[count++] = {start, pop_first(ends)};
	while (ends != 0) { // two independent chains of edges, which the processor follows at the same time
		const std::size_t first = pop_first(starts);
		out[count++] = {first, pop_first(ends)};
	}
	if (starts != 0)
		start = pop_first(starts);
	return count;
}

// Writes words to `out`, from place `count` on, as long as the text is ASCII, the block is whole, `until` is not
// reached and `out` has room for the words of a block. Returns the boundary at which to continue.
std::size_t ascii_words(
	std::string_view text, std::size_t from, std::size_t until, std::span<WordRange> out, std::size_t &count) noexcept
{
	const std::size_t first = count;
	std::size_t base = from, start = from;
	BlockCarry before;
	std::uint64_t connectors = 0;
	// one byte more than the block, because it decides about the block's last byte
	for (; base < until && text.size() - base > block_bytes && out.size() - count >= block_words; base += block_bytes) {
		const BlockMasks m = classify_block(text.data() + base);
		const char after = text[base + block_bytes];
		if (!m.ascii || byte_class(after) == non_ascii)
			break;
		const std::uint64_t word = word_bits(m, before, after);
		const std::uint64_t shifted = word << 1 | before.word;
		count += write_words(word & ~shifted, shifted & ~word, before.word != 0, base, start, &out[count]);
		before = {word >> 63, m.letter >> 63, m.digit >> 63};
		connectors |= m.connector;
	}
	std::size_t next = base;
	if (before.word != 0) {
		next = start;
	} else { // spaces stay together (WB3d), because a mark may follow them
		const std::size_t passed = count > first ? out[count - 1].end : from;
		while (next > passed && text[next - 1] == ' ')
			--next;
	}
	if (connectors != 0) {
		const auto is_no_word = [text](const WordRange &r) {
			return text.substr(r.start, r.end - r.start).find_first_not_of('_') == npos;
		};
		const auto written = out.begin() + static_cast<std::ptrdiff_t>(first);
		const auto end = out.begin() + static_cast<std::ptrdiff_t>(count);
		count = static_cast<std::size_t>(std::remove_if(written, end, is_no_word) - out.begin());
	}
	return next;
}

#endif

} // namespace

Segment next_word(std::string_view text, std::size_t from, bool last) noexcept
{
	return next_word_before(text, from, text.size(), last);
}

WordBatch next_words(std::string_view text, std::size_t from, bool last, std::span<WordRange> out) noexcept
{
	const std::size_t until = from + std::min(text.size() - from, word_batch_bytes);
	std::size_t count = 0;
#if defined(TXTFP_WORD_BLOCKS)
	constexpr std::size_t pause = 48; // bytes; where ASCII and other text alternate, most blocks would be read in vain
	std::size_t try_blocks_at = has_word_blocks() ? from : npos;
#endif
	while (from < until && count < out.size()) {
		if (is_ideograph_lead(text[from])) {
			from = ideographs(text, from, until, out, count);
			if (from >= until || count == out.size())
				break;
		}
#if defined(TXTFP_WORD_BLOCKS)
		if (from >= try_blocks_at && out.size() - count >= block_words) {
			from = ascii_words(text, from, until, out, count);
			try_blocks_at = from + pause;
			if (out.size() - count < block_words)
				break; // the next batch continues with blocks
		}
#endif
		const Segment word = next_word_before(text, from, until, last);
		if (!word.found)
			return {count, word.start, word.start < until || word.start == text.size()};
		out[count++] = {word.start, word.end};
		from = word.end;
	}
	return {count, from, from == text.size()};
}

} // namespace txtfp::core
