// Estimates from a sample how many near-duplicates a row has. The query planner uses it.
#pragma once

#include <array>
#include <span>

#include "core/minhash/lsh.hpp"

namespace txtfp::core {

// Thresholds 0.50, 0.55, … 1.00.
constexpr std::size_t profile_points = 11;
constexpr double profile_threshold(std::size_t i) noexcept { return 0.5 + 0.05 * static_cast<double>(i); }

// profile[i] is the fraction of all pairs of sampled sketches whose similarity is at least profile_threshold(i). Pairs
// are found through 16 bands of 4 slots; each is weighted by 1 / (the probability of finding it). Buckets of more than
// 17 sketches are sampled. Deterministic, O(n log n). Each element of `sketches` points to `slots` slots, of full or of
// compact sketches.
using SimilarityProfile = std::array<double, profile_points>;
SimilarityProfile similarity_profile(
	std::span<const std::uint64_t *const> sketches, std::size_t slots, StopToken stop = {});
SimilarityProfile similarity_profile(
	std::span<const std::uint8_t *const> sketches, std::size_t slots, StopToken stop = {});

// The fraction at any threshold: interpolated between the points, growing as s^-3 below 0.5, and 1 at 0.
double fraction_at(const SimilarityProfile &profile, double threshold) noexcept;

// The fraction of all pairs that share at least m bands and have a similarity of at least 0.5: of the rows that a
// search by these bands visits, those that are no accident. It is large where the rows share boilerplate.
double candidate_fraction(const SimilarityProfile &profile, Banding banding, int m) noexcept;

} // namespace txtfp::core
