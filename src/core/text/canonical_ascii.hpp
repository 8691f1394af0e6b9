// Lower-casing of ASCII text: the canonicalizer's fastest path.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/base/bytes.hpp"
#include "core/base/cpu.hpp"

namespace txtfp::core {

constexpr std::size_t ascii_block = 64;

// Copies [from, from + n) in lower case, block by block, until a block contains a non-ASCII byte; n ≥ ascii_block.
// Returns the number of bytes copied. The bytes that it writes behind those, up to n, have no meaning.
std::size_t lower_ascii_blocks(SimdLevel level, const char *from, std::size_t n, char *to) noexcept;

// Lower-cases eight ASCII bytes at once: sets bit 5 of every byte in 'A' … 'Z'.
constexpr std::uint64_t to_lower8(std::uint64_t v) noexcept
{
	constexpr std::uint64_t ones = 0x0101010101010101;
	const std::uint64_t from_a = v + ones * (0x80 - 'A'), after_z = v + ones * (0x7F - 'Z');
	return v | ((from_a & ~after_z & ones << 7) >> 2);
}

// Copies the ASCII prefix of [from, from + n) in lower case and returns its size. The bytes that it writes behind that,
// up to n, have no meaning.
inline std::size_t lower_ascii(const char *from, std::size_t n, char *to) noexcept
{
	constexpr std::uint64_t high_bits = 0x8080808080808080;
	constexpr std::size_t blocks_at = 16; // bytes; in text of other scripts most ASCII runs are shorter
	std::size_t i = 0;
	for (; n - i >= 8; i += 8) {
		if (i == blocks_at && n - i >= ascii_block) {
			i += lower_ascii_blocks(simd_level(), from + i, n - i, to + i);
			if (n - i < 8)
				break;
		}
		const std::uint64_t v = load_le64(from + i);
		store_le64(to + i, to_lower8(v));
		if (const std::uint64_t high = v & high_bits; high != 0)
			return i + static_cast<std::size_t>(std::countr_zero(high)) / 8;
	}
	for (; i < n && static_cast<signed char>(from[i]) >= 0; ++i)
		to[i] = from[i] >= 'A' && from[i] <= 'Z' ? static_cast<char>(from[i] | 0x20) : from[i];
	return i;
}

} // namespace txtfp::core
