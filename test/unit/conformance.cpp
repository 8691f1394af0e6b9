// The conformance files of Unicode 15.0, and the compiled-in tables against the database they come from.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/text/normalize.hpp"
#include "core/text/segment.hpp"
#include "core/text/unicode_tables.hpp"
#include "unit/check.hpp"
#include "unit/data.hpp"
#include "unit/text.hpp"
#include "unit/ucd.hpp"

using namespace txtfp::core;
using namespace txtfp::core::unicode;
using namespace txtfp::test;

namespace {

constexpr std::size_t npos = std::string_view::npos;

std::u32string nfc(const std::u32string &text) { return normalize(text, Normalization::nfc); }
std::u32string nfkc(const std::u32string &text) { return normalize(text, Normalization::nfkc); }

// One line of a break test, "÷ 0061 × 0301 ÷ 0020 ÷": the text, and the bytes at which segments end.
struct BreakCase {
	std::string text;
	std::vector<std::size_t> ends;
};

// U+2701 is one of the characters that later versions and the crate no longer call Extended_Pictographic, so it does
// not join a ZWJ before it.
void break_after_joiner(BreakCase &c)
{
	const std::size_t joiner = c.text.find("\u200D\u2701");
	if (joiner == npos)
		return;
	const std::size_t end = joiner + 3;
	const auto at = std::lower_bound(c.ends.begin(), c.ends.end(), end);
	if (*at != end)
		c.ends.insert(at, end);
}

std::vector<BreakCase> break_cases(const std::string &name)
{
	std::vector<BreakCase> cases;
	for (const std::string &line : ucd::read(name)) {
		BreakCase c;
		for (const std::string &word : split(line, ' ')) {
			if (word == "÷" && !c.text.empty())
				c.ends.push_back(c.text.size());
			else if (word != "÷" && word != "×")
				append(c.text, ucd::code_points(word).at(0));
		}
		break_after_joiner(c);
		cases.push_back(c);
	}
	return cases;
}

// end_of(text, at, last): the end of the segment at `at`, npos if it depends on more text.
using EndOf = std::size_t (*)(std::string_view text, std::size_t at, bool last);

std::size_t word_end(std::string_view text, std::size_t at, bool last) { return word_segment(text, at, last).end; }

std::size_t grapheme_end(std::string_view text, std::size_t at, bool last)
{
	const Segment segment = next_grapheme(text, at, last);
	return segment.found ? segment.end : npos;
}

std::size_t sentence_end(std::string_view text, std::size_t at, bool) { return next_sentence(text, at).end; }

void check_whole(const BreakCase &c, EndOf end_of)
{
	std::vector<std::size_t> ends;
	for (std::size_t at = 0; at < c.text.size(); at = ends.back())
		ends.push_back(end_of(c.text, at, true));
	CHECK_EQ(ends, c.ends, c.text);
}

// A shortened text must give the same ends, or report that they depend on more text.
void check_prefixes(const BreakCase &c, EndOf end_of)
{
	for (const std::size_t size : boundaries(c.text))
		for (std::size_t at = 0; at < size;) {
			const std::size_t end = end_of(std::string_view(c.text).substr(0, size), at, false);
			if (end == npos)
				break;
			CHECK_EQ(std::count(c.ends.begin(), c.ends.end(), end), 1, c.text, size, at);
			at = end;
		}
}

WordBreak word_break(const std::string &name)
{
	static const std::map<std::string, WordBreak> names = {{"CR", WordBreak::cr}, {"LF", WordBreak::lf},
		{"Newline", WordBreak::newline}, {"Extend", WordBreak::extend}, {"ZWJ", WordBreak::zwj},
		{"Format", WordBreak::format}, {"Katakana", WordBreak::katakana}, {"Hebrew_Letter", WordBreak::hebrew_letter},
		{"ALetter", WordBreak::a_letter}, {"Single_Quote", WordBreak::single_quote},
		{"Double_Quote", WordBreak::double_quote}, {"MidNumLet", WordBreak::mid_num_let},
		{"MidLetter", WordBreak::mid_letter}, {"MidNum", WordBreak::mid_num}, {"Numeric", WordBreak::numeric},
		{"ExtendNumLet", WordBreak::extend_num_let}, {"Regional_Indicator", WordBreak::regional_indicator},
		{"WSegSpace", WordBreak::w_seg_space}};
	return names.at(name);
}

GraphemeBreak grapheme_break(const std::string &name)
{
	static const std::map<std::string, GraphemeBreak> names = {{"CR", GraphemeBreak::cr}, {"LF", GraphemeBreak::lf},
		{"Control", GraphemeBreak::control}, {"Extend", GraphemeBreak::extend}, {"ZWJ", GraphemeBreak::zwj},
		{"Regional_Indicator", GraphemeBreak::regional_indicator}, {"Prepend", GraphemeBreak::prepend},
		{"SpacingMark", GraphemeBreak::spacing_mark}, {"L", GraphemeBreak::l}, {"V", GraphemeBreak::v},
		{"T", GraphemeBreak::t}, {"LV", GraphemeBreak::lv}, {"LVT", GraphemeBreak::lvt}};
	return names.at(name);
}

SentenceBreak sentence_break(const std::string &name)
{
	static const std::map<std::string, SentenceBreak> names = {{"CR", SentenceBreak::cr}, {"LF", SentenceBreak::lf},
		{"Sep", SentenceBreak::sep}, {"Extend", SentenceBreak::extend}, {"Format", SentenceBreak::format},
		{"Sp", SentenceBreak::sp}, {"Lower", SentenceBreak::lower}, {"Upper", SentenceBreak::upper},
		{"OLetter", SentenceBreak::o_letter}, {"Numeric", SentenceBreak::numeric}, {"ATerm", SentenceBreak::a_term},
		{"SContinue", SentenceBreak::s_continue}, {"STerm", SentenceBreak::s_term}, {"Close", SentenceBreak::close}};
	return names.at(name);
}

std::string hex(char32_t c)
{
	char text[9];
	std::snprintf(text, sizeof text, "%04X", static_cast<unsigned>(c));
	return text;
}

// "first last" ranges as one string, for comparing sets.
std::string ranges(const std::set<char32_t> &set)
{
	std::string out;
	for (auto at = set.begin(); at != set.end();) {
		const char32_t first = *at;
		char32_t last = first;
		while (++at != set.end() && *at == last + 1)
			++last;
		out += (out.empty() ? "" : " ") + hex(first) + (last == first ? "" : "-" + hex(last));
	}
	return out;
}

// The code points whose table value is not that of the database.
template <class Expected, class Actual> std::string differences(const std::vector<Expected> &expected, Actual actual)
{
	std::set<char32_t> different;
	for (char32_t c = 0; c < expected.size(); ++c)
		if (actual(c) != expected[c])
			different.insert(c);
	return ranges(different);
}

std::set<char32_t> with_value(const std::string &file, const std::vector<std::string> &values)
{
	std::set<char32_t> set;
	for (const ucd::Entry &entry : ucd::entries(file))
		for (char32_t c = entry.first; c <= entry.last; ++c)
			if (std::count(values.begin(), values.end(), entry.value) != 0)
				set.insert(c);
	return set;
}

} // namespace

