// What a word or the characters between words are, from Unicode properties alone.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/compare/aligned_words.hpp"
#include "core/text/utf8.hpp"

namespace txtfp::core {

template <class Fn> void for_each_character(std::string_view text, Fn fn)
{
	for (const char *p = text.data(), *end = p + text.size(); p < end;) {
		const Decoded c = decode(p, end);
		fn(c.code_point);
		p += c.length;
	}
}

// In ascending order: a difference of several words has the strongest kind among them.
enum class DifferenceKind : std::uint8_t { space, case_, punctuation, symbol, word, name, number, moved };
constexpr unsigned difference_kinds = 8;
std::string_view name(DifferenceKind kind) noexcept;

// A word with a digit or another numeric character (superscripts, fractions, Roman numerals of one character) is a
// number; combining marks are none, whatever they are combined with. One of mixed case, with two capitals, or with an
// underscore, a full stop or a colon within it is a name, and so is a capitalized word inside a sentence. Anything else
// with a letter is a word. The tokens of a segmenter may have neither letter nor digit; these are symbols, punctuation
// or space.
DifferenceKind kind_of_word(const TextWords &words, std::uint32_t i) noexcept;

// A numeric character that is no decimal digit: a superscript, a fraction, a number in a circle.
bool is_other_number(char32_t c) noexcept;

bool is_digit(char32_t c) noexcept; // a decimal digit of any script
bool is_letter(char32_t c) noexcept;

// A format control or variation selector: it is no difference whether a text has it.
bool is_invisible(char32_t c) noexcept;

// ' for the apostrophes and single quotes, " for the double ones; 0 for other characters.
char folded_quote(char32_t c) noexcept;

// True if the word is the first of the text or follows the end of a sentence, a blank line or the mark of a list.
bool begins_sentence(const TextWords &words, std::uint32_t i) noexcept;

// How two stretches without letters and digits differ: in their symbols, in their punctuation, or in space only.
DifferenceKind kind_of_gaps(const TextWords &a, std::uint32_t a_begin, std::uint32_t a_end, const TextWords &b,
	std::uint32_t b_begin, std::uint32_t b_end) noexcept;

// The symbols of a stretch of text, one after the other: Unicode's, `^`, a hyphen or dash before a digit and not behind a
// word (a minus), what stands between two digits, `*` behind a word, and brackets around a number. Dashes are `-`.
class SymbolReader {
public:
	SymbolReader(std::string_view text, std::uint32_t begin, std::uint32_t end) noexcept
		: text_(text), at_(begin), end_(end)
	{
	}
	char32_t next(bool with_punctuation = false) noexcept; // 0 at the end

private:
	char32_t by_place(char32_t c, char32_t before) const noexcept;
	bool closes_number() const noexcept;
	bool opens_number() const noexcept;

	std::string_view text_;
	std::uint32_t at_, end_;
	char32_t before_ = 0;
};

// Two words that are equal: number if one of them is written with another kind of number, as 2 and ², punctuation if
// only their apostrophes differ, otherwise case_.
DifferenceKind kind_of_spelling(std::string_view a, std::string_view b) noexcept;

} // namespace txtfp::core
