// The options of the three programs that simhash_client.hpp replaces.
#pragma once

#include <cstdint>
#include <string>

#include "program/simhash_client.hpp"

namespace txtfp::cli {

struct SimhashOptions {
	std::string input, output, format, text_column, id_column;
	std::uint64_t blocks = 0, distance = 0, sample = 0, window = 0; // 0: not given
	unsigned threads = 0;                                           // 0: all processors
	bool exact_duplicates = false, any_id = false, quiet = false;
};

enum class SimhashArguments { valid, help_shown, invalid };

// Parses the command line. Unless the result is `valid`, it has printed the help or the error.
SimhashArguments parse_simhash_options(SimhashProgram program, int argc, char **argv, SimhashOptions &options);

} // namespace txtfp::cli
