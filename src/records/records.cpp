#include "records/records.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/numbers.hpp"
#include "core/base/priority.hpp"
#include "records/failure.hpp"
#include "records/json.hpp"

namespace txtfp::records {

namespace {


std::string field_names(const JsonReader &object, const std::string &wanted)
{
	std::vector<std::string> names;
	for (const JsonMember &member : object.members())
		names.emplace_back(member.name);
	return no_field(wanted, names);
}

} // namespace

struct RecordParser::Json {
	explicit Json(const RecordFormat &format)
		: id(format.id), text(format.text), priority(format.priority), group(format.group)
	{
		for (const std::string &name : format.more)
			more.emplace_back(name);
	}
	JsonReader object;
	JsonPath id, text, priority, group;
	std::vector<JsonPath> more;
};

RecordParser::RecordParser(const RecordFormat &format) : format_(format), more_(format.more.size())
{
	if (format.format == Format::jsonl)
		json_ = std::make_unique<Json>(format);
	if (format.has_fields())
		splitter_ = std::make_unique<FieldSplitter>(format);
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
	record = {line, {}, false, true, {}, core::no_priority, {}};
	line += lines;
	bool ok = false;
	if (format_.format == Format::jsonl) {
		ok = parse_json(without_line_end(format_, bytes), record);
	} else if (format_.has_fields()) {
		ok = parse_fields(bytes, record);
	} else {
		record.text = without_line_end(format_, bytes);
		ok = is_valid_utf8(record.text) || fail("the text is not valid UTF-8");
		if (ok && format_.line_end == '\r' && record.text.find('\n') != record.text.npos)
			ok = fail("a line ends with LF, others with CR");
	}
	return ok ? Outcome::record : Outcome::broken;
}

// A large record leaves large buffers; they are not kept for the records after it.
void RecordParser::give_back_memory(std::size_t next_size)
{
	constexpr std::size_t large = 1 << 22;
	if (largest_ > large && next_size <= large) {
		if (json_)
			json_ = std::make_unique<Json>(format_);
		if (splitter_)
			splitter_ = std::make_unique<FieldSplitter>(format_);
		more_.assign(more_.size(), std::nullopt);
		largest_ = 0;
	}
	largest_ = std::max(largest_, next_size);
}

bool RecordParser::parse_json(std::string_view line, Record &record)
{
	using Kind = JsonValue::Kind;
	if (std::string wrong = json_->object.parse(line); !wrong.empty())
		return fail(std::move(wrong));
	if (!parse_more_json())
		return false;
	if (format_.only_more)
		return true;
	const JsonValue text = json_->text.find(json_->object);
	if (text.kind == Kind::missing)
		return fail(field_names(json_->object, format_.text));
	if (text.kind != Kind::string && text.kind != Kind::null)
		return fail("the field " + in_quotes(format_.text) + " is not a string");
	record.has_text = text.kind == Kind::string;
	record.text = record.has_text ? text.text : std::string_view();
	if (!format_.line_ids) {
		const JsonValue id = json_->id.find(json_->object);
		record.id_is_number = id.kind == Kind::number;
		if (!parse_json_name(id, format_.id, record.id))
			return false;
		if (record.id.empty())
			return fail("the field " + in_quotes(format_.id) + " is empty");
	}
	if (!format_.group.empty() && !parse_json_group(record))
		return false;
	if (format_.priority.empty())
		return true;
	const JsonValue priority = json_->priority.find(json_->object);
	if (priority.kind == Kind::missing || priority.kind == Kind::null)
		return true;
	if (priority.kind != Kind::number)
		return fail("the field " + in_quotes(format_.priority) + " is not a number");
	return set_priority(priority.text, record);
}

bool RecordParser::parse_json_name(const JsonValue &value, const std::string &field, std::string_view &name)
{
	if (value.kind == JsonValue::Kind::missing)
		return fail(field_names(json_->object, field));
	if (value.kind != JsonValue::Kind::string && value.kind != JsonValue::Kind::number)
		return fail("the field " + in_quotes(field) + " is neither a string nor a number");
	name = value.text;
	return true;
}

bool RecordParser::parse_json_group(Record &record)
{
	const JsonValue group = json_->group.find(json_->object);
	return group.kind == JsonValue::Kind::null || parse_json_name(group, format_.group, record.group.emplace());
}

bool RecordParser::parse_more_json()
{
	for (std::size_t i = 0; i < more_.size(); ++i) {
		const JsonValue value = json_->more[i].find(json_->object);
		if (value.kind == JsonValue::Kind::array || value.kind == JsonValue::Kind::object)
			return fail("the field " + in_quotes(format_.more[i]) + " is neither a string nor a number");
		more_[i].reset();
		if (value.kind != JsonValue::Kind::missing && value.kind != JsonValue::Kind::null)
			more_[i] = value.text;
	}
	return true;
}

bool RecordParser::set_priority(std::string_view text, Record &record)
{
	if (text.empty())
		return true;
	const auto [end, error] = core::from_chars(text.data(), text.data() + text.size(), record.priority);
	if (error == std::errc::result_out_of_range)
		return fail("the priority " + in_quotes(text) + " is out of the range of double precision");
	if (error != std::errc() || end != text.data() + text.size() || std::isnan(record.priority))
		return fail("the priority " + in_quotes(text) + " is not a number");
	return true;
}

bool RecordParser::parse_more_fields()
{
	for (std::size_t i = 0; i < more_.size(); ++i) {
		more_[i].reset();
		if (format_.more_at[i] < 0)
			continue;
		const Field &field = splitter_->fields()[static_cast<std::size_t>(format_.more_at[i])];
		if (!is_valid_utf8(field.text))
			return fail("the text is not valid UTF-8");
		if (!field.is_null)
			more_[i] = field.text;
	}
	return true;
}

bool RecordParser::parse_fields(std::string_view bytes, Record &record)
{
	if (std::string wrong = splitter_->split(bytes); !wrong.empty())
		return fail(std::move(wrong));
	const std::vector<Field> &fields = splitter_->fields();
	int last = std::max({format_.id_at, format_.text_at, format_.priority_at, format_.group_at});
	for (const int at : format_.more_at)
		last = std::max(last, at);
	if (static_cast<int>(fields.size()) <= last)
		return fail("there are " + std::to_string(fields.size()) + " fields, not " + std::to_string(last + 1));
	if (!parse_more_fields())
		return false;
	if (format_.only_more)
		return true;
	const Field &text = fields[static_cast<std::size_t>(format_.text_at)];
	record.has_text = !text.is_null;
	record.text = text.is_null ? std::string_view() : text.text;
	if (!is_valid_utf8(record.text))
		return fail("the text is not valid UTF-8");
	if (!format_.line_ids) {
		const Field &id = fields[static_cast<std::size_t>(format_.id_at)];
		if (id.is_null || id.text.empty())
			return fail(id.is_null ? "the id is NULL" : "the id is empty");
		if (!is_valid_utf8(id.text))
			return fail("the text is not valid UTF-8");
		record.id = id.text;
	}
	if (format_.group_at >= 0) {
		const Field &group = fields[static_cast<std::size_t>(format_.group_at)];
		if (!is_valid_utf8(group.text))
			return fail("the field " + in_quotes(format_.group) + " is not valid UTF-8");
		if (!group.is_null)
			record.group = group.text;
	}
	if (format_.priority_at < 0)
		return true;
	const Field &priority = fields[static_cast<std::size_t>(format_.priority_at)];
	return priority.is_null || set_priority(priority.text, record);
}

} // namespace txtfp::records
