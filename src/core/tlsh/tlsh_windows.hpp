// The windows of TLSH: every five consecutive bytes add to up to six of 128 buckets and update the checksum.
#pragma once

#include <cstddef>
#include <cstdint>

namespace txtfp::core {

constexpr std::size_t tlsh_bucket_count = 128;
constexpr std::size_t tlsh_overlap = 4; // bytes of a window before its last one
using TlshBuckets = std::uint32_t[tlsh_bucket_count];

enum class TlshKernel { plain, vbmi2, neon };

bool has_kernel(TlshKernel kernel) noexcept;
TlshKernel tlsh_kernel() noexcept; // the fastest that this CPU has and simd_level() allows

// Counts the windows that lie within `size` bytes.
void tlsh_count_windows(TlshKernel kernel, const std::uint8_t *bytes, std::size_t size, TlshBuckets &buckets,
	std::uint8_t &checksum) noexcept;

} // namespace txtfp::core
