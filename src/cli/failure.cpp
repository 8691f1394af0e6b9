#include "cli/failure.hpp"

#include <cstdio>
#include <new>
#include <system_error>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"

namespace txtfp::cli {

int report_exception() noexcept
{
	try {
		throw;
	} catch (const Failure &failure) {
		std::fprintf(stderr, "txtfp: %s\n", failure.what());
		return failure.status();
	} catch (const core::Error &error) {
		if (error.kind() == core::ErrorKind::cancelled) {
			std::fputs("\ntxtfp: interrupted\n", stderr);
			return exit_interrupted;
		}
		std::fprintf(stderr, "txtfp: %s\n", error.what());
	} catch (const std::bad_alloc &) {
		std::fputs("txtfp: out of memory\n", stderr);
	} catch (const std::exception &error) {
		std::fprintf(stderr, "txtfp: %s\n", error.what());
	}
	return exit_failure;
}

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

} // namespace txtfp::cli
