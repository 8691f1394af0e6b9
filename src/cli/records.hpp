// Records of a text file: JSON Lines, tab-separated as PostgreSQL's COPY writes it, CSV, or plain lines.
//
//   jsonl  a JSON object a line; fields by name, or by JSON pointer ("/doc/body"); an id is a string or a number
//   tsv    COPY's text format: \t, \n, \\ and the like in a field, \N is NULL
//   csv    RFC 4180: fields in double quotes may hold delimiters and line ends, and "" for a quote
//   lines  a text a line
// Lines end with LF or CR LF; a byte order mark at the beginning of the file is dropped. Texts must be valid UTF-8.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace txtfp::cli {

enum class Format { jsonl, tsv, csv, lines };

struct RecordFormat {
	Format format = Format::jsonl;
	char delimiter = '\t';                          // tsv, csv
	bool header = false;                            // tsv, csv: the first record names the fields
	std::string id = "id", text = "text", priority; // names, or numbers from 1 where there is no header
	bool line_ids = false;                          // the number of the record is its id; always so for lines
	int id_at = -1, text_at = -1, priority_at = -1; // tsv, csv: places of the fields, found by find_fields

	bool has_quotes() const noexcept { return format == Format::csv; }
};

// Finds the fields by the header, or by their numbers where that is empty. Returns what is wrong, or nothing.
std::string find_fields(RecordFormat &format, std::string_view header);

// How much of `bytes`, which begin with a record, is whole records: up to behind the last line end; and how many.
struct WholeRecords {
	std::size_t bytes, records, lines;
};
WholeRecords whole_records(const RecordFormat &format, std::string_view bytes) noexcept;

WholeRecords first_records(
	const RecordFormat &format, std::string_view bytes, std::size_t most) noexcept; // `most` are there

// Of the first record of `bytes`, with its line end; and how many lines it has.
std::size_t record_size(const RecordFormat &format, std::string_view bytes, std::size_t &lines) noexcept;

struct Record {
	std::uint64_t line;    // where it begins, from 1
	std::string_view id;   // empty: the number of the record is the id
	bool id_is_number;     // in JSON
	bool has_text;         // not NULL
	std::string_view text; // valid UTF-8
	double priority;       // −infinity: none
};

// Bytes that must be readable behind what is parsed; what they are does not matter.
constexpr std::size_t record_padding = 64;

// Takes record by record. Views live until the next call.
class RecordParser {
public:
	explicit RecordParser(const RecordFormat &format);
	~RecordParser();

	enum class Outcome { record, broken, end };
	// Takes a record from the beginning of `rest`, which ends with the end of a record; `line` is where that begins and is
	// moved on. broken: error() says what is wrong with it.
	Outcome next(std::string_view &rest, std::uint64_t &line, Record &record);
	const std::string &error() const noexcept { return error_; }

private:
	struct Json;
	bool parse_json(std::string_view line, Record &record);
	bool parse_tsv(std::string_view line, Record &record);
	bool parse_csv(std::string_view bytes, Record &record);
	bool take_fields(
		std::string_view id, std::string_view text, bool text_is_null, std::string_view priority, Record &record);
	bool set_priority(std::string_view text, Record &record);
	bool unescape(std::string_view field, std::string &to);
	bool split_csv(std::string_view bytes);
	bool fail(std::string message);

	const RecordFormat &format_;
	std::unique_ptr<Json> json_;
	std::string error_, id_, text_, priority_;
};

bool is_valid_utf8(std::string_view bytes) noexcept;

} // namespace txtfp::cli
