// The results of the canonicalizer: the crate's vectors and the facts of its own tests. canonical_properties.cpp tests
// how it works (fast path, pieces, order of marks).
#include "core/text/canonical.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "core/text/canonical_sets.hpp"
#include "unit/check.hpp"
#include "unit/data.hpp"
#include "unit/options.hpp"
#include "unit/stop.hpp"
#include "unit/text.hpp"
#include "unit/ucd.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

std::string canonical(std::string_view text, std::string_view name = default_canonicalizer)
{
	return std::string(canonicalize(text, canonicalizer(name)));
}

bool is_newer(char32_t c)
{
	// The crate's Unicode is later than 15.0. These are the characters of its vectors that 15.0 does not assign.
	// (U+2065 is not among them: no version assigns it.)
	static const std::set<char32_t> newer = {0x1C89, 0xA7CB, 0xA7F1, 0x105C9, 0x16EA0, 0x1CCD6};
	return newer.contains(c);
}

} // namespace

TEST(canonical_crate_vectors)
{
	std::size_t checked = 0;
	for (const Row &row : table("canonical.tsv")) {
		if (!row["newer"].empty())
			continue;
		for (const std::string &name : list(row["canonicalizers"], ' ')) {
			CHECK_EQ(canonical(row["input"], name), row["output"], name, row["input"]);
			++checked;
		}
	}
	CHECK_EQ(checked, 48 * 126);
}

// The rows marked as newer contain such a character; all of these pass through unchanged in 15.0.
TEST_IF(canonical_newer_characters_pass_through, ucd::is_15())
{
	std::set<std::string> inputs;
	for (const Row &row : table("canonical.tsv")) {
		const std::string input = row["input"];
		const std::u32string text = to_utf32(input);
		const bool newer = std::any_of(text.begin(), text.end(), is_newer);
		CHECK_EQ(row["newer"], newer ? "newer" : "", input);
		for (const char32_t c : text)
			CHECK_EQ(ucd::is_assigned(c), !is_newer(c) && c != 0x2065, input);
		if (!newer)
			continue;
		inputs.insert(input);
		for (const CanonicalOptions &options : all_canonicalizers())
			CHECK_EQ(canonicalize(input, options), input, format_canonicalizer(options));
	}
	CHECK_EQ(inputs.size(), 6);
}

TEST(canonical_document_vectors)
{
	const std::pair<const char *, const char *> columns[] = {{"canonical", "nfkc-cf-simple-bidi-fmt"},
		{"canonical_nfc", "nfc-cf-simple-bidi-fmt"}, {"canonical_nocasefold", "nfkc-cf-none-bidi-fmt"},
		{"canonical_nostrip", "nfkc-cf-simple"}, {"canonical_nonorm", "none-cf-simple-bidi-fmt"}};
	const Table &documents = table("documents.tsv");
	CHECK_EQ(documents.size(), 472);
	for (const Row &row : documents)
		for (const auto &[column, name] : columns)
			CHECK_EQ(canonical(row["input"], name), row[column], column, row["name"]);
}

TEST(canonical_facts)
{
	const std::pair<const char *, const char *> facts[] = {
		{"", ""}, {"Hello\u200BWorld", "helloworld"}, {"ＡＢＣ", "abc"}, {"ＡＢＣ123", "abc123"}, {"\uFB01le", "file"},
		{"Mixed CASE", "mixed case"}, {"admin\u202Egnirts", "admingnirts"}, {"\u0130", "i\u0307"}, {"a\uFE0F", "a"},
		{"a\uFE00b", "ab"}, {"\U000E007F", ""}, {"\uFEFFhello", "hello"}, {"e²", "e2"},
		{"hello\u200Bworld\u200Cfoo\u200Dbar", "helloworldfoobar"}, {"\u0130\u0329", "i\u0329\u0307"},
		{"\u06E4\u202A\u06E4\u06EA-\x02\x03", "\u06EA\u06E4\u06E4-\x02\x03"}, {"HELLO", "hello"},
		{"STRASSE", "strasse"}, {"STRA\u00DFE", "strasse"}, {"\u1E9E", "ss"}, {"ΣΟΦΙΑ", "σοφια"}, {"ς", "σ"},
		{"\u0149", "\u02BCn"}, {"\uAB70", "\u13A0"}, {"\u0131", "\u0131"},
		{"ad\u00ADmin", "ad\u00ADmin"},          // the soft hyphen stays
		{"I\u200B\u0307\u0323", "\u1ECB\u0307"}, // dropping comes before normalization
	};
	for (const auto &[input, expected] : facts)
		CHECK_EQ(canonical(input), expected, input);
}

TEST(canonical_facts_of_other_options)
{
	CHECK_EQ(canonical("ＡＢＣ", "nfc-cf-simple-bidi-fmt"), "ａｂｃ");
	CHECK_EQ(canonical("HéLLo", "none-cf-none"), "HéLLo");
	CHECK_EQ(canonical("HELLO", "nfkc-cf-none-bidi-fmt"), "HELLO");
	CHECK_EQ(canonical("a\u202Eb\u200Bc", "nfkc-cf-none-bidi"), "ab\u200Bc");
	CHECK_EQ(canonical("a\u202Eb\u200Bc", "nfkc-cf-none-fmt"), "abc");
	CHECK_EQ(canonical("a\u202Eb\u200Bc", "nfkc-cf-none"), "a\u202Eb\u200Bc");
}

