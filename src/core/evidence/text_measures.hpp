// Exact measures on the sets of tokens of two texts: what a sketch estimates.
//   jaccard      |A ∩ B| / |A ∪ B|
//   containment  |A ∩ B| / |A|: the share of A's tokens that B has, too
// Tokens are told apart by 126 bits of XXH3: two different ones are taken for the same with a probability of 2^-126 a pair.
// Memory: 16 bytes and what keeps a hash table half empty, for each distinct token.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/error.hpp"
#include "core/text/canonical.hpp"
#include "core/text/tokens.hpp"

namespace txtfp::core {

struct SetOverlap {
	std::uint64_t a = 0, b = 0, common = 0; // distinct tokens

	// Of texts that both have a token; 0 otherwise.
	double jaccard() const noexcept { return ratio(common, a + b - common); }
	double containment_of_a() const noexcept { return ratio(common, a); }
	double containment_of_b() const noexcept { return ratio(common, b); }

private:
	static double ratio(std::uint64_t part, std::uint64_t whole) noexcept
	{
		return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
	}
};

// Both texts are valid UTF-8; the tokens are those of the canonical texts.
SetOverlap token_overlap(std::string_view a, std::string_view b, const CanonicalOptions &canonical,
	const TokenizerSpec &tokenizer, StopToken stop = {});

} // namespace txtfp::core
