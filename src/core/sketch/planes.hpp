// Distances of many rows whose bits lie in planes. One kernel for each vector unit; all give the same numbers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace txtfp::core {

enum class PlaneKernel : std::uint8_t { baseline, popcnt, avx2, avx512, neon };

PlaneKernel plane_kernel() noexcept; // the best that this CPU has and simd_level() allows
bool has_kernel(PlaneKernel kernel) noexcept;
const char *name(PlaneKernel kernel) noexcept;

// For each row, the number of bits that differ from the probe's in any of the planes. Plane p of row i: `words` words of 64 bits
// at rows + p · stride + 8 · words · i; of the probe: at probe + 8 · words · p. `words` is 1, 2 or 4, `planes` 1, 2, 3 or 4.
// `differ` may be null. Otherwise it has `words` words for each row, the bits that differ in earlier planes: they count, and those
// of these planes are added. Nothing need be aligned; nothing is read behind the last row.
void plane_distances(PlaneKernel kernel, const std::uint8_t *rows, std::size_t stride, std::size_t words,
	std::size_t planes, std::size_t n, const std::uint8_t *probe, std::uint64_t *differ, std::uint16_t *out) noexcept;

// The distances of TLSH's codes: row i has 128 of them, their low bits at low + 16 · i, their high bits at high + 16 · i; the probe its
// low bits, then its high bits. Added to out[i]; where that is over `limit` already, perhaps not.
void tlsh_code_distances(PlaneKernel kernel, const std::uint8_t *low, const std::uint8_t *high, std::size_t n,
	const std::uint8_t *probe, int limit, std::uint16_t *out) noexcept;

// The rows of n bounds that are at most `most`, in order; returns their number.
std::size_t rows_within(
	PlaneKernel kernel, const std::uint16_t *bounds, std::size_t n, std::uint16_t most, std::uint16_t *rows) noexcept;

} // namespace txtfp::core
