// Options of the tlsh_lsh_ops operator class, shared by the index and the planner.
#pragma once

#include <cstdint>

namespace txtfp::pg {

struct TlshLshOptions {
	std::int32_t header;
	int bands, bits;
};

// The greatest distance for which the index is used. Beyond it the index would miss too many rows: up to half of them at 60.
constexpr int tlsh_lsh_reach = 40;

} // namespace txtfp::pg
