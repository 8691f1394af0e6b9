// UTF-8 decoding and encoding. Input is expected to be valid. On invalid input the functions still stay inside the
// buffer and return some code point up to U+10FFFF: a faulty caller gets a wrong token, never an out-of-bounds read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace txtfp::core {

struct Decoded {
	char32_t code_point;
	unsigned length; // bytes, 1 to 4
};

constexpr bool is_continuation(char byte) noexcept { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

inline std::size_t count_characters(std::string_view text) noexcept
{
	std::size_t n = 0;
	for (const char c : text)
		n += !is_continuation(c);
	return n;
}

inline bool is_ascii(std::string_view text) noexcept
{
	unsigned char all = 0;
	for (const char c : text)
		all |= static_cast<unsigned char>(c);
	return all < 0x80;
}

// Decodes the code point at p; p < end.
inline Decoded decode(const char *p, const char *end) noexcept
{
	const auto at = [p](int i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(p[i])); };
	const std::uint32_t lead = at(0);
	const std::ptrdiff_t left = end - p;
	if (lead < 0x80)
		return {lead, 1};
	if (lead < 0xE0 && left >= 2)
		return {(lead & 0x1F) << 6 | (at(1) & 0x3F), 2};
	if (lead >= 0xE0 && lead < 0xF0 && left >= 3)
		return {(lead & 0x0F) << 12 | (at(1) & 0x3F) << 6 | (at(2) & 0x3F), 3};
	if (lead >= 0xF0 && left >= 4) {
		const std::uint32_t c = (lead & 0x07) << 18 | (at(1) & 0x3F) << 12 | (at(2) & 0x3F) << 6 | (at(3) & 0x3F);
		if (c <= 0x10FFFF)
			return {c, 4};
	}
	return {0xFFFD, 1};
}

// The bytes that ideographs from U+4E00 to U+9FFF begin with (and U+4000 to U+4DFF).
constexpr bool is_ideograph_lead(char byte) noexcept
{
	const auto lead = static_cast<unsigned char>(byte);
	return lead >= 0xE4 && lead <= 0xE9;
}

// True if the character at p is one of U+4E00 to U+9FFF, which are all alike in word and sentence rules.
constexpr unsigned ideograph_bytes = 3;
inline bool starts_ideograph(const char *p, const char *end) noexcept
{
	return end - p >= static_cast<std::ptrdiff_t>(ideograph_bytes) && is_ideograph_lead(p[0]) &&
		(static_cast<unsigned char>(p[0]) > 0xE4 || (static_cast<unsigned char>(p[1]) & 0x3F) >= 0x38);
}

inline void append(std::string &out, char32_t c)
{
	char bytes[4];
	unsigned n = 0;
	if (c < 0x80) {
		bytes[n++] = static_cast<char>(c);
	} else if (c < 0x800) {
		bytes[n++] = static_cast<char>(0xC0 | c >> 6);
		bytes[n++] = static_cast<char>(0x80 | (c & 0x3F));
	} else if (c < 0x10000) {
		bytes[n++] = static_cast<char>(0xE0 | c >> 12);
		bytes[n++] = static_cast<char>(0x80 | (c >> 6 & 0x3F));
		bytes[n++] = static_cast<char>(0x80 | (c & 0x3F));
	} else {
		bytes[n++] = static_cast<char>(0xF0 | c >> 18);
		bytes[n++] = static_cast<char>(0x80 | (c >> 12 & 0x3F));
		bytes[n++] = static_cast<char>(0x80 | (c >> 6 & 0x3F));
		bytes[n++] = static_cast<char>(0x80 | (c & 0x3F));
	}
	out.append(bytes, n);
}

// The largest n' ≤ n at which no code point of s is cut; n itself if the bytes are not UTF-8.
inline std::size_t character_boundary(std::string_view s, std::size_t n) noexcept
{
	if (n >= s.size())
		return s.size();
	std::size_t start = n;
	while (start > 0 && n - start < 3 && is_continuation(s[start]))
		--start;
	return is_continuation(s[start]) ? n : start;
}

} // namespace txtfp::core
