// How a text becomes hashed tokens: what MinHash and SimHash have in common, and what a configuration hash is made of.
#pragma once

#include <cstdint>

#include "core/base/hash.hpp"
#include "core/text/canonical.hpp"
#include "core/text/tokens.hpp"

namespace txtfp::core {

struct TextOptions {
	CanonicalOptions canonical;
	TokenizerSpec tokenizer;
	HashFamily family = HashFamily::xxh3;
	std::uint64_t seed = default_seed;

	bool operator==(const TextOptions &) const = default;
};

} // namespace txtfp::core
