#include "cli/batches.hpp"

#include <algorithm>
#include <cstdio>

#include "cli/failure.hpp"
#include "cli/stop.hpp"

namespace txtfp::cli {

void RecordCounts::add(const BatchResult &result, bool skip_errors)
{
	if (!result.broken.empty() && !skip_errors)
		throw Failure(result.error + "; --skip-errors leaves out such records");
	if (first_error_.empty())
		first_error_ = result.error;
	read_ += result.records;
	without_text_ += result.without_text;
	refused_ += result.broken.size();
}

void RecordCounts::check_read(const BatchReader &reader) const
{
	if (read_ != reader.records())
		throw Failure(reader.file().whole_name() + ": " + std::to_string(reader.records()) +
			" records were found, and " + std::to_string(read_) + " were read");
	if (refused_ > 0 && refused_ == read_)
		throw Failure("no record could be read; " + first_error_);
}

void RecordCounts::set_written(std::uint64_t written, std::uint64_t left_out)
{
	writes_ = true;
	written_ = written;
	left_out_ = left_out;
	if (written + left_out + refused_ != read_)
		throw Failure(std::to_string(read_) + " records were read, but " + std::to_string(refused_) + " refused, " +
			std::to_string(written) + " written and " + std::to_string(left_out) + " left out");
}

void RecordCounts::report(bool quiet) const
{
	if (quiet)
		return;
	std::string line = "txtfp: " + std::to_string(read_) + (read_ == 1 ? " record read, " : " records read, ") +
		std::to_string(without_text_) + " without text, " + std::to_string(refused_) + " refused";
	if (writes_)
		line += ", " + std::to_string(written_) + " written";
	if (writes_ && left_out_ > 0)
		line += ", " + std::to_string(left_out_) + " left out";
	std::fprintf(stderr, "%s\n", line.c_str());
}

namespace {

// Batches in progress: read, being processed, done. Slots are used in turn, so results come in order.
class Pipeline {
public:
	struct Slot {
		Batch batch;
		BatchResult result;
		bool done = false;
	};

	explicit Pipeline(std::size_t slots) : slots_(slots) {}
	std::size_t capacity() const noexcept { return slots_.size(); }
	Slot &slot(std::size_t number) noexcept { return slots_[number % slots_.size()]; }

	void put(std::size_t number)
	{
		const std::lock_guard lock(mutex_);
		slot(number).done = false;
		ready_.push_back(number);
		changed_.notify_all();
	}
	bool get(std::size_t &number)
	{
		std::unique_lock lock(mutex_);
		changed_.wait(lock, [this] { return !ready_.empty() || closed_; });
		if (ready_.empty())
			return false;
		number = ready_.front();
		ready_.pop_front();
		return true;
	}
	void finish(std::size_t number)
	{
		const std::lock_guard lock(mutex_);
		slot(number).done = true;
		changed_.notify_all();
	}
	void close() // no more batches follow: all were put, or something failed
	{
		const std::lock_guard lock(mutex_);
		closed_ = true;
		changed_.notify_all();
	}
	void fail()
	{
		const std::lock_guard lock(mutex_);
		failed_ = closed_ = true;
		ready_.clear();
		changed_.notify_all();
	}
	bool wait_for(std::size_t number) // false if a thread failed
	{
		std::unique_lock lock(mutex_);
		changed_.wait(lock, [&] { return slot(number).done || failed_; });
		return slot(number).done;
	}

private:
	std::vector<Slot> slots_;
	std::mutex mutex_;
	std::condition_variable changed_;
	std::deque<std::size_t> ready_;
	bool closed_ = false, failed_ = false;
};

} // namespace

void for_each_batch(BatchReader &reader, unsigned threads, Progress &progress,
	const std::function<void(const Batch &, unsigned thread, BatchResult &)> &work,
	const std::function<void(BatchResult &)> &consume)
{
	if (threads <= 1) {
		Batch batch;
		for (BatchResult result; reader.next(batch); result = {}) {
			stop_token.check();
			work(batch, 0, result);
			consume(result);
			progress.at(reader.file().file_position());
		}
		return;
	}
	Pipeline pipeline(2 * threads + 2);
	Threads workers;
	struct Closer {
		Pipeline &pipeline;
		~Closer() { pipeline.fail(); }
	} closer{pipeline}; // closes the pipeline before the threads are joined
	for (unsigned thread = 0; thread < threads; ++thread)
		workers.start([&, thread] {
			try {
				for (std::size_t number; pipeline.get(number); pipeline.finish(number)) {
					stop_token.check();
					work(pipeline.slot(number).batch, thread, pipeline.slot(number).result);
				}
			} catch (...) {
				pipeline.fail();
				throw;
			}
		});
	// A batch that exceeds its share of the limit is processed alone, so that not every slot holds one at once.
	const std::size_t share = std::max(4 * BatchReader::batch_bytes, reader.max_record() / pipeline.capacity());
	std::size_t put = 0, taken = 0;
	const auto consume_one = [&] {
		if (!pipeline.wait_for(taken))
			workers.join_and_rethrow();
		consume(pipeline.slot(taken++).result);
		progress.at(reader.file().file_position());
	};
	for (;;) {
		if (put - taken == pipeline.capacity())
			consume_one();
		Pipeline::Slot &slot = pipeline.slot(put);
		slot.result = {};
		stop_token.check();
		if (!reader.next(slot.batch))
			break;
		pipeline.put(put++);
		if (slot.batch.size > share) {
			while (taken < put)
				consume_one();
			slot.batch.buffer = {};
		}
	}
	while (taken < put)
		consume_one();
	pipeline.close();
	workers.join_and_rethrow();
}

} // namespace txtfp::cli
