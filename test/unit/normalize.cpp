#include "core/text/normalize.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <unicode/uchar.h>

#include "unit/check.hpp"
#include "unit/stop.hpp"
#include "unit/text.hpp"
#include "unit/ucd.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

int combining_class(char32_t c) { return u_getCombiningClass(static_cast<UChar32>(c)); }

// The Canonical Ordering Algorithm as the standard words it: exchange neighbours until none is out of order.
std::u32string ordered_by_exchange(std::u32string text)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (std::size_t i = 1; i < text.size(); ++i)
			if (combining_class(text[i]) != 0 && combining_class(text[i - 1]) > combining_class(text[i])) {
				std::swap(text[i - 1], text[i]);
				changed = true;
			}
	}
	return text;
}

std::u32string marks_that_do_not_decompose()
{
	std::u32string marks;
	for_each_varied_scalar([&](char32_t c) {
		if (combining_class(c) != 0 && ucd::is_assigned(c) && decompose_canonically({c}) == std::u32string(1, c))
			marks.push_back(c);
	});
	return marks;
}

} // namespace

TEST(normalize_examples)
{
	CHECK_EQ(normalize(U"e\u0301", Normalization::nfc), U"\u00E9");
	CHECK_EQ(normalize(U"\uFB01", Normalization::nfc), U"\uFB01");
	CHECK_EQ(normalize(U"\uFB01", Normalization::nfkc), U"fi");
	CHECK_EQ(normalize(U"e\u0301\uFB01", Normalization::none), U"e\u0301\uFB01");
	CHECK_EQ(normalize(U"\u1100\u1161\u11A8", Normalization::nfc), U"\uAC01");
	CHECK_EQ(normalize(U"\uAC00\u11A8", Normalization::nfc), U"\uAC01");
	CHECK_EQ(normalize(U"\u212B", Normalization::nfc), U"\u00C5");
	CHECK_EQ(normalize(U"\u0915\u093C", Normalization::nfc), U"\u0915\u093C"); // excluded from composition
	CHECK_EQ(normalize(U"\uFDFA", Normalization::nfkc).size(), 18);
	CHECK_EQ(normalize(U"", Normalization::nfkc), U"");
	CHECK_EQ(decompose_canonically(U"\u1EA5\uAC01"), U"a\u0302\u0301\u1100\u1161\u11A8");
}

TEST_IF(normalize_orders_marks, ucd::is_15())
{
	const std::u32string marks = marks_that_do_not_decompose();
	CHECK_EQ(marks.size() > 800, true);
	std::mt19937_64 random(1);
	for (int i = 0; i < 300; ++i) {
		std::u32string text = U"a";
		for (int n = 0; n < 200; ++n)
			text.push_back(random() % 40 == 0 ? U'b' : marks[random() % marks.size()]);
		CHECK_EQ(decompose_canonically(text), ordered_by_exchange(text), text);
	}
}

// A million marks in alternating order: takes n log n, and is stable.
TEST(normalize_million_marks)
{
	const double growth = growth_of(125000, [](std::size_t half) {
		std::u32string text = U"a";
		for (std::size_t i = 0; i < half; ++i)
			text += U"\u0305\u0316";
		const std::u32string expected = U"a" + std::u32string(half, 0x316) + std::u32string(half, 0x305);
		CHECK_EQ(decompose_canonically(text), expected);
		CHECK_EQ(normalize(text, Normalization::nfc), expected);
	});
	CHECK_EQ(growth < even_growth, true, growth);
}

TEST(normalize_case_folding_examples)
{
	CHECK_EQ(fold_case(U"STRA\u00DFE \u0130 \u0149 \u03A3\u03C2 \uAB70 \u0131"),
		U"strasse i\u0307 \u02BCn \u03C3\u03C3 \u13A0 \u0131");
	CHECK_EQ(fold_case(U""), U"");
	CHECK_EQ(fold_case(U"\U00010400"), U"\U00010428");
}

