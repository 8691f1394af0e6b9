#include "core/threads/team.hpp"

#include <chrono>
#include <csignal>
#include <string>
#include <system_error>
#include <utility>

#include <pthread.h>

namespace txtfp::core {

namespace {

// New threads inherit the mask: the signals of the backend are the caller's, those that tell of a fault of the thread itself are not blocked.
class BlockedSignals {
public:
	BlockedSignals() noexcept
	{
		sigset_t set;
		(void) sigfillset(&set);
		for (const int fault : {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS})
			(void) sigdelset(&set, fault);
		(void) pthread_sigmask(SIG_BLOCK, &set, &before_);
	}
	~BlockedSignals() { (void) pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
	sigset_t before_;
};

} // namespace

void throw_read_error(int code)
{
	throw Error(ErrorKind::file, "could not read from a temporary file: " + std::generic_category().message(code));
}

Team::Team(unsigned threads) : found_(threads + 1), task_of_(threads + 1)
{
	for (unsigned i = 0; i < threads; ++i)
		hosts_.emplace_back(*this);
	threads_.reserve(threads);
}

bool Team::start(std::size_t n, Task task, void *data)
{
	task_ = task;
	data_ = data;
	done_.assign(n, 0);
	queued_.clear();
	queued_pairs_ = next_task_ = turn_ = 0;
	tasks_ = n;
	stop_ = false;
	failure_ = nullptr;
	const BlockedSignals blocked;
	const std::lock_guard lock(mutex_); // no thread ends before all are counted
	try {
		while (threads_.size() < std::min(hosts_.size(), n)) {
			threads_.emplace_back(&Team::work, this, static_cast<unsigned>(threads_.size() + 1));
			++running_;
		}
	} catch (const std::system_error &) {
	}
	return running_ > 0;
}

void Team::work(unsigned worker) noexcept
{
	try {
		for (;;) {
			{
				const std::lock_guard lock(mutex_);
				if (stop_ || next_task_ == tasks_)
					break;
				task_of_[worker] = next_task_++;
			}
			task_(data_, worker, task_of_[worker]);
			flush(worker);
			const std::lock_guard lock(mutex_);
			done_[task_of_[worker]] = 1;
			for_caller_.notify_one();
		}
	} catch (...) {
		const std::lock_guard lock(mutex_);
		if (!stop_)
			failure_ = std::current_exception();
		stop_ = true;
		for_threads_.notify_all();
	}
	const std::lock_guard lock(mutex_);
	--running_;
	for_caller_.notify_one();
}

void Team::pair(unsigned worker, const FoundPair &pair)
{
	found_[worker].push_back(pair);
	if (found_[worker].size() >= chunk)
		flush(worker);
}

// If much is queued, waits, unless the caller waits for this task.
void Team::flush(unsigned worker)
{
	if (found_[worker].empty())
		return;
	const std::size_t task = task_of_[worker];
	std::unique_lock lock(mutex_);
	for_threads_.wait(
		lock, [&] { return stop_ || queued_pairs_ < most_queued || (turn_ == task && queued_[task].empty()); });
	if (stop_)
		throw Error(ErrorKind::cancelled, "cancelled");
	queued_pairs_ += found_[worker].size();
	queued_[task].push_back(std::exchange(found_[worker], {}));
	for_caller_.notify_one();
}

std::span<const FoundPair> Team::next(bool &done)
{
	constexpr std::chrono::milliseconds patience(20);
	done = false;
	std::unique_lock lock(mutex_);
	const auto is_ready = [&] { return turn_ < tasks_ && (!queued_[turn_].empty() || done_[turn_] != 0); };
	for_caller_.wait_for(lock, patience, [&] { return failure_ || running_ == 0 || is_ready(); });
	if (failure_)
		std::rethrow_exception(failure_);
	while (is_ready() && queued_[turn_].empty()) {
		queued_.erase(turn_++);
		for_threads_.notify_all();
	}
	if (!is_ready()) {
		done = running_ == 0;
		return {};
	}
	delivered_ = std::move(queued_[turn_].front());
	queued_[turn_].pop_front();
	queued_pairs_ -= delivered_.size();
	for_threads_.notify_all();
	return delivered_;
}

void Team::end() noexcept
{
	{
		const std::lock_guard lock(mutex_);
		stop_ = true;
		for_threads_.notify_all();
	}
	for (std::thread &thread : threads_)
		thread.join();
	threads_.clear();
	for (std::vector<FoundPair> &found : found_)
		found.clear();
}

void Team::Host::poll()
{
	if (team_.stop_.load(std::memory_order_relaxed))
		throw Error(ErrorKind::cancelled, "cancelled");
}

JoinFile *Team::Host::open_file()
{
	throw Error(ErrorKind::internal, "a worker of a join cannot write temporary files");
}

} // namespace txtfp::core
