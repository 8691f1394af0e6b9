// One bit of each slot of a sketch, its mark: 16 bytes for 128 slots. Equal slots have equal marks, different ones with
// probability 1/2.
// So the number of equal marks bounds the number of equal slots, and most rows that share a band without being similar are
// told apart without their sketches: of 128 slots with 64 equal, 96 marks are equal in the mean, with a deviation of 4;
// a pair at 0.8 has 103 or more.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/minhash/minhash.hpp"

namespace txtfp::core {

constexpr std::size_t max_mark_words = minhash_max_slots / 64;
constexpr std::size_t mark_words(std::size_t slots) noexcept { return slots / 64; } // slots is a multiple of 64

// The product spreads the low bits: a minimum is random only in these.
inline void mark_slots(ConstSlots sketch, std::uint64_t *marks) noexcept
{
	for (std::size_t first = 0; first < sketch.size(); first += 64) {
		std::uint64_t word = 0;
		for (std::size_t i = 0; i < 64; ++i)
			word = word >> 1 | (sketch[first + i] * 0x9E3779B97F4A7C15 & std::uint64_t{1} << 63);
		*marks++ = word;
	}
}

// At least as many as the sketches have equal slots. The marks need no alignment.
inline unsigned matching_marks(const char *a, const char *b, std::size_t slots) noexcept
{
	unsigned different = 0;
	for (std::size_t i = 0; i < mark_words(slots); ++i) {
		std::uint64_t x, y;
		std::memcpy(&x, a + i * sizeof x, sizeof x);
		std::memcpy(&y, b + i * sizeof y, sizeof y);
		different += static_cast<unsigned>(std::popcount(x ^ y));
	}
	return static_cast<unsigned>(slots) - different;
}

} // namespace txtfp::core
