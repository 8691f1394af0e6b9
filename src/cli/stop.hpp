// SIGINT and SIGTERM: the first one asks the program to stop, which unwinds it and so removes what is half written.
#pragma once

#include "core/base/error.hpp"

namespace txtfp::cli {

bool stop_requested() noexcept;
constexpr core::StopToken stop_token{stop_requested};

void catch_signals();               // in main; system calls then end with EINTR
void block_signals_here() noexcept; // in every other thread

} // namespace txtfp::cli
