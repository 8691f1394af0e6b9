// Distances of many rows whose bits lie in planes: for each row, the number of bits that differ from the probe's in any of the
// planes. One kernel for each vector unit; all give the same numbers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace txtfp::core {

enum class PlaneKernel : std::uint8_t { baseline, popcnt, avx2, avx512 };

PlaneKernel plane_kernel() noexcept; // the best that this CPU has
bool has_kernel(PlaneKernel kernel) noexcept;
const char *name(PlaneKernel kernel) noexcept;

// Plane p of row i: `words` words of 64 bits at rows + p · stride + 8 · words · i; of the probe: at probe + 8 · words · p. `words`
// and `planes` are 1, 2 or 4. Nothing need be aligned; nothing is read behind the last row.
void plane_distances(PlaneKernel kernel, const std::uint8_t *rows, std::size_t stride, std::size_t words,
	std::size_t planes, std::size_t n, const std::uint8_t *probe, std::uint16_t *out) noexcept;

} // namespace txtfp::core
