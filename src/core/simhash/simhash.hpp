// SimHash of 64 bits (M. Charikar, 2002), byte-compatible with the crate txtfp 0.2.2.
//   acc[b] = Σ over tokens of ±weight, + where bit b of the token's lo hash is set; bit b of the result = acc[b] > 0
// Wire form: 8 bytes, little-endian.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/base/hash.hpp"
#include "core/base/table_hash.hpp"
#include "core/simhash/bit_counter.hpp"
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

// trunc(tf · idf) in double precision; 1 if the product is not finite; within ±10^15.
std::int64_t idf_weight(std::uint32_t tf, float idf) noexcept;

// Collects tokens. Memory: O(1) for tf, the distinct tokens otherwise.
class SimhashBuilder {
public:
	explicit SimhashBuilder(const SimhashOptions &options) : options_(options) {}
	void add(Tokens tokens); // token_batch at most
	bool finish(
		std::uint64_t &bits); // once; false: no token was added, or none of them has a weight, so that nothing is known

private:
	void count(std::string_view token);
	bool weigh_distinct(std::uint64_t &bits) const noexcept;

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

// Returns false if the text has no token with a weight.
bool simhash(std::string_view utf8, const SimhashOptions &options, std::uint64_t &bits, StopToken stop = {});

constexpr int hamming(std::uint64_t a, std::uint64_t b) noexcept { return __builtin_popcountll(a ^ b); }
float cosine_estimate(std::uint64_t a, std::uint64_t b) noexcept; // cos(π · hamming / 64), in single precision

} // namespace txtfp::core