TEST_IF(conformance_normalization, ucd::is_15())
{
	std::set<char32_t> listed;
	bool in_part_1 = false;
	std::size_t cases = 0;
	for (const std::string &line : ucd::read("NormalizationTest.txt")) {
		if (line[0] == '@') {
			in_part_1 = line.starts_with("@Part1");
			continue;
		}
		std::vector<std::u32string> c;
		for (const std::string &field : split(line, ';'))
			c.push_back(ucd::code_points(field));
		for (int i = 0; i < 5; ++i) {
			CHECK_EQ(nfc(c[i]), c[i < 3 ? 1 : 3], line);
			CHECK_EQ(decompose_canonically(c[i]), c[i < 3 ? 2 : 4], line);
			CHECK_EQ(nfkc(c[i]), c[3], line);
		}
		if (in_part_1)
			listed.insert(c[0].at(0));
		++cases;
	}
	CHECK_EQ(cases > 18000, true, cases);
	for_each_scalar([&](char32_t c) {
		const std::u32string text(1, c);
		if (!listed.contains(c))
			CHECK_EQ(nfc(text) == text && decompose_canonically(text) == text && nfkc(text) == text, true, text);
	});
}

TEST_IF(conformance_case_folding, ucd::is_15())
{
	std::vector<std::u32string> folds(0x110000);
	for_each_scalar([&](char32_t c) { folds[c] = {c}; });
	for (const std::string &line : ucd::read("CaseFolding.txt")) {
		const std::vector<std::string> fields = split(line, ';');
		if (fields[1] == " C" || fields[1] == " F")
			folds[ucd::code_points(fields[0]).at(0)] = ucd::code_points(fields[2]);
	}
	for_each_scalar([&](char32_t c) { CHECK_EQ(fold_case({c}), folds[c]); });
}

TEST(conformance_words)
{
	const std::vector<BreakCase> cases = break_cases("auxiliary/WordBreakTest.txt");
	CHECK_EQ(cases.size() > 1800, true, cases.size());
	for (const BreakCase &c : cases) {
		check_whole(c, word_end);
		check_prefixes(c, word_end);
	}
}

TEST(conformance_graphemes)
{
	const std::vector<BreakCase> cases = break_cases("auxiliary/GraphemeBreakTest.txt");
	CHECK_EQ(cases.size() > 600, true, cases.size());
	for (const BreakCase &c : cases) {
		check_whole(c, grapheme_end);
		check_prefixes(c, grapheme_end);
	}
}

