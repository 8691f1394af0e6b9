// Records of a text file: JSON Lines, tab-separated as PostgreSQL's COPY writes it, CSV, or plain lines.
//
//   jsonl  one JSON object per line; fields by name or by JSON pointer ("/doc/body"); an id is a string or a number
//   tsv    COPY's text format: a field may contain \t, \n, \\ and the like, \N is NULL
//   csv    RFC 4180: fields in double quotes may contain delimiters, line ends, and "" for a quote
//   lines  one text per line
// Lines end with LF or CR LF; a byte order mark at the beginning of the file is dropped. Texts must be valid UTF-8.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace txtfp::cli {

enum class Format { jsonl, tsv, csv, lines };

struct RecordFormat {
	Format format = Format::jsonl;
	char delimiter = '\t';                          // tsv, csv
	bool header = false;                            // tsv, csv: the first record names the fields
	std::string id = "id", text = "text", priority; // names, or numbers from 1 if there is no header
	bool line_ids = false;                          // true: the number of the record is its id, as always for lines
	int id_at = -1, text_at = -1, priority_at = -1; // tsv, csv: positions of the fields, set by find_fields
	bool only_more = false;                         // true: id and text are not read
	std::vector<std::string> more; // names of further fields, none of which must be there; tsv and csv need a header
	std::vector<int> more_at;      // −1: the header does not have it

	bool has_quotes() const noexcept { return format == Format::csv; }
};

// Finds the fields by the header, or by their numbers if `header` is empty. Returns an error message, or "".
std::string find_fields(RecordFormat &format, std::string_view header);

// The number and the size in bytes of the whole records at the beginning of `bytes`. A record ends with its line end.
struct WholeRecords {
	std::size_t bytes, records, lines;
};
WholeRecords whole_records(const RecordFormat &format, std::string_view bytes) noexcept;

WholeRecords first_records(
	const RecordFormat &format, std::string_view bytes, std::size_t most) noexcept; // counts at most `most` records

// The size of the first record of `bytes` in bytes, with its line end; sets `lines` to its number of lines.
std::size_t record_size(const RecordFormat &format, std::string_view bytes, std::size_t &lines) noexcept;

struct Record {
	std::uint64_t line;    // the line at which it begins, from 1
	std::string_view id;   // empty if the number of the record is the id
	bool id_is_number;     // true if JSON gave the id as a number
	bool has_text;         // false if the text is NULL
	std::string_view text; // valid UTF-8
	double priority;       // −infinity: none
};

// Bytes that must be readable after the parsed bytes; their values do not matter.
constexpr std::size_t record_padding = 64;

// Parses one record at a time. Views are valid until the next call.
class RecordParser {
public:
	explicit RecordParser(const RecordFormat &format);
	~RecordParser();

	enum class Outcome { record, broken, end };
	// Parses the record at the beginning of `rest`, which ends at the end of a record, and advances `rest` and `line`
	// past it; `line` is the line number at which `rest` begins. After `broken`, error() has the message.
	Outcome next(std::string_view &rest, std::uint64_t &line, Record &record);
	const std::string &error() const noexcept { return error_; }

	// The further fields of the record; empty for what is missing or NULL. Numbers and booleans of JSON are texts here.
	const std::vector<std::optional<std::string>> &more() const noexcept { return more_; }

private:
	struct Json;
	bool parse_json(std::string_view line, Record &record);
	bool parse_tsv(std::string_view line, Record &record);
	bool parse_csv(std::string_view bytes, Record &record);
	bool fill_record(
		std::string_view id, std::string_view text, bool text_is_null, std::string_view priority, Record &record);
	bool set_priority(std::string_view text, Record &record);
	bool parse_more_json();
	bool is_more_valid();
	std::vector<std::optional<std::string> *> more_at(int at);
	int last_field() const noexcept;
	bool unescape(std::string_view field, std::string &to);
	bool fail(std::string message);
	void give_back_memory(std::size_t next_size);

	const RecordFormat &format_;
	std::unique_ptr<Json> json_;
	std::string error_, id_, text_, priority_;
	std::vector<std::optional<std::string>> more_;
	std::size_t largest_ = 0; // bytes of the largest record since the buffers were made
};

bool is_valid_utf8(std::string_view bytes) noexcept;

} // namespace txtfp::cli
