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

// The key of a band is the XXH3-64 of its slots as little-endian bytes, seeded with the band number, so that keys of different
// bands differ. Band 0 has the crate's key.
std::uint64_t band_key(ConstSlots slots, int rows, int band) noexcept;
void band_keys(ConstSlots slots, Banding banding, std::uint64_t *out) noexcept; // banding.bands keys

// The crate's keys: seed 0 for every band, so that equal slots in different bands have equal keys.
void crate_band_keys(ConstSlots slots, Banding banding, std::uint64_t *out) noexcept;

// The first band, counted from 0, whose slots are equal in both; −1: none.
int first_common_band(ConstSlots a, ConstSlots b, Banding banding) noexcept;

// 1 − (1 − s^r)^b: the probability that two sketches of similarity s share a band.
double match_probability(double similarity, Banding banding) noexcept;

// P(Binomial(bands, s^rows) ≥ m): that they share at least m.
double match_probability(double similarity, Banding banding, int m) noexcept;

// The share of the pairs at or above `threshold` that share a band, if similarities are spread as in real text: the
// number of pairs falls as s^-3.
double recall_above(double threshold, Banding banding) noexcept;

// The number of shared bands that a search may demand: the largest m that pairs at `threshold` itself reach with probability
// ≥ recall. If even m = 1 falls short, 1 if recall_above reaches the recall, else 0: the index cannot serve the search.
int min_matching_bands(double threshold, Banding banding, double recall) noexcept;

// The crate's rule: among b·r = slots, the one that minimises the area of false positives plus false negatives,
// in single precision. `threshold` in (0, 1), slots > 0.
Banding banding_for_threshold(float threshold, int slots) noexcept;

// The cheapest banding with b·r ≤ slots that finds pairs at `threshold` with probability ≥ recall.
// threshold in (0, 1], recall in (0, 1). bands = 0 if there is none.
Banding banding_for_recall(double threshold, double recall, int slots) noexcept;

} // namespace txtfp::core
