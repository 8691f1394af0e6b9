#include "records/json.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include <simdjson.h>

#include "records/failure.hpp"
#include "records/format.hpp"

namespace txtfp::records {

static_assert(record_padding >= simdjson::SIMDJSON_PADDING);

namespace {

namespace sj = simdjson::ondemand;
using simdjson::error_code;

std::string_view without_blanks(std::string_view token) noexcept
{
	const std::size_t last = token.find_last_not_of(" \t\r\n");
	return token.substr(0, last == token.npos ? 0 : last + 1);
}

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

// True if the token is a number by the grammar of JSON, of any size.
bool is_number(std::string_view token) noexcept
{
	std::size_t i = token.starts_with('-') ? 1 : 0;
	const auto digits = [&] {
		const std::size_t first = i;
		while (i < token.size() && is_digit(token[i]))
			++i;
		return i > first;
	};
	if (i < token.size() && token[i] == '0')
		++i;
	else if (!digits())
		return false;
	if (i < token.size() && token[i] == '.') {
		++i;
		if (!digits())
			return false;
	}
	if (i < token.size() && (token[i] == 'e' || token[i] == 'E')) {
		++i;
		if (i < token.size() && (token[i] == '+' || token[i] == '-'))
			++i;
		if (!digits())
			return false;
	}
	return i == token.size();
}

// Most levels of arrays and objects within each other.
constexpr unsigned most_levels = 1024;

// Visits every value, because simdjson checks only what is visited.
class Visitor {
public:
	explicit Visitor(sj::document &document) : document_(document) {}

	error_code visit_array(sj::array &array, unsigned level, std::vector<JsonMember> *members)
	{
		if (level > most_levels)
			return simdjson::DEPTH_ERROR;
		for (auto element : array) {
			sj::value value;
			JsonValue found;
			if (const error_code error = std::move(element).get(value))
				return error;
			if (const error_code error = visit(value, level, members != nullptr, found))
				return error;
			if (members != nullptr)
				members->push_back({{}, found});
		}
		return simdjson::SUCCESS;
	}

	error_code visit_object(sj::object &object, unsigned level, std::vector<JsonMember> *members)
	{
		if (level > most_levels)
			return simdjson::DEPTH_ERROR;
		for (auto entry : object) {
			sj::field field;
			std::string_view name;
			JsonValue found;
			if (const error_code error = std::move(entry).get(field))
				return error;
			if (const error_code error = field.unescaped_key().get(name))
				return error;
			if (const error_code error = visit(field.value(), level, members != nullptr, found)) {
				if (members != nullptr)
					broken_ = in_quotes(name);
				return error;
			}
			if (members != nullptr)
				members->push_back({name, found});
		}
		return simdjson::SUCCESS;
	}

	const std::string &broken_member() const noexcept { return broken_; }

private:
	error_code visit(sj::value &value, unsigned level, bool wanted, JsonValue &found)
	{
		sj::json_type type;
		if (const error_code error = value.type().get(type))
			return error;
		const std::string_view token = without_blanks(value.raw_json_token());
		found.text = token;
		switch (type) {
		case sj::json_type::array: {
			found.kind = JsonValue::Kind::array;
			sj::array array;
			if (const error_code error = value.get_array().get(array))
				return error;
			if (const error_code error = visit_array(array, level + 1, nullptr))
				return error;
			return wanted ? set_end(found) : simdjson::SUCCESS;
		}
		case sj::json_type::object: {
			found.kind = JsonValue::Kind::object;
			sj::object object;
			if (const error_code error = value.get_object().get(object))
				return error;
			if (const error_code error = visit_object(object, level + 1, nullptr))
				return error;
			return wanted ? set_end(found) : simdjson::SUCCESS;
		}
		case sj::json_type::string:
			found.kind = JsonValue::Kind::string;
			if (token.size() >= 2 && std::memchr(token.data(), '\\', token.size()) == nullptr) {
				found.text = token.substr(1, token.size() - 2);
				return simdjson::SUCCESS;
			}
			return value.get_string().get(found.text);
		case sj::json_type::number:
			found.kind = JsonValue::Kind::number;
			return is_number(token) ? simdjson::SUCCESS : simdjson::NUMBER_ERROR;
		case sj::json_type::boolean:
			found.kind = JsonValue::Kind::boolean;
			return token == "true" ? simdjson::SUCCESS : token == "false" ? simdjson::SUCCESS : simdjson::T_ATOM_ERROR;
		case sj::json_type::null:
			found.kind = JsonValue::Kind::null;
			return token == "null" ? simdjson::SUCCESS : simdjson::N_ATOM_ERROR;
		}
		return simdjson::TAPE_ERROR;
	}

