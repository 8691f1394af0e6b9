#include "records/failure.hpp"

#include <system_error>

#include "core/text/utf8.hpp"

namespace txtfp::records {

std::string system_message(int error_number) { return std::generic_category().message(error_number); }

std::string in_quotes(std::string_view value)
{
	constexpr std::size_t most = 60;
	const std::size_t n = core::character_boundary(value, most);
	std::string out = "\"";
	for (const char c : value.substr(0, n)) {
		const auto byte = static_cast<unsigned char>(c);
		if (byte < 0x20 || byte == 0x7F) {
			constexpr char digits[] = "0123456789abcdef";
			out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
		} else {
			out += c;
		}
	}
	return out + (n < value.size() ? "\u2026\"" : "\"");
}

} // namespace txtfp::records