TEST(conformance_sentences)
{
	const std::vector<BreakCase> cases = break_cases("auxiliary/SentenceBreakTest.txt");
	CHECK_EQ(cases.size() > 500, true, cases.size());
	for (const BreakCase &c : cases)
		check_whole(c, sentence_end);
}

// The tables are those of Unicode 15.0, but for the characters where the crate follows a later version
// (tools/unicode/overrides.txt).
TEST_IF(conformance_word_table, ucd::is_15_0())
{
	std::vector<WordBreak> expected(0x110000, WordBreak::other);
	for (const ucd::Entry &entry : ucd::entries("auxiliary/WordBreakProperty.txt"))
		std::fill(&expected[entry.first], &expected[entry.last] + 1, word_break(entry.value));
	CHECK_EQ(differences(expected, [](char32_t c) { return static_cast<WordBreak>(word_value(c) & word_mask); }),
		"00B8 0600-0605 06DD 070F 0890-0891 08E2 19DA FE10 FE14 110BD 110CD");
}

TEST_IF(conformance_alphanumeric_table, ucd::is_15_0())
{
	std::vector<bool> expected(0x110000);
	for (const char32_t c : with_value("DerivedCoreProperties.txt", {"Alphabetic"}))
		expected[c] = true;
	for (const char32_t c : with_value("extracted/DerivedGeneralCategory.txt", {"Nd", "Nl", "No"}))
		expected[c] = true;
	CHECK_EQ(differences(expected, [](char32_t c) { return (word_value(c) & alphanumeric_bit) != 0; }),
		"0363-036F 1DD3-1DE6");
}

TEST_IF(conformance_grapheme_table, ucd::is_15())
{
	std::vector<GraphemeBreak> expected(0x110000, GraphemeBreak::other);
	for (const ucd::Entry &entry : ucd::entries("auxiliary/GraphemeBreakProperty.txt"))
		std::fill(&expected[entry.first], &expected[entry.last] + 1, grapheme_break(entry.value));
	const auto actual = [](char32_t c) { return static_cast<GraphemeBreak>(grapheme_value(c) & grapheme_mask); };
	CHECK_EQ(differences(expected, actual),
		"0CC0 0CC7-0CC8 0CCA-0CCB 1715 1734 1B3B 1B3D 1B43-1B44 1BAA 1BF2-1BF3 A953 A9C0 111C0 11235 1134D 116B6 1171E "
		"1193D 11A3A 11F41 16FF0-16FF1 1D166 1D16D");
}

TEST_IF(conformance_sentence_table, ucd::is_15_0())
{
	std::vector<SentenceBreak> expected(0x110000, SentenceBreak::other);
	for (const ucd::Entry &entry : ucd::entries("auxiliary/SentenceBreakProperty.txt"))
		std::fill(&expected[entry.first], &expected[entry.last] + 1, sentence_break(entry.value));
	CHECK_EQ(
		differences(expected, [](char32_t c) { return static_cast<SentenceBreak>(sentence_value(c) & sentence_mask); }),
		"003B 0295 037E 0600-0605 06DD 0890-0891 08E2 17D4-17D5 19DA 2CF9-2CFB FE12 FE14-FE16 FE54 FF1B 110BD 110CD");
	const std::set<char32_t> blanks = with_value("PropList.txt", {"White_Space"});
	for_each_scalar([&](char32_t c) {
		CHECK_EQ((sentence_value(c) & sentence_white_space_bit) != 0, blanks.contains(c), c);
		CHECK_EQ((sentence_value(c) & sentence_alphanumeric_bit) != 0, (word_value(c) & alphanumeric_bit) != 0, c);
	});
}

// Later versions only took characters out of Extended_Pictographic.
TEST_IF(conformance_pictographic_table, ucd::is_15())
{
	const std::set<char32_t> database = with_value("emoji/emoji-data.txt", {"Extended_Pictographic"});
	std::size_t kept = 0, added = 0, unequal = 0;
	for_each_scalar([&](char32_t c) {
		const bool pictographic = (word_value(c) & pictographic_bit) != 0;
		kept += pictographic;
		added += pictographic && !database.contains(c);
		unequal += pictographic != ((grapheme_value(c) & grapheme_pictographic_bit) != 0);
	});
	CHECK_EQ(added, 0);
	CHECK_EQ(unequal, 0);
	CHECK_EQ(kept > 500 && kept < database.size(), true, kept, database.size());
	for (const char32_t c : std::u32string(U"\u00A9\u2122\u2139\u24C2\u2702\U0001F466\U0001F6D1"))
		CHECK_EQ((word_value(c) & pictographic_bit) != 0, true, c);
	for (const char32_t c : std::u32string(U"\u2605\u2701\U0001F000\U0001F10D"))
		CHECK_EQ((word_value(c) & pictographic_bit) != 0, false, c);
}
