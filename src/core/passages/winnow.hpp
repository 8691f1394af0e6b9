// Winnowing (S. Schleimer, D. Wilkerson, A. Aiken, 2003): a few fingerprints of a text, chosen so that any two texts that
// share a run of words long enough share one of them.
//   gram         k words in a row; a fingerprint is its hash, XXH3-64 with seed 0 of the words joined by one space
//   window       w grams in a row; of each window the gram with the least hash is chosen, of equal ones the last
//   guarantee    n = w + k − 1 words: a common run of n words has a whole window, whose choice both texts have
// Of random texts 2 / (w + 1) of the grams are chosen. A text of fewer than k words is one gram; one of fewer grams than w is one
// window. All fingerprints of an excerpt whose ends are word boundaries are fingerprints of the text that it is from.
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

	// Words of a gram: a third of the guarantee, from 1 to 8. Fewer are found in texts that have nothing in common, more make
	// more fingerprints.
	std::uint32_t gram() const noexcept;
	std::uint32_t window() const noexcept { return guarantee - gram() + 1; }
};

// Tells values made in different ways apart; never 0.
std::uint64_t winnow_config(const WinnowOptions &options);

// The fingerprints of the text, ascending, each once. Empty if it has no word. `utf8`: valid UTF-8.
std::vector<std::uint64_t> winnow(std::string_view utf8, const WinnowOptions &options, StopToken stop = {});

// The grams of a text of `words` words that are chosen, by number, ascending; hashes[i] is that of gram i.
std::vector<std::uint32_t> winnow_places(std::span<const std::uint64_t> hashes, std::uint32_t window);

// Of ascending sequences: how many numbers both have. Counts no further than `enough`.
std::size_t count_common(
	std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, std::size_t enough = ~std::size_t{0}) noexcept;

} // namespace txtfp::core
