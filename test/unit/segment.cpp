// Words and graphemes: the facts of the crate's tests, its ZWJ quirk, and the fast word path compared with the rules.
// conformance.cpp reads the standard's own test files, tokens.cpp the crate's token lists.
#include "core/text/segment.hpp"

#include <string>
#include <vector>

#include "core/text/unicode_tables.hpp"
#include "unit/check.hpp"
#include "unit/options.hpp"
#include "unit/text.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

using Strings = std::vector<std::string>;

constexpr std::size_t npos = std::string_view::npos;

// Words by the rules alone.
Strings words_by_rules(std::string_view text)
{
	Strings words;
	for (std::size_t at = 0; at < text.size();) {
		const RuleSegment segment = word_segment(text, at, true);
		if (segment.alphanumeric)
			words.emplace_back(text.substr(at, segment.end - at));
		at = segment.end;
	}
	return words;
}

// Asks both for the first word at `from`, or, if there is none yet, for where to continue.
Segment next_word_by_rules(std::string_view text, std::size_t from, bool last)
{
	while (from < text.size()) {
		const RuleSegment segment = word_segment(text, from, last);
		if (segment.end == npos)
			break;
		if (segment.alphanumeric)
			return {from, segment.end, true};
		from = segment.end;
	}
	return {from, from, false};
}

void check_words(std::string_view text)
{
	for (const bool last : {false, true})
		for (std::size_t at = 0;;) {
			const Segment fast = next_word(text, at, last), slow = next_word_by_rules(text, at, last);
			CHECK_EQ(fast.found, slow.found, text, at, last);
			if (!slow.found) {
				// the fast path may stop later than the rules: the skipped text must contain no word
				CHECK_EQ(fast.start >= slow.start && fast.start <= text.size(), true, text, at, last);
				break;
			}
			CHECK_EQ(fast.start, slow.start, text, at, last);
			CHECK_EQ(fast.end, slow.end, text, at, last);
			at = slow.end;
		}
}

std::string random_ascii(std::mt19937_64 &random, std::size_t size)
{
	constexpr std::string_view alphabet = "abzAZ019_.':,;\" \n\r-";
	std::string text;
	while (text.size() < size)
		text.push_back(alphabet[random() % alphabet.size()]);
	return text;
}

Strings words(std::string_view text) { return tokens(text, "word-uax29"); }
Strings graphemes(std::string_view text) { return tokens(text, "grapheme-uax29"); }

} // namespace

TEST(segment_words)
{
	CHECK_EQ(words("hello world!"), (Strings{"hello", "world"}));
	CHECK_EQ(words("hi, world!\n\nhi"), (Strings{"hi", "world", "hi"}));
	CHECK_EQ(words("café résumé"), (Strings{"café", "résumé"}));
	CHECK_EQ(words("v1.2 RC3 don't go"), (Strings{"v1.2", "RC3", "don't", "go"}));
	CHECK_EQ(words("我爱你"), (Strings{"我", "爱", "你"}));
	CHECK_EQ(words(""), Strings{});
	CHECK_EQ(words("a:b http://x 10:30"), (Strings{"a:b", "http", "x", "10", "30"}));
	CHECK_EQ(words("e.g 3.14 1,000 example.com foo_bar __init__ 1\u20442"),
		(Strings{"e.g", "3.14", "1,000", "example.com", "foo_bar", "__init__", "1\u20442"}));
	CHECK_EQ(words("カタカナ ひら"), (Strings{"カタカナ", "ひ", "ら"}));
	CHECK_EQ(words("한국어 \U0001F600 … \u0301"), (Strings{"한국어"}));
	CHECK_EQ(words("\u05D0\"\u05D0 \u05D0' x'"), (Strings{"\u05D0\"\u05D0", "\u05D0'", "x"}));
	CHECK_EQ(words("ad\u00ADmin _ __ 'a'"), (Strings{"ad\u00ADmin", "a"}));
	CHECK_EQ(words("a\r\nb\rc\u2028d"), (Strings{"a", "b", "c", "d"}));
	CHECK_EQ(words("\u0363 a\u0363"), (Strings{"\u0363", "a\u0363"})); // an Alphabetic mark is a word of its own
}

