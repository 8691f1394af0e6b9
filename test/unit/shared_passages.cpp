#include "core/evidence/shared_passages.hpp"

#include <algorithm>
#include <string>

#include "core/base/splitmix.hpp"
#include "core/evidence/suffix_automaton.hpp"
#include "core/text/tokens.hpp"
#include "core/text/utf8.hpp"
#include "unit/check.hpp"
#include "unit/options.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

using Symbols = std::vector<std::uint32_t>;

// The rule as it is written.
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

std::string words(std::string_view text)
{
	std::string out;
	for (const std::string &token : tokens(std::string_view(canonicalize(text, defaults)), "word-uax29"))
		out += token + " ";
	return out;
}

std::string part(std::string_view text, SourceRange range) { return std::string(text.substr(range.byte, range.bytes)); }

std::size_t characters(std::string_view text)
{
	return static_cast<std::size_t>(
		std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

// What must hold of any passages.
void check_passages(std::string_view a, std::string_view b, std::uint32_t min_words)
{
	std::size_t behind = 0;
	for (const SharedPassage &passage : shared_passages(a, b, min_words, defaults)) {
		const std::string in_a = words(part(a, passage.a)), in_b = words(part(b, passage.b));
		CHECK_EQ(in_a, in_b, std::string(a), std::string(b));
		CHECK_EQ(std::count(in_a.begin(), in_a.end(), ' '), passage.words, std::string(a));
		CHECK_EQ(passage.words >= min_words, true);
		CHECK_EQ(passage.a.byte >= behind, true, std::string(a), std::string(b));
		behind = passage.a.byte + passage.a.bytes;
		CHECK_EQ(passage.a.character, characters(a.substr(0, passage.a.byte)));
		CHECK_EQ(passage.a.characters, characters(part(a, passage.a)));
		CHECK_EQ(passage.b.character, characters(b.substr(0, passage.b.byte)));
		CHECK_EQ(passage.b.characters, characters(part(b, passage.b)));
	}
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

// One character that is several words: what is reported holds all of it.
TEST(shared_passages_take_whole_characters)
{
	const std::string a = "x \uFDFA y", canonical(canonicalize("\uFDFA", defaults));
	const auto found = shared_passages(a, canonical.substr(canonical.find(' ') + 1), 1, defaults);
	CHECK_EQ(found.empty(), false);
	CHECK_EQ(part(a, found[0].a), "\uFDFA");
	const std::string marks = "cafe\u0301 au lait", plain = "caf\u00E9 au lait";
	const auto equal = shared_passages(marks, plain, 3, defaults);
	CHECK_EQ(equal.size(), 1);
	CHECK_EQ(part(marks, equal[0].a), marks);
	CHECK_EQ(part(plain, equal[0].b), plain);
}

// Without characters that are several words, or that settle together with the one before: of these a range has all.
TEST(shared_passages_of_lively_texts)
{
	static const char *const pieces[] = {"one ", "Two ", "t\u0301wo ", "\uFF4Fne ", "\u00ADone ", "3.5 ", "\u2460 ",
		"\u1100\u1161\u11A8", " ", "\u4E00", "e\u0301\u0323 ", "don't ", "\u202Eabc\u202C ", "\n", "STRASSE ",
		"stra\u00DFe ", "a long run of plain words that is more than sixty-four bytes long, and nothing but ASCII "};
	SplitMix64 random(4);
	for (int round = 0; round < 2000; ++round) {
		std::string text[2];
		for (std::string &t : text)
			for (std::size_t n = random.below(40); n > 0; --n)
				t += pieces[random.below(std::size(pieces))];
		check_passages(text[0], text[1], static_cast<std::uint32_t>(1 + random.below(4)));
	}
}

TEST(shared_passages_of_nothing)
{
	CHECK_EQ(shared_passages("", "", 1, defaults).size(), 0);
	CHECK_EQ(shared_passages("a b c", "", 1, defaults).size(), 0);
	CHECK_EQ(shared_passages("", "a b c", 1, defaults).size(), 0);
	CHECK_EQ(shared_passages("a b", "a b", 3, defaults).size(), 0);
}

// Linear time: these would take hours otherwise.
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
