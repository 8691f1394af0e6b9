// How the records of a text file are written, and where they end.
//
//   jsonl  one JSON object per line; fields by name or by JSON pointer ("/doc/body"); an id is a string or a number
//   tsv    COPY's text format: a field may contain \t, \n, \\ and the like, \N is NULL
//   csv    RFC 4180: fields in double quotes may contain delimiters, line ends, and "" for a quote
//   lines  one text per line
// Lines end with LF or CR LF, or all of them with CR; a byte order mark at the beginning of the file is dropped. A first
// line "sep=;" of csv is no record and names the delimiter. Texts must be valid UTF-8. In tsv and csv all records have as
// many fields as the first one, which may be the header. There a field that is asked for must not have the name of another.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace txtfp::records {

enum class Format { jsonl, tsv, csv, lines };

struct RecordFormat {
	Format format = Format::jsonl;
	char delimiter = '\t';                          // tsv, csv; set by BatchReader if the file names it
	char line_end = '\n';                           // or CR; set by BatchReader
	bool header = false;                            // tsv, csv: the first record names the fields
	std::size_t fields = 0;                         // tsv, csv: of each record, set by BatchReader; 0: any number
	std::string id = "id", text = "text", priority, group; // names, or numbers from 1 if there is no header; empty: not asked for
	bool line_ids = false;                          // true: the number of the record is its id, as always for lines
	int id_at = -1, text_at = -1, priority_at = -1, group_at = -1; // tsv, csv: positions of the fields, set by find_fields
	bool only_more = false;                         // true: id and text are not read
	std::vector<std::string> more; // names of further fields, which need not be there; tsv and csv need a header
	std::vector<int> more_at;      // −1: the header does not have it

	bool has_quotes() const noexcept { return format == Format::csv; }
	bool has_fields() const noexcept { return format == Format::tsv || format == Format::csv; }
};

// The format that a name tells: the name of a format, or what a file name has behind its last dot, in either case, if it
// is no compression's.
std::optional<Format> format_named(std::string_view name) noexcept;
std::optional<Format> format_of_file(std::string_view path);

// Bytes that must be readable after the parsed bytes; their values do not matter.
constexpr std::size_t record_padding = 64;

// Finds the fields in the first record, which is the header if there is one. Returns an error message, or "".
std::string find_fields(RecordFormat &format, const std::vector<std::string> &first);

// The message for a name that the header has several times; "" if it has not.
std::string name_twice(const std::vector<std::string> &header, const std::string &name);

// The message; `file` belongs to a host that has other options.
std::string no_field(const std::string &name, const std::vector<std::string> &fields, const std::string &file = {});

// The number and the size in bytes of the whole records at the beginning of `bytes`. A record ends with its line end.
struct WholeRecords {
	std::size_t bytes, records, lines;
};
WholeRecords whole_records(const RecordFormat &format, std::string_view bytes) noexcept;

WholeRecords first_records(
	const RecordFormat &format, std::string_view bytes, std::size_t most) noexcept; // counts at most `most` records

// The size of the first record of `bytes` in bytes, with its line end; sets `lines` to its number of lines.
std::size_t record_size(const RecordFormat &format, std::string_view bytes, std::size_t &lines) noexcept;

// CR if that ends the lines at the beginning of a file, else LF. `bytes` are not empty.
char find_line_end(const RecordFormat &format, std::string_view bytes) noexcept;

std::string_view without_line_end(const RecordFormat &format, std::string_view line) noexcept;

// The fields of a record of tsv or csv.
struct Field {
	std::string_view text;
	bool is_null; // \N of tsv
};

class FieldSplitter {
public:
	explicit FieldSplitter(const RecordFormat &format) : format_(format) {}

	// Returns an error message, or "". Views are valid until the next call, and as long as the record.
	std::string split(std::string_view record);
	const std::vector<Field> &fields() const noexcept { return fields_; }

private:
	std::string split_csv(std::string_view line);
	std::string split_tsv(std::string_view line);
	const char *unescape(std::string_view field, std::string_view &text);

	const RecordFormat &format_;
	std::vector<Field> fields_;
	std::string storage_; // what was written otherwise
};

} // namespace txtfp::records
