#include "core/embedding/projection.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>

#include "core/base/cpu.hpp"

namespace txtfp::core {

namespace {

// Vectors of 4 doubles; an AVX register holds one.
constexpr std::size_t width = 4;
using Sums [[gnu::vector_size(width * sizeof(double))]] = double;
using Coefficients [[gnu::vector_size(width * sizeof(float))]] = float;

// Half of the bits at a time, so that their sums stay in registers.
constexpr std::size_t bits_at_once = 32, parts = bits_at_once / width;

TXTFP_KERNEL void draw_coefficients(SplitMix64 *random, std::span<float> coefficients) noexcept
{
	for (float &c : coefficients)
		c = static_cast<float>(std::popcount((*random)()) - 32);
}

TXTFP_KERNEL void add_projection(Vector vector, const float *coefficients, double *sums) noexcept
{
	for (std::size_t bit = 0; bit < projection_bits; bit += bits_at_once) {
		Sums acc[parts];
		std::memcpy(acc, sums + bit, sizeof acc);
		const float *row = coefficients + bit;
		for (const float element : vector) {
			const double x = element;
#pragma GCC unroll 8
			for (std::size_t k = 0; k < parts; ++k) {
				Coefficients c;
				std::memcpy(&c, row + k * width, sizeof c);
				acc[k] += x * __builtin_convertvector(c, Sums);
			}
			row += projection_bits;
		}
		std::memcpy(sums + bit, acc, sizeof acc);
	}
}

} // namespace

void fill_projection(SplitMix64 &random, std::span<float> coefficients) noexcept
{
	dispatch<draw_coefficients>(simd_level(), &random, coefficients);
}

void ProjectionSums::add(Vector vector, const float *coefficients) noexcept
{
	dispatch<add_projection>(simd_level(), vector, coefficients, +sums_);
}

std::uint64_t ProjectionSums::bits() const noexcept
{
	std::uint64_t bits = 0;
	for (std::size_t bit = 0; bit < projection_bits; ++bit)
		bits |= std::uint64_t{sums_[bit] > 0} << bit;
	return bits;
}

bool project(Vector vector, std::uint64_t seed, std::span<const float> known, std::uint64_t &bits) noexcept
{
	if (std::all_of(vector.begin(), vector.end(), [](float x) { return x == 0; }))
		return false;
	ProjectionSums sums;
	if (!known.empty()) {
		sums.add(vector, known.data());
	} else {
		constexpr std::size_t block = 64;
		float coefficients[block * projection_bits];
		SplitMix64 random(seed);
		for (std::size_t at = 0; at < vector.size(); at += block) {
			const Vector part = vector.subspan(at, std::min(block, vector.size() - at));
			fill_projection(random, {coefficients, part.size() * projection_bits});
			sums.add(part, coefficients);
		}
	}
	bits = sums.bits();
	return true;
}

int projection_radius(double similarity, double recall) noexcept
{
	const double differ = std::acos(std::clamp(similarity, -1.0, 1.0)) / std::numbers::pi;
	double sum = 0;
	for (int distance = 0; distance < static_cast<int>(projection_bits); ++distance) {
		const double n = projection_bits, k = distance;
		const double ways = std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1));
		sum += ways * std::pow(differ, k) * std::pow(1 - differ, n - k);
		if (sum >= recall)
			return distance;
	}
	return projection_bits;
}

} // namespace txtfp::core
