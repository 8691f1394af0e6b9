#include "core/compare/shared_passages.hpp"

#include <algorithm>
#include <string>

#include "core/base/splitmix.hpp"
#include "core/compare/suffix_automaton.hpp"
#include "core/text/tokens.hpp"
#include "core/text/utf8.hpp"
#include "unit/check.hpp"
#include "unit/options.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

using Symbols = std::vector<std::uint32_t>;

// The rule, implemented directly.
std::vector<SharedRun> naive_runs(const Symbols &a, const Symbols &b, std::uint32_t min_length)
{
	std::vector<SharedRun> runs;
	for (std::size_t i = 0; i < a.size();) {
		SharedRun best{static_cast<std::uint32_t>(i), 0, 0};
		for (std::size_t j = 0; j < b.size(); ++j) {
			std::uint32_t n = 0;
			while (i + n < a.size() && j + n < b.size() && a[i + n] == b[j + n])
				++n;
			if (n > best.length)
				best = {best.a, static_cast<std::uint32_t>(j), n};
		}
		if (best.length >= min_length)
			runs.push_back(best);
		i += best.length >= min_length ? best.length : 1;
	}
	return runs;
}

std::string show_runs(const std::vector<SharedRun> &runs)
{
	std::string out;
	for (const SharedRun &run : runs)
		out += std::to_string(run.a) + "," + std::to_string(run.b) + "," + std::to_string(run.length) + " ";
	return out;
}

std::string show_symbols(const Symbols &symbols)
{
	std::string out;
	for (const std::uint32_t symbol : symbols)
		out += std::to_string(symbol) + " ";
	return out;
}

Symbols random_symbols(SplitMix64 &random, std::size_t size, std::uint32_t kinds)
{
	Symbols out(size);
	for (std::uint32_t &symbol : out)
		symbol = static_cast<std::uint32_t>(random.below(kinds));
	return out;
}

const CanonicalOptions defaults;

std::vector<std::string> word_list(std::string_view text)
{
	return tokens(std::string_view(canonicalize(text, defaults)), "word-uax29");
}

std::string part(std::string_view text, SourceRange range) { return std::string(text.substr(range.byte, range.bytes)); }

