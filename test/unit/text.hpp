// Texts for property tests: conversions, every scalar value, and random strings of characters that interact.
#pragma once

#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <unicode/uchar.h>

#include "core/text/utf8.hpp"
#include "unit/check.hpp"

namespace txtfp::test {

inline std::string to_utf8(std::u32string_view text)
{
	std::string out;
	for (const char32_t c : text)
		core::append(out, c);
	return out;
}

inline std::u32string to_utf32(std::string_view text)
{
	std::u32string out;
	for (const char *p = text.data(), *end = p + text.size(); p < end;) {
		const core::Decoded c = core::decode(p, end);
		out.push_back(c.code_point);
		p += c.length;
	}
	return out;
}

template <class Fn> void for_each_scalar(Fn fn)
{
	for (char32_t c = 0; c < 0x110000; ++c)
		if (c < 0xD800 || c > 0xDFFF)
			fn(c);
}

// Every assigned character, and one in 61 of the unassigned and private ones, which all behave alike; so do the ideographs and
// the syllables of Hangul, in the short run.
template <class Fn> void for_each_varied_scalar(Fn fn)
{
	const bool is_long = by_length(1, 0) == 1;
	for_each_scalar([&](char32_t c) {
		const auto scalar = static_cast<UChar32>(c);
		const int category = u_charType(scalar);
		const bool are_alike = category == U_UNASSIGNED || category == U_PRIVATE_USE_CHAR ||
			(!is_long && (u_hasBinaryProperty(scalar, UCHAR_UNIFIED_IDEOGRAPH) || (c >= 0xAC00 && c <= 0xD7A3)));
		if (!are_alike || c % 61 == 0)
			fn(c);
	});
}

// Byte positions between the code points of a text, both ends included.
inline std::vector<std::size_t> boundaries(std::string_view text)
{
	std::vector<std::size_t> out;
	for (std::size_t i = 0; i < text.size(); ++i)
		if (!core::is_continuation(text[i]))
			out.push_back(i);
	out.push_back(text.size());
	return out;
}

// Cuts a text into pieces at some of its code point boundaries.
template <class Wanted> std::vector<std::string_view> cut(std::string_view text, Wanted wanted)
{
	std::vector<std::string_view> pieces;
	std::size_t start = 0;
	for (const std::size_t at : boundaries(text))
		if (at == text.size() || wanted(at)) {
			pieces.push_back(text.substr(start, at - start));
			start = at;
		}
	return pieces;
}

// Calls check(pieces) for every cut into two pieces, for one code point per piece, and for a few random cuts.
template <class Check> void for_each_cutting(std::string_view text, std::mt19937_64 &random, Check check)
{
	for (const std::size_t at : boundaries(text))
		check(cut(text, [=](std::size_t i) { return i == at; }));
	check(cut(text, [](std::size_t) { return true; }));
	for (int i = 0; i < 3; ++i)
		check(cut(text, [&](std::size_t) { return random() % 4 == 0; }));
}

struct Range {
	char32_t first, last;
};

// Ranges whose members compose, reorder, expand, disappear, join or break in some rule of canonicalizer or segmenter.
inline constexpr Range lively_ranges[] = {
	{U' ', U'~'},
	{U'a', U'z'},
	{U'A', U'Z'},
	{U'0', U'9'},
	{U'\'', U'.'},
	{0, 0x1F},
	{0x85, 0x85},
	{0xA0, 0xFF},
	{0x130, 0x131},
	{0x1C4, 0x1CC},
	{0x300, 0x36F},
	{0x300, 0x315},
	{0x345, 0x345},
	{0x370, 0x3FF},
	{0x400, 0x45F},
	{0x5D0, 0x5F4},
	{0x591, 0x5C7},
	{0x600, 0x6FF},
	{0x64B, 0x655},
	{0x70F, 0x712},
	{0x900, 0x97F},
	{0x93C, 0x94D},
	{0x995, 0x9CD},
	{0xB47, 0xB57},
	{0xCC6, 0xCD6},
	{0xD46, 0xD57},
	{0xE01, 0xE4E},
	{0xF40, 0xFBC},
	{0x1000, 0x1039},
	{0x1100, 0x1112},
	{0x1161, 0x1175},
	{0x11A8, 0x11C2},
	{0x135D, 0x135F},
	{0x1780, 0x17D2},
	{0x180B, 0x180F},
	{0x1B05, 0x1B44},
	{0x1E00, 0x1EFF},
	{0x1F00, 0x1FFF},
	{0x2000, 0x206F},
	{0x200B, 0x200F},
	{0x200D, 0x200D},
	{0x20D0, 0x20F0},
	{0x2100, 0x214F},
	{0x2460, 0x24FF},
	{0x2600, 0x27BF},
	{0x3000, 0x303F},
	{0x3041, 0x30FF},
	{0x3099, 0x309A},
	{0x3200, 0x33FF},
	{0x4E00, 0x4E20},
	{0xAC00, 0xAC40},
	{0xAB70, 0xABBF},
	{0xFA00, 0xFA20},
	{0xFB00, 0xFB4F},
	{0xFDF0, 0xFDFF},
	{0xFE00, 0xFE2F},
	{0xFF01, 0xFFA0},
	{0xFEFF, 0xFEFF},
	{0x10400, 0x10427},
	{0x11099, 0x110BA},
	{0x11131, 0x11134},
	{0x1D15E, 0x1D16D},
	{0x1D400, 0x1D420},
	{0x1F1E6, 0x1F1FF},
	{0x1F3FB, 0x1F3FF},
	{0x1F466, 0x1F469},
	{0x1F600, 0x1F610},
	{0x2F800, 0x2F820},
	{0xE0001, 0xE007F},
	{0xE0100, 0xE01EF},
	{0xD7B0, 0xD7FB},
	{0xE000, 0x10FFFF},
	{0, 0xD7FF},
};

class RandomText {
public:
	explicit RandomText(std::uint64_t seed) : random_(seed) {}

	std::mt19937_64 &engine() { return random_; }

	// Picks a few ranges per text and stays in them, so that characters of one script are adjacent.
	std::u32string next(std::size_t max_length)
	{
		constexpr std::size_t palette_size = 5;
		Range palette[palette_size];
		for (Range &range : palette)
			range = lively_ranges[random_() % std::size(lively_ranges)];
		std::u32string text;
		for (std::size_t n = random_() % (max_length + 1); n > 0; --n)
			text.push_back(character(palette[random_() % palette_size]));
		return text;
	}
	std::string next_utf8(std::size_t max_length) { return to_utf8(next(max_length)); }

private:
	char32_t character(Range range)
	{
		return static_cast<char32_t>(range.first + random_() % (range.last - range.first + 1));
	}
	std::mt19937_64 random_;
};

} // namespace txtfp::test
