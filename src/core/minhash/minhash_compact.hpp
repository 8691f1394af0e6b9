// The compact form of a MinHash sketch: of each 64-bit slot the 8 bits that remain after mixing (b-bit minwise hashing,
// P. Li and
// A. König, 2010, with b = 8). Equal slots have equal bytes; different slots have equal bytes with probability 1/256,
// so the share of equal bytes is 1/256 + J · 255/256 on average, and the estimate of J is corrected for it. The minima
// themselves are lost.
//
// Wire form, 8 + H bytes. It is frozen: stored values depend on it, as on compact_slot().
//   0  u16 little-endian  schema = 1
//   2  u8                 bits of a slot = 8
//   3  5 zero bytes
//   8  H bytes, slot by slot
// Text form: <configuration, 16 hex digits>:<wire form in hex>, as for the full sketch.
#pragma once

#include "core/minhash/lsh.hpp"
#include "core/minhash/minhash.hpp"

namespace txtfp::core {

using CompactSlots = std::span<std::uint8_t>;
using ConstCompactSlots = std::span<const std::uint8_t>;

// The 16 bits that stand for a slot in a `sketch` index. Minima of many tokens have small high bits, so the low half is
// mixed in and the result is taken from the top of a product, which depends on every bit.
constexpr std::uint16_t minhash_mixed_slot(std::uint64_t slot) noexcept
{
	slot ^= slot >> 32;
	return static_cast<std::uint16_t>(slot * 0x9E3779B97F4A7C15 >> 48);
}

// The 8 bits that stand for a slot in the compact form: the upper half of the 16.
constexpr std::uint8_t compact_slot(std::uint64_t slot) noexcept
{
	return static_cast<std::uint8_t>(minhash_mixed_slot(slot) >> 8);
}

// Folds each slot. `out` has as many bytes as the sketch has slots, at most minhash_max_slots.
void compact(ConstSlots slots, std::uint8_t *out) noexcept;

// The number of equal bytes; both spans have the same size, at most minhash_max_slots. The second is the plain
// reference.
unsigned matching_slots(ConstCompactSlots a, ConstCompactSlots b) noexcept;
unsigned matching_slots_plain(ConstCompactSlots a, ConstCompactSlots b) noexcept;

// Band keys are made as for full sketches (core/minhash/lsh.hpp): the XXH3-64 of the band's bytes, seeded with the band
// number. Bands of sketches that have no token in common agree with probability 256^-rows, others a little oftener than
// the full sketches'.
std::uint64_t band_key(ConstCompactSlots slots, int rows, int band) noexcept;
void band_keys(ConstCompactSlots slots, Banding banding, std::uint64_t *out) noexcept;
int first_common_band(ConstCompactSlots a, ConstCompactSlots b, Banding banding) noexcept;

// What `equal` of `slots` equal slots tell of the Jaccard similarity: of full sketches (std::uint64_t) their share, of
// compact ones (std::uint8_t) what is left of it without the chance equalities, at least 0. Grows with `equal`; 1 if
// all are equal.
template <class Slot> double estimated_jaccard(unsigned equal, std::size_t slots) noexcept
{
	if constexpr (sizeof(Slot) == 8)
		return static_cast<double>(equal) / static_cast<double>(slots);
	const double beyond_chance = 256.0 * equal - static_cast<double>(slots); // in units of 1/256 slot, exact
	return beyond_chance <= 0 ? 0 : beyond_chance / (255.0 * static_cast<double>(slots));
}

// The smallest number of equal slots whose estimate is at least the threshold; slots + 1 if there is none, because the
// threshold is above 1.
template <class Slot> unsigned least_matches_of(double threshold, std::size_t slots) noexcept
{
	unsigned matches = 0;
	while (matches <= slots && estimated_jaccard<Slot>(matches, slots) < threshold)
		++matches;
	return matches;
}

constexpr std::size_t compact_wire_size(std::size_t slots) noexcept { return 8 + slots; }
constexpr std::size_t compact_text_size(std::size_t slots) noexcept { return 17 + 2 * compact_wire_size(slots); }

void write_wire(ConstCompactSlots slots, std::uint8_t *out) noexcept;
MinhashParse read_wire(std::span<const std::uint8_t> in, CompactSlots slots) noexcept;
void write_text(
	std::uint64_t config, ConstCompactSlots slots, char *out) noexcept; // compact_text_size bytes, no terminator
MinhashParse read_text(std::string_view in, std::uint64_t &config, CompactSlots slots) noexcept;

} // namespace txtfp::core
