// Two bits of each slot of a sketch, its marks: 32 bytes for 128 slots. Equal slots have equal marks, different ones with probability 1/4.
// So the number of equal marks bounds that of equal slots, and most rows that share a band without being similar are told apart without
// their sketches: of 128 slots with 64 equal, 80 marks are equal in the mean, with a deviation of 3.5; a pair at 0.8 has 103.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/minhash/minhash.hpp"

namespace txtfp::core {

constexpr std::size_t max_mark_words = minhash_max_slots / 32;
constexpr std::size_t mark_words(std::size_t slots) noexcept
{
	return slots / 32;
} // of 64 bits; slots is a multiple of 64

// Of each 64 slots two words: one bit of each slot, and another one. The product spreads the low bits, which alone are random in a minimum.
inline void mark_slots(ConstSlots sketch, std::uint64_t *marks) noexcept
{
	for (std::size_t first = 0; first < sketch.size(); first += 64, marks += 2) {
		std::uint64_t one = 0, other = 0;
		for (std::size_t i = 0; i < 64; ++i) {
			const std::uint64_t bits = sketch[first + i] * 0x9E3779B97F4A7C15 >> 62;
			one |= (bits & 1) << i;
			other |= (bits >> 1) << i;
		}
		marks[0] = one;
		marks[1] = other;
	}
}

// At least as many as the sketches have equal slots. The marks need no alignment.
inline unsigned matching_marks(const char *a, const char *b, std::size_t slots) noexcept
{
	unsigned different = 0;
	for (std::size_t i = 0; i < slots / 64; ++i) {
		std::uint64_t x[2], y[2];
		std::memcpy(x, a + i * sizeof x, sizeof x);
		std::memcpy(y, b + i * sizeof y, sizeof y);
		different += static_cast<unsigned>(std::popcount((x[0] ^ y[0]) | (x[1] ^ y[1])));
	}
	return static_cast<unsigned>(slots) - different;
}

} // namespace txtfp::core
