// SimHash of 64 bits (M. Charikar, 2002), byte-compatible with the crate txtfp 0.2.2.
//   acc[b] = Σ over tokens of ±weight, + where bit b of the token's lo hash is set; bit b of the result = acc[b] > 0
// Wire form: 8 bytes, little-endian.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>

#include "core/canonical.hpp"
#include "core/hash.hpp"
#include "core/tokens.hpp"

namespace txtfp::core {

// tf: every occurrence weighs 1. uniform: every distinct token weighs 1. idf: every distinct token weighs
// trunc(tf · idf), see idf_weight.
enum class Weighting : std::uint8_t { tf, uniform, idf };
bool parse_weighting(std::string_view text, Weighting &weighting) noexcept;

// Canonical token → weight; a token that is absent weighs 1.
using IdfTable = std::unordered_map<std::string, float>;

struct SimhashOptions {
	CanonicalOptions canonical;
	TokenizerSpec tokenizer;
	HashFamily family = HashFamily::xxh3;
	std::uint64_t seed = default_seed;
	Weighting weighting = Weighting::tf;
	const IdfTable *idf = nullptr; // for Weighting::idf
};

// Counts, for each of the 64 bit positions, in how many words the bit is set. Positional population count by carry-save
// adders (R. Harley's tree, as in W. Muła, N. Kurz, D. Lemire, 2018): plane i holds bit i of all 64 counters, and 16 words at a time go
// through the lowest four.
class BitCounter {
public:
	void add(std::uint64_t word) noexcept
	{
		block_[pending_] = word;
		if (++pending_ == block_size) {
			add_block(block_);
			pending_ = 0;
		}
	}
	void add(std::span<const std::uint64_t> words) noexcept;
	std::uint64_t majority() noexcept; // the bits that are set in more than half of the words

private:
	static constexpr unsigned block_size = 16, plane_count = 48; // more words than 2^48 no machine will see
	void add_block(const std::uint64_t *words) noexcept;

	std::uint64_t block_[block_size];
	unsigned pending_ = 0;
	std::uint64_t total_ = 0; // of words in planes_
	std::uint64_t planes_[plane_count] = {};
};

// The weighted sums: integers saturate at the limits of 64 bits, as the crate's do.
template <class Number> class WeightedSums {
public:
	void add(std::uint64_t word, Number weight) noexcept
	{
		for (unsigned bit = 0; bit < 64; ++bit)
			sums_[bit] = sum(sums_[bit], (word >> bit & 1) != 0 ? weight : -weight);
	}
	std::uint64_t bits() const noexcept
	{
		std::uint64_t bits = 0;
		for (unsigned bit = 0; bit < 64; ++bit)
			bits |= std::uint64_t{sums_[bit] > 0} << bit;
		return bits;
	}

private:
	static Number sum(Number a, Number b) noexcept
	{
		if constexpr (std::is_integral_v<Number>) {
			Number sum;
			if (__builtin_add_overflow(a, b, &sum))
				return b > 0 ? std::numeric_limits<Number>::max() : std::numeric_limits<Number>::min();
			return sum;
		} else {
			return a + b;
		}
	}

	Number sums_[64] = {};
};
using BitAccumulator = WeightedSums<std::int64_t>;
using WeightedBits = WeightedSums<double>;

// trunc(tf · idf) in double precision; 1 if the product is not finite; within ±10^15.
std::int64_t idf_weight(std::uint32_t tf, float idf) noexcept;

// Returns false if the text has no token. Memory: O(1) for tf, the distinct tokens otherwise.
bool simhash(std::string_view utf8, const SimhashOptions &options, std::uint64_t &bits, StopToken stop = {});

constexpr int hamming(std::uint64_t a, std::uint64_t b) noexcept { return __builtin_popcountll(a ^ b); }
float cosine_estimate(std::uint64_t a, std::uint64_t b) noexcept; // cos(π · hamming / 64), in single precision

} // namespace txtfp::core
