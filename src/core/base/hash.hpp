// The two 128-bit hash families of txtfp, and XXH3-64 for band keys and configuration hashes.
// XXH3: xxHash 0.8 (default secret, 64-bit seed). MurmurHash3 x64-128: A. Appleby, with the full 64-bit seed in both
// lanes, as the crate txtfp uses it. Input: the bytes of a token, no terminator. All functions are total.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/bytes.hpp"

namespace txtfp::core {

struct Hash128 {
	std::uint64_t lo, hi;
};

enum class HashFamily : std::uint8_t { xxh3, murmur3 };

constexpr std::uint64_t default_seed = 0x000000C0FFEE5EED;

std::string_view name(HashFamily family) noexcept; // "xxh3-64" or "mmh3-x64-128"
bool parse_hash_family(std::string_view text, HashFamily &family) noexcept;

Hash128 xxh3_128(const void *data, std::size_t size, std::uint64_t seed) noexcept;
Hash128 murmur3_128(const void *data, std::size_t size, std::uint64_t seed) noexcept;
std::uint64_t xxh3_64(const void *data, std::size_t size, std::uint64_t seed) noexcept;

inline Hash128 hash128(HashFamily family, std::string_view bytes, std::uint64_t seed) noexcept
{
	return family == HashFamily::xxh3 ? xxh3_128(bytes.data(), bytes.size(), seed)
									  : murmur3_128(bytes.data(), bytes.size(), seed);
}

// The same for many tokens at once. `hi` may be null: computing only the low half costs less.
void hash128(HashFamily family, std::span<const std::string_view> tokens, std::uint64_t seed, std::uint64_t *lo,
	std::uint64_t *hi) noexcept;

} // namespace txtfp::core
