// The threads of a join, the work that they have in common, and the pairs on their way to the caller. It knows nothing
// of PostgreSQL.
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

// For a task whose file could not be read or written: `what` is "read from" or "write to", `path` names the file, `code` is errno.
[[noreturn]] void throw_file_error(const char *what, const char *path, int code);

class Team {
public:
	using Task = JoinExecutor::Task;

	// `caller` is the host of the thread that starts them; nullptr: they cannot ask it.
	explicit Team(unsigned threads, JoinHost *caller = nullptr);
	~Team() { end(); }
	Team(const Team &) = delete;

	JoinHost &host(unsigned worker) { return hosts_[worker - 1]; }

	// Starts the threads. False if the system has none. Fewer than asked for are enough.
	bool start(std::size_t n, Task task, void *data);
	// The same with tasks that come one by one, numbered from `first` on, and with fewer threads. post() returns the
	// number of tasks from the first that has not been done. At the end each thread calls task(data, worker,
	// JoinExecutor::none).
	bool start_stream(Task task, void *data, std::size_t first, unsigned threads);
	std::size_t post();
	std::size_t unfinished(); // the same number
	void close();             // no more come

	// What the threads ask of the caller, who calls fn(data) and then answer(); nullptr: nothing.
	struct Question {
		void (*fn)(void *data);
		void *data;
		bool answered;
	};
	Question *question();
	void answer(Question &question);

	// Waits a little. Returns the next pairs, in the order of tasks; they are valid until the next call. `done` is set
	// after the last ones.
	// Throws what a task has thrown.
	std::span<const FoundPair> next(bool &done);
	void end() noexcept; // stops the threads and waits for them
	std::uint64_t fetch_progress() noexcept { return progress_.exchange(0); }

	void pair(unsigned worker, const FoundPair &pair);

private:
	class Host;
	// A file of a worker, which the caller opens and reserves room in.
	class File final : public JoinFile {
	public:
		File(Host &host, JoinFile &file) : host_(host), file_(file) {}
		void write(std::uint64_t at, const void *bytes, std::size_t size) override;
		void read(std::uint64_t at, void *to, std::size_t size) override { file_.read(at, to, size); }
		void close() override { file_.close(); }

	private:
		Host &host_;
		JoinFile &file_;
		std::uint64_t reserved_ = 0;
	};
	class Host final : public HeapHost {
	public:
		explicit Host(Team &team) : team_(team) {}
		void poll() override;
		JoinFile *open_file() override;
		void progress(std::uint64_t steps) override { team_.progress_ += steps; }
		void ask(void (*fn)(void *data), void *data) override;

	private:
		friend File;

		Team &team_;
		std::deque<File> files_;
	};

	bool start_threads(Task task, void *data, std::size_t n);
	bool claim_task(unsigned worker);
	void work(unsigned worker) noexcept;
	void flush(unsigned worker);
	bool is_ready() const; // the turn's task has pairs, or has been done
	void skip_done();

	static constexpr std::size_t chunk = 4096, most_queued = std::size_t{1} << 18; // pairs

	JoinHost *caller_;
	std::deque<Host> hosts_;
	std::vector<std::thread> threads_;
	std::vector<std::vector<FoundPair>> found_; // by each worker, of its task
	std::vector<std::size_t> task_of_;
	std::vector<FoundPair> delivered_;
	std::atomic<bool> stop_ = false;
	std::atomic<std::uint64_t> progress_ = 0;

	mutable std::mutex mutex_; // of what follows
	std::condition_variable for_caller_, for_threads_;
	std::map<std::size_t, std::deque<std::vector<FoundPair>>> queued_; // of each task
	std::deque<char> done_;                                            // tasks, from turn_ on
	std::deque<Question *> questions_;
	std::size_t tasks_ = 0, next_task_ = 0, turn_ = 0, queued_pairs_ = 0;
	bool is_stream_ = false, closed_ = true, ended_ = false; // closed: no more tasks come
	unsigned running_ = 0;
	std::exception_ptr failure_;
	Task task_ = nullptr;
	void *data_ = nullptr;
};

} // namespace txtfp::core
