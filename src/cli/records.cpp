#include "cli/records.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "cli/failure.hpp"
#include "cli/records_json.hpp"
#include "core/base/bytes.hpp"
#include "core/base/numbers.hpp"

namespace txtfp::cli {

namespace {

constexpr double no_priority = -std::numeric_limits<double>::infinity();

bool is_number(std::string_view text, int &number) noexcept
{
	const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
	return error == std::errc() && end == text.data() + text.size() && number >= 1;
}

// Parses a CSV field at the beginning of `rest` and advances `rest` to the delimiter, line end or end after the field.
enum class CsvField { ok, stray_quote, open_quote };
CsvField parse_csv_field(std::string_view &rest, char delimiter, std::string &to)
{
	to.clear();
	if (!rest.starts_with('"')) {
		std::size_t n = 0;
		while (n < rest.size() && rest[n] != delimiter && rest[n] != '\n' && rest[n] != '"')
			++n;
		if (n < rest.size() && rest[n] == '"')
			return CsvField::stray_quote;
		const bool crlf = n > 0 && rest[n - 1] == '\r' && (n == rest.size() || rest[n] == '\n');
		to.assign(rest.substr(0, n - crlf));
		rest.remove_prefix(n);
		return CsvField::ok;
	}
	rest.remove_prefix(1);
	for (;;) {
		const std::size_t quote = rest.find('"');
		if (quote == std::string_view::npos)
			return CsvField::open_quote;
		to.append(rest.substr(0, quote));
		rest.remove_prefix(quote + 1);
		if (!rest.starts_with('"'))
			break;
		to += '"';
		rest.remove_prefix(1);
	}
	if (rest == "\r" || rest.starts_with("\r\n"))
		rest.remove_prefix(1);
	return rest.empty() || rest[0] == delimiter || rest[0] == '\n' ? CsvField::ok : CsvField::stray_quote;
}

// The size of the first record of `bytes`, up to the first line end outside of quotes; sets `lines` to its number of
// lines.
std::size_t quoted_record_size(std::string_view bytes, std::size_t &lines) noexcept
{
	bool open = false;
	lines = 0;
	for (std::size_t i = 0; i < bytes.size(); ++i) {
		open ^= bytes[i] == '"';
		lines += bytes[i] == '\n';
		if (bytes[i] == '\n' && !open)
			return i + 1;
	}
	++lines;
	return bytes.size();
}

std::string_view without_line_end(std::string_view line) noexcept
{
	if (line.ends_with('\n'))
		line.remove_suffix(1);
	if (line.ends_with('\r'))
		line.remove_suffix(1);
	return line;
}

std::vector<std::string> header_fields(const RecordFormat &format, std::string_view header)
{
	std::vector<std::string> fields;
	std::string field;
	if (format.format == Format::csv) {
		for (;;) {
			if (parse_csv_field(header, format.delimiter, field) != CsvField::ok)
				return {};
			fields.push_back(field);
			if (!header.starts_with(format.delimiter))
				return fields;
			header.remove_prefix(1);
		}
	}
	header = without_line_end(header);
	for (;;) {
		const std::size_t end = std::min(header.find(format.delimiter), header.size());
		fields.emplace_back(header.substr(0, end));
		if (end == header.size())
			return fields;
		header.remove_prefix(end + 1);
	}
}

std::string no_field(const std::string &name, const std::vector<std::string> &fields)
{
	constexpr std::size_t most = 10;
	std::string message = "there is no field " + in_quotes(name);
	for (std::size_t i = 0; i < fields.size() && i <= most; ++i)
		message += (i == 0 ? "; there are " : ", ") + (i < most ? in_quotes(fields[i]) : "\u2026");
	return message + "; --id, --text and --priority name the fields to use";
}

std::string find_field(
	const RecordFormat &format, const std::vector<std::string> &fields, const std::string &name, int position, int &at)
{
	if (!format.header) {
		int number = position;
		if (position == 0 || (name != "id" && name != "text"))
			if (!is_number(name, number))
				return "the field " + in_quotes(name) +
					" can only be found by a header (--header); without one, give its number, from 1";
		at = number - 1;
		return {};
	}
	const auto found = std::find(fields.begin(), fields.end(), name);
	if (found == fields.end())
		return no_field(name, fields);
	if (std::find(found + 1, fields.end(), name) != fields.end())
		return "the header has the field " + in_quotes(name) + " twice";
	at = static_cast<int>(found - fields.begin());
	return {};
}

} // namespace

namespace {

std::string find_more(RecordFormat &format, const std::vector<std::string> &fields)
{
	format.more_at.clear();
	for (const std::string &name : format.more) {
		const auto found = std::find(fields.begin(), fields.end(), name);
		if (found != fields.end() && std::find(found + 1, fields.end(), name) != fields.end())
			return "the header has the field " + in_quotes(name) + " twice";
		format.more_at.push_back(found == fields.end() ? -1 : static_cast<int>(found - fields.begin()));
	}
	return {};
}

} // namespace

std::string find_fields(RecordFormat &format, std::string_view header)
{
	const std::vector<std::string> fields = header_fields(format, header);
	if (std::string wrong = find_more(format, fields); format.only_more || !wrong.empty())
		return wrong;
	std::string wrong = find_field(format, fields, format.text, format.line_ids ? 1 : 2, format.text_at);
	if (wrong.empty() && !format.line_ids)
		wrong = find_field(format, fields, format.id, 1, format.id_at);
	if (wrong.empty() && !format.priority.empty())
		wrong = find_field(format, fields, format.priority, 0, format.priority_at);
	if (wrong.empty() &&
		(format.text_at == format.id_at || format.text_at == format.priority_at ||
			(format.id_at >= 0 && format.id_at == format.priority_at)))
		wrong = "id, text and priority must be different fields";
	return wrong;
}

WholeRecords whole_records(const RecordFormat &format, std::string_view bytes) noexcept
{
	WholeRecords whole{};
	if (!format.has_quotes()) {
		const void *last = bytes.empty() ? nullptr : memrchr(bytes.data(), '\n', bytes.size());
		if (last != nullptr)
			whole.bytes = static_cast<std::size_t>(static_cast<const char *>(last) - bytes.data()) + 1;
		whole.records = static_cast<std::size_t>(
			std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(whole.bytes), '\n'));
		whole.lines = whole.records;
		return whole;
	}
	// Each quote toggles `open`; a doubled quote toggles it twice. A line end outside of quotes ends a record.
	bool open = false;
	std::size_t lines = 0;
	for (std::size_t i = 0; i < bytes.size(); ++i) {
		open ^= bytes[i] == '"';
		if (bytes[i] == '\n') {
			++lines;
			if (!open)
				whole = {i + 1, whole.records + 1, lines};
		}
	}
	return whole;
}

