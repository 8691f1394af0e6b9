// Runs work on several threads; the result does not depend on their number.
#pragma once

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

} // namespace txtfp::cli
