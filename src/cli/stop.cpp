#include "cli/stop.hpp"

#include <csignal>

#include <atomic>

namespace txtfp::cli {

namespace {

std::atomic<bool> requested = false;
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void on_signal(int) { requested = true; }

} // namespace

bool stop_requested() noexcept { return requested.load(std::memory_order_relaxed); }

void catch_signals()
{
	struct sigaction action = {};
	action.sa_handler = on_signal;
	action.sa_flags = static_cast<int>(SA_RESETHAND); // a second signal ends the program at once
	sigaction(SIGINT, &action, nullptr);
	sigaction(SIGTERM, &action, nullptr);
}

void block_signals_here() noexcept
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

} // namespace txtfp::cli
