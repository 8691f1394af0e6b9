// Drop-in replacements for three programs: simhash (ChenghaoMou), simhash-find-all and simhash-find-clusters (seomoz).
// They have the same options, input, output and exit status. Where the originals abort, these report the file and the
// line (status 1). Output is sorted: clusters by their least hash, hashes and ids ascending.
#pragma once

namespace txtfp::cli {

enum class SimhashProgram { client, find_all, find_clusters };

// argv[0] is the program name in messages. Returns the exit status; throws Failure.
int run_simhash_program(SimhashProgram program, int argc, char **argv);

} // namespace txtfp::cli
