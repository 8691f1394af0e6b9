#include "core/threads/team.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <string>
#include <system_error>
#include <utility>

#include <pthread.h>

namespace txtfp::core {

namespace {

// New threads inherit the mask: the signals of the backend are the caller's, those that tell of a fault of the thread
// itself are not blocked.
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

void throw_file_error(const char *what, const char *path, int code)
{
	const ErrorKind kind = code == ENOSPC || code == EDQUOT ? ErrorKind::disk_full : ErrorKind::file;
	const std::string file = std::string(" temporary file \"") + path + "\": ";
	throw Error(kind, std::string("could not ") + what + file + std::generic_category().message(code));
}

Team::Team(unsigned threads, JoinHost *caller) : caller_(caller), found_(threads + 1), task_of_(threads + 1)
{
	for (unsigned i = 0; i < threads; ++i)
		hosts_.emplace_back(*this);
	threads_.reserve(threads);
}

bool Team::start(std::size_t n, Task task, void *data)
{
	tasks_ = n;
	next_task_ = turn_ = 0;
	is_stream_ = false;
	return start_threads(task, data, std::min(hosts_.size(), n));
}

bool Team::start_stream(Task task, void *data, std::size_t first, unsigned threads)
{
	tasks_ = next_task_ = turn_ = first;
	is_stream_ = true;
	return start_threads(task, data, threads);
}

bool Team::start_threads(Task task, void *data, std::size_t n)
{
	task_ = task;
	data_ = data;
	done_.assign(tasks_ - turn_, 0);
	queued_.clear();
	questions_.clear();
	queued_pairs_ = 0;
	closed_ = !is_stream_;
	stop_ = ended_ = false;
	failure_ = nullptr;
	const BlockedSignals blocked;
	const std::lock_guard lock(mutex_); // no thread ends before all are counted
	try {
		while (threads_.size() < n) {
			threads_.emplace_back(&Team::work, this, static_cast<unsigned>(threads_.size() + 1));
			++running_;
		}
	} catch (const std::system_error &) {
	}
	return running_ > 0;
}

std::size_t Team::post()
{
	const std::lock_guard lock(mutex_);
	if (failure_)
		std::rethrow_exception(failure_);
	++tasks_;
	done_.push_back(0);
	for_threads_.notify_all();
	skip_done();
	return tasks_ - turn_;
}

std::size_t Team::unfinished()
{
	const std::lock_guard lock(mutex_);
	skip_done();
	return tasks_ - turn_;
}

void Team::close()
{
	const std::lock_guard lock(mutex_);
	closed_ = true;
	for_threads_.notify_all();
}

bool Team::claim_task(unsigned worker)
{
	std::unique_lock lock(mutex_);
	for_threads_.wait(lock, [&] { return stop_ || next_task_ < tasks_ || closed_; });
	if (stop_ || next_task_ == tasks_)
		return false;
	task_of_[worker] = next_task_++;
	return true;
}

void Team::work(unsigned worker) noexcept
{
	try {
		while (claim_task(worker)) {
			task_(data_, worker, task_of_[worker]);
			flush(worker);
			const std::lock_guard lock(mutex_);
			done_[task_of_[worker] - turn_] = 1;
			for_caller_.notify_one();
		}
		if (is_stream_ && !stop_)
			task_(data_, worker, JoinExecutor::none);
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
		lock, [&] { return stop_ || queued_pairs_ < most_queued || (turn_ == task && !queued_.contains(task)); });
	if (stop_)
		throw Error(ErrorKind::cancelled, "cancelled");
	queued_pairs_ += found_[worker].size();
	queued_[task].push_back(std::exchange(found_[worker], {}));
	for_caller_.notify_one();
}

bool Team::is_ready() const { return turn_ < tasks_ && (queued_.contains(turn_) || done_.front() != 0); }

void Team::skip_done()
{
	while (is_ready() && !queued_.contains(turn_)) {
		++turn_;
		done_.pop_front();
		for_threads_.notify_all();
	}
}

std::span<const FoundPair> Team::next(bool &done)
{
	constexpr std::chrono::milliseconds patience(20);
	done = false;
	std::unique_lock lock(mutex_);
	for_caller_.wait_for(
		lock, patience, [&] { return failure_ || running_ == 0 || !questions_.empty() || is_ready(); });
	if (failure_)
		std::rethrow_exception(failure_);
	skip_done();
	if (!is_ready()) {
		done = running_ == 0;
		return {};
	}
	const auto chunks = queued_.find(turn_);
	delivered_ = std::move(chunks->second.front());
	chunks->second.pop_front();
	if (chunks->second.empty())
		queued_.erase(chunks);
	queued_pairs_ -= delivered_.size();
	for_threads_.notify_all();
	return delivered_;
}

Team::Question *Team::question()
{
	const std::lock_guard lock(mutex_);
	if (questions_.empty())
		return nullptr;
	Question *first = questions_.front();
	questions_.pop_front();
	return first;
}

void Team::answer(Question &question)
{
	const std::lock_guard lock(mutex_);
	question.answered = true;
	for_threads_.notify_all();
}

void Team::end() noexcept
{
	{
		const std::lock_guard lock(mutex_);
		stop_ = ended_ = true;
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

// The caller may be busy with the answer when the threads are to stop; what it works on must stay until it has ended.
void Team::Host::ask(void (*fn)(void *data), void *data)
{
	Question question{fn, data, false};
	std::unique_lock lock(team_.mutex_);
	team_.questions_.push_back(&question);
	team_.for_caller_.notify_one();
	team_.for_threads_.wait(lock, [&] { return question.answered || team_.ended_; });
	if (!question.answered)
		throw Error(ErrorKind::cancelled, "cancelled");
}

JoinFile *Team::Host::open_file()
{
	if (team_.caller_ == nullptr)
		throw Error(ErrorKind::internal, "a worker of a join cannot write temporary files");
	JoinFile *file = nullptr;
	ask_caller([&] { file = team_.caller_->open_file(); });
	return &files_.emplace_back(*this, *file);
}

void Team::File::write(std::uint64_t at, const void *bytes, std::size_t size)
{
	if (at + size > reserved_)
		host_.ask_caller([&] { reserved_ = file_.reserve(at + size); });
	file_.write_reserved(at, bytes, size);
}

} // namespace txtfp::core
