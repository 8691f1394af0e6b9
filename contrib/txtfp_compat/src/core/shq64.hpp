// QuadB64 ("q64") text, the codes Shq64 made of it, and the SimHash of overlapping byte strings that they were meant
// for.
//
// q64: 4 bits per character, high nibble of a byte first; four disjoint alphabets take turns, so that a character says
// its position modulo 4. No padding. It is case-sensitive, and its order is not the order of the bytes.
// Shq64: q64 of the 8 big-endian bytes of a SimHash, 16 characters; character i has the bits 63 − 4i … 60 − 4i.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/error.hpp"

namespace txtfp::core {

enum class Q64Error : std::uint8_t {
	none,
	length,    // odd, or of no form
	character, // one of no alphabet
	phase,     // one of another alphabet than that of its position
	no_dot,    // a form has a dot here
};

struct Q64Status {
	Q64Error error = Q64Error::none;
	std::size_t position = 0;  // of the first wrong character, from 0; dots count
	std::string_view expected; // the characters that may stand there
};

std::string_view q64_alphabet(std::size_t position) noexcept;

void q64_encode(std::span<const std::uint8_t> bytes, char *out) noexcept; // 2 characters per byte, no terminator

// Strict. A wrong character is reported rather than an odd length. Writes size / 2 bytes, which are garbage after an
// error.
Q64Status q64_decode(std::string_view text, std::uint8_t *out) noexcept;

// eq64, as uubed's Python writes it: q64 with a dot after every 8 characters, none at the end.
constexpr std::size_t eq64_size(std::size_t bytes) noexcept { return bytes == 0 ? 0 : 2 * bytes + (2 * bytes - 1) / 8; }
void eq64_encode(std::span<const std::uint8_t> bytes, char *out) noexcept; // eq64_size characters, no terminator

// As q64_decode, but ignores dots everywhere. Sets `size` to the number of bytes written, at most text.size() / 2.
Q64Status eq64_decode(std::string_view text, std::uint8_t *out, std::size_t &size) noexcept;

constexpr std::size_t shq64_plain_size = 16, shq64_dotted_size = 19;

// Writes 16 characters, or 19 with dots at 4, 9 and 14; no terminator. Returns how many.
std::size_t shq64_encode(std::uint64_t bits, bool dotted, char *out) noexcept;

// Accepts both forms of shq64_encode, and 17 characters with a dot at 8 as uubed's eq64 writes them. `bits` is garbage
// after an error.
Q64Status shq64_decode(std::string_view text, std::uint64_t &bits) noexcept;

struct Shq64Range {
	std::uint64_t low, high; // both included; their top bits are equal, so that signed and unsigned order agree
};

// The values whose code begins with `prefix`: 1 to 16 characters, with the dots of one of the three forms as far as it
// reaches.
Q64Status shq64_prefix_range(std::string_view prefix, Shq64Range &range) noexcept;

// The number of their 16 characters in which two codes differ.
constexpr int shq64_differing_characters(std::uint64_t a, std::uint64_t b) noexcept
{
	std::uint64_t x = a ^ b;
	x |= x >> 2;
	x |= x >> 1;
	return __builtin_popcountll(x & 0x1111111111111111);
}

// Masks of 1 to `distance` bits (at most 64), fewest bits first, ascending among those of as many bits: what a code is
// exclusive-ored with to get its variants.
class NearbyMasks {
public:
	explicit constexpr NearbyMasks(int distance) noexcept : distance_(distance) {}

	constexpr bool next(std::uint64_t &mask) noexcept
	{
		if (bits_ == 0 || mask_ == ~std::uint64_t{0} << (64 - bits_)) { // the greatest of as many bits
			if (bits_ == distance_)
				return false;
			++bits_;
			mask_ = ~std::uint64_t{0} >> (64 - bits_);
		} else { // the next greater number of as many bits (R. W. Gosper, HAKMEM 175, 1972)
			const std::uint64_t lowest = mask_ & (~mask_ + 1), carried = mask_ + lowest;
			mask_ = carried | (mask_ ^ carried) >> 2 >> __builtin_ctzll(lowest);
		}
		mask = mask_;
		return true;
	}

private:
	int distance_, bits_ = 0;
	std::uint64_t mask_ = 0;
};

// SimHash of all `size` byte substrings, each as often as it occurs, by python_hash. Returns false, and 0 in `bits`,
// if the input is shorter than one. `size` ≥ 1.
bool shingle_simhash(std::span<const std::uint8_t> bytes, std::size_t size, std::uint64_t &bits, StopToken stop = {});

} // namespace txtfp::core
