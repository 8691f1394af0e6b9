// Compares the fast path with the definition, and texts in pieces with whole texts; tests idempotence, and marks in the
// worst order.
#include <algorithm>
#include <string>

#include "core/text/canonical.hpp"
#include "core/text/canonical_sets.hpp"
#include "unit/check.hpp"
#include "unit/options.hpp"
#include "unit/stop.hpp"
#include "unit/text.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

// One canonicalizer of each group: the fast path, each form by the rules, and the skeleton.
std::vector<CanonicalOptions> sample_canonicalizers()
{
	std::vector<CanonicalOptions> sample;
	for (const char *name : {"nfkc-cf-simple-bidi-fmt", "nfkc-cf-simple-fmt", "nfkc-cf-none", "nfc-cf-simple-bidi-fmt",
			 "none-cf-simple", "none-cf-none-bidi", "nfkc-cf-simple-bidi-fmt-conf", "none-cf-none-conf"})
		sample.push_back(canonicalizer(name));
	return sample;
}

void check_against_reference(const std::string &text, const CanonicalOptions &options = {})
{
	CHECK_EQ(
		canonicalize(text, options), canonicalize_by_definition(text, options), format_canonicalizer(options), text);
}

// Compares many short texts at once, which is faster; a line end is a boundary for every stage.
class Batch {
public:
	~Batch() { check(); }
	void add(const std::u32string &line)
	{
		lines_.push_back(to_utf8(line));
		if (lines_.size() == 4096)
			check();
	}

private:
	void check()
	{
		std::string text;
		for (const std::string &line : lines_)
			text += line + "\n";
		if (canonicalize(text, {}) != canonicalize_by_definition(text, {}))
			for (const std::string &line : lines_)
				check_against_reference(line + "\n");
		lines_.clear();
	}
	std::vector<std::string> lines_;
};

std::string in_pieces(const std::vector<std::string_view> &pieces, const CanonicalOptions &options)
{
	const Canonicalizer whole(options);
	TextBuffer out;
	std::string pending;
	for (std::size_t i = 0; i < pieces.size(); ++i) {
		pending += pieces[i];
		pending.erase(0, whole.append(pending, i + 1 == pieces.size(), out));
	}
	CHECK_EQ(pending, "");
	return std::string(out);
}

// Three marks of classes 230, 220 and 202, none in its place.
std::u32string marks_in_the_worst_order(std::size_t count)
{
	std::u32string text = U"a";
	while (text.size() <= count)
		text.push_back(std::u32string_view(U"\u0301\u0323\u0327")[text.size() % 3]);
	return text;
}

} // namespace

TEST(canonical_equals_reference_on_every_scalar_alone)
{
	for_each_varied_scalar([](char32_t c) { check_against_reference(to_utf8(std::u32string(1, c))); });
}

// U+0305, U+0316 and U+0322 are marks of classes 230, 220 and 202 that compose with nothing, so the fast path handles
// them itself, in ascending order.
TEST(canonical_equals_reference_on_every_scalar_before_a_mark)
{
	Batch batch;
	for_each_varied_scalar([&](char32_t c) { batch.add({U'A', c, 0x322, 0x305}); });
}

TEST(canonical_equals_reference_on_every_scalar_between_letters_and_marks)
{
	const struct {
		std::u32string before, after;
	} neighbours[] = {{U"", U"\u0322"}, {U"x\u0305", U"\u0305"}, {U"x\u0316", U"b"}, {U"e", U"\u0301"},
		{U"o\u0302", U"\u0323"}, {U"\u0327\u0301", U"\u0345"}, {U"\u1100", U"\u1161"}, {U"\uAC00", U"\u11A8"},
		{U"\u304B", U"\u3099"}, {U"\u0915", U"\u093C"}, {U"\u200B", U"\u0338"}, {U"A\u200D", U"\u200B\u0305"}};
	for (const auto &n : neighbours) {
		Batch batch;
		for_each_varied_scalar([&](char32_t c) { batch.add(n.before + c + n.after); });
	}
}

TEST(canonical_equals_reference_on_random_texts)
{
	RandomText random(15);
	for (std::size_t i = 0; i < by_length(60000, 20000); ++i)
		check_against_reference(random.next_utf8(24));
	for (int i = 0; i < 200; ++i)
		check_against_reference(random.next_utf8(4000));
	for (const CanonicalOptions &options : all_canonicalizers())
		for (int i = 0; i < 300; ++i)
			check_against_reference(random.next_utf8(30), options);
}

// The slow path works in batches of some kilobytes.
TEST(canonical_equals_reference_on_long_texts_of_all_options)
{
	RandomText random(16);
	for (const CanonicalOptions &options : all_canonicalizers()) {
		std::string text;
		while (text.size() < 30000)
			text += random.next_utf8(100);
		check_against_reference(text, options);
	}
}

