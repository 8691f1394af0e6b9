#include "cli/batches.hpp"

#include "cli/failure.hpp"

namespace txtfp::cli {

namespace {

constexpr std::size_t max_header = 1 << 20;
// A batch aims at 2,000 records, so that small records do not pile up by the ten thousands in memory.
constexpr std::size_t usual_records = 2048, most_records = 8192, least_bytes = 1 << 14;

} // namespace

BatchReader::BatchReader(InputFile &file, RecordFormat &format, const RecordLimit &limit)
	: file_(file), format_(format), limit_(limit)
{
	if (format_.format == Format::lines)
		format_.line_ids = true;
	rest_.resize(3);
	rest_.resize(file_.read(rest_.data(), rest_.size()));
	if (rest_ == "\xEF\xBB\xBF")
		rest_.clear();
	const bool has_fields = format_.format == Format::tsv || format_.format == Format::csv;
	if (has_fields && format_.header)
		read_header();
	if (has_fields)
		if (const std::string wrong = find_fields(format_, header_); !wrong.empty())
			throw Failure(file_.name() + ": " + wrong, header_.empty() ? exit_usage : exit_failure);
}

// Reads the header. It reads byte by byte up to the line end, which is fast enough for one line of names.
void BatchReader::read_header()
{
	do {
		char c;
		if (!rest_.empty()) {
			c = rest_.front();
			rest_.erase(0, 1);
		} else if (header_.size() > max_header || file_.read(&c, 1) == 0) {
			throw Failure(file_.name() + ": there is no header line");
		}
		header_ += c;
	} while (header_.back() != '\n' || whole_records(format_, header_).bytes == 0);
	line_ += whole_records(format_, header_).lines;
}

// Reads until the batch has `wanted` bytes or the file ends.
bool BatchReader::fill(Batch &batch, std::size_t wanted)
{
	if (batch.buffer.size() < wanted + record_padding)
		batch.buffer.resize(wanted + record_padding);
	const std::size_t n = file_.read(batch.buffer.data() + batch.size, wanted - batch.size);
	batch.size += n;
	return batch.size == wanted;
}

// Reads until the batch begins with a whole record, has more bytes than the limit, or the file ends.
WholeRecords BatchReader::read_whole(Batch &batch)
{
	WholeRecords whole{};
	std::size_t wanted = std::max(wanted_, 2 * rest_.size());
	for (;;) {
		at_end_ = at_end_ || !fill(batch, wanted);
		whole = whole_records(format_, batch.bytes());
		if (at_end_ && whole.bytes < batch.size) // the last record may lack a line end
			whole = {batch.size, whole.records + 1, whole.lines + 1};
		if (at_end_ || whole.bytes > 0 || batch.size > limit_.bytes)
			return whole;
		wanted = std::min(2 * wanted, std::max(wanted, limit_.bytes) + batch_bytes);
	}
}

// Blank lines at the end of JSON Lines are no records. They stay in rest_ until it is known whether a record follows.
WholeRecords BatchReader::without_blank_end(const Batch &batch, WholeRecords whole) const noexcept
{
	if (format_.format != Format::jsonl)
		return whole;
	const WholeRecords all = whole;
	const std::string_view blank = " \t\r\n";
	for (;;) {
		const std::string_view bytes = batch.bytes().substr(0, whole.bytes);
		const std::size_t before = bytes.empty() ? bytes.npos : bytes.substr(0, bytes.size() - 1).rfind('\n');
		const std::size_t begin = before == bytes.npos ? 0 : before + 1;
		if (bytes.empty() || bytes.find_first_not_of(blank, begin) != bytes.npos)
			break;
		whole = {begin, whole.records - 1, whole.lines - 1};
	}
	return whole.records > 0 || at_end_ ? whole : all;
}

// Ends the batch before its first record that is too long. Returns no record if that is the first one.
WholeRecords BatchReader::without_long_records(Batch &batch, const WholeRecords &whole)
{
	if (whole.bytes <= limit_.bytes)
		return whole;
	WholeRecords fitting{};
	while (fitting.records < whole.records) {
		std::size_t lines;
		const std::size_t size = record_size(format_, batch.bytes().substr(fitting.bytes), lines);
		if (size > limit_.bytes)
			break;
		fitting = {fitting.bytes + size, fitting.records + 1, fitting.lines + lines};
	}
	return fitting;
}

// Reads the record at the beginning of the batch to its end, keeping only what follows it; or ends reading.
void BatchReader::skip_record(Batch &batch)
{
	bool open = false;
	std::uint64_t lines = 0;
	for (std::size_t i = 0;; i = 0) {
		for (; i < batch.size; ++i) {
			open ^= format_.has_quotes() && batch.buffer[i] == '"';
			lines += batch.buffer[i] == '\n';
			if (batch.buffer[i] == '\n' && !open)
				break;
		}
		at_end_ = at_end_ || !limit_.skip;
		if (i < batch.size || at_end_) {
			lines += i == batch.size; // the last record may lack a line end
			rest_.assign(batch.buffer, std::min(i + 1, batch.size), batch.size - std::min(i + 1, batch.size));
			break;
		}
		batch.size = 0;
		at_end_ = !fill(batch, batch_bytes);
	}
	batch.wrong = "the record is longer than " + std::to_string(limit_.bytes) + " bytes (--max-record)";
	if (open)
		batch.wrong += "; perhaps a quote is not closed";
	batch.size = 0;
	batch.buffer = {};
	end_batch(batch, {0, 1, lines});
}

void BatchReader::end_batch(Batch &batch, const WholeRecords &whole)
{
	batch.size = whole.bytes;
	batch.first_line = line_;
	batch.first_record = record_;
	batch.records = whole.records;
	line_ += whole.lines;
	record_ += whole.records;
}

bool BatchReader::next(Batch &batch)
{
	batch.size = 0;
	batch.wrong.clear();
	if (at_end_ && rest_.empty())
		return false;
	if (batch.buffer.size() < rest_.size())
		batch.buffer.resize(rest_.size());
	rest_.copy(batch.buffer.data(), rest_.size());
	batch.size = rest_.size();
	WholeRecords whole = without_blank_end(batch, read_whole(batch));
	if (at_end_ && whole.records == 0) {
		rest_.clear();
		return false;
	}
	whole = without_long_records(batch, whole);
	if (whole.records == 0) {
		skip_record(batch);
		return true;
	}
	if (whole.records > most_records)
		whole = first_records(format_, batch.bytes(), most_records);
	wanted_ = std::clamp(whole.bytes / whole.records * usual_records, least_bytes, batch_bytes);
	rest_.assign(batch.buffer, whole.bytes, batch.size - whole.bytes);
	end_batch(batch, whole);
	return true;
}

void check_broken(const BatchResult &result, const std::string &file_name, bool skip_errors)
{
	if (!result.broken.empty() && !skip_errors)
		throw Failure(file_name + ": " + result.error + "; --skip-errors leaves out such records");
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