// Ⓜ is both a letter and a pictograph. After ZWJ the crate adds it to the segment, and then sees `other` on its left.
TEST(segment_zwj_quirk)
{
	const std::string zwj = "\u200D", m = "\u24C2", boy = "\U0001F466";
	CHECK_EQ(words(m + "a"), (Strings{m + "a"}));
	CHECK_EQ(words("a" + zwj + m + "b"), (Strings{"a" + zwj + m, "b"}));
	CHECK_EQ(words("a" + zwj + m + "\u0301b"), (Strings{"a" + zwj + m + "\u0301", "b"}));
	CHECK_EQ(words("a" + zwj + m + zwj + m + "b"), (Strings{"a" + zwj + m + zwj + m, "b"}));
	CHECK_EQ(words("a" + zwj + m + "_"), (Strings{"a" + zwj + m}));
	CHECK_EQ(words("a" + zwj + m + ".b"), (Strings{"a" + zwj + m, "b"}));
	// a middle character that waits for its right neighbour stays if that is such a pictograph
	CHECK_EQ(words("a." + zwj + boy + "b"), (Strings{"a." + zwj + boy, "b"}));
	CHECK_EQ(words("a." + zwj + m + "b"), (Strings{"a." + zwj + m, "b"}));
	CHECK_EQ(words("1,\u0301" + zwj + boy), (Strings{"1,\u0301" + zwj + boy}));
	CHECK_EQ(words("\u05D0\"" + zwj + boy), (Strings{"\u05D0\"" + zwj + boy}));
	CHECK_EQ(words("a" + boy + "." + zwj + boy), (Strings{"a"}));
	CHECK_EQ(words("a," + zwj + boy), (Strings{"a"})); // the comma does not wait after a letter
	CHECK_EQ(words("a." + boy), (Strings{"a"}));
}

TEST(segment_graphemes)
{
	CHECK_EQ(graphemes("abc"), (Strings{"a", "b", "c"}));
	CHECK_EQ(graphemes("a\u0301\U0001F1FA\U0001F1F8"), (Strings{"a\u0301", "\U0001F1FA\U0001F1F8"}));
	CHECK_EQ(graphemes("\U0001F1FA\U0001F1F8\U0001F1E8"), (Strings{"\U0001F1FA\U0001F1F8", "\U0001F1E8"}));
	const std::string family = "\U0001F468\u200D\U0001F469\u200D\U0001F467";
	CHECK_EQ(graphemes(family), (Strings{family}));
	CHECK_EQ(graphemes("a\r\nb \t"), (Strings{"a", "\r\n", "b", " ", "\t"}));
	CHECK_EQ(graphemes("\u1100\u1161\u11A8\uAC00\u11A8"), (Strings{"\u1100\u1161\u11A8", "\uAC00\u11A8"}));
	CHECK_EQ(graphemes(""), Strings{});
}

// GB9c: consonant, linker, consonant is one cluster; U+200C or a missing linker breaks it.
TEST(segment_indic_conjuncts)
{
	CHECK_EQ(graphemes("\u0915\u094D\u0937"), (Strings{"\u0915\u094D\u0937"}));
	CHECK_EQ(graphemes("\u0915\u094D\u200D\u0937"), (Strings{"\u0915\u094D\u200D\u0937"}));
	CHECK_EQ(graphemes("\u0915\u094D\u200C\u0937"), (Strings{"\u0915\u094D\u200C", "\u0937"}));
	CHECK_EQ(graphemes("\u0915\u093C\u0937"), (Strings{"\u0915\u093C", "\u0937"}));
	CHECK_EQ(graphemes("\u0915\u094D\u094D\u0937\u094D\u0938"), (Strings{"\u0915\u094D\u094D\u0937\u094D\u0938"}));
	CHECK_EQ(graphemes("\u094D\u0937"), (Strings{"\u094D", "\u0937"}));
	CHECK_EQ(graphemes("\u1780\u17D2\u1781"), (Strings{"\u1780\u17D2\u1781"})); // Khmer joined after 15.0
}

