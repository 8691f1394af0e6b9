// SIGINT and SIGTERM: the first signal makes the program stop by an exception, which removes incomplete files.
#pragma once

#include "core/base/error.hpp"

namespace txtfp::cli {

bool stop_requested() noexcept;
constexpr core::StopToken stop_token{stop_requested};

void catch_signals();               // called in main; system calls then end with EINTR
void block_signals_here() noexcept; // called in every other thread

} // namespace txtfp::cli