std::size_t characters(std::string_view text)
{
	return static_cast<std::size_t>(
		std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

// A character whose canonical form is four words.
constexpr std::string_view four_words = "\uFDFA";

// True if both lists have a run of `count` words in common, with no more words before and after it than a four_words
// character at the beginning and the end of the part explains.
bool has_common_run(std::string_view part_a, std::string_view part_b, std::size_t count)
{
	const std::vector<std::string> a = word_list(part_a), b = word_list(part_b);
	const auto can_begin = [&](std::string_view part, const std::vector<std::string> &list, std::size_t at) {
		const std::size_t behind = list.size() - at - count;
		return (at == 0 || (at < 4 && part.starts_with(four_words))) &&
			(behind == 0 || (behind < 4 && part.ends_with(four_words)));
	};
	for (std::size_t i = 0; i + count <= a.size(); ++i)
		for (std::size_t j = 0; j + count <= b.size(); ++j)
			if (can_begin(part_a, a, i) && can_begin(part_b, b, j) &&
				std::equal(a.begin() + static_cast<std::ptrdiff_t>(i),
					a.begin() + static_cast<std::ptrdiff_t>(i + count), b.begin() + static_cast<std::ptrdiff_t>(j)))
				return true;
	return false;
}

// Properties of any passages.
void check_passages(std::string_view a, std::string_view b, std::uint32_t min_words)
{
	std::size_t behind = 0;
	for (const SharedPassage &passage : shared_passages(a, b, min_words, defaults)) {
		const std::string in_a = part(a, passage.a), in_b = part(b, passage.b);
		CHECK_EQ(has_common_run(in_a, in_b, passage.words), true, std::string(a), std::string(b));
		CHECK_EQ(passage.words >= min_words, true);
		// both contain a character that is several words, and nothing else
		const std::size_t overlap = behind > passage.a.byte ? behind - passage.a.byte : 0;
		CHECK_EQ(overlap == 0 || a.substr(passage.a.byte, overlap) == four_words, true, std::string(a), std::string(b));
		behind = passage.a.byte + passage.a.bytes;
		CHECK_EQ(passage.a.character, characters(a.substr(0, passage.a.byte)));
		CHECK_EQ(passage.a.characters, characters(in_a));
		CHECK_EQ(passage.b.character, characters(b.substr(0, passage.b.byte)));
		CHECK_EQ(passage.b.characters, characters(in_b));
	}
}

// The number of words of each passage, by the rule, from the words of the canonical texts.
std::string naive_word_counts(std::string_view a, std::string_view b, std::uint32_t min_words)
{
	std::vector<std::string> known;
	Symbols symbols[2];
	for (const bool second : {false, true})
		for (const std::string &word : word_list(second ? b : a)) {
			const auto at = std::find(known.begin(), known.end(), word);
			symbols[second].push_back(static_cast<std::uint32_t>(at - known.begin()));
			if (at == known.end())
				known.push_back(word);
		}
	std::string out;
	for (const SharedRun &run : naive_runs(symbols[0], symbols[1], min_words))
		out += std::to_string(run.length) + " ";
	return out;
}

std::string word_counts(std::string_view a, std::string_view b, std::uint32_t min_words)
{
	std::string out;
	for (const SharedPassage &passage : shared_passages(a, b, min_words, defaults))
		out += std::to_string(passage.words) + " ";
	return out;
}

} // namespace

TEST(shared_runs_are_those_of_the_rule)
{
	SplitMix64 random(1);
	for (int round = 0; round < 20000; ++round) {
		const auto kinds = static_cast<std::uint32_t>(1 + random.below(6));
		const Symbols a = random_symbols(random, random.below(24), kinds);
		Symbols b = random_symbols(random, random.below(24), kinds);
		if (random.below(2) == 0 && a.size() > 4)
			b.insert(b.begin() + static_cast<std::ptrdiff_t>(random.below(b.size() + 1)), a.begin() + 1, a.end() - 1);
		const auto least = static_cast<std::uint32_t>(1 + random.below(5));
		CHECK_EQ(show_runs(shared_runs(a, b, least)), show_runs(naive_runs(a, b, least)), show_symbols(a),
			show_symbols(b), least);
		if (least <= a.size() && least <= b.size())
			CHECK_EQ(show_runs(runs_by_automaton(a, b, least)), show_runs(naive_runs(a, b, least)), show_symbols(a),
				show_symbols(b), least);
	}
}

// Every word at which a common run of the least length begins is in a passage.
TEST(shared_runs_cover_every_common_run)
{
	SplitMix64 random(2);
	for (int round = 0; round < 3000; ++round) {
		const Symbols a = random_symbols(random, random.below(60), 3), b = random_symbols(random, random.below(60), 3);
		constexpr std::size_t least = 4;
		std::vector<bool> covered(a.size());
		for (const SharedRun &run : shared_runs(a, b, least))
			std::fill_n(covered.begin() + run.a, run.length, true);
		for (std::size_t i = 0; i + least <= a.size(); ++i) {
			const bool common = std::search(b.begin(), b.end(), a.begin() + static_cast<std::ptrdiff_t>(i),
									a.begin() + static_cast<std::ptrdiff_t>(i + least)) != b.end();
			CHECK_EQ(covered[i] || !common, true, show_symbols(a), show_symbols(b), i);
		}
	}
}

TEST(suffix_automaton_reads_every_run_and_no_other)
{
	SplitMix64 random(3);
	for (int round = 0; round < 300; ++round) {
		const Symbols text = random_symbols(random, random.below(40), 3), probe = random_symbols(random, 5, 3);
		const SuffixAutomaton automaton(text);
		SuffixAutomaton::State state = SuffixAutomaton::root;
		for (std::size_t n = 1; n <= probe.size() && state != SuffixAutomaton::none; ++n) {
			state = automaton.next(state, probe[n - 1]);
			const auto at =
				std::search(text.begin(), text.end(), probe.begin(), probe.begin() + static_cast<std::ptrdiff_t>(n));
			CHECK_EQ(state != SuffixAutomaton::none, at != text.end());
			if (state != SuffixAutomaton::none)
				CHECK_EQ(automaton.first_end(state), static_cast<std::size_t>(at - text.begin()) + n);
		}
	}
}

TEST(shared_passages_tell_where_in_the_original)
{
	const std::string a = "Ünïcode:  The QUICK brown fox\u2026 jumps over the lazy dog!",
					  b = "a quick brown \uFF46ox jumps";
	const auto found = shared_passages(a, b, 4, defaults);
	CHECK_EQ(found.size(), 1);
	CHECK_EQ(part(a, found[0].a), "QUICK brown fox\u2026 jumps");
	CHECK_EQ(part(b, found[0].b), "quick brown \uFF46ox jumps");
	CHECK_EQ(found[0].a.character, 14);
	CHECK_EQ(found[0].a.characters, 22);
	CHECK_EQ(found[0].b.character, 2);
	CHECK_EQ(found[0].words, 4);
	check_passages(a, b, 1);
}

// One character that is several words: the reported range contains all of it.
TEST(shared_passages_take_whole_characters)
{
	const std::string a = "x \uFDFA y", canonical(canonicalize("\uFDFA", defaults));
	const auto found = shared_passages(a, canonical.substr(canonical.find(' ') + 1), 1, defaults);
	CHECK_EQ(found.empty(), false);
	CHECK_EQ(part(a, found[0].a), "\uFDFA");
	// two passages that meet within it
	const auto meeting = shared_passages(a,
		"\u0635\u0644\u0649 \u0627\u0644\u0644\u0647 \u0639\u0644\u064A\u0647 q \u0648\u0633\u0644\u0645 y", 2,
		defaults);
	CHECK_EQ(meeting.size(), 2);
	CHECK_EQ(part(a, meeting[0].a), "\uFDFA");
	CHECK_EQ(part(a, meeting[1].a), "\uFDFA y");
	CHECK_EQ(meeting[0].words, 3);
	// there is no normalization boundary before U+0130, but a character ends there
	const auto dotted = shared_passages("one \u0130zmir \u4E00\u0130", "i\u0307zmir", 1, defaults);
	CHECK_EQ(dotted.size(), 1);
	CHECK_EQ(dotted[0].a.byte, 4);
	CHECK_EQ(dotted[0].a.characters, 5);
	const std::string marks = "cafe\u0301 au lait", plain = "caf\u00E9 au lait";
	const auto equal = shared_passages(marks, plain, 3, defaults);
	CHECK_EQ(equal.size(), 1);
	CHECK_EQ(part(marks, equal[0].a), marks);
	CHECK_EQ(part(plain, equal[0].b), plain);
}

TEST(shared_passages_of_lively_texts)
{
	static const char *const pieces[] = {"one ", "Two ", "t\u0301wo ", "\uFF4Fne ", "\u00ADone ", "3.5 ", "\u2460 ",
		"\u1100\u1161\u11A8", " ", "\u4E00", "e\u0301\u0323 ", "don't ", "\u202Eabc\u202C ", "\n", "\uFDFA", "\uFDFA ",
		"\u0635\u0644\u0649 ", "\u0627\u0644\u0644\u0647 \u0639\u0644\u064A\u0647 ", "\u0130", "\u0130zmir ",
		"i\u0307zmir ", "\u4E00\u0130 ", "STRASSE ", "stra\u00DFe ",
		"a long run of plain words that is more than sixty-four bytes long, and nothing but ASCII "};
	SplitMix64 random(4);
	for (int round = 0; round < 2000; ++round) {
		std::string text[2];
		for (std::string &t : text)
			for (std::size_t n = random.below(40); n > 0; --n)
				t += pieces[random.below(std::size(pieces))];
		const auto least = static_cast<std::uint32_t>(1 + random.below(4));
		check_passages(text[0], text[1], least);
		CHECK_EQ(word_counts(text[0], text[1], least), naive_word_counts(text[0], text[1], least), text[0], text[1]);
	}
}

TEST(shared_passages_of_nothing)
{
	CHECK_EQ(shared_passages("", "", 1, defaults).size(), 0);
	CHECK_EQ(shared_passages("a b c", "", 1, defaults).size(), 0);
	CHECK_EQ(shared_passages("", "a b c", 1, defaults).size(), 0);
	CHECK_EQ(shared_passages("a b", "a b", 3, defaults).size(), 0);
}

// Linear time: with a quadratic algorithm these would take hours.
TEST(shared_passages_of_repetitive_texts)
{
	std::string same, other;
	for (int i = 0; i < 30000; ++i) {
		same += "a ";
		other += i % 1000 == 999 ? "b " : "a ";
	}
	const auto itself = shared_passages(same, same, 5, defaults);
	CHECK_EQ(itself.size(), 1);
	CHECK_EQ(itself[0].words, 30000);
	CHECK_EQ(shared_passages(same, other, 5, defaults).size(), 31);
	CHECK_EQ(shared_passages(other, same, 5, defaults).size(), 30);
	const std::string letters(200000, 'a'), marks = "a" + [] {
		std::string out;
		for (int i = 0; i < 100000; ++i)
			out += "\u0301";
		return out;
	}();
	CHECK_EQ(shared_passages(letters, letters, 1, defaults).size(), 1);
	const auto of_marks = shared_passages(marks, marks, 1, defaults);
	CHECK_EQ(of_marks.size(), 1);
	CHECK_EQ(of_marks[0].a.bytes, marks.size());
}

TEST(mapped_text_has_the_canonical_form)
{
	SplitMix64 random(5);
	for (const CanonicalOptions &options : all_canonicalizers())
		for (int round = 0; round < 20; ++round) {
			std::string text;
			for (std::size_t n = random.below(300); n > 0; --n)
				append(text, random.below(3) == 0 ? static_cast<char32_t>(0x20 + random.below(0x500)) : U'a');
			const MappedText mapped(text, options);
			const std::string canonical(canonicalize(text, options));
			CHECK_EQ(std::string(mapped.canonical()), canonical, text);
			if (canonical.empty())
				continue;
			const std::size_t begin = random.below(canonical.size()),
							  end = begin + 1 + random.below(canonical.size() - begin);
			const SourceRange range = mapped.source_of(begin, end);
			const std::string again(canonicalize(part(text, range), options));
			CHECK_EQ(again.find(canonical.substr(begin, end - begin)) != std::string::npos, true, text, begin, end);
		}
}

TEST(longest_run_is_that_of_the_definition)
{
	SplitMix64 random(7);
	for (int round = 0; round < 5000; ++round) {
		const auto kinds = static_cast<std::uint32_t>(1 + random.below(4));
		const Symbols a = random_symbols(random, random.below(30), kinds),
					  b = random_symbols(random, random.below(30), kinds);
		SharedRun best{0, 0, 0};
		for (std::uint32_t i = 0; i < a.size(); ++i)
			for (std::uint32_t j = 0; j < b.size(); ++j) {
				std::uint32_t n = 0;
				while (i + n < a.size() && j + n < b.size() && a[i + n] == b[j + n])
					++n;
				if (n > best.length)
					best = {i, j, n};
			}
		const auto least = static_cast<std::uint32_t>(1 + random.below(3));
		const std::vector<SharedRun> expected =
			best.length < least ? std::vector<SharedRun>() : std::vector<SharedRun>{best};
		CHECK_EQ(show_runs(longest_run(a, b, least)), show_runs(expected), show_symbols(a), show_symbols(b));
	}
}
