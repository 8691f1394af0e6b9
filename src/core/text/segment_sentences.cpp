// Sentences by the rules of UAX #29, in one pass: only after a terminator does it matter what stands around.
#include <algorithm>
#include <array>
#include <bit>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "core/base/neon.hpp"
#include "core/text/segment.hpp"
#include "core/text/unicode_tables.hpp"
#include "core/text/utf8.hpp"

namespace txtfp::core {

namespace {

using unicode::SentenceBreak;

constexpr bool ends_paragraph(SentenceBreak t) noexcept
{
	return t == SentenceBreak::cr || t == SentenceBreak::lf || t == SentenceBreak::sep;
}
constexpr bool terminates(SentenceBreak t) noexcept { return t == SentenceBreak::a_term || t == SentenceBreak::s_term; }
constexpr bool is_ignored_in_sentence(SentenceBreak t) noexcept // SB5
{
	return t == SentenceBreak::extend || t == SentenceBreak::format;
}

// Bytes at which a run of text that decides nothing ends: terminators, ends of paragraphs, and all that is not ASCII.
constexpr auto ends_run = [] {
	std::array<bool, 256> table{};
	for (unsigned c = 0x80; c < table.size(); ++c)
		table[c] = true;
	for (const char c : {'.', '!', '?', '\n', '\r'})
		table[static_cast<unsigned char>(c)] = true;
	return table;
}();

// The first byte at p or behind it that ends a run, or `end`.
inline const char *skip_run(const char *p, const char *end) noexcept
{
#if defined(__SSE2__)
	for (; end - p >= 16; p += 16) {
		const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i *>(p));
		const auto is = [v](char c) { return _mm_cmpeq_epi8(v, _mm_set1_epi8(c)); };
		const __m128i marks = _mm_or_si128(is('.'), _mm_or_si128(is('!'), is('?')));
		const __m128i lines = _mm_or_si128(is('\n'), is('\r'));
		const int found = _mm_movemask_epi8(_mm_or_si128(v, _mm_or_si128(marks, lines))); // v: not ASCII
		if (found != 0)
			return p + std::countr_zero(static_cast<unsigned>(found));
	}
#elif defined(TXTFP_NEON)
	for (; simd_level() == SimdLevel::neon && end - p >= 16; p += 16) {
		const uint8x16_t v = vld1q_u8(reinterpret_cast<const std::uint8_t *>(p));
		const auto is = [v](char c) { return vceqq_u8(v, vdupq_n_u8(static_cast<std::uint8_t>(c))); };
		const uint8x16_t marks = vorrq_u8(is('.'), vorrq_u8(is('!'), is('?')));
		const uint8x16_t lines = vorrq_u8(is('\n'), is('\r'));
		const uint8x16_t other = vcgeq_u8(v, vdupq_n_u8(0x80));
		const std::uint64_t found = neon::nibbles_of_bytes(vorrq_u8(other, vorrq_u8(marks, lines)));
		if (found != 0)
			return p + std::countr_zero(found) / 4;
	}
#endif
	while (p < end && !ends_run[static_cast<unsigned char>(*p)])
		++p;
	return p;
}

class SentenceWalk {
public:
	SentenceWalk(std::string_view text, std::size_t start, StopToken stop) noexcept
		: text_(text), at_(start), check_at_(start + check_bytes), stop_(stop)
	{
	}

	Sentence run()
	{
		while (at_ < text_.size()) {
			pass();
			poll();
			if (at_ == text_.size())
				break;
			const SentenceBreak type = advance();
			if (ends_paragraph(type)) { // SB3, 4
				skip_line_feed_after(type);
				break;
			}
			if (terminates(type) && ends_after(type))
				break;
		}
		return {at_, alphanumeric_};
	}

private:
	static constexpr std::size_t check_bytes = 1 << 16;

	std::uint8_t value_at(std::size_t at, unsigned &length) const noexcept
	{
		const Decoded c = decode(text_.data() + at, text_.data() + text_.size());
		length = c.length;
		return unicode::sentence_value(c.code_point);
	}
	static SentenceBreak type_of(std::uint8_t value) noexcept
	{
		return static_cast<SentenceBreak>(value & unicode::sentence_mask);
	}
	SentenceBreak type_at(std::size_t at) const noexcept
	{
		unsigned length;
		return type_of(value_at(at, length));
	}

	void poll()
	{
		if (at_ < check_at_)
			return;
		stop_.check();
		check_at_ = at_ + check_bytes;
	}

