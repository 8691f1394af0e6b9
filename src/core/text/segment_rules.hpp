// The word rules of UAX #29 that need no state, shared by segment_words.cpp and segment_words_fast.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/text/unicode_tables.hpp"
#include "core/text/utf8.hpp"

namespace txtfp::core::word_rules {

using unicode::WordBreak;

struct WordChar {
	WordBreak type;
	bool pictographic, alphanumeric;
	unsigned length;
};

inline WordChar word_char(std::string_view text, std::size_t at) noexcept
{
	const Decoded c = decode(text.data() + at, text.data() + text.size());
	const std::uint8_t value = unicode::word_value(c.code_point);
	return {static_cast<WordBreak>(value & unicode::word_mask), (value & unicode::pictographic_bit) != 0,
		(value & unicode::alphanumeric_bit) != 0, c.length};
}

constexpr bool is_letter(WordBreak t) noexcept { return t == WordBreak::a_letter || t == WordBreak::hebrew_letter; }
constexpr bool is_ignored(WordBreak t) noexcept // WB4
{
	return t == WordBreak::extend || t == WordBreak::format || t == WordBreak::zwj;
}
constexpr bool is_newline(WordBreak t) noexcept
{
	return t == WordBreak::cr || t == WordBreak::lf || t == WordBreak::newline;
}

// WB5, 8–10, 13–13b: rules that look at the two neighbours only.
constexpr bool joins(WordBreak left, WordBreak right) noexcept
{
	const auto is_word = [](WordBreak t) { return is_letter(t) || t == WordBreak::numeric; };
	if (is_word(left) && is_word(right))
		return true;
	if (left == WordBreak::katakana && right == WordBreak::katakana)
		return true;
	const auto takes_connector = [&](WordBreak t) { return is_word(t) || t == WordBreak::katakana; };
	if (right == WordBreak::extend_num_let)
		return takes_connector(left) || left == WordBreak::extend_num_let;
	return left == WordBreak::extend_num_let && takes_connector(right);
}

// WB6, 7b, 12: true if `middle` joins `left` when the right class follows.
constexpr bool waits_for(WordBreak left, WordBreak middle) noexcept
{
	const bool either = middle == WordBreak::mid_num_let || middle == WordBreak::single_quote;
	if (is_letter(left) && (middle == WordBreak::mid_letter || either))
		return true;
	if (left == WordBreak::hebrew_letter && middle == WordBreak::double_quote)
		return true;
	return left == WordBreak::numeric && (middle == WordBreak::mid_num || either);
}

constexpr bool completes(WordBreak left, WordBreak middle, WordBreak right) noexcept
{
	if (middle == WordBreak::double_quote)
		return right == WordBreak::hebrew_letter;
	return left == WordBreak::numeric ? right == WordBreak::numeric : is_letter(right);
}

} // namespace txtfp::core::word_rules