	// An array or object ends before the token that follows it.
	error_code set_end(JsonValue &found)
	{
		const char *next;
		if (const error_code error = document_.current_location().get(next))
			return error;
		found.text = without_blanks({found.text.data(), static_cast<std::size_t>(next - found.text.data())});
		return simdjson::SUCCESS;
	}

	sj::document &document_;
	std::string broken_;
};

} // namespace

struct JsonReader::Parser {
	sj::parser parser;
};

JsonReader::JsonReader() : parser_(std::make_unique<Parser>()) {}
JsonReader::~JsonReader() = default;

std::string JsonReader::parse(std::string_view bytes, bool arrays)
{
	members_.clear();
	const std::size_t first = bytes.find_first_not_of(" \t\r\n");
	if (first == bytes.npos)
		return "the line is empty";
	is_array_ = bytes[first] == '[';
	if (bytes[first] != '{' && !(is_array_ && arrays))
		return "the line is not a JSON object";
	sj::document document;
	if (const error_code error =
			parser_->parser.iterate(bytes.data(), bytes.size(), bytes.size() + record_padding).get(document))
		return simdjson::error_message(error);
	Visitor visitor(document);
	error_code error;
	if (is_array_) {
		sj::array array;
		error = document.get_array().get(array);
		error = error ? error : visitor.visit_array(array, 1, &members_);
	} else {
		sj::object object;
		error = document.get_object().get(object);
		error = error ? error : visitor.visit_object(object, 1, &members_);
	}
	if (!error && document.current_location().error() != simdjson::OUT_OF_BOUNDS) // that is the end
		return "something follows the JSON object in its line";
	if (!error)
		return {};
	const std::string &member = visitor.broken_member();
	return (member.empty() ? "" : "the field " + member + ": ") + simdjson::error_message(error);
}

JsonValue JsonReader::find(std::string_view name) const noexcept
{
	for (auto member = members_.rbegin(); member != members_.rend(); ++member)
		if (member->name == name)
			return member->value;
	return {};
}

JsonPath::JsonPath(const std::string &name) : name_(name)
{
	if (!name.starts_with('/')) {
		steps_ = {name};
		return;
	}
	for (std::size_t begin = 1, end; begin <= name.size(); begin = end + 1) {
		end = std::min(name.find('/', begin), name.size());
		std::string &step = steps_.emplace_back();
		for (std::size_t i = begin; i < end; ++i) // "~1" is a slash and "~0" a tilde
			if (name[i] == '~' && i + 1 < end && (name[i + 1] == '0' || name[i + 1] == '1'))
				step += name[++i] == '0' ? '~' : '/';
			else
				step += name[i];
	}
	for (std::size_t i = 1; i < steps_.size(); ++i)
		inner_.push_back(std::make_unique<JsonReader>());
}

JsonValue JsonPath::find(const JsonReader &object)
{
	JsonValue value = object.find(steps_[0]);
	for (std::size_t i = 1; i < steps_.size(); ++i) {
		if (value.kind != JsonValue::Kind::array && value.kind != JsonValue::Kind::object)
			return {};
		JsonReader &inner = *inner_[i - 1];
		if (!inner.parse(value.text, true).empty())
			return {};
		const std::string &step = steps_[i];
		value = {};
		if (!inner.is_array()) {
			value = inner.find(step);
			continue;
		}
		std::size_t at = 0;
		const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), at);
		if (error == std::errc() && end == step.data() + step.size() && at < inner.members().size())
			value = inner.members()[at].value;
	}
	return value;
}

bool is_valid_utf8(std::string_view bytes) noexcept { return simdjson::validate_utf8(bytes.data(), bytes.size()); }

} // namespace txtfp::records