	// Takes a character. before_ becomes the class of the one before it that SB5 does not ignore.
	SentenceBreak advance()
	{
		unsigned length;
		const std::uint8_t value = value_at(at_, length);
		at_ += length;
		alphanumeric_ |= (value & unicode::sentence_alphanumeric_bit) != 0;
		const SentenceBreak type = type_of(value);
		if (!is_ignored_in_sentence(type)) {
			before_ = last_;
			last_ = type;
		}
		poll();
		return type;
	}

	// Passes what decides nothing: up to a terminator or the end of a paragraph, or up to check_at_.
	void pass()
	{
		const char *const until = text_.data() + std::min(text_.size(), check_at_), *p = text_.data() + at_;
		std::uint8_t seen = 0;
		while (p < until) {
			const char *const run = p;
			if (alphanumeric_ || (seen & unicode::sentence_alphanumeric_bit) != 0)
				p = skip_run(p, until);
			if (p > run)
				last_ = type_of(unicode::sentence_value(static_cast<unsigned char>(p[-1])));
			if (p == until)
				break;
			if (starts_ideograph(p, until)) {
				do
					p += ideograph_bytes;
				while (starts_ideograph(p, until));
				seen |= unicode::sentence_alphanumeric_bit;
				last_ = SentenceBreak::o_letter;
				continue;
			}
			unsigned length;
			const std::uint8_t value = value_at(static_cast<std::size_t>(p - text_.data()), length);
			const SentenceBreak type = type_of(value);
			if (ends_paragraph(type) || terminates(type))
				break;
			seen |= value;
			p += length;
			if (!is_ignored_in_sentence(type))
				last_ = type;
		}
		alphanumeric_ |= (seen & unicode::sentence_alphanumeric_bit) != 0;
		at_ = std::min(static_cast<std::size_t>(p - text_.data()), text_.size());
	}

	void skip_line_feed_after(SentenceBreak type)
	{
		if (type == SentenceBreak::cr && at_ < text_.size() && text_[at_] == '\n')
			advance();
	}

	// The class of the next character that SB5 does not ignore, which is not taken; `other` at the end.
	SentenceBreak next()
	{
		for (unsigned length; at_ < text_.size(); at_ += length) {
			const std::uint8_t value = value_at(at_, length);
			if (!is_ignored_in_sentence(type_of(value)))
				return type_of(value);
			alphanumeric_ |= (value & unicode::sentence_alphanumeric_bit) != 0;
			poll();
		}
		return SentenceBreak::other;
	}

	// Behind a terminator: does the sentence end here, after Close* Sp* and the end of a paragraph, if there is one?
	// False: it goes on at at_, perhaps with another terminator.
	bool ends_after(SentenceBreak terminator)
	{
		const bool letter = before_ == SentenceBreak::upper || before_ == SentenceBreak::lower;
		SentenceBreak type = next();
		if (terminator == SentenceBreak::a_term &&
			(type == SentenceBreak::numeric || (letter && type == SentenceBreak::upper))) // SB6, 7
			return false;
		for (const SentenceBreak passed : {SentenceBreak::close, SentenceBreak::sp}) // SB9, 10
			for (; type == passed; type = next())
				advance();
		if (ends_paragraph(type)) {
			if (at_ < text_.size())
				skip_line_feed_after(advance());
			return true;
		}
		if (type == SentenceBreak::s_continue || terminates(type)) // SB8a
			return false;
		return terminator != SentenceBreak::a_term || !continues_in_lower_case(); // SB8, 11
	}

	// SB8: is the first of letters, ends of paragraphs and terminators from here on a lower-case letter?
	bool continues_in_lower_case()
	{
		unsigned length;
		for (std::size_t at = at_, check = at_ + check_bytes; at < text_.size(); at += length) {
			switch (type_of(value_at(at, length))) {
			case SentenceBreak::lower:
				return true;
			case SentenceBreak::o_letter:
			case SentenceBreak::upper:
			case SentenceBreak::cr:
			case SentenceBreak::lf:
			case SentenceBreak::sep:
			case SentenceBreak::a_term:
			case SentenceBreak::s_term:
				return false;
			default:
				break;
			}
			if (at >= check) {
				stop_.check();
				check = at + check_bytes;
			}
		}
		return false;
	}

	std::string_view text_;
	std::size_t at_, check_at_;
	StopToken stop_;
	bool alphanumeric_ = false;
	SentenceBreak last_ = SentenceBreak::other, before_ = SentenceBreak::other; // that SB5 does not ignore
};

} // namespace

Sentence next_sentence(std::string_view text, std::size_t from, StopToken stop)
{
	return SentenceWalk(text, from, stop).run();
}

} // namespace txtfp::core
