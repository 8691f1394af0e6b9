// Near-duplicates among fingerprints: pairs, clusters, and which rows to remove. Rows are numbered from 0, in the order
// in which rows win; there are no nulls. No result depends on the number of threads.
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
	std::uint32_t second = one_part; // the first row of the second of two sets: then only pairs across them are wanted

	static constexpr std::uint32_t one_part = 0xFFFFFFFF;
	bool has_parts() const noexcept { return second != one_part; }
	bool is_pair(std::uint32_t a, std::uint32_t b) const noexcept
	{
		return !has_parts() || (a >= second) != (b >= second);
	}
};

struct JoinOptions {
	int bound = 0;        // of compare(): the least number of equal slots, the least score, or the greatest distance
	double threshold = 0; // of sketches
	core::Banding banding = {0, 0};
	unsigned threads = 0;
	std::size_t cap = 0; // of candidates(): the greatest number of rows in a bucket
};

// The limit of a search, under the name that it has for the kind.
struct Limit {
	std::optional<double> threshold;
	std::optional<int> max_distance, min_score;
};
// How sketches are joined: with this recall, by default 0.99, or with these bands.
struct BandingOption {
	std::optional<double> recall;
	std::optional<int> bands, rows;
};
// Checks them as the server does.
JoinOptions join_options(Kind kind, const Limit &limit, const BandingOption &banding, unsigned threads);

std::string shortest(double value); // as the server writes numbers

struct Pair {
	std::uint32_t a, b; // a < b
	std::int32_t measure;
};
double similarity(Kind kind, int measure) noexcept; // 0 to 1, as in the results of the server

std::vector<Pair> similar_pairs(const Values &values, const JoinOptions &options); // ordered
// For each row of the first set the most similar one of the second, of several the first.
std::vector<Pair> nearest_pairs(const Values &values, const JoinOptions &options);

// As those of the server. In a star every row is similar to the first one, in a complete cluster to every other.
enum class ClusterMode { components, star, complete };
// For each row the first one of its cluster
std::vector<std::uint32_t> clusters(const Values &values, const JoinOptions &options, ClusterMode mode);

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
// kept one. In a component of up to 64 rows all are compared with each other, in a larger one those that share a band.
std::vector<Removal> deduplicate(const Values &values, const JoinOptions &options, const Verification &verification);

} // namespace txtfp::python
