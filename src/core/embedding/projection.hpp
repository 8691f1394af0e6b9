// SimHash of an embedding (M. Charikar, 2002): the signs of 64 random projections. Two vectors at an angle θ differ in
// each bit with probability θ/π, so that cos(π · hamming / 64) estimates their cosine, as it does for SimHash of a text.
//
// Frozen: the coefficient of element i for bit b is popcount(r) − 32, r being number 64·i + b of SplitMix64(seed): the
// normal distribution near enough, in integers that are the same on every machine. Bit b of the result is set if
// the sum over i of element · coefficient, in double precision and in the order of i, is greater than 0.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/splitmix.hpp"
#include "core/embedding/embedding.hpp"

namespace txtfp::core {

constexpr std::size_t projection_bits = 64;

// The coefficients of the next elements, projection_bits for each. They are small integers; as floats they need no
// conversion that SSE2 and AVX lack.
void fill_projection(SplitMix64 &random, std::span<float> coefficients) noexcept;

// Adds up elements and their coefficients.
class ProjectionSums {
public:
	void add(Vector vector, const float *coefficients) noexcept;
	std::uint64_t bits() const noexcept;

private:
	double sums_[projection_bits] = {};
};

// False: all elements are zero, which have no direction. `known`: coefficients of that seed from the first element on, of as
// many elements as there are; others are made.
bool project(Vector vector, std::uint64_t seed, std::span<const float> known, std::uint64_t &bits) noexcept;

// The least distance within which the bits of two vectors of cosine `similarity` lie with probability `recall` (0 to 1
// each, recall < 1).
int projection_radius(double similarity, double recall) noexcept;

} // namespace txtfp::core
