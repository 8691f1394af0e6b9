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
#include "records/batches.hpp"
#include "records/records.hpp"

namespace txtfp::cli {

using records::Batch, records::BatchReader, records::Format, records::Record, records::RecordFormat,
	records::RecordLimit, records::RecordParser;

// The result of a thread for one batch.
struct BatchResult {
	std::string output;
	std::uint64_t rows = 0;              // of the output
	std::vector<std::uint64_t> sketches; // of Collection
	std::uint64_t records = 0, without_text = 0;
	std::vector<std::uint64_t> broken; // numbers of the broken records in the file, from 0
	std::string error;                 // describes the first of them: "FILE: line 7: …"
};

// Parses the records of a batch and calls visit(record, parsed) for each; the result is empty or says what is wrong
// with the record. `parsed` is false for a record that is broken already; only its line is set. RecordCounts into `result`.
template <class Visit>
void for_each_record(const Batch &batch, RecordParser &parser, BatchResult &result, const Visit &visit)
{
	std::string_view rest = batch.bytes();
	std::uint64_t line = batch.first_line;
	for (std::uint64_t i = 0; i < batch.records; ++i) {
		Record record = {batch.first_line, {}, false, false, {}, 0, {}};
		std::string wrong = batch.wrong;
		if (wrong.empty() && parser.next(rest, line, record) != RecordParser::Outcome::record)
			wrong = parser.error();
		if (wrong.empty()) {
			wrong = visit(record, true);
		} else {
			record.id = {};
			visit(record, false);
		}
		result.without_text += wrong.empty() && !record.has_text;
		if (wrong.empty())
			continue;
		if (result.broken.empty())
			result.error = batch.file + ": line " + std::to_string(record.line) + ": " + wrong;
		result.broken.push_back(batch.first_record + i);
	}
	result.records = batch.records;
}

// What became of the records of a file: each was refused, or written, or left out on purpose.
class RecordCounts {
public:
	// Throws if a record of the result is broken, unless broken records are to be skipped.
	void add(const BatchResult &result, bool skip_errors);
	// After the last one: throws if nothing but broken records was read, or the reader has cut another number.
	void check_read(const BatchReader &reader) const;
	void set_written(std::uint64_t written, std::uint64_t left_out); // throws if records are missing
	std::uint64_t refused() const noexcept { return refused_; }
	void report(bool quiet) const; // a line on standard error

private:
	std::uint64_t read_ = 0, without_text_ = 0, refused_ = 0, written_ = 0, left_out_ = 0;
	bool writes_ = false;
	std::string first_error_;
};

// Calls work(batch, thread, result) on `threads` threads, and consume(result) on the calling thread in the order of the
// file.
void for_each_batch(BatchReader &reader, unsigned threads, Progress &progress,
	const std::function<void(const Batch &, unsigned thread, BatchResult &)> &work,
	const std::function<void(BatchResult &)> &consume);

} // namespace txtfp::cli
