// The text form of an embedding: "[0.5,-1,2.5e-08]", or with a model "<model>/[…]". The last "[" begins the vector, so
// a model name may contain any characters.
#pragma once

#include <optional>
#include <string_view>

#include "core/embedding/embedding.hpp"

namespace txtfp::core {

// Blanks are allowed around elements.
enum class VectorError { none, syntax, empty, not_finite, out_of_range };

struct EmbeddingText {
	std::optional<std::string_view> model;
	std::string_view elements; // the text between the brackets
};
std::optional<EmbeddingText> split_embedding(std::string_view text) noexcept; // nothing if the text has no such form

std::size_t count_elements(std::string_view elements) noexcept; // at least 1
// `out` has as many elements as count_elements returns.
VectorError parse_elements(std::string_view elements, std::span<float> out) noexcept;

// Writes "[…]" with the shortest digits that read back as the same floats; returns the end. `out` has room for
// element_text bytes per element and 2 more.
constexpr std::size_t element_text = 16; // bytes of one element with its comma
char *format_vector(Vector vector, char *out) noexcept;

} // namespace txtfp::core
