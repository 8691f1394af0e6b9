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
	std::string_view bytes() const noexcept { return {buffer.data(), size}; }
};

// Cuts a file into batches of whole records.
class BatchReader {
public:
	static constexpr std::size_t batch_bytes = 1 << 19, max_record = std::size_t{1} << 30;

	// Reads the header, if there is one, and finds the fields.
	BatchReader(InputFile &file, RecordFormat &format);

	bool next(Batch &batch);                                       // false at the end of the file
	const std::string &header() const noexcept { return header_; } // as in the file, with its line end
	InputFile &file() noexcept { return file_; }
	const RecordFormat &format() const noexcept { return format_; }

private:
	bool fill(Batch &batch, std::size_t wanted);
	void read_header();

	InputFile &file_;
	RecordFormat &format_;
	std::string header_, rest_;
	std::uint64_t line_ = 1, record_ = 0;
	std::size_t wanted_ = 1 << 16;
	bool at_end_ = false;
};

// The result of a thread for one batch.
struct BatchResult {
	std::string output;
	std::uint64_t records = 0, broken = 0;
	std::string error; // describes the first broken record: "line 7: …"
};

// Calls work(batch, thread, result) on `threads` threads, and take(result) on the calling thread in the order of the
// file.
void for_each_batch(BatchReader &reader, unsigned threads, Progress &progress,
	const std::function<void(const Batch &, unsigned thread, BatchResult &)> &work,
	const std::function<void(BatchResult &)> &take);

} // namespace txtfp::cli