TEST(canonical_confusables)
{
	const auto skeleton = [](std::string_view text) { return canonical(text, "nfkc-cf-simple-bidi-fmt-conf"); };
	CHECK_EQ(skeleton("\u0430"), skeleton("a")); // Cyrillic and Latin
	CHECK_EQ(skeleton("\u0440\u0430\u0443\u0440\u0430l"), skeleton("paypal"));
	CHECK_EQ(skeleton("hello"), "hello");
	CHECK_EQ(canonical("m1lI|O0\"%`", "nfkc-cf-none-conf"), "rnllllOO''\u00BA/\u2080'");
	for (const char *text : {"café", "naïveté", "\u0440\u0430\u0443\u0440\u0430l", "\u0130\u0329"})
		CHECK_EQ(skeleton(skeleton(text)), skeleton(text), text);
	CHECK_EQ(skeleton("0"), "O"); // the result may have upper case: the mode is not idempotent
}

// The drop sets, tested by the result for each scalar value.
TEST(canonical_drop_sets)
{
	std::size_t dropped = 0, bidi = 0;
	for_each_varied_scalar([&](char32_t c) {
		const std::string text = to_utf8(std::u32string(1, c));
		const bool gone = canonical(text, "none-cf-none-fmt").empty();
		const bool bidi_gone = canonical(text, "none-cf-none-bidi").empty();
		CHECK_EQ(gone, is_format_control(c), text);
		CHECK_EQ(bidi_gone, is_bidi_control(c), text);
		CHECK_EQ(gone || !bidi_gone, true, text);
		dropped += gone;
		bidi += bidi_gone;
	});
	CHECK_EQ(dropped, 379);
	CHECK_EQ(bidi, 11);
}

// The drop set is neither general category Cf nor Default_Ignorable_Code_Point: lists the differences.
TEST(canonical_drop_set_against_categories)
{
	std::size_t cf = 0, mn = 0;
	for_each_scalar([&](char32_t c) {
		if (is_format_control(c))
			++(ucd::general_category(c) == "Mn" ? mn : cf);
	});
	CHECK_EQ(cf, 119);
	CHECK_EQ(mn, 260);
	for (const char32_t c : std::u32string(U"\u00AD\u0600\u0605\u06DD\u070F\u0890\u08E2\u206A\u206F\uFFF9\uFFFB") +
			U"\U000110BD\U000110CD\U00013430\U0001BCA0\U0001D173\u034F\u115F\u17B4\u3164\uFFA0\u2065\U000E0000")
		CHECK_EQ(is_format_control(c), false, c);
	for (const char32_t c : std::u32string(U"\u200B\uFEFF\uFE0F\U000E0061"))
		CHECK_EQ(is_format_control(c), true, c);
	for (const char32_t c : std::u32string(U"héllo, мир!"))
		CHECK_EQ(is_format_control(c) || is_bidi_control(c), false, c);
}

TEST(canonicalizer_names)
{
	std::set<std::string> names;
	for (const CanonicalOptions &options : all_canonicalizers()) {
		const std::string name = format_canonicalizer(options);
		names.insert(name);
		CanonicalOptions parsed{Normalization::none, false, true, false, true}; // options that parsing must overwrite
		CHECK_EQ(parse_canonicalizer(name, parsed), true, name);
		CHECK_EQ(parsed == options, true, name);
	}
	CHECK_EQ(names.size(), 48);
	CHECK_EQ(format_canonicalizer({}), default_canonicalizer);
	CHECK_EQ(format_canonicalizer({Normalization::nfc}), "nfc-cf-simple-bidi-fmt");
	CHECK_EQ(format_canonicalizer({Normalization::nfc, true, false}), "nfc-cf-simple-fmt");
	CHECK_EQ(format_canonicalizer({Normalization::nfc, false, false}), "nfc-cf-none-fmt");
}

// Every name with one byte removed, inserted or changed is rejected, unless the result is another name.
TEST(canonicalizer_malformed_names)
{
	std::set<std::string> names;
	for (const CanonicalOptions &options : all_canonicalizers())
		names.insert(format_canonicalizer(options));
	const auto check = [&](const std::string &text) {
		CanonicalOptions options;
		CHECK_EQ(parse_canonicalizer(text, options), names.contains(text), text);
	};
	for (const char *text :
		{"", "-", "nfkc", "nfkc-", "nfkc-cf", "nfd-cf-simple", "nfkc-cf-full", "cf-simple", "NFKC-cf-simple",
			"nfkc-cf-simple-fmt-bidi", "nfkc-cf-simple-bidi-bidi", "nfkc-cf-simple-conf-fmt", "nfkc-cf-simple-cf-none"})
		check(text);
	for (const std::string &name : names)
		for (std::size_t at = 0; at <= name.size(); ++at) {
			check(name.substr(0, at));
			check(std::string(name).erase(at, 1));
			for (const char c : {' ', '-', 'n', 'X', '\0'}) {
				check(std::string(name).insert(at, 1, c));
				check(std::string(name).replace(at, 1, 1, c));
			}
		}
}

TEST(canonical_cancellation)
{
	const std::size_t size = std::size_t{1} << 22;
	std::string marks = "a", letters, plain;
	while (marks.size() < size)
		marks += "\u0301\u0323";
	while (letters.size() < size)
		letters += "Gr\u00FC\u00DFe! ";
	while (plain.size() < size)
		plain += "\u65E5\u672C\u8A9E";
	for (const std::string &text : {std::string(size, 'A'), letters, plain, marks})
		for (const char *name : {"nfkc-cf-simple-bidi-fmt", "none-cf-none", "nfc-cf-none-conf"}) {
			const CanonicalOptions options = canonicalizer(name);
			CHECK_EQ(is_cancelled([&] { canonicalize(text, options, stop_at_once); }), true, name, text.substr(0, 8));
		}
	CHECK_EQ(is_cancelled([&] { canonicalize_by_definition(letters, {}, stop_at_once); }), true);
}