// UTS #39: NFD, prototypes, NFD. The five prototypes below are newer than Unicode 15.0 (differences of the crate).
TEST(normalize_skeletons)
{
	CHECK_EQ(skeleton(U"\u0440\u0430\u0443\u0440\u0430l"), skeleton(U"paypal"));
	CHECK_EQ(skeleton(U"m1I|0O"), U"rnlllOO");
	CHECK_EQ(skeleton(U"\"%`"), U"''\u00BA/\u2080'");
	CHECK_EQ(skeleton(U"\u00E9"), U"e\u0301");
	const std::pair<char32_t, std::u32string> later[] = {
		{0x19B, U"\u03BB\u0338"}, {0x1734, U"\u1715"}, {0x1E9E, U"\u00DF"}, {0x3126, U"\u513F"}, {0xA7D6, U"\u00DF"}};
	for (const auto &[c, prototype] : later)
		CHECK_EQ(skeleton({c}), skeleton(prototype), c);
}

// An unassigned code point is inert, even if a later ICU knows it. Compares the fast path with the definition, for the
// code point alone and between characters that it may compose with or be reordered among.
TEST_IF(normalize_folded_nfkc_is_that_of_the_parts, ucd::is_15_0())
{
	std::size_t refused = 0;
	for_each_varied_scalar([&](char32_t c) {
		for (const std::u32string &text : {std::u32string{c}, std::u32string{U'A', c, 0x323, c, 0x301, 0x1161}}) {
			std::string out;
			const bool done = append_folded_nfkc(text, out);
			CHECK_EQ(done, ucd::is_assigned(c), c);
			refused += !done;
			if (done)
				CHECK_EQ(
					out, to_utf8(normalize(fold_case(normalize(text, Normalization::nfkc)), Normalization::nfkc)), c);
		}
	});
	CHECK_EQ(refused > 0, true);
	std::string out;
	CHECK_EQ(append_folded_nfkc(U"", out), true);
	CHECK_EQ(append_folded_nfkc(std::u32string(2000, U'a'), out), false);     // too long
	CHECK_EQ(append_folded_nfkc(std::u32string(100, U'\uFDFA'), out), false); // each expands to 18 letters
}

TEST(normalize_leaves_unassigned_code_points_alone)
{
	for_each_scalar([](char32_t c) {
		if (ucd::is_assigned(c) || c % by_length(1, 7) != 0)
			return;
		const std::u32string text = {U'a', 0x301, c, 0x316, 0x301};
		const std::u32string composed = {0xE1, c, 0x316, 0x301};
		CHECK_EQ(normalize(text, Normalization::nfkc), composed, c);
		CHECK_EQ(fold_case(text), text, c);
		CHECK_EQ(skeleton({c}), std::u32string(1, c));
	});
}

TEST(normalize_versions)
{
	CHECK_EQ(std::string(icu_version()).empty(), false);
	CHECK_EQ(std::string(icu_unicode_version()) >= unicode_version, true);
	CHECK_EQ(unicode_version, std::string("15.0"));
}

TEST(normalize_cancellation)
{
	const std::u32string text(1 << 20, U'\u00C4');
	const std::u32string marks = U"a" + std::u32string(1 << 20, 0x301);
	for (const std::u32string &t : {text, marks}) {
		CHECK_EQ(is_cancelled([&] { normalize(t, Normalization::nfc, stop_at_once); }), true);
		CHECK_EQ(is_cancelled([&] { normalize(t, Normalization::nfkc, stop_at_once); }), true);
		CHECK_EQ(is_cancelled([&] { decompose_canonically(t, stop_at_once); }), true);
		CHECK_EQ(is_cancelled([&] { fold_case(t, stop_at_once); }), true);
		CHECK_EQ(is_cancelled([&] { skeleton(t, stop_at_once); }), true);
	}
	polls = 0;
	normalize(text, Normalization::nfkc, count_polls);
	CHECK_EQ(polls >= 16, true, polls);
}
