#include "program/base/json.hpp"

namespace txtfp::embed::json {

namespace {

[[noreturn]] void wrong(const std::string &where, std::string_view what)
{
	config_failure(where + ": " + std::string(what));
}

std::string path(const std::string &where, std::string_view name) { return where + "." + std::string(name); }

} // namespace

std::optional<Element> find(Element object, std::string_view name)
{
	Element value;
	if (object.at_key(name).get(value) != simdjson::SUCCESS || value.is_null())
		return std::nullopt;
	return value;
}

Element member(Element object, std::string_view name, const std::string &where)
{
	const std::optional<Element> found = find(object, name);
	if (!found)
		wrong(path(where, name), "missing");
	return *found;
}

std::string_view text(Element value, const std::string &where)
{
	std::string_view result;
	if (value.get(result) != simdjson::SUCCESS)
		wrong(where, "must be a string");
	return result;
}

std::int64_t integer(Element value, std::int64_t least, std::int64_t most, const std::string &where)
{
	std::int64_t result = 0;
	if (value.get(result) != simdjson::SUCCESS || result < least || result > most)
		wrong(where, "must be an integer from " + std::to_string(least) + " to " + std::to_string(most));
	return result;
}

double number(Element value, const std::string &where)
{
	double result = 0;
	if (value.get(result) != simdjson::SUCCESS)
		wrong(where, "must be a number");
	return result;
}

bool boolean(Element value, const std::string &where)
{
	bool result = false;
	if (value.get(result) != simdjson::SUCCESS)
		wrong(where, "must be true or false");
	return result;
}

Array array(Element value, const std::string &where)
{
	Array result;
	if (value.get(result) != simdjson::SUCCESS)
		wrong(where, "must be an array");
	return result;
}

std::string_view text_member(Element object, std::string_view name, const std::string &where)
{
	return text(member(object, name, where), path(where, name));
}

bool boolean_member(Element object, std::string_view name, bool otherwise, const std::string &where)
{
	const std::optional<Element> found = find(object, name);
	return found ? boolean(*found, path(where, name)) : otherwise;
}

void append_quoted(std::string &out, std::string_view utf8)
{
	static constexpr char digits[] = "0123456789abcdef";
	out.push_back('"');
	for (const char c : utf8) {
		if (c == '"' || c == '\\') {
			out.push_back('\\');
			out.push_back(c);
		} else if (static_cast<unsigned char>(c) < 0x20) {
			out.append("\\u00");
			out.push_back(digits[static_cast<unsigned char>(c) >> 4]);
			out.push_back(digits[c & 15]);
		} else {
			out.push_back(c);
		}
	}
	out.push_back('"');
}

} // namespace txtfp::embed::json
