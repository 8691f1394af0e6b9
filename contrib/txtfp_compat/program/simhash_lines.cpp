#include "program/simhash_lines.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>

#include "cli/failure.hpp"
#include "core/jenkins_simhash.hpp"

namespace txtfp::cli {

namespace {

bool integer_of(const std::string &text, std::int64_t &number) noexcept
{
	char *end;
	errno = 0;
	number = std::strtoll(text.c_str(), &end, 10);
	return errno == 0 && !text.empty() && *end == '\0';
}

// A number wraps as in a C++ conversion to 32 bits.
std::int32_t wrapped(double number) noexcept
{
	const double rest = std::fmod(std::trunc(number), 4294967296.0);
	return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::int64_t>(rest)));
}

} // namespace

bool before(const SimhashMember &a, const SimhashMember &b)
{
	if (a.hash != b.hash)
		return a.hash < b.hash;
	std::int64_t x = 0, y = 0;
	const bool a_is_number = integer_of(a.id, x), b_is_number = integer_of(b.id, y);
	if (a_is_number != b_is_number)
		return a_is_number;
	return a_is_number && x != y ? x < y : a.id < b.id;
}

std::string parse_number(std::string_view line, SimhashMember &member)
{
	const std::string text(line);
	char *end;
	errno = 0;
	member.hash = std::strtoull(text.c_str(), &end, 10);
	if (end == text.c_str())
		return in_quotes(line) + " is not a number";
	return errno == ERANGE ? in_quotes(line) + " does not fit into 64 bits" : "";
}

void parse_hash(std::string_view line, SimhashMember &member)
{
	const std::size_t tab = std::min(line.find('\t'), line.size());
	member.id = line.substr(0, tab);
	member.id.erase(std::remove(member.id.begin(), member.id.end(), '\0'), member.id.end());
	member.hash = tab == line.size() ? 0 : std::strtoull(std::string(line.substr(tab + 1)).c_str(), nullptr, 10);
}

std::string parse_json(const SimhashOptions &options, SimhashObject &object, std::string_view line,
	SimhashMember &member, bool &was_wrapped)
{
	was_wrapped = false;
	if (line.ends_with('\r'))
		line.remove_suffix(1);
	if (std::string wrong = object.object.parse(line); !wrong.empty())
		return wrong;
	const records::JsonValue text = object.text.find(object.object), id = object.id.find(object.object);
	if (text.kind != records::JsonValue::Kind::string)
		return "the field " + in_quotes(options.text_column) +
			(text.kind == records::JsonValue::Kind::missing ? " is missing" : " is not a string");
	const std::size_t window = options.window == 0 ? 5 : options.window;
	if (!core::window_simhash(text.text, window, false, member.hash))
		return "the text is shorter than the window of " + std::to_string(window) + " bytes";
	if (options.any_id &&
		(id.kind == records::JsonValue::Kind::string || id.kind == records::JsonValue::Kind::number)) {
		member.id = id.text;
		if (member.id.find_first_of(std::string_view("\t\n\0", 3)) != std::string::npos)
			return "the id " + in_quotes(member.id) + " has a tab, a line end or a NUL in it";
		return {};
	}
	if (id.kind != records::JsonValue::Kind::number && id.kind != records::JsonValue::Kind::boolean)
		return "the field " + in_quotes(options.id_column) +
			(id.kind == records::JsonValue::Kind::missing ? " is missing" : " is not a number; --any-id takes text");
	double value = id.text == "true" ? 1 : 0;
	if (id.kind == records::JsonValue::Kind::number)
		value = std::strtod(std::string(id.text).c_str(), nullptr);
	std::int64_t whole = static_cast<std::int64_t>(value);
	if (std::int64_t exact; integer_of(std::string(id.text), exact))
		whole = exact; // for numbers that a double cannot represent exactly
	const std::int32_t number = id.kind == records::JsonValue::Kind::boolean || std::abs(value) < 9e18
		? static_cast<std::int32_t>(static_cast<std::uint32_t>(whole))
		: wrapped(value);
	was_wrapped = number != whole;
	member.id = std::to_string(number);
	return {};
}

} // namespace txtfp::cli
