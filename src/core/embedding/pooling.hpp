// Combines the token vectors of a model into one vector per text, with the results of the crate txtfp 0.2.2, which
// lacks the kind `last`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/embedding/embedding.hpp"

namespace txtfp::core {

enum class Pooling : std::uint8_t {
	cls,          // the first token's vector; ignores the mask
	mean,         // the mean of the tokens that the mask keeps
	mean_no_norm, // the same without normalization
	max,          // the maximum of each element over the tokens that the mask keeps
	last,         // the vector of the last token that the mask keeps
};
bool parse_pooling(std::string_view text, Pooling &pooling) noexcept;

// `hidden` has rows of out.size() elements, one per token; an incomplete last row is ignored. A token is kept if there
// is no mask, or if mask[i] exists and is not 0. If no token is kept, the result is zeros. All kinds but mean_no_norm
// normalize.
using TokenMask = std::optional<std::span<const std::int32_t>>;
void pool(Vector hidden, const TokenMask &mask, Pooling pooling, std::span<float> out) noexcept;

} // namespace txtfp::core
