// SimHash of an embedding (M. Charikar, 2002): the signs of 64 random projections. Two vectors at an angle θ differ in
// each bit with probability θ/π, so cos(π · hamming / 64) estimates their cosine, as for SimHash of a text.
//
// Frozen: the coefficient of element i for bit b is popcount(r) − 32, where r is number 64·i + b of SplitMix64(seed).
// This approximates a normal distribution with integers that are the same on every machine. Bit b of the result is set
// if the sum over i of element · coefficient, in double precision and in the order of i, is greater than 0.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/splitmix.hpp"
#include "core/embedding/embedding.hpp"

namespace txtfp::core {

constexpr std::size_t projection_bits = 64;

// Writes the coefficients of the next elements, projection_bits per element. They are small integers, stored as floats
// because that avoids an integer conversion that SSE2 and AVX lack.
void fill_projection(SplitMix64 &random, std::span<float> coefficients) noexcept;

// Accumulates elements times coefficients.
class ProjectionSums {
public:
	void add(Vector vector, const float *coefficients) noexcept;
	std::uint64_t bits() const noexcept;

private:
	double sums_[projection_bits] = {};
};

// Returns false if all elements are zero: such a vector has no direction. `known` may have the coefficients of the
// first elements for this seed; the others are generated.
bool project(Vector vector, std::uint64_t seed, std::span<const float> known, std::uint64_t &bits) noexcept;

// The smallest distance that contains the bits of two vectors of cosine `similarity` with probability `recall`. Both
// are from 0 to 1; recall < 1.
int projection_radius(double similarity, double recall) noexcept;

} // namespace txtfp::core
