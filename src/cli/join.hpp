// Near-duplicates among the fingerprints of a collection. What comes out depends neither on the number of threads nor on
// the memory.
//   minhash*   by the buckets of a banding, as near_duplicate_pairs of the extension does, band after band
//   simhash64  exactly, by core::HammingJoin
//   tlsh, lavinhash  exactly: every value with every other
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "cli/collection.hpp"
#include "cli/progress.hpp"

namespace txtfp::cli {

struct JoinOptions {
	int bound = 0; // of compare(): the least equal slots or score, the greatest distance
	unsigned threads = 1;
	std::uint64_t memory = 0; // bytes, for sorting; what stands in proportion to the rows comes on top
};

struct Pair {
	std::uint32_t a, b;   // a < b
	std::int32_t measure; // what compare() says
};

class Join {
public:
	Join(const Collection &collection, const JoinOptions &options, const std::string &directory, Progress &progress)
		: collection_(collection), options_(options), directory_(directory), progress_(progress)
	{
	}

	// For each row the least row of its component; itself, if it is alone.
	std::vector<std::uint32_t> components();

	// Cuts components into stars: in the order of rank, a row without a star becomes the centre of one, and the rows of its
	// component that are similar to it and have no star either are its members. `ranked`: rows in their order; empty: as they are.
	void cut_into_stars(std::vector<std::uint32_t> &labels, const std::vector<std::uint32_t> &ranked);

	// fn(pair) for every pair, in order.
	void pairs(const std::function<void(const Pair &)> &fn);

private:
	bool similar(int measure) const noexcept
	{
		return has_distance(collection_.kind()) ? measure <= options_.bound : measure >= options_.bound;
	}

	const Collection &collection_;
	JoinOptions options_;
	std::string directory_;
	Progress &progress_;
};

} // namespace txtfp::cli
