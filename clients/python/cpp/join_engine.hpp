// What pairs, clusters and deduplication are made of: rows with equal values stand for each other, and only the first
// of them, the head, is joined.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "joins.hpp"

namespace txtfp::python {

// The first row with each value, in each of two sets, is its head.
struct Heads {
	std::vector<std::uint32_t> of;   // each row
	std::vector<std::uint32_t> rows; // the heads
};
Heads find_heads(const Values &values, unsigned threads);

// Gives each similar pair of heads once. Called by one thread at a time, without the GIL.
using Emit = std::function<void(std::span<const Pair>)>;
void join_heads(const Values &values, const Heads &heads, const JoinOptions &options, const Emit &emit);
std::vector<Pair> head_pairs(const Values &values, const Heads &heads, const JoinOptions &options); // ordered

inline bool is_similar(Kind kind, const JoinOptions &options, int measure) noexcept
{
	return has_distance(kind) ? measure <= options.bound : measure >= options.bound;
}
inline int compare_rows(const Values &values, std::uint32_t a, std::uint32_t b) noexcept
{
	return compare(values.kind, values.rows[a], values.rows[b]);
}
int best_measure(Kind kind) noexcept; // of equal values
inline bool is_better(Kind kind, int a, int b) noexcept { return has_distance(kind) ? a < b : a > b; }

inline void sort_pairs(std::vector<Pair> &pairs)
{
	std::sort(
		pairs.begin(), pairs.end(), [](const Pair &x, const Pair &y) { return x.a != y.a ? x.a < y.a : x.b < y.b; });
}

} // namespace txtfp::python
