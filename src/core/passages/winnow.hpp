// Winnowing (S. Schleimer, D. Wilkerson, A. Aiken, 2003): a few fingerprints of a text, chosen so that any two texts
// with a sufficiently long common run of words share a fingerprint.
//   gram         k words in a row; a fingerprint is its hash, XXH3-64 with seed 0 of the words joined by one space
//   window       w grams in a row; the gram with the smallest hash of each window is chosen, the last one of equal ones
//   guarantee    n = w + k − 1 words: a common run of n words contains a whole window, so both texts choose the same gram
// Of random texts 2 / (w + 1) of the grams are chosen. A text of fewer than k words is one gram; a text of fewer than w
// grams is one window. If an excerpt begins and ends at word boundaries, all its fingerprints are fingerprints of the
// whole text.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/text/canonical.hpp"
#include "core/text/tokens.hpp"

namespace txtfp::core {

struct WinnowOptions {
	static constexpr std::uint32_t max_guarantee = 10000;

	CanonicalOptions canonical;
	Segmenter segmenter = Segmenter::word;
	std::uint32_t guarantee = 12; // words, 1 to max_guarantee

	// Words per gram: a third of the guarantee, from 1 to 8. Shorter grams occur in unrelated texts; longer grams leave
	// smaller windows, which means more fingerprints.
	std::uint32_t gram() const noexcept;
	std::uint32_t window() const noexcept { return guarantee - gram() + 1; }
};

// The tokenizer whose tokens are the grams.
TokenizerSpec gram_tokenizer(const WinnowOptions &options);

// A hash of the options that tells values made with different options apart; never 0.
std::uint64_t winnow_config(const WinnowOptions &options);

// The fingerprints of the text, ascending and distinct; empty if it has no word. `utf8` is valid UTF-8.
std::vector<std::uint64_t> winnow(std::string_view utf8, const WinnowOptions &options, StopToken stop = {});

// The chosen grams; hashes[i] is the hash of gram i. Gram `place` is chosen by the windows from `first` to before the next choice's; windows are
// numbered by their first gram.
struct WinnowChoice {
	std::uint32_t first, place;
};
std::vector<WinnowChoice> winnow_choices(std::span<const std::uint64_t> hashes, std::uint32_t window);

// The number of values that two ascending sequences have in common. Stops counting at `enough`.
std::size_t count_common(
	std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, std::size_t enough = ~std::size_t{0}) noexcept;

} // namespace txtfp::core
