// SimHash of 64 bits (M. Charikar, 2002), byte-compatible with the crate txtfp 0.2.2.
//   acc[b] = Σ over tokens of ±weight, + where bit b of the token's lo hash is set; bit b of the result = acc[b] > 0
// Wire form: 8 bytes, little-endian.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>

#include "core/base/hash.hpp"
#include "core/base/table_hash.hpp"
#include "core/text/pipeline.hpp"
#include "core/text/text_options.hpp"

namespace txtfp::core {

// tf: every occurrence weighs 1. uniform: every distinct token weighs 1. idf: every distinct token weighs
// trunc(tf · idf), see idf_weight.
enum class Weighting : std::uint8_t { tf, uniform, idf };
bool parse_weighting(std::string_view text, Weighting &weighting) noexcept;

// Canonical token → weight; a token that is absent weighs 1.
using IdfTable = std::unordered_map<std::string, float, TableHash, std::equal_to<>>;

constexpr std::string_view default_simhash_tokenizer = "shingle-k=2/word-uax29";

struct SimhashOptions : TextOptions {
	Weighting weighting = Weighting::tf;
	const IdfTable *idf = nullptr; // for Weighting::idf

	bool operator==(const SimhashOptions &) const = default;
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
	void merge(BitCounter other) noexcept; // as if its words had been added here
	std::uint64_t majority() noexcept;     // the bits that are set in more than half of the words

private:
	static constexpr unsigned block_size = 16, plane_count = 48; // more words than 2^48 no machine will see
	void add_block(const std::uint64_t *words) noexcept;
	void flush() noexcept;

	std::uint64_t block_[block_size] = {};
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

// Collects tokens. Memory: O(1) for tf, the distinct tokens otherwise.
class SimhashBuilder {
public:
	explicit SimhashBuilder(const SimhashOptions &options) : options_(options) {}
	void add(Tokens tokens);          // token_batch at most
	bool finish(std::uint64_t &bits); // once; false: no token was added

private:
	void count(std::string_view token);
	std::uint64_t weigh_distinct() const noexcept;

	SimhashOptions options_;
	bool any_ = false;
	BitCounter occurrences_;                                                            // of all tokens: tf
	std::unordered_map<std::string, std::uint32_t, TableHash, std::equal_to<>> counts_; // of each distinct token
};

// The SimHash of a text that arrives in pieces (UTF-8, whole code points) or whole.
class SimhashSketcher {
public:
	explicit SimhashSketcher(const SimhashOptions &options, StopToken stop = {})
		: builder_(options), pipeline_(options.canonical, options.tokenizer, AddToken{&builder_}, stop)
	{
	}
	void append(std::string_view utf8, bool last) { pipeline_.append(utf8, last); }
	bool finish(std::uint64_t &bits) { return builder_.finish(bits); }

private:
	struct AddToken {
		SimhashBuilder *builder;
		void operator()(Tokens tokens) const { builder->add(tokens); }
	};
	SimhashBuilder builder_;
	Pipeline<AddToken> pipeline_;
};

// Returns false if the text has no token.
bool simhash(std::string_view utf8, const SimhashOptions &options, std::uint64_t &bits, StopToken stop = {});

constexpr int hamming(std::uint64_t a, std::uint64_t b) noexcept { return __builtin_popcountll(a ^ b); }
float cosine_estimate(std::uint64_t a, std::uint64_t b) noexcept; // cos(π · hamming / 64), in single precision

} // namespace txtfp::core
