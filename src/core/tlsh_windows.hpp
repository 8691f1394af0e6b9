// The windows of TLSH: every five bytes in a row add one to six of 256 counters, of which half are kept.
#pragma once

#include <cstddef>
#include <cstdint>

namespace txtfp::core {

constexpr std::size_t tlsh_bucket_count = 128;
using TlshBuckets = std::uint32_t[tlsh_bucket_count];

// Counts the windows of `size` bytes and carries the checksum on.
void tlsh_count_windows(
	const std::uint8_t *bytes, std::size_t size, TlshBuckets &buckets, std::uint8_t &checksum) noexcept;

} // namespace txtfp::core
