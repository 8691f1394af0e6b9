// What sketches tell about sets besides similarity: the sketch of a union, and set sizes.
#pragma once

#include "core/minhash/minhash.hpp"

namespace txtfp::core {

// Computes the sketch of the union of two sets. Both sketches have the same number of slots.
void unite(Slots into, ConstSlots other) noexcept;

// Estimates the number of distinct tokens. A slot divided by 2^64 is the minimum of n uniform numbers, so −ln(1 − slot)
// is exponential with mean 1/n. Estimator: (H − 1) / Σ −ln(1 − slot) (E. Cohen, 1997), unbiased, standard error 1/√(H −
// 2).
// The slots of one token are an arithmetic progression, so about one sketch in several thousand is far off: a token
// whose step is nearly 0 may make all slots small. H must be at least 2.
double minhash_cardinality(ConstSlots slots) noexcept;

// The size of the intersection of two sets of the given sizes and Jaccard similarity; at most the smaller size.
double intersection_size(double jaccard, double size_a, double size_b) noexcept;

} // namespace txtfp::core
