// The threads of a join, the work that they have in common, and the pairs on their way to the caller. It knows nothing of PostgreSQL.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "core/base/error.hpp"
#include "core/join/heap_host.hpp"

namespace txtfp::core {

struct FoundPair {
	std::uint32_t a, b;
	double similarity;
};

// For a task whose file could not be read; `code` is errno.
[[noreturn]] void throw_read_error(int code);

class Team {
public:
	using Task = void (*)(void *data, unsigned worker, std::size_t number);

	explicit Team(unsigned threads);
	~Team() { end(); }
	Team(const Team &) = delete;

	JoinHost &host(unsigned worker) { return hosts_[worker - 1]; }

	// Starts the threads. False if the system has none. Fewer than asked for are enough.
	bool start(std::size_t n, Task task, void *data);
	// Waits a little. Returns the next pairs, in the order of tasks; they are valid until the next call. `done` is set after the last ones.
	// Throws what a task has thrown.
	std::span<const FoundPair> next(bool &done);
	void end() noexcept; // stops the threads and waits for them
	std::uint64_t take_progress() noexcept { return progress_.exchange(0); }

	void pair(unsigned worker, const FoundPair &pair);

private:
	class Host final : public HeapHost {
	public:
		explicit Host(Team &team) : team_(team) {}
		void poll() override;
		JoinFile *open_file() override;
		void progress(std::uint64_t steps) override { team_.progress_ += steps; }

	private:
		Team &team_;
	};

	void work(unsigned worker) noexcept;
	void flush(unsigned worker);

	static constexpr std::size_t chunk = 4096, most_queued = std::size_t{1} << 18; // pairs

	std::deque<Host> hosts_;
	std::vector<std::thread> threads_;
	std::vector<std::vector<FoundPair>> found_; // by each worker, of its task
	std::vector<std::size_t> task_of_;
	std::vector<FoundPair> delivered_;
	std::atomic<bool> stop_ = false;
	std::atomic<std::uint64_t> progress_ = 0;

	std::mutex mutex_; // of what follows
	std::condition_variable for_caller_, for_threads_;
	std::map<std::size_t, std::deque<std::vector<FoundPair>>> queued_; // of each task
	std::vector<char> done_;                                           // tasks
	std::size_t tasks_ = 0, next_task_ = 0, turn_ = 0, queued_pairs_ = 0;
	unsigned running_ = 0;
	std::exception_ptr failure_;
	Task task_ = nullptr;
	void *data_ = nullptr;
};

} // namespace txtfp::core
