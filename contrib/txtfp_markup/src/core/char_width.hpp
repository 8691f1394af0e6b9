// Number of terminal columns of a character or a text. Tables, TAB in pre and strikethrough depend on it.
#pragma once

#include <cstddef>
#include <string_view>

namespace txtfp::markup {

constexpr unsigned control_character = 255;

// 0 to 3, or control_character, which is not printed.
unsigned char_width(char32_t c) noexcept;

// Width of a text: the sum of its characters, except for emoji sequences (2) and the ligature of lam and alef (1).
std::size_t string_width(std::string_view utf8) noexcept;

// The property White_Space.
constexpr bool is_white_space(char32_t c) noexcept
{
	if (c < 0x85)
		return c == ' ' || (c >= 9 && c <= 13);
	return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
		c == 0x202F || c == 0x205F || c == 0x3000;
}

bool all_white_space(std::string_view utf8) noexcept; // true for an empty text

// White space at which a line may break and which collapses; U+00A0 does neither.
constexpr bool is_collapsible(char32_t c) noexcept { return c != 0xA0 && is_white_space(c); }

} // namespace txtfp::markup
