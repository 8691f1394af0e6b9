// Shared by the fuzz targets: the input as a reader, conversion of bytes to valid UTF-8, and a check that aborts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/text/utf8.hpp"
#include "unit/show.hpp"

namespace txtfp::fuzz {

#define REQUIRE_EQ(actual, expected)                                                                           \
	do {                                                                                                       \
		const auto &actual_value = (actual);                                                                   \
		const auto &expected_value = (expected);                                                               \
		if (!(actual_value == expected_value)) {                                                               \
			std::fprintf(stderr, "%s:%d: %s\n    actual   %s\n    expected %s\n", __FILE__, __LINE__, #actual, \
				::txtfp::test::show(actual_value).c_str(), ::txtfp::test::show(expected_value).c_str());       \
			std::abort();                                                                                      \
		}                                                                                                      \
	} while (false)

class Input {
public:
	Input(const std::uint8_t *data, std::size_t size) : rest_(reinterpret_cast<const char *>(data), size) {}

	unsigned byte()
	{
		if (rest_.empty())
			return 0;
		const auto value = static_cast<unsigned char>(rest_.front());
		rest_.remove_prefix(1);
		return value;
	}
	std::string_view rest() const { return rest_; }

private:
	std::string_view rest_;
};

// True if [p, p + length) is one well-formed character.
inline bool is_well_formed(std::string_view bytes, core::Decoded c)
{
	std::string encoded;
	core::append(encoded, c.code_point);
	const bool surrogate = c.code_point >= 0xD800 && c.code_point <= 0xDFFF;
	return !surrogate && bytes.substr(0, c.length) == encoded;
}

// Well-formed characters stay. Every other byte becomes one of 128 characters that interact with others, so that one
// byte of input is enough for such a character.
inline std::string valid_utf8(std::string_view bytes)
{
	constexpr std::u32string_view lively =
		U"\u0301\u0323\u0327\u0345\u0305\u0316\u0322\u0338\u0342\u0308\u030C\u031B\u0334\u035C\u0360\u0344"
		U"\u200B\u200C\u200D\u200E\u202E\u2060\u2065\uFEFF\uFE0F\uFE00\u00AD\u034F\u180B\u061C\u206A\uFFF9"
		U"\u0130\u0131\u00DF\u1E9E\u017F\u0149\u01F0\u01C5\u0390\u03C2\u03A3\u037A\u1FB3\u1F88\u2126\u212A"
		U"\uFB01\uFF21\uFF76\uFF9E\u00BD\u2460\u33A1\uFDFA\u00A8\u00B4\u1FBD\u2002\u3000\u00A0\u2024\u2026"
		U"\u1100\u1161\u11A8\uAC00\uAC01\u304B\u3099\u30D1\u30AB\u4E00\uF900\u3131\u1112\u1175\u11C2\u309B"
		U"\u05D0\u05F4\u05B0\u05C1\u0627\u064E\u0651\u0653\u0654\u06DD\u0600\u070F\u0915\u093C\u094D\u0937"
		U"\u0B47\u0B57\u0DD9\u0DCA\u0E01\u0E33\u0F71\u0F73\u1000\u1039\u1780\u17D2\u1B05\u1B35\u19DA\u0363"
		U"\U0001F1FA\U0001F1F8\U0001F466\U0001F3FB\u24C2\u2139\u2701\u00A9\u0661\u2044\u00B7\u2019\u2028\u0085\uAB70"
		U"\u0378";
	static_assert(lively.size() == 128);
	std::string out;
	for (const char *p = bytes.data(), *end = p + bytes.size(); p < end;) {
		const core::Decoded c = core::decode(p, end);
		if (is_well_formed({p, end}, c)) {
			out.append(p, c.length);
			p += c.length;
		} else {
			core::append(out, lively[static_cast<unsigned char>(*p++) & 0x7F]);
		}
	}
	return out;
}

} // namespace txtfp::fuzz