TEST(segment_words_equal_reference_on_every_scalar)
{
	for_each_varied_scalar([](char32_t c) {
		for (const auto &[before, after] :
			{std::pair(U"", U""), {U"a", U"b"}, {U"1.", U"1"}, {U" ", U" "}, {U"a\u200D", U"_"}})
			check_words(to_utf8(before + std::u32string(1, c) + after));
	});
}

TEST(segment_words_equal_reference_on_ascii)
{
	std::mt19937_64 random(1);
	for (int i = 0; i < 40000; ++i)
		check_words(random_ascii(random, random() % 16));
}

TEST(segment_words_equal_reference_on_random_texts)
{
	RandomText random(2);
	for (int i = 0; i < 30000; ++i) {
		std::string text = random.next_utf8(12);
		if (i % 2 == 0)
			text.insert(0, random_ascii(random.engine(), 6)).append(random_ascii(random.engine(), 6));
		check_words(text);
		CHECK_EQ(words(text), words_by_rules(text), text);
	}
}

// Runs of ideographs, which have their own fast path, and other characters at their ends.
TEST(segment_words_equal_reference_on_ideographs)
{
	constexpr std::u32string_view alphabet = U"\u4DFF\u4E00\u4E00\u5000\u9FFF\u9FFF\uA000\u3400\u0301\u200D\u30AB_a1 ";
	RandomText random(6);
	for (int i = 0; i < 20000; ++i) {
		std::u32string text;
		for (std::size_t size = random.engine()() % 12; text.size() < size;)
			text.push_back(alphabet[random.engine()() % alphabet.size()]);
		const std::string utf8 = to_utf8(text);
		check_words(utf8);
		CHECK_EQ(words(utf8), words_by_rules(utf8), utf8);
	}
	for (char32_t c = 0x4E00; c <= 0x9FFF; ++c) {
		CHECK_EQ(unicode::word_value(c), unicode::word_value(0x4E00), c);
		CHECK_EQ(unicode::sentence_value(c), unicode::sentence_value(0x4E00), c);
	}
}

// Segments are adjacent and cover the text.
TEST(segment_graphemes_lose_nothing)
{
	RandomText random(3);
	for (int i = 0; i < 30000; ++i) {
		const std::string text = random.next_utf8(20);
		std::string joined;
		for (const std::string &cluster : graphemes(text))
			joined += cluster;
		CHECK_EQ(joined, text);
	}
}

// A segment found before the end of the text is also a segment of every longer text.
TEST(segment_found_early_is_final)
{
	RandomText random(4);
	for (int i = 0; i < 4000; ++i) {
		const std::string text = random.next_utf8(12);
		for (const auto next : {next_word, next_grapheme})
			for (const std::size_t size : boundaries(text)) {
				const Segment early = next(std::string_view(text).substr(0, size), 0, false);
				const Segment whole = next(text, 0, true);
				if (early.found)
					CHECK_EQ(early.start == whole.start && early.end == whole.end, true, text, size);
				else
					CHECK_EQ(!whole.found || early.start <= whole.start, true, text, size);
			}
	}
}

// The functions accept any bytes: bytes that are not UTF-8 give some segment inside the text.
TEST(segment_survives_any_bytes)
{
	std::mt19937_64 random(5);
	for (int i = 0; i < 20000; ++i) {
		std::vector<char> bytes(random() % 12);
		for (char &byte : bytes)
			byte = static_cast<char>(random());
		const std::string_view text(bytes.data(), bytes.size());
		for (const auto next : {next_word, next_grapheme})
			for (std::size_t at = 0;;) {
				const Segment segment = next(text, at, true);
				if (!segment.found)
					break;
				CHECK_EQ(segment.start >= at && segment.end > segment.start && segment.end <= text.size(), true, text);
				at = segment.end;
			}
	}
}
