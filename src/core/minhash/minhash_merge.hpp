// What sketches say of sets beside their similarity: the sketch of a union, and sizes.
#pragma once

#include "core/minhash/minhash.hpp"

namespace txtfp::core {

// The sketch of the union of two sets, whose sketches have the same number of slots.
void unite(Slots into, ConstSlots other) noexcept;

// Estimates the number of distinct tokens. Each slot, as a fraction of 2^64, is the least of n uniform numbers, so
// −ln(1 − slot) is exponential with mean 1/n:  (H − 1) / Σ −ln(1 − slot)  (E. Cohen, 1997). No bias; standard error
// 1/√(H − 2). The slots of one token are an arithmetic progression, so that one sketch in some thousands is far off:
// a token whose step is nearly 0 may leave all slots small. Needs H ≥ 2.
double minhash_cardinality(ConstSlots slots) noexcept;

// Of two sets of these sizes with this Jaccard similarity: the size of the intersection, at most that of the smaller.
double intersection_size(double jaccard, double size_a, double size_b) noexcept;

} // namespace txtfp::core
