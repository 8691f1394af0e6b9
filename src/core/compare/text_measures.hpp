// Exact measures on the token sets of two texts. A sketch estimates them.
//   jaccard      |A ∩ B| / |A ∪ B|
//   containment  |A ∩ B| / |A|: the share of A's tokens that B has
// Tokens are compared by 126 bits of XXH3, so two different tokens are confused with a probability of 2^-126 per pair.
// Memory: 16 bytes per distinct token in a hash table that is at most half full.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/error.hpp"
#include "core/compare/aligned_words.hpp"
#include "core/text/canonical.hpp"
#include "core/text/tokens.hpp"

namespace txtfp::core {

struct SetOverlap {
	std::uint64_t a = 0, b = 0, common = 0; // numbers of distinct tokens

	// Defined if both texts have a token; otherwise 0.
	double jaccard() const noexcept { return ratio(common, a + b - common); }
	double containment_of_a() const noexcept { return ratio(common, a); }
	double containment_of_b() const noexcept { return ratio(common, b); }

private:
	static double ratio(std::uint64_t part, std::uint64_t whole) noexcept
	{
		return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
	}
};

// Both texts are valid UTF-8; the tokens come from the canonical texts.
SetOverlap token_overlap(std::string_view a, std::string_view b, const CanonicalOptions &canonical,
	const TokenizerSpec &tokenizer, StopToken stop = {});

// The distinct runs of k words of texts whose words have numbers in common; a shorter text is one run. Runs are compared
// by 62 bits of their hash.
SetOverlap run_overlap(const TextWords &a, const TextWords &b, std::uint32_t k);

// True if the runs of k words, of Segmenter::word in the default canonical form, are the tokens of both texts.
bool runs_are_tokens(
	std::string_view a, std::string_view b, const CanonicalOptions &canonical, const TokenizerSpec &tokenizer) noexcept;

} // namespace txtfp::core
