// Locality-sensitive hashing of the content layer. The content similarity of two LavinHash values is the Jaccard similarity
// of their sets of bits, so a MinHash sketch of the set estimates it, and the bands of core/minhash/lsh.hpp find it.
#pragma once

#include "core/lavinhash/lavinhash.hpp"
#include "core/minhash/lsh.hpp"

namespace txtfp::core {

// Slot k is the first bit of the set in the k-th order of all bits; equal in two values with a probability that is their
// content similarity. Slots of an empty set are equal to each other.
void lavinhash_slots(LavinhashBytes form, Slots slots) noexcept;

// The least content similarity with which a score can be reached; 0 or less: any.
double lavinhash_least_content(int min_score) noexcept;

} // namespace txtfp::core
