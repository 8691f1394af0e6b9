// Words of closed classes on which the meaning of a sentence hangs: negation, alternative, exception and limit, in
// the languages of most texts; and words that refer to what stands before their sentence. They are the same in every
// text, so they can be listed; the table is in closed_words.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/compare/aligned_words.hpp"

namespace txtfp::core {

// A word of negation, alternative, exception or limit, in canonical form: one of the table, an inflection of one
// ("keinen"), a contraction ("isn't", "dont"), or a Turkish verb or noun with a negative ending.
bool is_scope_word(std::string_view canonical) noexcept;

// The same for word i of a text, which may be a part of such an expression where words do not end in spaces.
bool is_scope_word(const TextWords &text, std::uint32_t i, std::string_view canonical) noexcept;

// True if one word is the other one with a prefix of negation: "safe" and "unsafe", in canonical form.
bool is_negated(std::string_view a, std::string_view b) noexcept;

// True if two words, in canonical form, are one in British and American spelling ("colour", "color").
bool is_same_word(std::string_view a, std::string_view b);

// Where two words differ, in letters (code points): how many are equal before the place, how many stand there in either,
// and how many the longer word has.
struct WordDifference {
	std::size_t begin, in_a, in_b, longest;
};
WordDifference difference_of_words(std::string_view a, std::string_view b) noexcept;

// True if one word may be a correction of the other one, or its plural: words that begin with the same two letters, and
// differ at one place, and the longer one has one letter more and five in all, or two more and seven in all, or as many
// and seven; or "a" and "an", "http" and "https".
bool is_corrected(std::string_view a, std::string_view b) noexcept;

// True if a correction cannot well be another word: a plural, a letter that is doubled, "a" and "an", "http" and "https".
bool is_harmless_correction(std::string_view a, std::string_view b) noexcept;

// False for a word of a script whose words do not end in spaces: Chinese, Japanese, Thai, Lao, Burmese, Khmer.
bool ends_in_space(std::string_view word) noexcept;

// "version" or "release", which a number follows that is no amount.
bool is_word_of_version(std::string_view canonical) noexcept;

// A pronoun or the like that refers to what stands before its sentence.
bool is_reference(std::string_view canonical) noexcept;

// An article, preposition, conjunction, pronoun or auxiliary, or one of the words above: it names nothing.
bool is_function_word(std::string_view canonical) noexcept;

} // namespace txtfp::core
