// Locality-sensitive hashing of the content layer. The content similarity of two LavinHash values is the Jaccard
// similarity of their sets of bits. A MinHash sketch of the set estimates it, and the bands of core/minhash/lsh.hpp
// index it.
#pragma once

#include "core/lavinhash/lavinhash.hpp"
#include "core/minhash/lsh.hpp"

namespace txtfp::core {

// Slot k is the first bit of the set in the k-th order of all bits. The probability that two values have equal slots is
// their content similarity. All slots of an empty set have the same value, one that no other set has.
void lavinhash_slots(LavinhashBytes form, Slots slots) noexcept;

// The least content similarity with which a pair can reach the score; 0 or less if any content similarity can.
double lavinhash_least_content(int min_score) noexcept;

} // namespace txtfp::core
