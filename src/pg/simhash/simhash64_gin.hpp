// Options of the simhash64_ops operator class, shared by the index and the planner.
#pragma once

#include <cstdint>

namespace txtfp::pg {

struct HammingOptions {
	std::int32_t header;
	bool compact;
};

constexpr std::uint16_t strategy_hamming = 1;       // simhash64 % simhash64: max_distance from txtfp.hamming_threshold
constexpr std::uint16_t strategy_hamming_probe = 2; // simhash64 % simhash_probe
constexpr std::uint16_t strategy_hamming_equal = 3; // simhash64 = simhash64; simhash_similar at distance 0 becomes this

} // namespace txtfp::pg
