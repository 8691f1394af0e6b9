// Pairs of records that somebody has decided about, from files: records with the ids `a` and `b`, as `txtfp pairs` writes
// them.
#pragma once

#include <string>
#include <vector>

#include "cli/join.hpp"
#include "core/dedup/decided_pairs.hpp"

namespace txtfp::cli {

class DecidedPairs {
public:
	// Names of files; empty: there are none. A pair is left out if one of its records is missing. Throws Failure for a
	// contradiction.
	void read(const std::string &apart, const std::string &together, const Collection &collection, const Join &join,
		core::JoinHost &host);
	const core::DecidedPairs &pairs() const noexcept { return pairs_; }

private:
	std::vector<core::RankPair> apart_, together_;
	core::DecidedPairs pairs_;
};

} // namespace txtfp::cli
