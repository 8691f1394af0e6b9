// Keys that any two values within a threshold share: what writers lock so that none of two near-duplicates gets past the
// other. By the pigeonhole principle: values that differ in at most d places, cut into d + 1 blocks, agree in a block.
// Where the blocks would be so small that most values share one, there are none: lock everything instead.
#pragma once

#include <span>

#include "core/minhash/lsh.hpp"

namespace txtfp::core {

constexpr std::size_t max_lock_keys = minhash_max_slots / 2;

// For sketches of `slots` slots (64, 128, 256): bands that two of similarity ≥ threshold surely have in common.
// bands = 0: none of two rows or more.
Banding lock_banding(double threshold, int slots) noexcept;

// For 64-bit values within a Hamming distance: number of blocks; 0: none of four bits or more.
int lock_blocks(int distance) noexcept;

// Write the keys, ascending and each once, and return how many. `space` tells apart what is compared with each other:
// equal keys of different spaces are unlikely.
std::size_t lock_keys(ConstSlots slots, Banding banding, std::uint64_t space, std::uint64_t *out) noexcept;
std::size_t lock_keys(std::uint64_t bits, int blocks, std::uint64_t space, std::uint64_t *out) noexcept;

} // namespace txtfp::core
