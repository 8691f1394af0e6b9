// The options of the three programs that simhash_client.hpp stands in for.
#pragma once

#include <cstdint>
#include <string>

#include "cli/simhash_client.hpp"

namespace txtfp::cli {

struct SimhashOptions {
	std::string input, output, format, text_column, id_column;
	std::uint64_t blocks = 0, distance = 0, sample = 0, window = 0; // 0: not given
	unsigned threads = 0;                                           // 0: all
	bool exact_duplicates = false, any_id = false, quiet = false;
};

enum class SimhashArguments { valid, help_shown, invalid };

// Of the command line; what is wrong with it, or the help, has been written.
SimhashArguments parse_simhash_options(SimhashProgram program, int argc, char **argv, SimhashOptions &options);

} // namespace txtfp::cli
