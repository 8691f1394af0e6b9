// Codes: what has letters and digits, as names of models, parts, versions and files have. A code is a word, or a run of up to
// eight that only hyphens, slashes, full stops or underscores join, without these: MDR-V150, mdr_v150 and mdrv150 are
// the same code. It has four characters or more.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/compare/aligned_words.hpp"
#include "core/text/utf8.hpp"

namespace txtfp::core {

// For each number of a word, what its canonical form has.
class WordClasses {
public:
	explicit WordClasses(const ComparedTexts &texts);

	bool has_digit(std::uint32_t number) const noexcept { return (classes_[number] & digit) != 0; }
	bool has_letter(std::uint32_t number) const noexcept { return (classes_[number] & letter) != 0; }
	bool has_marks(std::uint32_t number) const noexcept { return (classes_[number] & marks) != 0; } // `.`, `_`, `'`, `,`

private:
	static constexpr std::uint8_t digit = 1, letter = 2, marks = 4;
	std::vector<std::uint8_t> classes_;
};

constexpr std::uint32_t most_joined = 8;
constexpr std::size_t least_code = 4; // characters

inline bool joins_words(std::string_view gap) noexcept
{
	if (gap.size() == 1)
		return gap[0] == '-' || gap[0] == '/' || gap[0] == '.' || gap[0] == '_';
	return gap == "\u2010" || gap == "\u2011";
}

// Appends a word of a code or of a text in which codes are looked for, without its marks.
void append_squashed(std::string &to, std::string_view word, bool has_marks);

// Calls fn(first, last, code) for the words [first, last) of each code, in order.
template <class Fn> void for_each_code(const ComparedTexts &texts, const TextWords &text, const WordClasses &classes, Fn fn)
{
	std::string code;
	for (std::uint32_t i = 0; i < text.count();) {
		const std::uint32_t first = i++;
		bool digit = classes.has_digit(text.numbers[first]), letter = classes.has_letter(text.numbers[first]);
		for (; i < text.count() && i < first + most_joined && joins_words(text.gap(i)); ++i) {
			digit |= classes.has_digit(text.numbers[i]);
			letter |= classes.has_letter(text.numbers[i]);
		}
		if (!digit || !letter)
			continue;
		code.clear();
		for (std::uint32_t j = first; j < i; ++j)
			append_squashed(code, texts.canonical(text.numbers[j]), classes.has_marks(text.numbers[j]));
		if (count_characters(code) >= least_code)
			fn(first, i, std::string_view(code));
	}
}

} // namespace txtfp::core
