// Configuration hashes, which identify how a fingerprint was made.
// Definition of the crate txtfp: XXH3-64, seed 0, of the parts joined by '|'; a seed is written as 16 hex digits.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/hash.hpp"

namespace txtfp::core {

std::uint64_t config_hash(std::string_view canonicalizer, std::string_view tokenizer, std::string_view algorithm);
std::uint64_t config_hash(std::string_view canonicalizer, std::string_view tokenizer, std::string_view algorithm,
	HashFamily family, std::uint64_t seed);

} // namespace txtfp::core
