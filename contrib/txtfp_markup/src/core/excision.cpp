#include "core/excision.hpp"

#include <cstring>

namespace txtfp::markup {

namespace {

// `name` is in lower case.
bool starts_with(std::string_view text, std::string_view name) noexcept
{
	if (text.size() < name.size())
		return false;
	for (std::size_t i = 0; i < name.size(); ++i) {
		const char c = text[i];
		if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != name[i])
			return false;
	}
	return true;
}

// The position of the first '<' that begins one of the two names; text.size() if there is none.
std::size_t find(std::string_view text, std::size_t from, std::string_view a, std::string_view b, core::StopToken stop)
{
	for (unsigned steps = 1; from < text.size(); ++steps) {
		if (steps % 65536 == 0)
			stop.check();
		const void *found = std::memchr(text.data() + from, '<', text.size() - from);
		if (found == nullptr)
			break;
		from = static_cast<std::size_t>(static_cast<const char *>(found) - text.data());
		const std::string_view rest = text.substr(from);
		if (starts_with(rest, a) || starts_with(rest, b))
			return from;
		++from;
	}
	return text.size();
}

} // namespace

std::vector<std::string_view> without_scripts_and_styles(std::string_view html, core::StopToken stop)
{
	std::vector<std::string_view> parts;
	for (std::size_t at = 0; at < html.size();) {
		const std::size_t cut = find(html, at, "<script", "<style", stop);
		if (cut > at)
			parts.push_back(html.substr(at, cut - at));
		if (cut == html.size())
			break;
		const bool script = starts_with(html.substr(cut), "<script");
		const std::string_view close = script ? "</script>" : "</style>";
		const std::size_t end = find(html, cut, close, close, stop);
		at = end == html.size() ? end : end + close.size();
	}
	return parts;
}

} // namespace txtfp::markup
