// Options of the operator class lavinhash_lsh_ops, shared by the index and the planner.
#pragma once

#include "core/lavinhash/lavinhash_lsh.hpp"
#include "pg/base/pg.hpp"

namespace txtfp::pg {

// The options as PostgreSQL stores them with the index.
struct LavinhashLshOptions {
	std::int32_t header;
	int bands, rows;
	double recall;
};

constexpr LavinhashLshOptions default_lavinhash_options{0, 32, 4, 0.99};
constexpr int max_lavinhash_slots = 256;

// The number of bands that a row must share with a probe; 0: the index cannot promise its recall, visit every row.
inline int min_matches(const LavinhashLshOptions &options, int min_score)
{
	const double content = core::lavinhash_least_content(min_score);
	return content <= 0 ? 0 : core::min_matching_bands(content, {options.bands, options.rows}, options.recall);
}

constexpr std::uint16_t strategy_lavinhash = 1;       // lavinhash % lavinhash: score from txtfp.lavinhash_threshold
constexpr std::uint16_t strategy_lavinhash_probe = 2; // lavinhash % lavinhash_probe

} // namespace txtfp::pg