WholeRecords first_records(const RecordFormat &format, std::string_view bytes, std::size_t most) noexcept
{
	WholeRecords whole{};
	for (std::size_t lines; whole.records < most; ++whole.records, whole.lines += lines)
		whole.bytes += record_size(format, bytes.substr(whole.bytes), lines);
	return whole;
}

std::size_t record_size(const RecordFormat &format, std::string_view bytes, std::size_t &lines) noexcept
{
	if (format.has_quotes())
		return quoted_record_size(bytes, lines);
	lines = 1;
	return std::min(bytes.find('\n'), bytes.size() - 1) + 1;
}

struct RecordParser::Json {
	JsonObject object;
};

RecordParser::RecordParser(const RecordFormat &format)
	: format_(format), json_(format.format == Format::jsonl ? std::make_unique<Json>() : nullptr),
	  more_(format.more.size())
{
}

RecordParser::~RecordParser() = default;

bool RecordParser::fail(std::string message)
{
	error_ = std::move(message);
	return false;
}

RecordParser::Outcome RecordParser::next(std::string_view &rest, std::uint64_t &line, Record &record)
{
	if (rest.empty())
		return Outcome::end;
	std::size_t lines = 1;
	const std::size_t size = record_size(format_, rest, lines);
	give_back_memory(size);
	const std::string_view bytes = rest.substr(0, size);
	rest.remove_prefix(size);
	record = {line, {}, false, true, {}, no_priority};
	line += lines;
	bool ok = false;
	switch (format_.format) {
	case Format::jsonl:
		ok = parse_json(without_line_end(bytes), record);
		break;
	case Format::tsv:
		ok = parse_tsv(without_line_end(bytes), record);
		break;
	case Format::csv:
		ok = parse_csv(bytes, record);
		break;
	case Format::lines:
		record.text = without_line_end(bytes);
		ok = is_valid_utf8(record.text) || fail("the text is not valid UTF-8");
		break;
	}
	return ok ? Outcome::record : Outcome::broken;
}

