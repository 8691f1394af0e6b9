// Drop-in replacements for three programs: simhash (ChenghaoMou), simhash-find-all and simhash-find-clusters (seomoz).
// Same options, same input and output, same exit status; where those abort, an error names the file and the line (status 1).
// Output is in order: clusters by their least hash, hashes and ids ascending.
#pragma once

namespace txtfp::cli {

enum class SimhashProgram { client, find_all, find_clusters };

// argv[0]: what messages call the program. Returns the exit status; throws Failure.
int run_simhash_program(SimhashProgram program, int argc, char **argv);

} // namespace txtfp::cli
