// Options of the tlsh_lsh_ops operator class, shared by the index and the planner.
#pragma once

#include <cstdint>

namespace txtfp::pg {

struct TlshLshOptions {
	std::int32_t header;
	int bands, bits;
};

// Beyond it the index would miss too much (measured: at 60 up to a half), and is not used.
constexpr int tlsh_lsh_reach = 40;

} // namespace txtfp::pg
