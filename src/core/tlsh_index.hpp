// What the indexes see of TLSH digests: parts, whose distances add up, and bands of high bits.
#pragma once

#include <array>

#include "core/tlsh.hpp"

namespace txtfp::core {

// The distance of two digests is the sum of the distances of their parts. So a tree that splits digests by one part after
// the other knows a lower bound on every path, which is exact at the end, though TLSH has no triangle inequality.
// Part 0 is the length class, 1 both quartile ratios, 2 … 65 two neighbouring codes of the body each, 66 the checksum.
constexpr int tlsh_first_body_part = 2, tlsh_checksum_part = 66;

int tlsh_part(const Tlsh &digest, int part) noexcept; // 0 … 255, of the body 0 … 15
int tlsh_part_distance(int part, int a, int b) noexcept;

// The part to split these digests by: the first of the header's that differs among them, else that of the body with the
// greatest mean distance, else the checksum; −1 if all are equal.
int tlsh_split_part(std::span<const Tlsh *const> digests) noexcept;

// Is the distance at most `radius`? Most digests are further away by their headers alone.
inline bool tlsh_within(const Tlsh &a, const Tlsh &b, int radius) noexcept
{
	const int header = tlsh_header_distance(a, b, true);
	return header <= radius && header + tlsh_body_distance(a, b) <= radius;
}

// Bands for locality-sensitive hashing: band i is `bits` of the 128 high bits of the codes, from bit i · bits on, around
// the end. A step of one between two codes changes the high bit in one case of three.
struct TlshBanding {
	int bands, bits;

	bool operator==(const TlshBanding &) const = default;
};
constexpr int tlsh_max_bands = 32, tlsh_max_band_bits = 32;

void tlsh_band_keys(const Tlsh &digest, TlshBanding banding, std::int64_t *keys) noexcept; // one for each band

// The keys to look up for all digests that have a band with at most `flips` (0 or 1) bits different.
constexpr std::size_t tlsh_probe_key_count(TlshBanding banding, int flips) noexcept
{
	return static_cast<std::size_t>(banding.bands) * (flips == 0 ? 1 : 1 + static_cast<std::size_t>(banding.bits));
}
void tlsh_probe_keys(const Tlsh &digest, TlshBanding banding, int flips, std::int64_t *keys) noexcept;

} // namespace txtfp::core
