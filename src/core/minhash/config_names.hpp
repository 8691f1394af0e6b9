// The strings behind a configuration hash.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/text/text_options.hpp"

namespace txtfp::core {

// How a sketch of `slots` slots with this configuration is made. It is found by trying what is common: every
// canonicalizer, both hash functions, the default seed, and each segmenter alone or in shingles of up to
// max_named_shingle. Nothing if none of these fits.
constexpr std::uint32_t max_named_shingle = 12;
struct SketchConfiguration {
	std::uint64_t config; // 0: unknown
	std::size_t slots;
};
std::optional<TextOptions> find_configuration(std::uint64_t config, std::size_t slots);

// The same for messages, as far as it differs from the defaults behind the tokenizer: "shingle-k=3/word-uax29",
// "word-uax29, nfc-cf-none, mmh3-x64-128". Empty if nothing fits.
std::string configuration_name(std::uint64_t config, std::size_t slots);

} // namespace txtfp::core
