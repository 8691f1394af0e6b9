// Lock keys: two values within a threshold have at least one key in common. A writer locks the keys of its row, so two
// sessions cannot insert near-duplicates of each other at the same time. The keys follow from the pigeonhole principle:
// if two values differ in at most d places and are divided into d + 1 blocks, they agree in at least one block. If the
// blocks would be so small that most values had one in common, there are no keys, and the caller must lock the whole
// table.
//
// The functions neither allocate nor fail.
#pragma once

#include <span>

#include "core/minhash/minhash_compact.hpp"

namespace txtfp::core {

constexpr std::size_t max_lock_keys = minhash_max_slots / 2;

// The banding of sketches with `slots` slots (64, 128, 256) in which any two sketches of similarity ≥ threshold have a
// band in common, full or compact ones.
// bands = 0 if the bands would have fewer than two rows.
Banding lock_banding(double threshold, int slots) noexcept;

// Which keys the values of a kind have at a limit; none: the whole table is locked.
struct LockPlan {
	Banding banding; // of sketches
	int blocks;      // of values of 64 bits
	bool has_keys() const noexcept { return banding.bands > 0 || blocks > 0; }
};

// The number of blocks for 64-bit values within a Hamming distance; 0 if the blocks would have fewer than four bits.
int lock_blocks(int distance) noexcept;

// Write the keys in ascending order without duplicates, at most max_lock_keys, and return their number. `space`
// identifies a set of rows that are compared with each other, such as a table or a tenant. Keys of different spaces
// rarely collide.
std::size_t lock_keys(ConstSlots slots, Banding banding, std::uint64_t space, std::uint64_t *out) noexcept;
std::size_t lock_keys(ConstCompactSlots slots, Banding banding, std::uint64_t space, std::uint64_t *out) noexcept;
std::size_t lock_keys(std::uint64_t bits, int blocks, std::uint64_t space, std::uint64_t *out) noexcept;

} // namespace txtfp::core
