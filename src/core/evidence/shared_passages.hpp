// The passages that two texts share: runs of words that are equal in canonical form.
//
// Words are the tokens of a segmenter, by default word-uax29, in the canonical texts. The rule of choice, from left to right in a: at each word, the longest
// run that begins there and occurs in b is a passage if it has min_words or more, and the search goes on behind it;
// otherwise it goes on at the next word. In b it is the first place where the run occurs. So
//   * passages do not overlap in a and come in its order; a place of b may be reported several times
//   * no passage can be prolonged to the right, nor to the left, except into the passage before it
//   * every word of a at which a common run of min_words begins is in a passage
// A place in a text as given is whole characters. Where one character is several words in canonical form, as U+FDFA is, and a
// passage begins or ends within them, the place has all of the character; two passages that meet within it both have it.
// Time and memory are linear in both texts, whatever they are: some 20 bytes for a byte of b, 6 for one of a.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/evidence/mapped_text.hpp"
#include "core/text/tokens.hpp"

namespace txtfp::core {

struct SharedPassage {
	SourceRange a, b; // in the texts as given, from the first word to the last
	std::uint32_t words;
};

// a, b: valid UTF-8; min_words ≥ 1. Throws Error(too_large) if b has more than SuffixAutomaton::max_size words.
std::vector<SharedPassage> shared_passages(std::string_view a, std::string_view b, std::uint32_t min_words,
	const CanonicalOptions &canonical, Segmenter segmenter = Segmenter::word, StopToken stop = {});

// The same for any sequences: where, and how many symbols. A symbol of a that is not in b is no_symbol.
struct SharedRun {
	std::uint32_t a, b, length;
	bool operator==(const SharedRun &) const = default;
};
constexpr std::uint32_t no_symbol = 0xFFFFFFFF;
std::vector<SharedRun> shared_runs(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
	std::uint32_t min_length, StopToken stop = {}); // min_length ≥ 1

} // namespace txtfp::core
