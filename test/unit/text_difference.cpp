#include "core/compare/text_difference.hpp"

#include <algorithm>
#include <string>

#include "core/base/splitmix.hpp"
#include "core/text/utf8.hpp"
#include "unit/check.hpp"
#include "unit/options.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

using Sequence = std::vector<std::uint32_t>;

// The length of a longest common subsequence, by the definition.
std::size_t naive_common(const Sequence &a, const Sequence &b)
{
	std::vector<std::size_t> row(b.size() + 1);
	for (const std::uint32_t symbol : a) {
		std::size_t corner = 0;
		for (std::size_t j = 0; j < b.size(); ++j) {
			const std::size_t above = row[j + 1];
			row[j + 1] = symbol == b[j] ? corner + 1 : std::max(above, row[j]);
			corner = above;
		}
	}
	return row[b.size()];
}

// Checks that the runs ascend and are equal in both; returns the number of their symbols.
std::size_t matched(const Sequence &a, const Sequence &b, const std::vector<MatchedRun> &runs)
{
	std::size_t in_a = 0, in_b = 0, all = 0;
	for (const MatchedRun &run : runs) {
		CHECK_EQ(run.length > 0 && run.a >= in_a && run.b >= in_b, true);
		in_a = run.a + run.length;
		in_b = run.b + run.length;
		CHECK_EQ(in_a <= a.size() && in_b <= b.size() &&
				std::equal(a.begin() + run.a, a.begin() + run.a + run.length, b.begin() + run.b),
			true);
		all += run.length;
	}
	return all;
}

Sequence random_sequence(SplitMix64 &random, std::size_t size, std::uint32_t kinds)
{
	Sequence out(size);
	for (std::uint32_t &symbol : out)
		symbol = static_cast<std::uint32_t>(random.below(kinds));
	return out;
}

const CanonicalOptions defaults;

