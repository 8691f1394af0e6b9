// Drop-in replacements for three programs: simhash (ChenghaoMou), simhash-find-all and simhash-find-clusters (seomoz).
// Same options, same input and output, same exit status; where those abort, an error names the file and the line (status 1).
// Output is in order: clusters by their least hash, hashes and ids ascending.
#pragma once

#include <cstdint>
#include <string_view>

namespace txtfp::cli {

enum class SimhashProgram { client, find_all, find_clusters };

// argv[0]: what messages call the program. Returns the exit status; throws Failure.
int run_simhash_program(SimhashProgram program, int argc, char **argv);

// lookup3 (B. Jenkins, 2006, public domain), hashlittle2 with the seed's halves, its first result as the upper half.
std::uint64_t jenkins64(std::string_view bytes, std::uint64_t seed) noexcept;

// Majority of jenkins64 over the windows of `window` bytes, but for the last window, which the original leaves out.
// False: the text is shorter than the window.
bool window_simhash(std::string_view bytes, std::size_t window, std::uint64_t &hash) noexcept;

} // namespace txtfp::cli
