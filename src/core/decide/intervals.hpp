// How well a share is known from a sample: intervals for one share, and for a share that was estimated from strata.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace txtfp::core {

struct Interval {
	double low, high;
};

// The exact interval for a share (C. Clopper, E. Pearson, 1934): k of n observations, n ≥ 1. It covers the true share
// in at least `confidence` of all samples.
Interval binomial_interval(std::uint64_t k, std::uint64_t n, double confidence = 0.95);

// The share of right rows in a population whose strata were sampled separately.
struct Stratum {
	std::uint64_t rows;   // in the population
	std::uint64_t labels; // in the sample, 1 … rows
	std::uint64_t right;  // of these
	double independent;   // labels of different groups that would tell as much: 1 … labels
};
struct Estimate {
	double share, low, high;
};

// As many labels of different groups as tell as much as these groups of labels do, if all labels of a group had to be
// alike (L. Kish, 1965): the square of the sum of the sizes by the sum of their squares. 0 for no group.
double independent_labels(std::span<const std::uint64_t> group_sizes) noexcept;

// What was not sampled follows the beta-binomial distribution of each stratum, so that a stratum that was read
// completely is known exactly. The distribution of the sum is simulated, always with the same random numbers, once for
// each end of the interval. For the lower end, the prior is Beta(1/30, 2/3), for the upper end Beta(2/3, 1/30): halfway
// to the exact interval on the side that the end must not miss, and next to nothing on the other, because what is added
// there to each stratum adds up, and then is more than the wrong removals where these are few.
Estimate stratified_share(
	std::span<const Stratum> strata, double confidence = 0.95, std::size_t rounds = 20000); // of the simulation

} // namespace txtfp::core
