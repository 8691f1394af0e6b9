// Runs work on several threads without the GIL. Ctrl-C interrupts it.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include <nanobind/nanobind.h>

#include "core/base/error.hpp"

namespace txtfp::python {

namespace nb = nanobind;

inline thread_local const std::atomic<bool> *stop_flag = nullptr;
inline const core::StopToken stop_token{
	[]() noexcept { return stop_flag != nullptr && stop_flag->load(std::memory_order_relaxed); }};

inline unsigned thread_count(unsigned wanted) noexcept
{
	return std::clamp(wanted != 0 ? wanted : std::thread::hardware_concurrency(), 1u, 1024u);
}

// Threads that compute while the caller waits for signals.
class Workers {
public:
	// Called under the GIL. Calls fn(i, thread) once for each i < n, in any order; the result must not depend on
	// `threads`.
	template <class Fn> static void for_each(std::size_t n, unsigned threads, Fn fn)
	{
		if (n <= 1) {
			nb::gil_scoped_release release;
			for (std::size_t i = 0; i < n; ++i)
				fn(i, 0u);
			return;
		}
		Workers workers;
		std::atomic<std::size_t> next = 0;
		workers.run(static_cast<unsigned>(std::min<std::size_t>(thread_count(threads), n)), [&](unsigned thread) {
			for (std::size_t i; !workers.stop_.load(std::memory_order_relaxed) && (i = next++) < n;)
				fn(i, thread);
		});
	}

	// The same in blocks of rows: fn(first, last, thread).
	template <class Fn> static void for_each_block(std::size_t rows, std::size_t block, unsigned threads, Fn fn)
	{
		for_each((rows + block - 1) / block, threads,
			[&](std::size_t i, unsigned thread) { fn(i * block, std::min(rows, (i + 1) * block), thread); });
	}

private:
	template <class Fn> void run(unsigned threads, Fn work)
	{
		bool interrupted = false;
		{
			nb::gil_scoped_release release;
			for (unsigned thread = 0; thread < threads; ++thread)
				start(thread, work);
			interrupted = wait();
			for (std::thread &thread : threads_)
				thread.join();
		}
		if (interrupted)
			throw nb::python_error();
		if (failure_)
			std::rethrow_exception(failure_);
	}

	template <class Fn> void start(unsigned number, Fn &work)
	{
		{
			const std::lock_guard lock(mutex_);
			++running_;
		}
		try {
			threads_.emplace_back([this, number, &work] {
				stop_flag = &stop_;
				std::exception_ptr failure;
				try {
					work(number);
				} catch (...) {
					stop_ = true;
					failure = std::current_exception();
				}
				const std::lock_guard lock(mutex_);
				if (failure && !failure_)
					failure_ = failure;
				--running_;
				done_.notify_all();
			});
		} catch (...) { // no more threads: those that run do the work
			const std::lock_guard lock(mutex_);
			if (--running_ == 0 && !failure_)
				failure_ = std::current_exception();
		}
	}

	// True if a signal handler raised an exception, which is then set.
	bool wait()
	{
		using namespace std::chrono_literals;
		bool interrupted = false;
		std::unique_lock lock(mutex_);
		while (!done_.wait_for(lock, 100ms, [this] { return running_ == 0; })) {
			lock.unlock();
			if (!interrupted) {
				nb::gil_scoped_acquire acquire;
				interrupted = PyErr_CheckSignals() != 0;
				if (interrupted)
					stop_ = true;
			}
			lock.lock();
		}
		return interrupted;
	}

	std::vector<std::thread> threads_;
	std::mutex mutex_;
	std::condition_variable done_;
	std::atomic<bool> stop_ = false;
	unsigned running_ = 0; // guarded by mutex_ once threads run
	std::exception_ptr failure_;
};

} // namespace txtfp::python
