// SimHash as the program simhash (ChenghaoMou) makes it: of the windows of bytes of a text, by Jenkins' hash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace txtfp::cli {

// lookup3 (B. Jenkins, 2006, public domain), hashlittle2 with the seed's halves, its first result as the upper half.
std::uint64_t jenkins64(std::string_view bytes, std::uint64_t seed) noexcept;

// Majority of jenkins64 over the windows of `window` bytes, but for the last window, which the original leaves out.
// False: the text is shorter than the window.
bool window_simhash(std::string_view bytes, std::size_t window, std::uint64_t &hash) noexcept;

} // namespace txtfp::cli
