// Processes the records of a file in batches on several threads. Results are returned in the order of the file.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cli/files.hpp"
#include "cli/parallel.hpp"
#include "cli/progress.hpp"
#include "cli/records.hpp"

namespace txtfp::cli {

struct Batch {
	std::string buffer;           // the records, then record_padding bytes
	std::size_t size = 0;         // bytes of the records
	std::uint64_t first_line = 1; // counted from 1
	std::uint64_t first_record = 0, records = 0;
	std::string wrong; // not empty: the batch is one record that cannot be read, and has no bytes
	std::string_view bytes() const noexcept { return {buffer.data(), size}; }
};

struct RecordLimit {
	std::size_t bytes = std::size_t{1} << 26;
	bool skip = false; // true: what follows a record that is too long is read
};

// Cuts a file into batches of whole records. A record that exceeds the limit is not kept: it is a batch of its own
// whose `wrong` says so. The limit holds while the record is read, so it also bounds what a compressed file can expand
// to.
class BatchReader {
public:
	static constexpr std::size_t batch_bytes = 1 << 19;

	// Reads the header, if there is one, and finds the fields.
	BatchReader(InputFile &file, RecordFormat &format, const RecordLimit &limit = {});

	bool next(Batch &batch);                                       // false at the end of the file
	const std::string &header() const noexcept { return header_; } // as in the file, with its line end
	InputFile &file() noexcept { return file_; }
	const RecordFormat &format() const noexcept { return format_; }
	std::size_t max_record() const noexcept { return limit_.bytes; }

private:
	bool fill(Batch &batch, std::size_t wanted);
	WholeRecords read_whole(Batch &batch);
	WholeRecords without_long_records(Batch &batch, const WholeRecords &whole);
	void skip_record(Batch &batch);
	void end_batch(Batch &batch, const WholeRecords &whole);
	WholeRecords without_blank_end(const Batch &batch, WholeRecords whole) const noexcept;
	void read_header();

	InputFile &file_;
	RecordFormat &format_;
	RecordLimit limit_;
	std::string header_, rest_;
	std::uint64_t line_ = 1, record_ = 0;
	std::size_t wanted_ = 1 << 16;
	bool at_end_ = false;
};

// The result of a thread for one batch.
struct BatchResult {
	std::string output;
	std::vector<std::uint64_t> sketches; // of Collection
	std::uint64_t records = 0;
	std::vector<std::uint64_t> broken; // numbers of the broken records in the file, from 0
	std::string error;                 // describes the first of them: "line 7: …"
};

// Parses the records of a batch and calls visit(record, parsed) for each; the result is empty or says what is wrong
// with the record. `parsed` is false for a record that is broken already; only its line is set. Counts into `result`.
template <class Visit>
void for_each_record(const Batch &batch, RecordParser &parser, BatchResult &result, const Visit &visit)
{
	std::string_view rest = batch.bytes();
	std::uint64_t line = batch.first_line;
	for (std::uint64_t i = 0; i < batch.records; ++i) {
		Record record = {batch.first_line, {}, false, false, {}, 0};
		std::string wrong = batch.wrong;
		if (wrong.empty() && parser.next(rest, line, record) != RecordParser::Outcome::record)
			wrong = parser.error();
		if (wrong.empty()) {
			wrong = visit(record, true);
		} else {
			record.id = {};
			visit(record, false);
		}
		if (wrong.empty())
			continue;
		if (result.broken.empty())
			result.error = "line " + std::to_string(record.line) + ": " + wrong;
		result.broken.push_back(batch.first_record + i);
	}
	result.records = batch.records;
}

// Throws if a record of the result is broken, unless broken records are to be skipped.
void check_broken(const BatchResult &result, const std::string &file_name, bool skip_errors);

// Calls work(batch, thread, result) on `threads` threads, and consume(result) on the calling thread in the order of the
// file.
void for_each_batch(BatchReader &reader, unsigned threads, Progress &progress,
	const std::function<void(const Batch &, unsigned thread, BatchResult &)> &work,
	const std::function<void(BatchResult &)> &consume);

} // namespace txtfp::cli
