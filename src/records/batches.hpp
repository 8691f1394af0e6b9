// Cuts a stream into batches of whole records, which threads can parse apart.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "records/format.hpp"
#include "records/source.hpp"

namespace txtfp::records {

struct Batch {
	std::string buffer;           // the records, then record_padding bytes
	std::size_t size = 0;         // bytes of the records
	std::uint64_t first_line = 1; // of its file, counted from 1
	std::uint64_t first_record = 0, records = 0;
	std::string file;  // its name
	std::string wrong; // not empty: the batch is one record that cannot be read, and has no bytes
	std::string_view bytes() const noexcept { return {buffer.data(), size}; }
};

struct RecordLimit {
	std::size_t bytes = std::size_t{1} << 26;
	bool skip = false;         // true: what follows a record that is too long is read
	bool may_be_empty = false; // true: a file without a byte is one without records, although it lacks the header
	std::size_t first_read = 1 << 16; // bytes that tell how the lines end
};

// Cuts a file, or several in a row, into batches of whole records of one file each. Several must be alike: in what ends
// their lines, and in their header. A record that exceeds the limit is not kept: it is a batch of its own
// whose `wrong` says so. The limit holds while the record is read, so it also bounds what a compressed file can expand
// to.
class BatchReader {
public:
	static constexpr std::size_t batch_bytes = 1 << 19;

	// Reads the beginning of the first file that is not empty: how its lines end, how many fields it has, and the header,
	// if there is one.
	BatchReader(Stream &file, RecordFormat &format, const RecordLimit &limit = {});

	bool next(Batch &batch);                                       // false at the end
	const std::string &header() const noexcept { return header_; } // as in the file, with what precedes it
	std::uint64_t records() const noexcept { return record_; }     // in the batches so far
	const Stream &file() const noexcept { return file_; }
	const std::vector<std::string> &names() const noexcept { return names_; } // of the header
	const RecordFormat &format() const noexcept { return format_; }
	std::size_t max_record() const noexcept { return limit_.bytes; }

private:
	bool fill(Batch &batch, std::size_t wanted);
	WholeRecords read_whole(Batch &batch);
	WholeRecords without_long_records(Batch &batch, const WholeRecords &whole);
	void skip_record(Batch &batch);
	void end_batch(Batch &batch, const WholeRecords &whole);
	WholeRecords without_blank_end(const Batch &batch, WholeRecords whole, std::size_t ended) const noexcept;
	void read_beginning();
	std::string read_separator();
	bool begin_next_file();
	std::size_t first_record(std::vector<std::string> &names, std::size_t &lines);
	void read_first_record();
	bool begins_with_record(std::size_t most);

	Stream &file_;
	RecordFormat &format_;
	RecordLimit limit_;
	std::string header_, rest_;
	std::string first_file_;
	std::vector<std::string> names_;
	std::uint64_t line_ = 1, record_ = 0;
	std::size_t wanted_;
	bool at_end_ = false;
};

} // namespace txtfp::records
