// What sketches tell about sets besides similarity: the sketch of a union, and sizes.
#pragma once

#include "core/minhash/minhash.hpp"

namespace txtfp::core {

// Computes the sketch of the union of two sets. Both sketches have the same number of slots.
void unite(Slots into, ConstSlots other) noexcept;

// Estimates the number of distinct tokens. Each slot, as a fraction of 2^64, is the least of n uniform numbers, so
// −ln(1 − slot) is exponential with mean 1/n:  (H − 1) / Σ −ln(1 − slot)  (E. Cohen, 1997). No bias; standard error
// 1/√(H − 2). The slots of one token are an arithmetic progression, so one sketch in some thousands is far off:
// a token whose step is nearly 0 may make all slots small. H must be at least 2.
double minhash_cardinality(ConstSlots slots) noexcept;

// The size of the intersection of two sets of these sizes and this Jaccard similarity; at most the smaller size.
double intersection_size(double jaccard, double size_a, double size_b) noexcept;

} // namespace txtfp::core
