// Near-duplicates among fingerprints: pairs, connected components, and which rows to remove. Rows are numbered from 0,
// in the order in which rows win; there are no nulls. No result depends on the number of threads.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/minhash/lsh.hpp"
#include "kinds.hpp"

namespace txtfp::python {

struct Values {
	Kind kind;
	std::vector<std::span<const std::uint8_t>> rows;
};

struct JoinOptions {
	int bound = 0; // of compare(): the least number of equal slots, the least score, or the greatest distance
	core::Banding banding = {0, 0};
	unsigned threads = 0;
	std::size_t cap = 0; // of candidates(): the greatest number of rows in a bucket
};

// The limit of a search, under the name that it has for the kind.
struct Limit {
	std::optional<double> threshold;
	std::optional<int> max_distance, min_score;
};
JoinOptions join_options(Kind kind, const Limit &limit, double recall, int bands, int rows, unsigned threads);

struct Pair {
	std::uint32_t a, b; // a < b
	std::int32_t measure;
};
double similarity(Kind kind, int measure) noexcept; // 0 to 1, as in the results of the server

std::vector<Pair> similar_pairs(const Values &values, const JoinOptions &options); // ordered
std::vector<std::uint32_t> components(
	const Values &values, const JoinOptions &options); // the smallest row of each row's component

// For engines that bring the rows of a bucket together themselves: candidates among compact sketches, row i in the
// bucket of keys[i]. A pair is a candidate if `bound` bytes are equal. Equal slots have equal bytes, so of full
// sketches every pair with as many equal slots is one.
std::vector<Pair> candidates(const Values &values, std::span<const std::int64_t> keys, const JoinOptions &options);

// A comparison of the texts of two rows, the one to remove first.
struct Exact {
	bool equal_text = false, has_measures = false; // has_measures: both have a token
	double jaccard = 0, containment = 0, kept_containment = 0;
};
struct Removal {
	std::uint32_t row, kept;
	double similarity;
	Exact exact;
};
enum class Verify { none, jaccard, containment };
struct Verification {
	Verify verify = Verify::none;
	double least = 0;
	std::function<Exact(std::uint32_t row, std::uint32_t kept)>
		compare; // called from several threads; empty without texts
};

// A row is removed if it is similar to a row that has been kept and the verification agrees; the first such row is its
// kept one.
std::vector<Removal> deduplicate(const Values &values, const JoinOptions &options, const Verification &verification);

} // namespace txtfp::python
