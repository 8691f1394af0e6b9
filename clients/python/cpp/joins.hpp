// Near-duplicates among fingerprints: pairs, clusters, and which rows to remove. Rows are numbered from 0, in the order
// in which rows win; there are no nulls. No result depends on the number of threads.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/dedup/clusters.hpp"
#include "core/dedup/deduplication.hpp"
#include "core/join/join_options.hpp"
#include "kinds.hpp"

namespace txtfp::python {

struct Values {
	explicit Values(Kind kind) : kind(kind) {}
	void add(std::span<const std::uint8_t> binary); // which stays where it is

	Kind kind;
	std::vector<const std::uint8_t *> rows;
	std::uint32_t second = one_part; // the first row of the second of two sets: then only pairs across them are wanted

	static constexpr std::uint32_t one_part = 0xFFFFFFFF;
	bool has_parts() const noexcept { return second != one_part; }
	bool is_pair(std::uint32_t a, std::uint32_t b) const noexcept
	{
		return !has_parts() || (a >= second) != (b >= second);
	}
	std::span<const std::uint8_t> bytes(std::uint32_t row) const noexcept { return {rows[row], kind->row_bytes}; }

private:
	std::vector<std::unique_ptr<std::uint64_t[]>> copies_; // of values whose rows do not stand in their binary form
	std::size_t copied_ = 0;
};

// Pairs of rows that somebody has decided about.
struct Decided {
	std::vector<core::RankPair> apart, together;
	core::DecidedPairs pairs() { return {apart, together}; }
};

struct JoinOptions : core::JoinPlan {
	unsigned threads = 0;
	std::size_t cap = 0; // of candidates(): the greatest number of rows in a bucket
};

// Checks them as the server does.
JoinOptions join_options(Kind kind, const core::JoinOptions &given, unsigned threads);

std::string shortest(double value); // as the server writes numbers

struct Pair {
	std::uint32_t a, b; // a < b
	std::int32_t measure;
};

std::vector<Pair> similar_pairs(const Values &values, const JoinOptions &options); // ordered
// For each row of the first set the most similar one of the second, of several the first.
std::vector<Pair> nearest_pairs(const Values &values, const JoinOptions &options);

// For each row the first one of its cluster, the similarity to it, and, if max_size cut the cluster, the least similarity
// that it was made by, otherwise NaN; as of the server.
struct Clusters {
	std::vector<std::uint32_t> labels;
	std::vector<double> similarities, formed;
};
Clusters clusters(
	const Values &values, const JoinOptions &options, core::ClusterMode mode, std::uint32_t max_size, Decided decided);

// For engines that bring the rows of a bucket together themselves: candidates among compact sketches, row i in the
// bucket of keys[i]. A pair is a candidate if `bound` bytes are equal. Equal slots have equal bytes, so of full
// sketches every pair with as many equal slots is one.
std::vector<Pair> candidates(const Values &values, std::span<const std::int64_t> keys, const JoinOptions &options);

// The rows to remove, and those whose removal something forbids, in order, as of the server. `texts`: of the rows;
// nullptr: there are none.
struct Removals {
	std::vector<core::removal::Decision> decisions;
	std::vector<std::uint32_t> neighbours; // of all rows
};
using TextOfRow = std::function<core::removal::RowText(std::uint32_t row)>; // called from several threads
Removals deduplicate(const Values &values, const JoinOptions &options, const core::PairOptions &pair, Decided decided,
	const TextOfRow &texts);

} // namespace txtfp::python
