// Embeddings: vectors of floats, perhaps with the name of the model that made them. Similarity, norms and pooling are
// bit-compatible with the crate txtfp 0.2.2: single precision, one addition after the other in the order of the elements, no
// fused multiply-add (the build says -ffp-contract=off).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace txtfp::core {

using Vector = std::span<const float>;

struct Embedding {
	Vector vector;
	std::optional<std::string_view> model; // any bytes

	std::size_t dimension() const noexcept { return vector.size(); }
};

enum class EmbeddingError {
	none,
	empty,       // no elements
	not_finite,  // NaN or infinity among them
	other_model, // both have a model, and not the same
	other_dimension,
	zero_norm, // no direction to compare
};

// Of a vector that is to become an embedding: none, empty or not_finite.
EmbeddingError check_vector(Vector vector) noexcept;

// Of two that are to be compared: none, other_model or other_dimension. One without a model goes with any.
EmbeddingError check_pair(const Embedding &a, const Embedding &b) noexcept;

float l2_norm(Vector vector) noexcept;
float dot_product(Vector a, Vector b) noexcept; // of the same dimension

// Divides by the norm, unless that is zero or infinite.
void l2_normalize(std::span<float> vector) noexcept;

// The cosine of the angle between them; not clamped, so that rounding may leave it just outside −1 … 1, and NaN where
// the squares overflow. Each addition waits for the one before it.
EmbeddingError semantic_similarity(const Embedding &a, const Embedding &b, float &similarity) noexcept;

// The same within rounding, and clamped: 32 sums side by side, element i in sum i mod 32, then added in pairs. The same
// bits on every machine, but not those of semantic_similarity.
EmbeddingError cosine_similarity(const Embedding &a, const Embedding &b, float &similarity) noexcept;

// The three sums behind cosine_similarity.
struct CosineSums {
	float dot, a, b;
};
CosineSums cosine_sums(Vector a, Vector b) noexcept;

// By how much the two similarities of vectors of this dimension can differ at most, where nothing over- or underflows.
double cosine_margin(std::size_t dimension) noexcept;

} // namespace txtfp::core
