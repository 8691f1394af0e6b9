#include "core/tlsh_windows.hpp"

#include <algorithm>

#include "core/tlsh_tables.hpp"

namespace txtfp::core {

namespace {

constexpr unsigned permuted(unsigned byte) noexcept { return tlsh_permutation[byte]; }

// Pearson's hash of three bytes after a salt, which is given permuted.
unsigned hash(unsigned salt, unsigned a, unsigned b, unsigned c) noexcept
{
	return permuted(permuted(permuted(salt ^ a) ^ b) ^ c);
}

} // namespace

void tlsh_count_windows(
	const std::uint8_t *bytes, std::size_t size, TlshBuckets &buckets, std::uint8_t &checksum) noexcept
{
	std::uint32_t counters[256] = {};
	unsigned state = checksum;
	for (std::size_t i = 4; i < size; ++i) {
		const unsigned a = bytes[i], b = bytes[i - 1], c = bytes[i - 2], d = bytes[i - 3], e = bytes[i - 4];
		state = hash(1, a, b, state);
		++counters[hash(49, a, b, c)];
		++counters[hash(12, a, b, d)];
		++counters[hash(178, a, c, d)];
		++counters[hash(166, a, c, e)];
		++counters[hash(84, a, b, e)];
		++counters[hash(230, a, d, e)];
	}
	for (std::size_t k = 0; k < tlsh_bucket_count; ++k)
		buckets[k] += counters[k];
	checksum = static_cast<std::uint8_t>(state);
}

} // namespace txtfp::core
