// SipHash (J.-P. Aumasson, D. J. Bernstein, 2012): SipHash-2-4, whose values tell nothing of the key or of other
// values; the faster SipHash-1-3; and the hash that CPython ≥ 3.11 derives from it: with
// PYTHONHASHSEED=0, hash(bytes) of any process is python_hash(bytes).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/base/bytes.hpp"

namespace txtfp::core {

template <int rounds_of_word, int rounds_at_end> class SipHash {
public:
	constexpr SipHash() noexcept = default; // with the all-zero key
	constexpr SipHash(std::uint64_t key0, std::uint64_t key1) noexcept
	{
		v0_ ^= key0;
		v1_ ^= key1;
		v2_ ^= key0;
		v3_ ^= key1;
	}

	constexpr void add(std::uint64_t word) noexcept
	{
		v3_ ^= word;
		rounds(rounds_of_word);
		v0_ ^= word;
	}

	constexpr std::uint64_t finish() noexcept
	{
		v2_ ^= 0xFF;
		rounds(rounds_at_end);
		return v0_ ^ v1_ ^ v2_ ^ v3_;
	}

private:
	constexpr void rounds(int n) noexcept
	{
		for (int i = 0; i < n; ++i)
			round();
	}

	constexpr void round() noexcept
	{
		v0_ += v1_;
		v1_ = std::rotl(v1_, 13) ^ v0_;
		v0_ = std::rotl(v0_, 32);
		v2_ += v3_;
		v3_ = std::rotl(v3_, 16) ^ v2_;
		v0_ += v3_;
		v3_ = std::rotl(v3_, 21) ^ v0_;
		v2_ += v1_;
		v1_ = std::rotl(v1_, 17) ^ v2_;
		v2_ = std::rotl(v2_, 32);
	}

	std::uint64_t v0_ = 0x736F6D6570736575, v1_ = 0x646F72616E646F6D, // "somepseudorandomlygeneratedbytes"
		v2_ = 0x6C7967656E657261, v3_ = 0x7465646279746573;
};

using SipHash13 = SipHash<1, 3>;
using SipHash24 = SipHash<2, 4>;

// CPython never returns −1, which is its mark of an error.
constexpr std::uint64_t python_adjusted(std::uint64_t hash) noexcept { return hash - (hash == ~std::uint64_t{0}); }

// The hash of 1 to 7 bytes, given little-endian in `bytes`.
constexpr std::uint64_t python_hash_short(std::uint64_t bytes, std::size_t size) noexcept
{
	SipHash13 hash;
	hash.add(bytes | std::uint64_t{size} << 56);
	return python_adjusted(hash.finish());
}

template <int c, int d> std::uint64_t siphash(SipHash<c, d> hash, const std::uint8_t *bytes, std::size_t size) noexcept
{
	std::size_t i = 0;
	for (; i + 8 <= size; i += 8)
		hash.add(load_le64(bytes + i));
	std::uint64_t last = std::uint64_t{size} << 56;
	for (unsigned shift = 0; i < size; ++i, shift += 8)
		last |= std::uint64_t{bytes[i]} << shift;
	hash.add(last);
	return hash.finish();
}

inline std::uint64_t python_hash(const std::uint8_t *bytes, std::size_t size) noexcept
{
	return size == 0 ? 0 : python_adjusted(siphash(SipHash13(), bytes, size));
}

} // namespace txtfp::core
