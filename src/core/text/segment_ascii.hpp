// Segments ASCII text by the word rules where no other character is near. For segment_words_fast.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace txtfp::core::ascii {

constexpr std::size_t npos = std::string_view::npos;

// Classes of a byte. 0: an ASCII character that does not belong to a word by itself.
constexpr std::uint8_t ascii_letter = 1, ascii_digit = 2, ascii_connector = 4, ascii_middle = 8, non_ascii = 16;
constexpr std::uint8_t ascii_word = ascii_letter | ascii_digit | ascii_connector;

constexpr auto byte_classes = [] {
	std::array<std::uint8_t, 256> classes{};
	for (unsigned c = 0; c < 256; ++c) {
		if (c >= 0x80)
			classes[c] = non_ascii;
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')
			classes[c] = ascii_letter;
		else if (c >= '0' && c <= '9')
			classes[c] = ascii_digit;
		else if (c == '_')
			classes[c] = ascii_connector;
		else if (c == '.' || c == '\'' || c == ':' || c == ',' || c == ';')
			classes[c] = ascii_middle;
	}
	return classes;
}();

constexpr std::uint8_t byte_class(char c) noexcept { return byte_classes[static_cast<unsigned char>(c)]; }

constexpr bool joins_ascii(char left, char middle, char right) noexcept
{
	const bool either = middle == '.' || middle == '\'';
	if (byte_class(left) == ascii_letter && byte_class(right) == ascii_letter)
		return either || middle == ':';
	return byte_class(left) == ascii_digit && byte_class(right) == ascii_digit &&
		(either || middle == ',' || middle == ';');
}

// A segment found by the ASCII path. end = npos: the rules must find it, because it touches a non-ASCII character or
// the end of the text.
struct AsciiPiece {
	std::size_t end;
	bool word;
};

inline AsciiPiece skip_ascii(std::string_view text, std::size_t at, bool last) noexcept
{
	std::size_t end = at + 1;
	while (text[at] == ' ' && end < text.size() && text[end] == ' ') // WB3d
		++end;
	if (end == text.size())
		return {last ? end : npos, false};
	return {byte_class(text[end]) != non_ascii ? end : npos, false};
}

inline AsciiPiece ascii_run(std::string_view text, std::size_t at, bool last) noexcept
{
	std::uint8_t seen = 0;
	for (std::size_t end = at;;) {
		std::uint8_t type = ascii_word;
		for (; end < text.size() && ((type = byte_class(text[end])) & ascii_word) != 0; ++end)
			seen |= type;
		const bool word = (seen & (ascii_letter | ascii_digit)) != 0;
		if (end == text.size())
			return {last ? end : npos, word};
		if (type == non_ascii)
			return {npos, word};
		if (type != ascii_middle)
			return {end, word};
		if (end + 1 == text.size())
			return {last ? end : npos, word};
		if (byte_class(text[end + 1]) == non_ascii)
			return {npos, word};
		if (!joins_ascii(text[end - 1], text[end], text[end + 1]))
			return {end, word};
		++end;
	}
}

inline AsciiPiece ascii_piece(std::string_view text, std::size_t at, bool last) noexcept
{
	return (byte_class(text[at]) & ascii_word) != 0 ? ascii_run(text, at, last) : skip_ascii(text, at, last);
}

} // namespace txtfp::core::ascii