// A large record leaves large buffers; they are not kept for the records after it.
void RecordParser::give_back_memory(std::size_t next_size)
{
	constexpr std::size_t large = 1 << 22;
	if (largest_ > large && next_size <= large) {
		if (json_)
			json_ = std::make_unique<Json>();
		id_ = text_ = priority_ = {};
		more_.assign(more_.size(), std::nullopt);
		largest_ = 0;
	}
	largest_ = std::max(largest_, next_size);
}

bool RecordParser::parse_json(std::string_view line, Record &record)
{
	if (const char *wrong = json_->object.parse(line))
		return fail(wrong);
	if (!parse_more_json())
		return false;
	if (format_.only_more)
		return true;
	const JsonField text = json_->object.field(format_.text);
	if (text.kind == JsonField::Kind::missing)
		return fail(no_field(format_.text, json_->object.field_names()));
	if (text.kind != JsonField::Kind::string && text.kind != JsonField::Kind::null)
		return fail("the field " + in_quotes(format_.text) + " is not a string");
	record.has_text = text.kind == JsonField::Kind::string;
	record.text = text.text;
	if (!format_.line_ids) {
		const JsonField id = json_->object.field(format_.id);
		record.id_is_number = id.kind == JsonField::Kind::number;
		if (id.kind == JsonField::Kind::missing)
			return fail(no_field(format_.id, json_->object.field_names()));
		if (id.kind != JsonField::Kind::string && !record.id_is_number)
			return fail("the field " + in_quotes(format_.id) + " is neither a string nor a number");
		id_.assign(record.id_is_number ? std::string_view(id.digits, id.digits_size) : id.text);
		if (id_.empty())
			return fail("the field " + in_quotes(format_.id) + " is empty");
		record.id = id_;
	}
	if (!format_.priority.empty()) {
		const JsonField priority = json_->object.field(format_.priority);
		if (priority.kind == JsonField::Kind::number)
			record.priority = priority.number;
		else if (priority.kind != JsonField::Kind::missing && priority.kind != JsonField::Kind::null)
			return fail("the field " + in_quotes(format_.priority) + " is not a number");
	}
	return true;
}

bool RecordParser::parse_more_json()
{
	for (std::size_t i = 0; i < more_.size(); ++i) {
		const JsonField field = json_->object.field(format_.more[i]);
		switch (field.kind) {
		case JsonField::Kind::missing:
		case JsonField::Kind::null:
			more_[i].reset();
			break;
		case JsonField::Kind::string:
			more_[i] = field.text;
			break;
		case JsonField::Kind::number:
			more_[i] = std::string_view(field.digits, field.digits_size);
			break;
		case JsonField::Kind::boolean:
			more_[i] = field.number != 0 ? "true" : "false";
			break;
		case JsonField::Kind::other:
			return fail("the field " + in_quotes(format_.more[i]) + " is neither a string nor a number");
		}
	}
	return true;
}

bool RecordParser::is_more_valid()
{
	for (const std::optional<std::string> &field : more_)
		if (field && !is_valid_utf8(*field))
			return fail("the text is not valid UTF-8");
	return true;
}

// The further fields that stand at this position.
std::vector<std::optional<std::string> *> RecordParser::more_at(int at)
{
	std::vector<std::optional<std::string> *> found;
	for (std::size_t i = 0; i < format_.more_at.size(); ++i)
		if (format_.more_at[i] == at)
			found.push_back(&more_[i]);
	return found;
}

int RecordParser::last_field() const noexcept
{
	int last = std::max({format_.id_at, format_.text_at, format_.priority_at});
	for (const int at : format_.more_at)
		last = std::max(last, at);
	return last;
}

bool RecordParser::set_priority(std::string_view text, Record &record)
{
	if (text.empty())
		return true;
	const auto [end, error] = core::from_chars(text.data(), text.data() + text.size(), record.priority);
	if (error != std::errc() || end != text.data() + text.size() || std::isnan(record.priority))
		return fail("the priority " + in_quotes(text) + " is not a number");
	return true;
}

