#include "core/embedding/embedding.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/base/cpu.hpp"

namespace txtfp::core {

namespace {

EmbeddingError cosine(const CosineSums &sums, float &similarity) noexcept
{
	const float a = std::sqrt(sums.a), b = std::sqrt(sums.b);
	if (a == 0 || b == 0)
		return EmbeddingError::zero_norm;
	similarity = sums.dot / (a * b);
	return EmbeddingError::none;
}

constexpr std::size_t lane_count = 16;
using Lanes [[gnu::vector_size(lane_count * sizeof(float))]] = float;

inline float sum_of_lanes(const Lanes &lanes) noexcept
{
	float sums[lane_count];
	std::memcpy(sums, &lanes, sizeof sums);
	for (std::size_t n = lane_count / 2; n > 0; n /= 2)
		for (std::size_t i = 0; i < n; ++i)
			sums[i] += sums[i + n];
	return sums[0];
}

} // namespace

EmbeddingError check_vector(Vector vector) noexcept
{
	if (vector.empty())
		return EmbeddingError::empty;
	const auto is_finite = [](float x) { return std::isfinite(x); };
	return std::all_of(vector.begin(), vector.end(), is_finite) ? EmbeddingError::none : EmbeddingError::not_finite;
}

EmbeddingError check_pair(const Embedding &a, const Embedding &b) noexcept
{
	if (a.model && b.model && *a.model != *b.model)
		return EmbeddingError::other_model;
	return a.dimension() == b.dimension() ? EmbeddingError::none : EmbeddingError::other_dimension;
}

float l2_norm(Vector vector) noexcept
{
	float sum = 0;
	for (const float x : vector)
		sum += x * x;
	return std::sqrt(sum);
}

float dot_product(Vector a, Vector b) noexcept
{
	float sum = 0;
	for (std::size_t i = 0; i < a.size(); ++i)
		sum += a[i] * b[i];
	return sum;
}

void l2_normalize(std::span<float> vector) noexcept
{
	const float norm = l2_norm(vector);
	if (norm > 0 && std::isfinite(norm))
		for (float &x : vector)
			x /= norm;
}

EmbeddingError semantic_similarity(const Embedding &a, const Embedding &b, float &similarity) noexcept
{
	if (const EmbeddingError error = check_pair(a, b); error != EmbeddingError::none)
		return error;
	CosineSums sums{};
	for (std::size_t i = 0; i < a.dimension(); ++i) { // three chains, side by side
		const float x = a.vector[i], y = b.vector[i];
		sums.dot += x * y;
		sums.a += x * x;
		sums.b += y * y;
	}
	return cosine(sums, similarity);
}

TXTFP_CLONES CosineSums cosine_sums(Vector a, Vector b) noexcept
{
	const std::size_t dimension = a.size();
	const float *x = a.data(), *y = b.data();
	Lanes dot{}, aa{}, bb{}, u, v;
	std::size_t i = 0;
	for (; i + lane_count <= dimension; i += lane_count) {
		std::memcpy(&u, x + i, sizeof u);
		std::memcpy(&v, y + i, sizeof v);
		dot += u * v;
		aa += u * u;
		bb += v * v;
	}
	if (i < dimension) { // adding zero changes no sum
		u = v = Lanes{};
		std::memcpy(&u, x + i, (dimension - i) * sizeof(float));
		std::memcpy(&v, y + i, (dimension - i) * sizeof(float));
		dot += u * v;
		aa += u * u;
		bb += v * v;
	}
	return {sum_of_lanes(dot), sum_of_lanes(aa), sum_of_lanes(bb)};
}

EmbeddingError cosine_similarity(const Embedding &a, const Embedding &b, float &similarity) noexcept
{
	if (const EmbeddingError error = check_pair(a, b); error != EmbeddingError::none)
		return error;
	const EmbeddingError error = cosine(cosine_sums(a.vector, b.vector), similarity);
	if (error == EmbeddingError::none && std::abs(similarity) > 1)
		similarity = std::copysign(1.0f, similarity);
	return error;
}

double cosine_margin(std::size_t dimension) noexcept
{
	// A sum of n products is off by at most n·2⁻²⁴ of the sum of their absolute values (to first order), which is at most the
	// product of the norms; so is each squared norm. Both similarities together: twice (1 + ½ + ½) n·2⁻²⁴, and some for the rest.
	return 4.5 * (static_cast<double>(dimension) + 8) * 0x1p-24;
}

} // namespace txtfp::core
