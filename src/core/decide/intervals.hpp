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
};
struct Estimate {
	double share, low, high;
};

// What was not sampled follows the beta-binomial distribution of each stratum, so that a stratum that was read
// completely is known exactly. The distribution of the sum is simulated, always with the same random numbers, once for
// each end of the interval. For the lower end, the prior is
// Beta(1/3, 2/3), for the upper end Beta(2/3, 1/3): halfway between Jeffreys' prior (1/2, 1/2), with which the interval
// of a sum of strata covers too little, because all of them err to the same side, and the exact interval of a single
// share (0, 1), with which it covers too much.
Estimate stratified_share(
	std::span<const Stratum> strata, double confidence = 0.95, std::size_t rounds = 20000); // of the simulation

} // namespace txtfp::core
