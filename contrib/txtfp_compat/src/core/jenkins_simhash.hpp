// SimHash by jenkins64, as two programs made it: of byte windows (simhash by ChenghaoMou) and of words in cyclic
// windows (simhash-cpp by seomoz, until 2016). No text is canonicalized. Values of different forms must not be
// compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/error.hpp"

namespace txtfp::core {

// Majority of jenkins64 over the windows of `window` bytes, window ≥ 1. all_windows = false leaves the last one out, as
// the program does; a text of one window has none then, and 0. Returns false, and 0 in `bits`, if the text is shorter
// than the window.
bool window_simhash(
	std::string_view bytes, std::size_t window, bool all_windows, std::uint64_t &bits, StopToken stop = {});

constexpr std::size_t max_cyclic_window = 1024; // words

// Words are the longest runs of A–Z and a–z, up to the first zero byte. A cyclic hash over the last `window` of their
// jenkins64 (1 … max_cyclic_window, 3 in the program), one output for each word, partial windows at the beginning
// included; majority of the outputs, the bits in reverse order. `padded`: window − 1 zeros follow the last word, as in
// the program's later form.
// Returns false, and 0 in `bits`, if there is no word.
bool cyclic_simhash(std::string_view bytes, std::size_t window, bool padded, std::uint64_t &bits, StopToken stop = {});

} // namespace txtfp::core
