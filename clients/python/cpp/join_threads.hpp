// Threads of a join, which the core gives tasks. The caller waits without the GIL, and looks after signals now and then.
#pragma once

#include <chrono>
#include <deque>

#include "core/threads/team_executor.hpp"
#include "parallel.hpp"
#include "temporary_file.hpp"

namespace txtfp::python {

class JoinThreads final : public core::TeamExecutor {
public:
	// Called under the GIL. Calls fn(threads) without it. `directory` is that of temporary files.
	template <class Fn> static void run(unsigned threads, Fn fn, const std::string &directory = {})
	{
		Caller caller(directory);
		try {
			nb::gil_scoped_release release;
			JoinThreads own(caller, thread_count(threads));
			own.guard([&] { fn(own); });
		} catch (const core::Error &) {
			if (caller.interrupted)
				throw nb::python_error();
			throw;
		}
	}

private:
	class Caller final : public core::HeapHost {
	public:
		explicit Caller(const std::string &directory) : directory_(directory) {}
		void poll() override
		{
			if ((++polls_ & 0xFF) == 0)
				look();
		}
		// If a handler of a signal raises an exception, that is set for the caller.
		void look()
		{
			using namespace std::chrono_literals;
			const auto now = std::chrono::steady_clock::now();
			if (now - looked_ < 100ms)
				return;
			looked_ = now;
			nb::gil_scoped_acquire acquire;
			interrupted = interrupted || PyErr_CheckSignals() != 0;
			if (interrupted)
				throw core::Error(core::ErrorKind::cancelled, "cancelled");
		}
		core::JoinFile *open_file() override
		{
			if (directory_.empty())
				throw core::Error(core::ErrorKind::internal, "a join in Python has no files");
			return &files_.emplace_back(directory_);
		}
		void progress(std::uint64_t) override {}

		bool interrupted = false;

	private:
		std::chrono::steady_clock::time_point looked_ = std::chrono::steady_clock::now();
		unsigned polls_ = 0;
		std::string directory_;
		std::deque<TemporaryFile> files_;
	};

	JoinThreads(Caller &caller, unsigned threads) : TeamExecutor(caller, threads), caller_(caller) {}
	void wait() override { caller_.look(); }

	Caller &caller_;
};

} // namespace txtfp::python
