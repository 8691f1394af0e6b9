// Options of the tlsh_lsh_ops operator class, shared by the index and the planner.
#pragma once

#include <cstdint>

namespace txtfp::pg {

struct TlshLshOptions {
	std::int32_t header;
	int bands, bits;
};

// Beyond it the index would miss more than it finds, and is not used.
constexpr int tlsh_lsh_reach = 60;

} // namespace txtfp::pg
