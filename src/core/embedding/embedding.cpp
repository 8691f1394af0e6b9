#include "core/embedding/embedding.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/base/cpu.hpp"

namespace txtfp::core {

namespace {

double wide_dot(Vector a, Vector b) noexcept
{
	double sum = 0;
	for (std::size_t i = 0; i < a.size(); ++i)
		sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
	return sum;
}

float wide_cosine(Vector a, Vector b) noexcept
{
	return static_cast<float>(wide_dot(a, b) / (wide_norm(a) * wide_norm(b)));
}

EmbeddingError cosine_of_sums(const CosineSums &sums, Vector a, Vector b, float &similarity) noexcept
{
	const float norm_a = std::sqrt(sums.a), norm_b = std::sqrt(sums.b);
	if (is_usual_norm(norm_a) && is_usual_norm(norm_b)) {
		similarity = sums.dot / (norm_a * norm_b);
		return EmbeddingError::none;
	}
	const float exact_a = l2_norm(a), exact_b = l2_norm(b);
	if (exact_a == 0 || exact_b == 0)
		return EmbeddingError::zero_norm;
	similarity = cosine(a, exact_a, b, exact_b);
	return EmbeddingError::none;
}

constexpr std::size_t block = 32; // number of parallel sums

template <std::size_t Width> struct FloatsOf {
	using Type [[gnu::vector_size(Width * sizeof(float))]] = float;
};
template <std::size_t Width> using Floats = typename FloatsOf<Width>::Type;

// Adds lane i and lane i + half the lanes. Parameters are references: vectors this wide cannot be passed at lower
// levels.
TXTFP_KERNEL void add_halves(const Floats<16> &v, Floats<8> &sum) noexcept
{
	sum = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +
		__builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
}
TXTFP_KERNEL void add_halves(const Floats<8> &v, Floats<4> &sum) noexcept
{
	sum = __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
}

// Uses vectors as wide as a register of the level; the compiler generates slow code for wider ones.
template <std::size_t Width> struct Lanes {
	Floats<Width> sums[block / Width];

	// Adds lanes i and i + 16, then i + 8, i + 4, i + 2 and i + 1.
	TXTFP_KERNEL float total() const noexcept
	{
		Floats<8> eight;
		Floats<4> four;
		if constexpr (Width == 16)
			add_halves(sums[0] + sums[1], eight);
		else
			eight = (sums[0] + sums[2]) + (sums[1] + sums[3]);
		add_halves(eight, four);
		return (four[0] + four[2]) + (four[1] + four[3]);
	}
};

template <std::size_t Width> TXTFP_KERNEL CosineSums add_products(Vector a, Vector b) noexcept
{
	Lanes<Width> dot{}, aa{}, bb{};
	const auto add = [&](const float *x, const float *y) __attribute__((always_inline))
	{
#pragma GCC unroll 4
		for (std::size_t k = 0; k < block / Width; ++k) {
			Floats<Width> u, v;
			std::memcpy(&u, x + k * Width, sizeof u);
			std::memcpy(&v, y + k * Width, sizeof v);
			dot.sums[k] += u * v;
			aa.sums[k] += u * u;
			bb.sums[k] += v * v;
		}
	};
	std::size_t i = 0;
	for (; i + block <= a.size(); i += block)
		add(a.data() + i, b.data() + i);
	if (i < a.size()) { // padding with zeros does not change the sums
		float x[block] = {}, y[block] = {};
		std::memcpy(x, a.data() + i, (a.size() - i) * sizeof(float));
		std::memcpy(y, b.data() + i, (a.size() - i) * sizeof(float));
		add(x, y);
	}
	return {dot.total(), aa.total(), bb.total()};
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

double wide_norm(Vector vector) noexcept { return std::sqrt(wide_dot(vector, vector)); }

float l2_norm(Vector vector) noexcept
{
	float sum = 0;
	for (const float x : vector)
		sum += x * x;
	const float norm = std::sqrt(sum);
	return is_usual_norm(norm) ? norm : static_cast<float>(wide_norm(vector));
}

float dot_product(Vector a, Vector b) noexcept
{
	float sum = 0;
	for (std::size_t i = 0; i < a.size(); ++i)
		sum += a[i] * b[i];
	return std::isfinite(sum) ? sum : static_cast<float>(wide_dot(a, b));
}

void l2_normalize(std::span<float> vector) noexcept
{
	const float norm = l2_norm(vector);
	if (is_usual_norm(norm)) {
		for (float &x : vector)
			x /= norm;
	} else if (const double wide = wide_norm(vector); wide > 0 && std::isfinite(wide)) {
		for (float &x : vector)
			x = static_cast<float>(x / wide);
	}
}

float cosine(Vector a, float norm_a, Vector b, float norm_b) noexcept
{
	return is_usual_norm(norm_a) && is_usual_norm(norm_b) ? dot_product(a, b) / (norm_a * norm_b) : wide_cosine(a, b);
}

EmbeddingError semantic_similarity(const Embedding &a, const Embedding &b, float &similarity) noexcept
{
	if (const EmbeddingError error = check_pair(a, b); error != EmbeddingError::none)
		return error;
	CosineSums sums{};
	for (std::size_t i = 0; i < a.dimension(); ++i) { // three independent sums per step
		const float x = a.vector[i], y = b.vector[i];
		sums.dot += x * y;
		sums.a += x * x;
		sums.b += y * y;
	}
	return cosine_of_sums(sums, a.vector, b.vector, similarity);
}

CosineSums cosine_sums(Vector a, Vector b) noexcept
{
#if defined(__x86_64__)
	if (simd_level() == SimdLevel::avx512)
		return at_avx512<add_products<16>>(a, b);
#endif
	return dispatch<add_products<8>>(simd_level(), a, b);
}

EmbeddingError cosine_similarity(const Embedding &a, const Embedding &b, float &similarity) noexcept
{
	if (const EmbeddingError error = check_pair(a, b); error != EmbeddingError::none)
		return error;
	const EmbeddingError error = cosine_of_sums(cosine_sums(a.vector, b.vector), a.vector, b.vector, similarity);
	if (error == EmbeddingError::none && std::abs(similarity) > 1)
		similarity = std::copysign(1.0f, similarity);
	return error;
}

double cosine_margin(std::size_t dimension) noexcept
{
	// To first order, a sum of n products is off by at most n·2⁻²⁴ of the sum of their absolute values, which is at
	// most the product of the norms. The same holds for each squared norm. For both similarities together the error is
	// at most 2 (1 + ½ + ½) n·2⁻²⁴; the rest of the factor covers the final operations.
	return 4.5 * (static_cast<double>(dimension) + 8) * 0x1p-24;
}

} // namespace txtfp::core
