// The tokens by which texts are compared exactly, where they are not given: the tokens of the fingerprints.
#pragma once

#include <optional>

#include "core/decide/pair_decision.hpp"
#include "core/minhash/config_names.hpp"

namespace txtfp::pg {

struct GivenTokens {
	bool tokenizer, canonicalizer;
};

// Sets tokenizer and canonicalizer unless they are given. `made`: the configuration of the fingerprints; nothing if they
// carry none, and then the default is set. False: how they were made is not known, and no tokenizer is given.
bool set_tokens(
	core::PairOptions &options, const GivenTokens &given, const std::optional<core::SketchConfiguration> &made);

// Does the decision depend on tokens?
inline bool compares_tokens(const core::PairOptions &options)
{
	using core::removal::Verify;
	return options.verify == Verify::jaccard || options.verify == Verify::containment;
}

} // namespace txtfp::pg
