// What a word or the characters between words are, from Unicode properties alone.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/compare/aligned_words.hpp"

namespace txtfp::core {

// In ascending order of what a difference of this kind may mean.
enum class DifferenceKind : std::uint8_t { space, case_, punctuation, symbol, number, name, word, moved };
constexpr unsigned difference_kinds = 8;
std::string_view name(DifferenceKind kind) noexcept;

// A word with a digit or another numeric character is a number. One of mixed case, with two capitals, or with an
// underscore, a full stop or a colon within it is a name, and so is a capitalized word inside a sentence. Anything else
// with a letter is a word. The tokens of a segmenter may have neither letter nor digit; these are symbols, punctuation
// or space.
DifferenceKind kind_of_word(const TextWords &words, std::uint32_t i) noexcept;

// True if the word is the first of the text or follows the end of a sentence, a blank line or the mark of a list.
bool begins_sentence(const TextWords &words, std::uint32_t i) noexcept;

// How two stretches without letters and digits differ: in their symbols, in their punctuation, or in space only. A
// hyphen before a digit and not behind a word counts as a symbol: it is a minus.
DifferenceKind kind_of_gaps(const TextWords &a, std::uint32_t a_begin, std::uint32_t a_end, const TextWords &b,
	std::uint32_t b_begin, std::uint32_t b_end) noexcept;

// The symbols of a stretch of text, one after the other.
class SymbolReader {
public:
	SymbolReader(std::string_view text, std::uint32_t begin, std::uint32_t end) noexcept
		: text_(text), at_(begin), end_(end)
	{
	}
	char32_t next(bool with_punctuation = false) noexcept; // 0 at the end

private:
	std::string_view text_;
	std::uint32_t at_, end_;
	char32_t before_ = 0;
};

// Two words with the same canonical form: case_, or number if one of them is written with another kind of number, as 2
// and ².
DifferenceKind kind_of_spelling(std::string_view a, std::string_view b) noexcept;

} // namespace txtfp::core
