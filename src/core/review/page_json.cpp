#include "core/review/page_json.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>

#include "core/text/utf8.hpp"

namespace txtfp::core {

namespace {

// Format and other invisible characters, which a reader of the file would not see: soft hyphen, marks of direction,
// zero width, tags; and noncharacters.
constexpr bool is_hidden(char32_t c) noexcept
{
	return (c >= 0x7F && c < 0xA0) || c == 0xAD || c == 0x34F || c == 0x61C || c == 0x115F || c == 0x1160 ||
		c == 0x17B4 || c == 0x17B5 || (c >= 0x180B && c <= 0x180F) || (c >= 0x200B && c <= 0x200F) ||
		(c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0x3164 || c == 0xFEFF || c == 0xFFA0 ||
		(c >= 0xFFF0 && c <= 0xFFFB) || (c >= 0x1BCA0 && c <= 0x1BCA3) || (c >= 0x1D173 && c <= 0x1D17A) ||
		(c >= 0xE0000 && c <= 0xE0FFF) || (c & 0xFFFE) == 0xFFFE || (c >= 0xFDD0 && c <= 0xFDEF);
}

void append_unit(std::string &out, std::uint32_t unit)
{
	constexpr char digits[] = "0123456789abcdef";
	out += {'\\', 'u', digits[unit >> 12], digits[unit >> 8 & 15], digits[unit >> 4 & 15], digits[unit & 15]};
}

void append_escape(std::string &out, char32_t c)
{
	if (c > 0xFFFF) {
		append_unit(out, 0xD800 + ((c - 0x10000) >> 10));
		append_unit(out, 0xDC00 + (c & 0x3FF));
	} else {
		append_unit(out, c);
	}
}

} // namespace

void append_page_json(std::string &out, std::string_view utf8, Characters characters)
{
	out += '"';
	const char *at = utf8.data(), *const end = at + utf8.size();
	while (at < end) {
		const auto byte = static_cast<unsigned char>(*at);
		if (byte < 0x80) {
			if (byte == '\n')
				out += "\\n";
			else if (byte == '"' || byte == '\\')
				out += {'\\', *at};
			else if (byte < 0x20 || byte == 0x7F || byte == '<' || byte == '>' || byte == '&' || byte == '\'')
				append_unit(out, byte);
			else
				out += *at;
			++at;
			continue;
		}
		const Decoded decoded = decode(at, end);
		if (characters == Characters::ascii || is_hidden(decoded.code_point))
			append_escape(out, decoded.code_point);
		else
			out.append(at, decoded.length);
		at += decoded.length;
	}
	out += '"';
}

void append_page_json(std::string &out, double value)
{
	if (!std::isfinite(value)) {
		out += "null";
		return;
	}
	char digits[40];
	out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

void append_html(std::string &out, std::string_view utf8, Characters characters)
{
	const char *at = utf8.data(), *const end = at + utf8.size();
	while (at < end) {
		const Decoded decoded = decode(at, end);
		const char32_t c = decoded.code_point;
		if ((c < 0x20 && c != '\n' && c != '\t') || is_hidden(c)) {
			out += "&#xFFFD;"; // HTML cannot hold control characters, and the others would deceive
		} else if (c == '<' || c == '>' || c == '&' || c == '"' || c == '\'' ||
			(c >= 0x80 && characters == Characters::ascii)) {
			char number[16];
			out.append("&#")
				.append(number, std::to_chars(number, number + sizeof number, static_cast<std::uint32_t>(c)).ptr)
				.append(";");
		} else {
			out.append(at, decoded.length);
		}
		at += decoded.length;
	}
}

} // namespace txtfp::core
