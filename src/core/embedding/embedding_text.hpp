// The text form of an embedding: "[0.5,-1,2.5e-08]", and with a model "<model>/[…]". The last "[" begins the vector, so
// that a model may have any characters.
#pragma once

#include <optional>
#include <string_view>

#include "core/embedding/embedding.hpp"

namespace txtfp::core {

// Blanks are allowed around elements.
enum class VectorError { none, syntax, empty, not_finite, out_of_range };

struct EmbeddingText {
	std::optional<std::string_view> model;
	std::string_view elements; // what is between the brackets
};
std::optional<EmbeddingText> split_embedding(std::string_view text) noexcept; // nothing: no such form

std::size_t count_elements(std::string_view elements) noexcept; // at least 1
// `out`: as long as count_elements says.
VectorError parse_elements(std::string_view elements, std::span<float> out) noexcept;

// Writes "[…]", the shortest digits that give the same floats; returns the end. `out`: element_text bytes for each, and 2.
constexpr std::size_t element_text = 16; // with the comma
char *format_vector(Vector vector, char *out) noexcept;

} // namespace txtfp::core
