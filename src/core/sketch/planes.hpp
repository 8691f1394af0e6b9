// Distances of many rows whose bits are stored in planes. There is one kernel for each vector unit; all compute the
// same numbers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace txtfp::core {

enum class PlaneKernel : std::uint8_t { baseline, popcnt, avx2, avx512, neon };

PlaneKernel plane_kernel() noexcept; // the best one that this CPU supports and simd_level() allows
bool has_kernel(PlaneKernel kernel) noexcept;
const char *name(PlaneKernel kernel) noexcept;

// Writes for each of n rows the number of bit positions at which it differs from the probe in any of the planes.
//
// Plane p of row i is `words` words of 64 bits at rows + p · stride + 8 · words · i; plane p of the probe is at probe +
// 8 · words · p. `stride` is in bytes, `words` is 1, 2 or 4, `planes` is 1, 2, 3 or 4. `differ` may be null. Otherwise
// it holds `words` words for each row, whose bits are set where earlier planes differ. These positions count, and those
// of the given planes are added to them. No pointer need be aligned, and nothing is read beyond the last row.
void plane_distances(PlaneKernel kernel, const std::uint8_t *rows, std::size_t stride, std::size_t words,
	std::size_t planes, std::size_t n, const std::uint8_t *probe, std::uint64_t *differ, std::uint16_t *out) noexcept;

// Adds to out[i] the distance of the 128 two-bit codes of TLSH row i from the codes of the probe. The low bits of the codes
// are at low + 16 · i, their high bits at high + 16 · i. The probe has its 16 bytes of low bits first, then its
// high bits. An out[i] that is above `limit` already may stay as it is.
void tlsh_code_distances(PlaneKernel kernel, const std::uint8_t *low, const std::uint8_t *high, std::size_t n,
	const std::uint8_t *probe, int limit, std::uint16_t *out) noexcept;

// Writes the row numbers whose bounds are at most `limit`, in ascending order, and returns how many there are.
std::size_t rows_within(
	PlaneKernel kernel, const std::uint16_t *bounds, std::size_t n, std::uint16_t limit, std::uint16_t *rows) noexcept;

} // namespace txtfp::core
