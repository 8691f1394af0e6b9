// Records of a text file (format.hpp): id, text, priority, group and further fields.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "records/format.hpp"

namespace txtfp::records {

struct Record {
	std::uint64_t line;    // the line at which it begins, from 1
	std::string_view id;   // as the file writes it; empty if the number of the record is the id
	bool id_is_number;     // true if JSON gave the id as a number
	bool has_text;         // false if the text is NULL
	std::string_view text; // valid UTF-8
	double priority;       // core::no_priority: none
	std::optional<std::string_view> group; // as the file writes it; empty: NULL, or not asked for
};

struct JsonValue;

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
	bool parse_json_name(const JsonValue &value, const std::string &field, std::string_view &name);
	bool parse_json_group(Record &record);
	bool parse_fields(std::string_view bytes, Record &record);
	bool set_priority(std::string_view text, Record &record);
	bool parse_more_json();
	bool parse_more_fields();
	bool fail(std::string message);
	void give_back_memory(std::size_t next_size);

	const RecordFormat &format_;
	std::unique_ptr<Json> json_;
	std::unique_ptr<FieldSplitter> splitter_;
	std::string error_;
	std::vector<std::optional<std::string>> more_;
	std::size_t largest_ = 0; // bytes of the largest record since the buffers were made
};

} // namespace txtfp::records
