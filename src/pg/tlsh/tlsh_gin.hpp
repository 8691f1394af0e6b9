// Options of the tlsh_lsh_ops operator class, shared by the index and the planner.
#pragma once

#include <cstdint>

namespace txtfp::pg {

struct TlshLshOptions {
	std::int32_t header;
	int bands, bits;
};

constexpr TlshLshOptions default_tlsh_options{0, 5, 24};

// What tlsh_lsh_ops has been measured to find within its reach, with these options (docs/indexing.md), cut to a round number.
constexpr double tlsh_expected_recall = 0.95;

// The greatest distance for which the index is used. Beyond it the index would miss too many rows: up to half of them at 60.
constexpr int tlsh_lsh_reach = 40;

} // namespace txtfp::pg
