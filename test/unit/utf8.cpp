#include "core/text/utf8.hpp"

#include <random>
#include <string>

#include "unit/check.hpp"
#include "unit/text.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

TEST(utf8_every_scalar_value_round_trips)
{
	for_each_scalar([](char32_t c) {
		std::string bytes;
		append(bytes, c);
		const Decoded back = decode(bytes.data(), bytes.data() + bytes.size());
		CHECK_EQ(static_cast<unsigned>(back.code_point), static_cast<unsigned>(c));
		CHECK_EQ(back.length, bytes.size(), static_cast<unsigned>(c));
		for (std::size_t i = 0; i < bytes.size(); ++i)
			CHECK_EQ(is_continuation(bytes[i]), i > 0, static_cast<unsigned>(c));
	});
}

TEST(utf8_lengths)
{
	const struct {
		char32_t code_point;
		std::string bytes;
	} examples[] = {{0x7F, "\x7F"}, {0x80, "\xC2\x80"}, {0x7FF, "\xDF\xBF"}, {0x800, "\xE0\xA0\x80"},
		{0xFFFF, "\xEF\xBF\xBF"}, {0x10000, "\xF0\x90\x80\x80"}, {0x10FFFF, "\xF4\x8F\xBF\xBF"}};
	for (const auto &[code_point, bytes] : examples) {
		std::string out = "x";
		append(out, code_point);
		CHECK_EQ(out, "x" + bytes);
	}
}

// Bytes that are not UTF-8 must not cause reads beyond the buffer (ASan checks: the copy has no spare byte) nor beyond
// the tables, which end at U+10FFFF.
TEST(utf8_stays_inside_on_any_bytes)
{
	std::mt19937_64 random(1);
	for (int i = 0; i < 200000; ++i) {
		std::vector<char> bytes(1 + random() % 5);
		for (char &byte : bytes)
			byte = static_cast<char>(random() % 3 == 0 ? random() : 0x80 | random());
		const Decoded c = decode(bytes.data(), bytes.data() + bytes.size());
		CHECK_EQ(c.length >= 1 && c.length <= bytes.size(), true, std::string(bytes.begin(), bytes.end()));
		CHECK_EQ(c.code_point <= 0x10FFFF, true, std::string(bytes.begin(), bytes.end()));
	}
}

TEST(utf8_replaces_what_is_cut_or_too_big)
{
	for (const std::string bytes : {"\xC3", "\xE2\x82", "\xE2", "\xF0\x9F\x98", "\xF0\x9F", "\xF0", "\xF4\x90\x80\x80",
			 "\xF7\xBF\xBF\xBF", "\xFF\xBF\xBF\xBF", "\x80"}) {
		const Decoded c = decode(bytes.data(), bytes.data() + bytes.size());
		CHECK_EQ(static_cast<unsigned>(c.code_point), 0xFFFDu, bytes);
		CHECK_EQ(c.length, 1, bytes);
	}
}

TEST(utf8_character_boundary)
{
	const std::string texts[] = {"", "abc", "\u00E9", "\u20AC", "\U0001F600", "a\u00E9\u20AC\U0001F600z",
		"\U0001F600\U0001F600", "\u20AC\u20AC\u20AC", "aaaa\U0001F600"};
	for (const std::string &text : texts) {
		const std::vector<std::size_t> ends = boundaries(text);
		for (std::size_t n = 0; n <= text.size() + 2; ++n) {
			std::size_t expected = 0;
			for (const std::size_t end : ends)
				expected = end <= n ? end : expected;
			CHECK_EQ(character_boundary(text, n), expected, text, n);
		}
	}
}
