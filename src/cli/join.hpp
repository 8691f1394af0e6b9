// Finds near-duplicates among the fingerprints of a collection. The result depends neither on the number of threads nor
// on the memory.
//   minhash*         by the buckets of a banding, as near_duplicate_pairs of the extension does (core/join/minhash_rows.hpp)
//   simhash64        exactly, by core::HammingJoin
//   tlsh, lavinhash  exactly, by comparing every value with every other
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "cli/collection.hpp"
#include "cli/workers.hpp"

namespace txtfp::cli {

struct JoinOptions {
	int bound = 0; // bound for compare(): the least number of equal slots, the least score, or the greatest distance
	std::uint64_t memory = 0; // bytes for sorting; memory that is proportional to the rows comes on top
};

class Join {
public:
	Join(const Collection &collection, const JoinOptions &options, const std::string &directory, Workers &workers)
		: collection_(collection), options_(options), directory_(directory), workers_(workers)
	{
	}

	// Returns for each row the smallest row of its component, which is the row itself if it has no near-duplicate.
	std::vector<std::uint32_t> components();

	// Those of minhash* at several bounds, the widest of which is that of the options.
	std::vector<std::vector<std::uint32_t>> nested_components(const std::vector<int> &bounds);

	// The components of minhash* at `bound`, with the number of rows that are similar to each row at the bound of the
	// options.
	std::vector<std::uint32_t> components_and_neighbours(int bound, std::vector<std::uint32_t> &neighbours);

	// The rows of all clusters of two or more rows, cluster by cluster, in the order of `ranked`, or of their numbers
	// if that is empty.
	static std::vector<std::uint32_t> rows_of_clusters(
		const std::vector<std::uint32_t> &labels, const std::vector<std::uint32_t> &ranked);

	// Cuts components into stars. In the order of rank, a row that is in no star yet becomes the centre of one; its
	// members are the similar rows of its component that are in no star yet. `ranked` lists the rows in that order; if
	// empty, row numbers are it.
	void cut_into_stars(std::vector<std::uint32_t> &labels, const std::vector<std::uint32_t> &ranked);

	// Calls fn(pair) for every pair, in order.
	void pairs(const std::function<void(const Pair &)> &fn);

	bool similar(std::uint32_t a, std::uint32_t b) const
	{
		Value buffers[2];
		return similar(compare(collection_.kind(), collection_.value(a, buffers[0]), collection_.value(b, buffers[1])));
	}

private:
	void finish_sketches();
	bool similar(int measure) const noexcept
	{
		return has_distance(collection_.kind()) ? measure <= options_.bound : measure >= options_.bound;
	}

	const Collection &collection_;
	JoinOptions options_;
	std::string directory_;
	Workers &workers_;
};

} // namespace txtfp::cli
