// Embeddings: vectors of floats, optionally with the name of the model that made them. Similarity, norms and pooling
// are bit-compatible with the crate txtfp 0.2.2: single precision, additions strictly in the order of the elements, no
// fused multiply-add (the build uses -ffp-contract=off). Only where the squares leave single precision, the crate loses
// the vector (its length becomes zero or infinite), and double precision is used here.
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
	not_finite,  // an element is NaN or infinite
	other_model, // both name a model, and the names differ
	other_dimension,
	zero_norm, // a zero vector has no direction
};

// Checks a vector that is to become an embedding. Returns none, empty or not_finite.
EmbeddingError check_vector(Vector vector) noexcept;

// Checks two embeddings before a comparison. Returns none, other_model or other_dimension. No model matches any model.
EmbeddingError check_pair(const Embedding &a, const Embedding &b) noexcept;

float l2_norm(Vector vector) noexcept;          // infinite if no float is so large
float dot_product(Vector a, Vector b) noexcept; // both have the same dimension; infinite if no float is so large

// True if single precision computes the norm, and the product of two norms.
constexpr bool is_usual_norm(float norm) noexcept { return norm >= 1e-15f && norm <= 1e19f; }
double wide_norm(Vector vector) noexcept; // in double precision, which no float leaves

// Divides by the norm, unless it is zero, or an element is not finite.
void l2_normalize(std::span<float> vector) noexcept;

// The cosine of the angle between a and b, which are not zero; norms are what l2_norm returns.
float cosine(Vector a, float norm_a, Vector b, float norm_b) noexcept;

// The same. It is not clamped: rounding may put it just outside −1 … 1. Each addition depends on the one before it, which
// makes this slower than cosine_similarity.
EmbeddingError semantic_similarity(const Embedding &a, const Embedding &b, float &similarity) noexcept;

// The cosine up to rounding, clamped: 32 parallel sums, element i in sum i mod 32, added in pairs. The result has the
// same bits on every machine, but may differ from semantic_similarity.
EmbeddingError cosine_similarity(const Embedding &a, const Embedding &b, float &similarity) noexcept;

// The three sums that cosine_similarity is computed from.
struct CosineSums {
	float dot, a, b;
};
CosineSums cosine_sums(Vector a, Vector b) noexcept;

// The largest possible difference between the two similarities for vectors of this dimension.
double cosine_margin(std::size_t dimension) noexcept;

} // namespace txtfp::core
