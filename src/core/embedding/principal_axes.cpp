#include "core/embedding/principal_axes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/base/cpu.hpp"
#include "core/base/hash.hpp"
#include "core/base/splitmix.hpp"

namespace txtfp::core {

namespace {

constexpr std::size_t sums_at_once = 8; // parallel sums, the same at every level
using Doubles [[gnu::vector_size(sums_at_once * sizeof(double))]] = double;

TXTFP_KERNEL double product_kernel(const double *a, const double *b, std::size_t n) noexcept
{
	Doubles sums{};
	std::size_t i = 0;
	for (; i + sums_at_once <= n; i += sums_at_once) {
		Doubles x, y;
		std::memcpy(&x, a + i, sizeof x);
		std::memcpy(&y, b + i, sizeof y);
		sums += x * y;
	}
	double sum = ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
	for (; i < n; ++i)
		sum += a[i] * b[i];
	return sum;
}

// to += factor · from
TXTFP_KERNEL void add_kernel(double *to, const double *from, double factor, std::size_t n) noexcept
{
	std::size_t i = 0;
	for (; i + sums_at_once <= n; i += sums_at_once) {
		Doubles x, y;
		std::memcpy(&x, to + i, sizeof x);
		std::memcpy(&y, from + i, sizeof y);
		x += factor * y;
		std::memcpy(to + i, &x, sizeof x);
	}
	for (; i < n; ++i)
		to[i] += factor * from[i];
}

// vector −= 2 (reflection · vector) reflection, for each of `count` reflections, `dimension` elements apart
TXTFP_KERNEL void reflect_kernel(
	const double *reflections, std::size_t first, std::size_t count, std::size_t dimension, double *vector) noexcept
{
	for (std::size_t i = first; i < first + count; ++i) {
		const double *own = reflections + i * dimension + i;
		add_kernel(vector + i, own, -2 * product_kernel(own, vector + i, dimension - i), dimension - i);
	}
}

// Adds to sums[i] the vector times its product with axes[i].
TXTFP_KERNEL void add_covariance(
	const double *axes, double *sums, std::size_t count, std::size_t dimension, const double *vector) noexcept
{
	for (std::size_t i = 0; i < count; ++i)
		add_kernel(sums + i * dimension, vector, product_kernel(axes + i * dimension, vector, dimension), dimension);
}

} // namespace

PrincipalAxes::PrincipalAxes(std::size_t dimension, double *memory) noexcept
	: dimension_(dimension), count_(std::min(most, dimension)), reflections_(memory), axes_(memory + most * dimension),
	  sums_(memory + 2 * most * dimension)
{
	SplitMix64 random(default_seed);
	for (std::size_t i = 0; i < count_ * dimension; ++i)
		sums_[i] = std::popcount(random()) - 32;
	end_round();
}

void PrincipalAxes::begin_round() noexcept { std::fill_n(sums_, count_ * dimension_, 0.0); }

void PrincipalAxes::add(const double *vector) noexcept
{
	dispatch<add_covariance>(simd_level(), static_cast<const double *>(axes_), sums_, count_, dimension_, vector);
}

void PrincipalAxes::reflect(std::size_t i, double *vector) const noexcept
{
	dispatch<reflect_kernel>(
		simd_level(), static_cast<const double *>(reflections_), i, std::size_t{1}, dimension_, vector);
}

// QR by Householder: the sums become orthogonal axes of length 1, which span the same.
void PrincipalAxes::end_round() noexcept
{
	for (std::size_t i = 0; i < count_; ++i) {
		double *column = row(sums_, i), *own = row(reflections_, i);
		for (std::size_t j = 0; j < i; ++j)
			reflect(j, column);
		std::fill_n(own, dimension_, 0.0);
		double length = 0;
		for (std::size_t k = i; k < dimension_; ++k)
			length += column[k] * column[k];
		length = std::sqrt(length);
		if (!(length > 1e-100)) // the sample has fewer directions
			continue;
		std::copy(column + i, column + dimension_, own + i);
		own[i] += std::copysign(length, own[i]);
		double own_length = 0;
		for (std::size_t k = i; k < dimension_; ++k)
			own_length += own[k] * own[k];
		own_length = std::sqrt(own_length);
		for (std::size_t k = i; k < dimension_; ++k)
			own[k] /= own_length;
	}
	for (std::size_t i = 0; i < count_; ++i) {
		double *axis = row(axes_, i);
		std::fill_n(axis, dimension_, 0.0);
		axis[i] = 1;
		for (std::size_t j = count_; j-- > 0;)
			reflect(j, axis);
	}
}

void PrincipalAxes::turn(std::span<double> vector) const noexcept
{
	dispatch<reflect_kernel>(
		simd_level(), static_cast<const double *>(reflections_), std::size_t{0}, count_, dimension_, vector.data());
}

} // namespace txtfp::core
