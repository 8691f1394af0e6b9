#include "records/format.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "core/base/bytes.hpp"
#include "records/decoder.hpp"
#include "records/failure.hpp"

namespace txtfp::records {

// ------------------------------------------------------------------------------------------------- names

std::optional<Format> format_named(std::string_view name) noexcept
{
	constexpr std::pair<std::string_view, Format> names[] = {{"jsonl", Format::jsonl}, {"ndjson", Format::jsonl},
		{"json", Format::jsonl}, {"tsv", Format::tsv}, {"csv", Format::csv}, {"lines", Format::lines},
		{"txt", Format::lines}};
	for (const auto &[known, format] : names)
		if (known == name)
			return format;
	return std::nullopt;
}

std::optional<Format> format_of_file(std::string_view path)
{
	const std::size_t slash = path.rfind('/');
	std::string name(path.substr(slash == path.npos ? 0 : slash + 1));
	std::transform(
		name.begin(), name.end(), name.begin(), [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
	const std::string_view plain = without_compression(name);
	const std::size_t dot = plain.rfind('.');
	return dot == plain.npos || dot == 0 ? std::nullopt : format_named(plain.substr(dot + 1));
}

std::string no_field(const std::string &name, const std::vector<std::string> &fields, const std::string &file)
{
	constexpr std::size_t most = 10;
	std::string message = (file.empty() ? "" : file + ": ") + "there is no field " + in_quotes(name);
	for (std::size_t i = 0; i < fields.size() && i <= most; ++i)
		message += (i == 0 ? "; there are " : ", ") + (i < most ? in_quotes(fields[i]) : "\u2026");
	return message + (file.empty() ? "; --id, --text and --priority name the fields to use" : "");
}

std::string name_twice(const std::vector<std::string> &header, const std::string &name)
{
	const bool is_twice = std::count(header.begin(), header.end(), name) > 1;
	return is_twice ? "the header has the field " + in_quotes(name) + " twice" : "";
}

namespace {

bool is_position(std::string_view text, int &number) noexcept
{
	const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
	return error == std::errc() && end == text.data() + text.size() && number >= 1;
}

int position_of(const std::vector<std::string> &fields, const std::string &name)
{
	const auto found = std::find(fields.begin(), fields.end(), name);
	return found == fields.end() ? -1 : static_cast<int>(found - fields.begin());
}

// `position` belongs to a field that has its usual name, if there is no header; 0: it has none.
std::string find_field(
	const RecordFormat &format, const std::vector<std::string> &first, const std::string &name, int position, int &at)
{
	if (!format.header) {
		int number = position;
		if (position == 0 || (name != "id" && name != "text"))
			if (!is_position(name, number))
				return "the field " + in_quotes(name) +
					" can only be found by a header (--header); without one, give its number, from 1";
		at = number - 1;
		return {};
	}
	at = position_of(first, name);
	if (at < 0)
		return no_field(name, first);
	return name_twice(first, name);
}

} // namespace

std::string find_fields(RecordFormat &format, const std::vector<std::string> &first)
{
	format.more_at.clear();
	for (const std::string &name : format.more) {
		if (std::string wrong = name_twice(first, name); format.header && !wrong.empty())
			return wrong;
		format.more_at.push_back(format.header ? position_of(first, name) : -1);
	}
	if (format.only_more)
		return {};
	std::string wrong = find_field(format, first, format.text, format.line_ids ? 1 : 2, format.text_at);
	if (wrong.empty() && !format.line_ids)
		wrong = find_field(format, first, format.id, 1, format.id_at);
	if (wrong.empty() && !format.priority.empty())
		wrong = find_field(format, first, format.priority, 0, format.priority_at);
	if (wrong.empty() && !format.group.empty())
		wrong = find_field(format, first, format.group, 0, format.group_at);
	if (wrong.empty() &&
		(format.text_at == format.id_at || format.text_at == format.priority_at ||
			(format.id_at >= 0 && format.id_at == format.priority_at)))
		wrong = "id, text and priority must be different fields";
	return wrong;
}

// ------------------------------------------------------------------------------------------------- where records end

namespace {

constexpr std::size_t open = static_cast<std::size_t>(-1); // the record has no end in these bytes

std::size_t find(std::string_view bytes, char c, std::size_t from) noexcept
{
	const void *found = from < bytes.size() ? std::memchr(bytes.data() + from, c, bytes.size() - from) : nullptr;
	return found == nullptr ? bytes.npos : static_cast<std::size_t>(static_cast<const char *>(found) - bytes.data());
}

// The byte after the quoted field that begins at `quote`.
std::size_t end_of_quoted(std::string_view bytes, std::size_t quote) noexcept
{
	for (std::size_t i = quote + 1;; i += 2) {
		i = find(bytes, '"', i);
		if (i == bytes.npos)
			return open;
		if (i + 1 == bytes.size() || bytes[i + 1] != '"')
			return i + 1;
	}
}

// The byte after the record that begins at `from`, or `open`. A quote opens a field only at its beginning; a stray one
// breaks its own record and not those that follow.
std::size_t end_of_quoted_record(const RecordFormat &format, std::string_view bytes, std::size_t from) noexcept
{
	std::size_t line_end = find(bytes, format.line_end, from);
	for (std::size_t at = from;;) {
		const std::size_t quote = find(bytes.substr(0, line_end), '"', at);
		if (quote == bytes.npos)
			return line_end == bytes.npos ? open : line_end + 1;
		at = quote + 1;
		if (quote != from && bytes[quote - 1] != format.delimiter)
			continue;
		at = end_of_quoted(bytes, quote);
		if (at == open)
			return open;
		if (line_end < at)
			line_end = find(bytes, format.line_end, at);
	}
}

std::size_t count(std::string_view bytes, char c) noexcept
{
	std::size_t n = 0;
	for (std::size_t at = find(bytes, c, 0); at != bytes.npos; at = find(bytes, c, at + 1))
		++n;
	return n;
}

} // namespace

std::size_t record_size(const RecordFormat &format, std::string_view bytes, std::size_t &lines) noexcept
{
	if (!format.has_quotes()) {
		lines = 1;
		return std::min(find(bytes, format.line_end, 0), bytes.size() - 1) + 1;
	}
	const std::size_t end = end_of_quoted_record(format, bytes, 0);
	const std::size_t size = end == open ? bytes.size() : end;
	lines = count(bytes.substr(0, size), format.line_end) + (end == open);
	return size;
}

WholeRecords whole_records(const RecordFormat &format, std::string_view bytes) noexcept
{
	if (format.has_quotes())
		return first_records(format, bytes, static_cast<std::size_t>(-1));
	WholeRecords whole{};
	const std::size_t last = bytes.rfind(format.line_end);
	if (last != bytes.npos)
		whole.bytes = last + 1;
	whole.records = whole.lines = count(bytes.substr(0, whole.bytes), format.line_end);
	return whole;
}

WholeRecords first_records(const RecordFormat &format, std::string_view bytes, std::size_t most) noexcept
{
	WholeRecords whole{};
	while (whole.records < most && whole.bytes < bytes.size()) {
		const std::size_t end = format.has_quotes() ? end_of_quoted_record(format, bytes, whole.bytes)
													: find(bytes, format.line_end, whole.bytes) + 1;
		if (end == open || end == 0)
			break;
		whole.lines += format.has_quotes() ? count(bytes.substr(whole.bytes, end - whole.bytes), format.line_end) : 1;
		whole.bytes = end;
		++whole.records;
	}
	return whole;
}

char find_line_end(const RecordFormat &format, std::string_view bytes) noexcept
{
	RecordFormat by_cr;
	by_cr.format = format.format;
	by_cr.delimiter = format.delimiter;
	by_cr.line_end = '\r';
	const std::size_t end = first_records(by_cr, bytes, 1).bytes;
	if (end == 0 || (end < bytes.size() && bytes[end] == '\n'))
		return '\n';
	// Old programs end lines so; a file that has LF as well does not.
	by_cr.line_end = '\n';
	return first_records(by_cr, bytes, 1).bytes == 0 && end < bytes.size() ? '\r' : '\n';
}

std::string_view without_line_end(const RecordFormat &format, std::string_view line) noexcept
{
	if (line.ends_with(format.line_end))
		line.remove_suffix(1);
	if (line.ends_with('\r'))
		line.remove_suffix(1);
	return line;
}

// ------------------------------------------------------------------------------------------------- fields

std::string FieldSplitter::split(std::string_view record)
{
	fields_.clear();
	storage_.clear();
	record = without_line_end(format_, record);
	std::string wrong = format_.has_quotes() ? split_csv(record) : split_tsv(record);
	if (wrong.empty() && format_.fields != 0 && fields_.size() != format_.fields)
		wrong = "there are " + std::to_string(fields_.size()) + " fields, not " + std::to_string(format_.fields);
	return wrong;
}

std::string FieldSplitter::split_csv(std::string_view line)
{
	for (std::size_t at = 0;; ++at) {
		std::size_t end = find(line, format_.delimiter, at);
		if (at == line.size() || line[at] != '"') {
			const std::string_view field = line.substr(at, end == line.npos ? end : end - at);
			if (find(field, '"', 0) != field.npos)
				return "a quote stands within a field; it must be doubled, and the field be quoted";
			if (field.find_first_of("\r\n") != field.npos)
				return "a line end of another kind stands in a field that is not quoted";
			fields_.push_back({field, false});
		} else {
			end = end_of_quoted(line, at);
			if (end == open)
				return "a quoted field is not closed";
			if (end < line.size() && line[end] != format_.delimiter)
				return "a quote stands within a field; it must be doubled, and the field be quoted";
			const std::string_view field = line.substr(at + 1, end - at - 2);
			fields_.push_back({field, false});
			if (std::size_t quote = find(field, '"', 0); quote != field.npos) {
				storage_.reserve(line.size()); // so that views stay valid
				const std::size_t begin = storage_.size();
				std::size_t from = 0;
				for (; quote != field.npos; from = quote + 2, quote = find(field, '"', from))
					storage_.append(field, from, quote + 1 - from);
				storage_.append(field, from);
				fields_.back().text = std::string_view(storage_).substr(begin);
			}
		}
		if (end >= line.size())
			return {};
		at = end;
	}
}

// Replaces backslash sequences as COPY does.
const char *FieldSplitter::unescape(std::string_view field, std::string_view &text)
{
	const std::size_t begin = storage_.size();
	for (std::size_t i = 0; i < field.size(); ++i) {
		if (field[i] != '\\') {
			const std::size_t end = std::min(find(field, '\\', i), field.size());
			storage_.append(field.substr(i, end - i));
			i = end - 1;
			continue;
		}
		if (++i == field.size())
			return "a field ends with a backslash";
		constexpr std::string_view escaped = "bfnrtv", values = "\b\f\n\r\t\v";
		if (const std::size_t known = escaped.find(field[i]); known != std::string_view::npos) {
			storage_ += values[known];
		} else if (field[i] >= '0' && field[i] <= '7') {
			unsigned value = 0;
			std::size_t digits = 0;
			while (digits < 3 && i + digits < field.size() && field[i + digits] >= '0' && field[i + digits] <= '7')
				value = 8 * value + static_cast<unsigned>(field[i + digits++] - '0');
			storage_ += static_cast<char>(value & 0xFF);
			i += digits - 1;
		} else if (field[i] == 'x' && i + 1 < field.size() && core::hex_value(field[i + 1]) >= 0) {
			int value = core::hex_value(field[++i]);
			if (i + 1 < field.size() && core::hex_value(field[i + 1]) >= 0)
				value = 16 * value + core::hex_value(field[++i]);
			storage_ += static_cast<char>(value);
		} else {
			storage_ += field[i];
		}
	}
	text = std::string_view(storage_).substr(begin);
	return nullptr;
}

// A delimiter after a backslash belongs to its field.
std::string FieldSplitter::split_tsv(std::string_view line)
{
	const bool has_escapes = find(line, '\\', 0) != line.npos;
	if (has_escapes)
		storage_.reserve(line.size()); // so that views stay valid
	for (std::size_t at = 0, end;; at = end + 1) {
		end = std::min(find(line, format_.delimiter, at), line.size());
		if (has_escapes)
			for (end = at; end < line.size() && line[end] != format_.delimiter;)
				end += line[end] == '\\' && end + 1 < line.size() ? 2 : 1;
		const std::string_view field = line.substr(at, end - at);
		fields_.push_back({field, field == "\\N"});
		if (has_escapes && !fields_.back().is_null && find(field, '\\', 0) != field.npos)
			if (const char *wrong = unescape(field, fields_.back().text))
				return wrong;
		if (end >= line.size())
			return {};
	}
}

} // namespace txtfp::records
