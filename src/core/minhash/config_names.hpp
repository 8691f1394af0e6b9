// The strings behind a configuration hash, for messages.
#pragma once

#include <cstdint>
#include <string>

namespace txtfp::core {

// How a sketch of `slots` slots with this configuration is made, as far as it differs from the defaults behind the
// tokenizer: "shingle-k=3/word-uax29", "word-uax29, nfc-cf-none, mmh3-x64-128". It is found by trying what is common:
// every canonicalizer, both hash functions, the default seed, and each segmenter alone or in shingles of up to
// max_named_shingle. Empty if none of these fits.
constexpr std::uint32_t max_named_shingle = 12;
std::string configuration_name(std::uint64_t config, std::size_t slots);

} // namespace txtfp::core
