// The parts of TLSH digests that indexes store: parts whose distances add up, and bands of high bits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/tlsh/tlsh.hpp"

namespace txtfp::core {

// Parts of a digest. The sum of their distances is at most the distance of the digests, so a tree that splits digests by one part
// after the other has a lower bound on every path, although TLSH has no triangle inequality. A part of the body is the
// sum of the codes of one of its halves, in steps of four: two sums cannot differ by more than the codes do. Other splits of the
// body (by codes, by smaller sums, by the distance from a fixed body) exclude hardly more; the checksum excludes nothing.
enum class TlshPart : std::int16_t { length_class, ratios, first_half, second_half };
constexpr int tlsh_part_values = 256;

int tlsh_part(TlshPart part, const Tlsh &digest) noexcept; // 0 … tlsh_part_values − 1
int tlsh_part_distance(TlshPart part, int a, int b) noexcept;

// The first part in which these digests differ; none if they are equal in all parts.
std::optional<TlshPart> tlsh_split_part(std::span<const Tlsh *const> digests) noexcept;

// True if the distance is at most `radius`. For most digests the headers alone are further apart.
inline bool tlsh_within(const Tlsh &a, const Tlsh &b, int radius) noexcept
{
	const int header = tlsh_header_distance(a, b, true);
	return header <= radius && header + tlsh_body_distance(a, b) <= radius;
}

// Bands for locality-sensitive hashing: each takes `bits` of the 128 high bits of the codes. The first disjoint() bands share no
// bit; later bands use the bits again in other combinations. A step of one between two codes changes the high bit in one
// case of three.
struct TlshBanding {
	int bands, bits;

	constexpr int disjoint() const noexcept { return bands < 128 / bits ? bands : 128 / bits; }
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
