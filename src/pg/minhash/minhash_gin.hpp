// Options of the minhash*_lsh_ops operator classes, shared by the index and the planner.
#pragma once

#include "core/minhash/lsh.hpp"
#include "pg/base/pg.hpp"

namespace txtfp::pg {

// The options as PostgreSQL stores them with the index. 0 means not given.
struct LshOptions {
	std::int32_t header;
	int bands, rows;
	double threshold, recall;
};

struct LshIndex {
	core::Banding banding;
	double recall;

	// The number of bands that a row must share with the probe; 0: the index cannot promise its recall, visit every
	// row.
	int min_matches(double threshold) const { return core::min_matching_bands(threshold, banding, recall); }
};

// The banding and recall that the options of an index on sketches of `slots` slots stand for. nullptr: the defaults.
LshIndex resolve_options(const LshOptions *options, int slots);

constexpr std::uint16_t strategy_similar = 1;   // minhash % minhash: threshold from txtfp.jaccard_threshold
constexpr std::uint16_t strategy_probe = 2;     // minhash % minhash_probe
constexpr std::uint16_t strategy_leakproof = 3; // minhash %& minhash_probe: raises no error that depends on a row

} // namespace txtfp::pg
