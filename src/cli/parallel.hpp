// Runs work on several threads; the result does not depend on their number.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "cli/stop.hpp"

namespace txtfp::cli {

// Threads that are joined in any case. Keeps the first exception that one of them throws.
class Threads {
public:
	~Threads() { join(); }

	template <class Fn> void start(Fn fn)
	{
		threads_.emplace_back([this, fn] {
			block_signals_here();
			try {
				fn();
			} catch (...) {
				const std::lock_guard lock(mutex_);
				if (!failure_)
					failure_ = std::current_exception();
			}
		});
	}
	void join() noexcept
	{
		for (std::thread &thread : threads_)
			thread.join();
		threads_.clear();
	}
	void join_and_rethrow()
	{
		join();
		if (failure_)
			std::rethrow_exception(failure_);
	}

private:
	std::vector<std::thread> threads_;
	std::mutex mutex_;
	std::exception_ptr failure_;
};

// Calls fn(i, thread) once for each i from 0 to n − 1, in any order; thread < threads.
template <class Fn> void for_each_index(std::size_t n, unsigned threads, Fn fn)
{
	threads = static_cast<unsigned>(std::min<std::size_t>(threads, n));
	std::atomic<std::size_t> next = 0;
	std::atomic<bool> failed = false;
	const auto work = [&](unsigned thread) {
		try {
			for (std::size_t i; !failed && (i = next++) < n;) {
				stop_token.check();
				fn(i, thread);
			}
		} catch (...) {
			failed = true;
			throw;
		}
	};
	if (threads <= 1)
		return work(0);
	Threads others;
	for (unsigned thread = 0; thread < threads; ++thread)
		others.start([&work, thread] { work(thread); });
	others.join_and_rethrow();
}

} // namespace txtfp::cli
