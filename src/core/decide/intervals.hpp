// How well a share is known from a sample: intervals for one share, and for a share that was estimated from strata.
#pragma once

#include <cstdint>
#include <span>

namespace txtfp::core {

struct Interval {
	double low, high;
};

// The exact interval for a share (C. Clopper, E. Pearson, 1934): k of n observations, n ≥ 1. It covers the true share in at least
// `confidence` of all samples.
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

// Each stratum has Jeffreys' prior; what was not sampled follows its beta-binomial distribution, so that a stratum that was read completely
// is known exactly. The distribution of the sum is simulated, always with the same random numbers.
Estimate stratified_share(std::span<const Stratum> strata, double confidence = 0.95);

} // namespace txtfp::core
