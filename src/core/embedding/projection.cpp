#include "core/embedding/projection.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>

#include "core/base/cpu.hpp"

namespace txtfp::core {

namespace {

constexpr std::size_t lane_count = 8;
using Sums [[gnu::vector_size(lane_count * sizeof(double))]] = double;
using Coefficients [[gnu::vector_size(lane_count)]] = std::int8_t;

// A quarter of the bits at a time: their sums stay in registers.
constexpr std::size_t bits_at_once = 16;

} // namespace

void fill_projection(SplitMix64 &random, std::span<std::int8_t> coefficients) noexcept
{
	for (std::int8_t &c : coefficients)
		c = static_cast<std::int8_t>(std::popcount(random()) - 32);
}

TXTFP_CLONES static void add_projection(Vector vector, const std::int8_t *coefficients, double *sums) noexcept
{
	for (std::size_t bit = 0; bit < projection_bits; bit += bits_at_once) {
		Sums low, high;
		std::memcpy(&low, sums + bit, sizeof low);
		std::memcpy(&high, sums + bit + lane_count, sizeof high);
		const std::int8_t *row = coefficients + bit;
		for (const float element : vector) {
			Coefficients c, d;
			std::memcpy(&c, row, sizeof c);
			std::memcpy(&d, row + lane_count, sizeof d);
			const double x = element;
			low += x * __builtin_convertvector(c, Sums);
			high += x * __builtin_convertvector(d, Sums);
			row += projection_bits;
		}
		std::memcpy(sums + bit, &low, sizeof low);
		std::memcpy(sums + bit + lane_count, &high, sizeof high);
	}
}

void ProjectionSums::add(Vector vector, const std::int8_t *coefficients) noexcept
{
	add_projection(vector, coefficients, sums_);
}

std::uint64_t ProjectionSums::bits() const noexcept
{
	std::uint64_t bits = 0;
	for (std::size_t bit = 0; bit < projection_bits; ++bit)
		bits |= std::uint64_t{sums_[bit] > 0} << bit;
	return bits;
}

bool project(Vector vector, std::uint64_t seed, std::span<const std::int8_t> known, std::uint64_t &bits) noexcept
{
	if (std::all_of(vector.begin(), vector.end(), [](float x) { return x == 0; }))
		return false;
	ProjectionSums sums;
	if (!known.empty()) {
		sums.add(vector, known.data());
	} else {
		constexpr std::size_t block = 64;
		std::int8_t coefficients[block * projection_bits];
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
