#include "core/compare/shared_passages.hpp"

#include <algorithm>

#include "core/base/table_hash.hpp"
#include "core/compare/suffix_automaton.hpp"
#include "core/compare/word_numbers.hpp"
#include "core/text/segment.hpp"

namespace txtfp::core {

namespace {

struct Words {
	std::vector<WordRange> ranges; // in the canonical text
	std::vector<std::uint32_t> numbers;
};

SourceRange source_of(const MappedText &text, const Words &words, std::uint32_t first, std::uint32_t count)
{
	return text.source_of(words.ranges[first].start, words.ranges[first + count - 1].end);
}

// Finds the runs with a hash table of all runs of min_length symbols of b. For ordinary texts this is faster than the
// automaton, but where runs recur often, as in "a a a a", it would take quadratic time. It therefore gives up and
// returns false when it has compared more than `budget` symbols.
bool runs_by_table(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b, std::uint32_t min_length,
	std::vector<SharedRun> &runs, StopToken stop)
{
	const std::size_t grams = b.size() - min_length + 1, budget = 16 * (a.size() + b.size());
	std::size_t size = 64;
	while (size < 2 * grams)
		size *= 2;
	std::vector<std::uint32_t> heads(size, no_symbol), next(grams);
	// The rolling hash is the sum of s[i + j] · factor^(min_length − 1 − j), modulo 2^64.
	const std::uint64_t factor = table_factors[1];
	std::uint64_t lead = 1;
	for (std::uint32_t i = 1; i < min_length; ++i)
		lead *= factor;
	const auto first_hash = [&](std::span<const std::uint32_t> s) {
		std::uint64_t hash = 0;
		for (std::uint32_t i = 0; i < min_length; ++i)
			hash = hash * factor + s[i];
		return hash;
	};
	const auto slot = [&](std::uint64_t hash) { return table_mix(hash, min_length) >> 24 & (size - 1); };
	std::vector<std::uint32_t> slots(grams);
	std::uint64_t hash = first_hash(b);
	for (std::size_t i = 0;; ++i) {
		slots[i] = static_cast<std::uint32_t>(slot(hash));
		if (i + 1 == grams)
			break;
		hash = (hash - b[i] * lead) * factor + b[i + min_length];
	}
	for (std::size_t i = grams; i-- > 0;) { // from the end, so that the first position heads its list
		next[i] = heads[slots[i]];
		heads[slots[i]] = static_cast<std::uint32_t>(i);
	}
	std::size_t compared = 0, from = 0; // `from`: where the next passage may begin
	hash = first_hash(a);
	for (std::size_t i = 0;; ++i) {
		if (i >= from) {
			SharedRun best{static_cast<std::uint32_t>(i), 0, 0};
			for (std::uint32_t at = heads[slot(hash)]; at != no_symbol; at = next[at]) {
				const std::size_t most = std::min(a.size() - i, b.size() - at);
				std::size_t n = 0;
				while (n < most && a[i + n] == b[at + n])
					++n;
				if ((compared += n + 1) > budget)
					return false;
				if (n > best.length)
					best = {best.a, at, static_cast<std::uint32_t>(n)};
			}
			if (best.length >= min_length) {
				runs.push_back(best);
				from = i + best.length;
			}
		}
		if (i + min_length >= a.size())
			return true;
		if ((i & 0xFFF) == 0)
			stop.check();
		hash = (hash - a[i] * lead) * factor + a[i + min_length];
	}
}

} // namespace

std::vector<SharedRun> shared_runs(
	std::span<const std::uint32_t> a, std::span<const std::uint32_t> b, std::uint32_t min_length, StopToken stop)
{
	std::vector<SharedRun> runs;
	if (b.empty() || min_length > b.size() || min_length > a.size())
		return runs;
	if (b.size() <= SuffixAutomaton::max_size && runs_by_table(a, b, min_length, runs, stop))
		return runs;
	return runs_by_automaton(a, b, min_length, stop);
}

// Reads a through the automaton of b. The state represents the symbols [i − length, i) of a, the longest run that
// begins at i − length and occurs in b. When it cannot be extended, it is either a passage or loses its first symbol.
std::vector<SharedRun> runs_by_automaton(
	std::span<const std::uint32_t> a, std::span<const std::uint32_t> b, std::uint32_t min_length, StopToken stop)
{
	std::vector<SharedRun> runs;
	const SuffixAutomaton automaton(b, stop);
	SuffixAutomaton::State state = SuffixAutomaton::root;
	std::uint32_t length = 0;
	for (std::size_t i = 0, steps = 0;;) {
		if ((++steps & 0xFFF) == 0)
			stop.check();
		const bool at_end = i == a.size();
		const SuffixAutomaton::State next = at_end ? SuffixAutomaton::none : automaton.next(state, a[i]);
		if (next != SuffixAutomaton::none) {
			state = next;
			++length;
			++i;
		} else if (length >= min_length) {
			runs.push_back({static_cast<std::uint32_t>(i) - length, automaton.first_end(state) - length, length});
			state = SuffixAutomaton::root;
			length = 0;
		} else if (at_end) {
			return runs;
		} else if (length == 0) {
			++i;
		} else if (--length == automaton.longest(automaton.link(state))) {
			state = automaton.link(state);
		}
	}
}

// Reads a through the automaton of b: after each symbol the state belongs to the longest run that ends there.
std::vector<SharedRun> longest_run(
	std::span<const std::uint32_t> a, std::span<const std::uint32_t> b, std::uint32_t min_length, StopToken stop)
{
	const SuffixAutomaton automaton(b, stop);
	SuffixAutomaton::State state = SuffixAutomaton::root;
	SharedRun best{0, 0, 0};
	std::uint32_t length = 0;
	for (std::uint32_t i = 0; i < a.size(); ++i) {
		if ((i & 0xFFF) == 0)
			stop.check();
		SuffixAutomaton::State next;
		while ((next = automaton.next(state, a[i])) == SuffixAutomaton::none && state != SuffixAutomaton::root) {
			state = automaton.link(state);
			length = automaton.longest(state);
		}
		if (next == SuffixAutomaton::none)
			continue;
		state = next;
		if (++length > best.length)
			best = {i + 1 - length, automaton.first_end(state) - length, length};
	}
	return best.length < min_length ? std::vector<SharedRun>() : std::vector<SharedRun>{best};
}

namespace {

// The passages of runs that find(a, b) chooses.
template <class Find>
std::vector<SharedPassage> passages_by(std::string_view a, std::string_view b, const CanonicalOptions &canonical,
	Segmenter segmenter, StopToken stop, Find find)
{
	const MappedText text_a(a, canonical, stop), text_b(b, canonical, stop);
	Words words_a, words_b;
	WordNumbers numbers;
	for_each_word(text_b.canonical(), segmenter, stop, [&](WordRange word) {
		words_b.ranges.push_back(word);
		words_b.numbers.push_back(numbers.add(text_b.canonical().substr(word.start, word.end - word.start)));
	});
	for_each_word(text_a.canonical(), segmenter, stop, [&](WordRange word) {
		words_a.ranges.push_back(word);
		words_a.numbers.push_back(numbers.find(text_a.canonical().substr(word.start, word.end - word.start)));
	});
	if (words_a.numbers.size() > SuffixAutomaton::max_size)
		throw Error(ErrorKind::too_large, "text has too many words to look for shared passages in it");
	std::vector<SharedPassage> passages;
	for (const SharedRun &run :
		find(std::span<const std::uint32_t>(words_a.numbers), std::span<const std::uint32_t>(words_b.numbers)))
		passages.push_back(
			{source_of(text_a, words_a, run.a, run.length), source_of(text_b, words_b, run.b, run.length), run.length});
	return passages;
}

} // namespace

std::vector<SharedPassage> shared_passages(std::string_view a, std::string_view b, std::uint32_t min_words,
	const CanonicalOptions &canonical, Segmenter segmenter, StopToken stop)
{
	return passages_by(a, b, canonical, segmenter, stop,
		[&](auto words_a, auto words_b) { return shared_runs(words_a, words_b, min_words, stop); });
}

std::vector<SharedPassage> longest_passage(std::string_view a, std::string_view b, std::uint32_t min_words,
	const CanonicalOptions &canonical, Segmenter segmenter, StopToken stop)
{
	return passages_by(a, b, canonical, segmenter, stop,
		[&](auto words_a, auto words_b) { return longest_run(words_a, words_b, min_words, stop); });
}

} // namespace txtfp::core
