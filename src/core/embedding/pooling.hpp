// One vector out of the vectors that a model gives for the tokens of a text, as the crate txtfp 0.2.2 makes it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/embedding/embedding.hpp"

namespace txtfp::core {

enum class Pooling : std::uint8_t {
	cls,          // the first token's vector, whatever the mask
	mean,         // the mean of the tokens that the mask keeps
	mean_no_norm, // the same, not normalized
	max,          // the greatest of each element, of the tokens that the mask keeps
};
bool parse_pooling(std::string_view text, Pooling &pooling) noexcept;

// `hidden`: rows of out.size() elements, one for each token; what is left over at the end is no row. Token i is kept if there
// is no mask, or if mask[i] exists and is not 0. Zeros where nothing is kept. All but mean_no_norm end in l2_normalize.
using TokenMask = std::optional<std::span<const std::int32_t>>;
void pool(Vector hidden, const TokenMask &mask, Pooling pooling, std::span<float> out) noexcept;

} // namespace txtfp::core