bool RecordParser::fill_record(
	std::string_view id, std::string_view text, bool text_is_null, std::string_view priority, Record &record)
{
	if (!is_more_valid())
		return false;
	if (format_.only_more)
		return true;
	if (!is_valid_utf8(text) || !is_valid_utf8(id))
		return fail("the text is not valid UTF-8");
	if (!format_.line_ids && id.empty())
		return fail("the id is empty");
	record.id = id;
	record.text = text;
	record.has_text = !text_is_null;
	return set_priority(priority, record);
}

// Replaces backslash sequences as COPY does.
bool RecordParser::unescape(std::string_view field, std::string &to)
{
	to.clear();
	for (std::size_t i = 0; i < field.size(); ++i) {
		if (field[i] != '\\') {
			const std::size_t end = std::min(field.find('\\', i), field.size());
			to.append(field.substr(i, end - i));
			i = end - 1;
			continue;
		}
		if (++i == field.size())
			return fail("a field ends with a backslash");
		constexpr std::string_view escaped = "bfnrtv", values = "\b\f\n\r\t\v";
		if (const std::size_t known = escaped.find(field[i]); known != std::string_view::npos) {
			to += values[known];
		} else if (field[i] >= '0' && field[i] <= '7') {
			unsigned value = 0;
			std::size_t digits = 0;
			while (digits < 3 && i + digits < field.size() && field[i + digits] >= '0' && field[i + digits] <= '7')
				value = 8 * value + static_cast<unsigned>(field[i + digits++] - '0');
			to += static_cast<char>(value & 0xFF);
			i += digits - 1;
		} else if (field[i] == 'x' && i + 1 < field.size() && core::hex_value(field[i + 1]) >= 0) {
			int value = core::hex_value(field[++i]);
			if (i + 1 < field.size() && core::hex_value(field[i + 1]) >= 0)
				value = 16 * value + core::hex_value(field[++i]);
			to += static_cast<char>(value);
		} else {
			to += field[i];
		}
	}
	return true;
}

bool RecordParser::parse_tsv(std::string_view line, Record &record)
{
	const int last = last_field();
	bool text_is_null = false;
	priority_.clear();
	for (int at = 0; at <= last; ++at) {
		// A delimiter after a backslash belongs to the field.
		std::size_t end = 0;
		while (end < line.size() && line[end] != format_.delimiter)
			end += line[end] == '\\' && end + 1 < line.size() ? 2 : 1;
		const std::string_view field = line.substr(0, end);
		const bool is_null = field == "\\N";
		if (at == format_.id_at && (is_null ? !fail("the id is NULL") : !unescape(field, id_)))
			return false;
		if (at == format_.text_at) {
			text_is_null = is_null;
			if (!is_null && !unescape(field, text_))
				return false;
		}
		if (at == format_.priority_at && !is_null && !unescape(field, priority_))
			return false;
		for (std::optional<std::string> *more : more_at(at)) {
			more->reset();
			if (!is_null && !unescape(field, more->emplace()))
				return false;
		}
		if (end >= line.size() && at < last)
			return fail("there are " + std::to_string(at + 1) + " fields, not " + std::to_string(last + 1));
		line.remove_prefix(std::min(end + 1, line.size()));
	}
	return fill_record(
		id_, text_is_null ? std::string_view() : std::string_view(text_), text_is_null, priority_, record);
}

bool RecordParser::parse_csv(std::string_view bytes, Record &record)
{
	const int last = last_field();
	std::string ignored;
	priority_.clear();
	for (int at = 0;; ++at) {
		std::string &to = at == format_.id_at ? id_
			: at == format_.text_at           ? text_
			: at == format_.priority_at       ? priority_
											  : ignored;
		switch (parse_csv_field(bytes, format_.delimiter, to)) {
		case CsvField::ok:
			break;
		case CsvField::stray_quote:
			return fail("a quote stands within a field; it must be doubled, and the field be quoted");
		case CsvField::open_quote:
			return fail("a quoted field is not closed");
		}
		for (std::optional<std::string> *more : more_at(at))
			*more = to;
		if (!bytes.starts_with(format_.delimiter)) {
			if (at < last)
				return fail("there are " + std::to_string(at + 1) + " fields, not " + std::to_string(last + 1));
			return fill_record(id_, text_, false, priority_, record);
		}
		bytes.remove_prefix(1);
	}
}

} // namespace txtfp::cli
