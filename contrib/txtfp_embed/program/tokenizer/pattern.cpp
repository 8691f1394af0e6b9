#include "program/tokenizer/pattern.hpp"

#include <charconv>

#include "core/text/utf8.hpp"
#include "program/tokenizer/unicode.hpp"

namespace txtfp::embed {

Pattern::Pattern(json::Element settings, const std::string &where)
{
	if (const auto string = json::find(settings, "String"))
		literal_ = json::text(*string, where + ".String");
	else
		parse(json::text_member(settings, "Regex", where), where);
	if (literal_.empty() && !white_space_)
		config_failure(where + ": the pattern is empty");
}

void Pattern::parse(std::string_view regex, const std::string &where)
{
	const auto unsupported = [&] {
		config_failure(where + ": the regular expression \"" + std::string(regex) + "\" is not supported");
	};
	std::string_view rest = regex;
	if (rest.empty())
		unsupported();
	if (rest.starts_with("\\s")) {
		white_space_ = true;
		rest.remove_prefix(2);
	} else {
		if (rest[0] == '\\') {
			rest.remove_prefix(1);
			if (rest.empty() || std::string_view(".^$*+?()[]{}|\\/-").find(rest[0]) == std::string_view::npos)
				unsupported();
		} else if (std::string_view(".^$*+?()[]{}|").find(rest[0]) != std::string_view::npos) {
			unsupported();
		}
		const core::Decoded c = core::decode(rest.data(), rest.data() + rest.size());
		literal_ = rest.substr(0, c.length);
		rest.remove_prefix(c.length);
	}
	if (rest == "+") {
		repeated_ = true;
	} else if (rest.size() > 3 && rest[0] == '{' && rest.ends_with(",}")) {
		repeated_ = true;
		const char *end = rest.data() + rest.size() - 2;
		const auto number = std::from_chars(rest.data() + 1, end, least_);
		if (number.ec != std::errc() || number.ptr != end || least_ < 1)
			unsupported();
	} else if (!rest.empty()) {
		unsupported();
	}
}

std::size_t Pattern::atom_length(std::string_view rest) const
{
	if (!white_space_)
		return rest.starts_with(literal_) ? literal_.size() : 0;
	if (rest.empty())
		return 0;
	const core::Decoded c = core::decode(rest.data(), rest.data() + rest.size());
	return unicode::is_white_space(c.code_point) ? c.length : 0;
}

Match Pattern::next(std::string_view text, std::size_t from) const
{
	constexpr std::size_t npos = std::string_view::npos;
	if (!white_space_ && !repeated_) {
		const std::size_t start = text.find(literal_, from);
		return start == npos ? Match{npos, npos} : Match{start, start + literal_.size()};
	}
	while (from < text.size()) {
		std::size_t end = from, count = 0;
		while (const std::size_t length = repeated_ || count == 0 ? atom_length(text.substr(end)) : 0) {
			end += length;
			++count;
		}
		if (count >= least_)
			return {from, end};
		from = end > from ? end : from + core::decode(text.data() + from, text.data() + text.size()).length;
	}
	return {npos, npos};
}

} // namespace txtfp::embed