TEST(canonical_pieces_give_the_whole)
{
	RandomText random(17);
	for (const CanonicalOptions &options : sample_canonicalizers())
		for (int i = 0; i < 150; ++i) {
			const std::string text = random.next_utf8(20);
			const std::string expected = canonicalize_by_definition(text, options);
			for_each_cutting(text, random.engine(), [&](const std::vector<std::string_view> &pieces) {
				CHECK_EQ(in_pieces(pieces, options), expected, format_canonicalizer(options), text, pieces);
			});
		}
}

// In ordinary text only the last letter must wait for what follows.
TEST(canonical_pieces_do_not_pile_up)
{
	for (const CanonicalOptions &options : all_canonicalizers()) {
		TextBuffer out;
		const std::string text = "The quick brown fox.";
		CHECK_EQ(Canonicalizer(options).append(text, false, out), text.size() - 1, format_canonicalizer(options));
	}
}

TEST(canonical_idempotence)
{
	RandomText random(18);
	for (const CanonicalOptions &options : all_canonicalizers()) {
		if (options.confusable)
			continue;
		const auto check = [&](const std::string &text) {
			const std::string once(canonicalize(text, options));
			CHECK_EQ(canonicalize(once, options), once, format_canonicalizer(options), text);
		};
		for (const char *text : {"\u0130\u0329", "\u06E4\u202A\u06E4\u06EA-\x02\x03", "\n(\v\"462\"\u01C9\u0130\u0329",
				 "\u0627\u0644\u0652\u0639\u064E\u0631\u064E\u0628\u0650", "Façade — Ｔｅｓｔ\u202Erev\u200B"})
			check(text);
		for (int i = 0; i < 1000; ++i)
			check(random.next_utf8(20));
	}
}

TEST(canonical_idempotence_on_every_scalar)
{
	const CanonicalOptions options;
	for_each_varied_scalar([&](char32_t c) {
		const std::string once(canonicalize(to_utf8(std::u32string{U'x', c, 0x329, c, 0x301}), options));
		CHECK_EQ(canonicalize(once, options), once, c);
	});
}

TEST(canonical_output_has_no_format_controls)
{
	RandomText random(20);
	for (int i = 0; i < 5000; ++i) {
		const std::string text = random.next_utf8(30);
		const std::u32string out = to_utf32(canonicalize(text, {}));
		CHECK_EQ(std::any_of(out.begin(), out.end(), is_format_control), false, text);
	}
}

TEST(canonical_output_is_bounded)
{
	const auto check = [](const std::string &text, std::size_t factor) {
		CHECK_EQ(canonicalize(text, {}).size() <= std::max<std::size_t>(factor * text.size(), 64), true, text);
	};
	for_each_varied_scalar([&](char32_t c) { check(to_utf8(std::u32string(8, c)), 18); });
	check(to_utf8(U"a" + std::u32string(10000, 0x301)), 4);
}

// A million marks on one letter: ordering takes n log n, and the result equals that of the definition.
TEST(canonical_million_marks)
{
	const double growth = growth_of(249996, [](std::size_t count) { // a multiple of 12
		const std::string text = to_utf8(marks_in_the_worst_order(count));
		std::u32string expected = U"\u1EA1"; // the first U+0323 composes; the others find no composite
		expected +=
			std::u32string(count / 3, 0x327) + std::u32string(count / 3 - 1, 0x323) + std::u32string(count / 3, 0x301);
		CHECK_EQ(canonicalize(text, {}), to_utf8(expected));
		CHECK_EQ(canonicalize(text, canonicalizer("nfc-cf-none")), to_utf8(expected));
	});
	CHECK_EQ(growth < even_growth, true, growth);
}

// Marks must be ordered together, in memory, so their number is limited.
TEST(canonical_limit_of_marks)
{
	std::string text = "a";
	while (text.size() <= Canonicalizer::max_run_bytes)
		text += "\u0301";
	for (const char *name : {"nfkc-cf-simple-bidi-fmt", "nfc-cf-none"})
		CHECK_EQ(error_of([&] { canonicalize(text, canonicalizer(name)); }) == ErrorKind::too_large, true, name);
}

TEST(canonical_marks_in_the_worst_order_in_pieces)
{
	std::mt19937_64 random(19);
	const std::string text = to_utf8(marks_in_the_worst_order(60));
	for (const CanonicalOptions &options : sample_canonicalizers())
		for_each_cutting(text, random, [&](const std::vector<std::string_view> &pieces) {
			CHECK_EQ(
				in_pieces(pieces, options), canonicalize_by_definition(text, options), format_canonicalizer(options));
		});
}
