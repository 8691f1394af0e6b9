// The passages that two texts share: runs of words that are equal in canonical form.
//
// Words are the tokens of a segmenter (by default word-uax29) in the canonical texts. Passages are chosen from left to
// right in a: at each word, the longest run that begins there and occurs in b is a passage if it has min_words or more,
// and the search continues after it; otherwise the search continues at the next word. The position in b is where the
// run occurs first. It follows that
//   * passages do not overlap in a and are in its order; a position of b may be reported several times
//   * no passage can be extended to the right; to the left, only into the passage before it
//   * every word of a at which a common run of min_words begins is in a passage
// Positions in the given texts are whole characters. Where the canonical form of one character is several words
// (U+FDFA) and a passage begins or ends within them, its range has the whole character; two passages that meet within
// it both have it.
// Time and memory are linear in both texts for any input: about 20 bytes per byte of b and 6 per byte of a.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/compare/mapped_text.hpp"
#include "core/compare/word_numbers.hpp"
#include "core/text/tokens.hpp"

namespace txtfp::core {

struct SharedPassage {
	SourceRange a, b; // ranges of the given texts, from the first word to the last
	std::uint32_t words;
};

// a and b are valid UTF-8; min_words ≥ 1. Throws Error(too_large) if b has more than SuffixAutomaton::max_size words.
std::vector<SharedPassage> shared_passages(std::string_view a, std::string_view b, std::uint32_t min_words,
	const CanonicalOptions &canonical, Segmenter segmenter = Segmenter::word, StopToken stop = {});

// The longest common run, the first one in a, if it has min_words or more. It need not be one of shared_passages(), of
// which one may end within it.
std::vector<SharedPassage> longest_passage(std::string_view a, std::string_view b, std::uint32_t min_words,
	const CanonicalOptions &canonical, Segmenter segmenter = Segmenter::word, StopToken stop = {});

// The same for sequences of symbols: positions and lengths in symbols. A symbol of a that does not occur in b is
// no_symbol.
struct SharedRun {
	std::uint32_t a, b, length;
	bool operator==(const SharedRun &) const = default;
};
std::vector<SharedRun> shared_runs(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
	std::uint32_t min_length, StopToken stop = {}); // min_length ≥ 1

std::vector<SharedRun> longest_run(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
	std::uint32_t min_length, StopToken stop = {}); // of min_length ≥ 1, or none

// shared_runs with the suffix automaton of b only, which guarantees linear time; for tests. Both have min_length
// symbols or more.
std::vector<SharedRun> runs_by_automaton(
	std::span<const std::uint32_t> a, std::span<const std::uint32_t> b, std::uint32_t min_length, StopToken stop = {});

} // namespace txtfp::core