std::size_t characters(std::string_view text)
{
	return static_cast<std::size_t>(
		std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

// Applies the differences to a, and checks their positions.
std::string applied(const std::string &a, const std::string &b, const std::vector<Difference> &differences)
{
	std::string out;
	std::size_t in_a = 0, in_b = 0;
	for (const Difference &difference : differences) {
		const auto &[kind, from, to] = difference;
		CHECK_EQ(from.byte >= in_a && to.byte >= in_b && from.bytes + to.bytes > 0, true, a, b);
		CHECK_EQ(from.byte - in_a, to.byte - in_b, a, b);
		out += a.substr(in_a, from.byte - in_a) + b.substr(to.byte, to.bytes);
		in_a = from.byte + from.bytes;
		in_b = to.byte + to.bytes;
		CHECK_EQ(from.character, characters(a.substr(0, from.byte)));
		CHECK_EQ(to.character, characters(b.substr(0, to.byte)));
		CHECK_EQ(from.characters, characters(a.substr(from.byte, from.bytes)));
		CHECK_EQ(to.characters, characters(b.substr(to.byte, to.bytes)));
		CHECK_EQ(kind != DifferenceKind::moved || from.bytes == 0 || to.bytes == 0, true, a, b);
	}
	return out + a.substr(in_a);
}

std::string shown(const std::string &a, const std::string &b, const CanonicalOptions &options = defaults)
{
	std::string out;
	for (const Difference &difference : text_difference(a, b, options)) {
		out += std::string(name(difference.kind)) + "[" + a.substr(difference.a.byte, difference.a.bytes) + "|" +
			b.substr(difference.b.byte, difference.b.bytes) + "] ";
	}
	return out.empty() ? out : out.substr(0, out.size() - 1);
}

} // namespace

TEST(alignment_is_minimal)
{
	SplitMix64 random(1);
	for (std::size_t round = 0; round < by_length(20000, 7000); ++round) {
		const auto kinds = static_cast<std::uint32_t>(1 + random.below(7));
		const Sequence a = random_sequence(random, random.below(24), kinds),
					   b = random_sequence(random, random.below(24), kinds);
		CHECK_EQ(matched(a, b, align(a, b)), naive_common(a, b));
		matched(a, b, align(a, b, {}, 0)); // the way of long texts
	}
	for (int round = 0; round < 20; ++round) {
		const Sequence a = random_sequence(random, 300 + random.below(600), 40);
		Sequence b = a;
		for (std::size_t edits = random.below(60); edits > 0; --edits)
			b[random.below(b.size())] = static_cast<std::uint32_t>(random.below(50));
		b.erase(b.begin() + 50, b.begin() + 90);
		CHECK_EQ(matched(a, b, align(a, b)), naive_common(a, b));
	}
}

// Beyond the size up to which the alignment is minimal, it finds what ordinary texts share.
TEST(alignment_of_long_sequences)
{
	SplitMix64 random(2);
	Sequence a = random_sequence(random, 200000, 5000), b;
	for (std::size_t i = 0; i < a.size(); ++i)
		if (i % 1000 != 17)
			b.push_back(i % 1000 == 500 ? 6000 : a[i]);
	CHECK_EQ(matched(a, b, align(a, b)) >= 199600, true);
	std::rotate(a.begin(), a.begin() + 100000, a.end());
	CHECK_EQ(matched(a, b, align(a, b)) > 99000, true);
	const Sequence same(1 << 20, 7), shorter(1 << 19, 7);
	CHECK_EQ(matched(same, shorter, align(same, shorter)), 1 << 19);
	const Sequence other = random_sequence(random, 1 << 18, 2), another = random_sequence(random, 1 << 18, 2);
	matched(other, another, align(other, another)); // ends soon
}

// The words of the second text are those that it has alone, whatever it shares with the first one.
TEST(words_do_not_depend_on_the_other_text)
{
	static const char *const pieces[] = {" ", " ", "a", "B", "can't", "3.", "1", "\n", "  ", "\xC2\xAD", "\xCC\x81",
		"\xE2\x80\x8B", "\xE4\xB8\x80", "\xC2\xBD", ".", "_", ":", "\xF0\x9F\x87\xA9", "word "};
	SplitMix64 random(5);
	const auto made = [&random](std::size_t most) {
		std::string text;
		for (std::size_t n = random.below(most); n > 0; --n)
			text += pieces[random.below(std::size(pieces))];
		return text;
	};
	for (int round = 0; round < 20000; ++round) {
		const std::string head = made(12), tail = made(12), a = head + made(4) + tail, b = head + made(4) + tail;
		const ComparedTexts both(a, b, defaults, Segmenter::word), alone(b, "", defaults, Segmenter::word);
		CHECK_EQ(both.b().count(), alone.a().count(), a, b);
		for (std::uint32_t i = 0; i < both.b().count(); ++i) {
			CHECK_EQ(both.b().places[i].begin, alone.a().places[i].begin, a, b);
			CHECK_EQ(both.b().places[i].end, alone.a().places[i].end, a, b);
			CHECK_EQ(both.canonical(both.b().numbers[i]), alone.canonical(alone.a().numbers[i]), a, b);
		}
	}
}

TEST(text_difference_kinds)
{
	CHECK_EQ(shown("the big red dog", "the dog"), "word[big red |]");
	CHECK_EQ(shown("the dog", "the big red dog"), "word[|big red ]");
	CHECK_EQ(shown("GCC for C", "GCC for C++"), "symbol[|++]");
	CHECK_EQ(shown("at 10 °C", "at -10 °C"), "symbol[|-]");
	// what stands between two digits, around a number or behind a word may mean something; other punctuation does not
	CHECK_EQ(shown("pages 1-10", "pages 1 10"), "symbol[-| ]");
	CHECK_EQ(shown("take 1/2 now", "take 1-2 now"), "symbol[/|-]");
	CHECK_EQ(shown("pages 1-10", "pages 1\u201310"), "punctuation[-|\u2013]");
	CHECK_EQ(shown("at 10:30", "at 10-30"), "symbol[:|-]");
	CHECK_EQ(shown("a profit of (5) now", "a profit of 5 now"), "symbol[(|] symbol[)|]");
	CHECK_EQ(shown("note (5 of them)", "note 5 of them"), "punctuation[(|] punctuation[)|]");
	CHECK_EQ(shown("grade A* here", "grade A here"), "symbol[*|]");
	CHECK_EQ(shown("x^2 here", "x 2 here"), "symbol[^| ]");
	CHECK_EQ(shown("well-known", "well known"), "punctuation[-| ]");
	CHECK_EQ(shown("a, b", "a b"), "punctuation[,|]");
	CHECK_EQ(shown("one  two\nthree", "one two three"), "space[ |] space[\n| ]");
	CHECK_EQ(shown("The Dog", "the dog"), "case[The|the] case[Dog|dog]");
	CHECK_EQ(shown("pay 10.50 now", "pay 11.50 now"), "number[10.50|11.50]");
	CHECK_EQ(shown("x \u00B2", "x 2"), "number[\u00B2|2]");
	// of several words the strongest kind, number before name before word
	CHECK_EQ(shown("the Dog barks 7 times in all", "the"), "number[ Dog barks 7 times in all|]");
	CHECK_EQ(shown("we saw a Dog that barks here", "we"), "name[ saw a Dog that barks here|]");
	// a number that only the canonical form makes equal is another word
	CHECK_EQ(shown("10\u00B2 of it", "102 of it"), "number[10\u00B2|102]");
	CHECK_EQ(shown("part \u2167 of it", "part \u2166 of it"), "number[\u2167|\u2166]");
	// vowel signs and points make no number of a word
	for (const char *word : {"का", "কি", "கா", "కి", "കാ", "කා", "કા", "ਕਾ", "ཀོ", "كَتَبَ", "שָׁלוֹם", "ကာ", "កា", "กำ"})
		CHECK_EQ(shown("see " + std::string(word) + " here", "see here"), "word[" + std::string(word) + " |]", word);
	// apostrophes and format controls
	CHECK_EQ(shown("they can't go", "they can\u2019t go"), "punctuation[can't|can\u2019t]");
	CHECK_EQ(shown("they go\u200Bne on", "they gone on"), "case[go\u200Bne|gone]");
	CHECK_EQ(shown("so\u00ADft", "soft"), "case[so\u00ADft|soft]");
	CHECK_EQ(shown("a dictionary for Welsh today", "a dictionary for Arabic today"), "name[Welsh|Arabic]");
	CHECK_EQ(shown("Dogs bark. Cats sleep.", "Dogs bark. Birds sleep."), "word[Cats|Birds]");
	// only the end of a sentence, a blank line or the mark of a list begins a sentence
	CHECK_EQ(shown("we saw \"Paris\" there", "we saw \"Rome\" there"), "name[Paris|Rome]");
	CHECK_EQ(shown("we saw, Paris", "we saw, Rome"), "name[Paris|Rome]");
	CHECK_EQ(shown("we saw\nParis", "we saw\nRome"), "name[Paris|Rome]");
	CHECK_EQ(shown("we saw\n\nParis", "we saw\n\nRome"), "word[Paris|Rome]");
	CHECK_EQ(shown("we saw\n* Paris", "we saw\n* Rome"), "word[Paris|Rome]");
	CHECK_EQ(shown("an A4 page", "an a4 page"), "case[A4|a4]");
	CHECK_EQ(shown("use libFoo here", "use libBar here"), "name[libFoo|libBar]");
	CHECK_EQ(shown("use my_file here", "use my_name here"), "name[my_file|my_name]");
	CHECK_EQ(shown("caf\u00E9", "cafe\u0301"), "case[caf\u00E9|cafe\u0301]");
	CHECK_EQ(shown("The Dog", "the dog", canonicalizer("nfc-cf-none")), "case[The|the] case[Dog|dog]");
	CHECK_EQ(shown("\u00A0x", " x"), "space[\u00A0| ]");
	CHECK_EQ(shown("price \u20AC 5", "price $ 5"), "symbol[\u20AC|$]");
	CHECK_EQ(shown("a < b", "a = b"), "symbol[<|=]");
	CHECK_EQ(shown("A one two three four Z q", "A Z one two three four q"), "name[|Z ] name[Z |]");
	CHECK_EQ(shown("A one two three four B five six seven eight nine q",
				 "A B five six seven eight nine one two three four q"),
		"moved[one two three four |] moved[|one two three four ]");
	CHECK_EQ(shown("", "a b"), "word[|a b]");
	CHECK_EQ(shown("a b", ""), "word[a b|]");
	CHECK_EQ(shown("", ""), "");
	CHECK_EQ(shown("--", "++"), "symbol[--|++]");
}

TEST(text_difference_is_complete)
{
	static const char *const pieces[] = {"one ", "Two ", "t\u0301wo ", "\uFF4Fne ", "\u00ADone ", "3.5 ", "\u2460 ",
		"\u1100\u1161\u11A8", " ", "\u4E00", "e\u0301\u0323 ", "don't ", "\u202Eabc\u202C ", "\n", "\uFDFA", "\uFDFA ",
		"\u0130", "i\u0307zmir ", "STRASSE ", "stra\u00DFe ", "++", "-1 ", "\u20AC", "\u0301", "\U0001F600", "\u200B",
		", ", ". ", "%", "four five six seven ", "eight nine ten eleven twelve "};
	SplitMix64 random(3);
	const auto all = all_canonicalizers();
	for (int round = 0; round < static_cast<int>(by_length(20000, 5000)); ++round) {
		std::string text[2];
		for (std::string &t : text)
			for (std::size_t n = random.below(30); n > 0; --n)
				t += pieces[random.below(std::size(pieces))];
		if (random.below(2) == 0)
			text[1] = text[0].substr(0, character_boundary(text[0], random.below(text[0].size() + 1))) + text[1];
		const CanonicalOptions &options = round % 4 == 0 ? all[random.below(all.size())] : defaults;
		const auto differences =
			text_difference(text[0], text[1], options, round % 5 == 0 ? Segmenter::grapheme : Segmenter::word);
		CHECK_EQ(applied(text[0], text[1], differences), text[1], text[0]);
		CHECK_EQ(differences.empty(), text[0] == text[1]);
	}
}

// Linear time: with a quadratic algorithm these would take hours.
TEST(text_difference_of_hostile_texts)
{
	std::string same, other, letters(1 << 20, 'a');
	for (int i = 0; i < 100000; ++i) {
		same += "a ";
		other += i % 3 == 0 ? "b " : "a ";
	}
	for (const auto &[a, b] :
		{std::pair{same, other}, {same, same + "a"}, {other, "b" + other}, {letters, letters + "a"}, {letters, same},
			{std::string(100000, '+'), std::string(99999, '-')}, {same, ""}})
		CHECK_EQ(applied(a, b, text_difference(a, b, defaults)) == b, true);
}
