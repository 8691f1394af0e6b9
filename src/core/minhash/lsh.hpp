// Locality-sensitive hashing of MinHash sketches by bands (Indyk & Motwani 1998; Leskovec, Rajaraman, Ullman,
// Mining of Massive Datasets, ch. 3): b bands of r slots; two sketches of Jaccard similarity s share
// a given band with probability s^r.
#pragma once

#include <cstdint>

#include "core/minhash/minhash.hpp"

namespace txtfp::core {

struct Banding {
	int bands, rows;
	bool operator==(const Banding &) const = default;
};

// The key of a band is the XXH3-64 of its slots as little-endian bytes, seeded with the band number, so that different
// bands have different keys. The key of band 0 is the crate's.
std::uint64_t band_key(ConstSlots slots, int rows, int band) noexcept;
void band_keys(ConstSlots slots, Banding banding, std::uint64_t *out) noexcept; // banding.bands keys

// The crate's keys: seed 0 for every band, so that equal slots in different bands have equal keys.
void crate_band_keys(ConstSlots slots, Banding banding, std::uint64_t *out) noexcept;

// The first band, counted from 0, whose slots are all equal in a and b; −1 if there is none.
int first_common_band(ConstSlots a, ConstSlots b, Banding banding) noexcept;

// 1 − (1 − s^r)^b: the probability that two sketches of similarity s share a band.
double match_probability(double similarity, Banding banding) noexcept;

// P(Binomial(bands, s^rows) ≥ m): the probability that they share at least m bands.
double match_probability(double similarity, Banding banding, int m) noexcept;

// The share of the pairs of similarity ≥ threshold that share a band. It assumes the distribution seen in real text,
// where the number of pairs falls as s^-3.
double recall_above(double threshold, Banding banding) noexcept;

// The number of shared bands that a search may require: the largest m that pairs at `threshold` reach with probability
// ≥ recall. If m = 1 falls short, returns 1 if recall_above reaches the recall, else 0: the index cannot serve the
// search.
int min_matching_bands(double threshold, Banding banding, double recall) noexcept;

// The crate's rule: of the bandings with bands · rows = slots, the one with the smallest area of false positives plus
// false negatives, in single precision. `threshold` in (0, 1), slots > 0.
Banding banding_for_threshold(float threshold, int slots) noexcept;

// The cheapest banding with bands · rows ≤ slots that finds pairs at `threshold` with probability ≥ recall; bands = 0
// if there is none. threshold in (0, 1], recall in (0, 1).
Banding banding_for_recall(double threshold, double recall, int slots) noexcept;

} // namespace txtfp::core
