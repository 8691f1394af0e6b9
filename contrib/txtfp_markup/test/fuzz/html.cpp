// Pages of any bytes: no crash or leak, and every line ends. For a page in valid UTF-8 the result is also valid, and
// the words alone contain no control characters and no consecutive blanks.
#include <string>

#include "core/html_text.hpp"
#include "fuzz/fuzz.hpp"

using namespace txtfp;
using namespace txtfp::fuzz;

static std::string converted(std::string (*convert)(std::string_view, core::StopToken), std::string_view page)
{
	try {
		return convert(page, {});
	} catch (const core::Error &error) {
		if (error.kind() != core::ErrorKind::too_large)
			throw;
		return {};
	}
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	Input input(data, size);
	const bool as_it_is = input.byte() % 4 == 0;
	const std::string_view rest = input.rest();
	const std::string page = as_it_is ? std::string(rest) : valid_utf8(rest);
	const std::string text = converted(markup::html_to_text, page);
	const std::string plain = converted(markup::html_to_plain_text, page);
	REQUIRE_EQ(text.empty() || text.back() == '\n', true);
	REQUIRE_EQ(plain.empty() || plain.back() == '\n', true);
	if (as_it_is)
		return 0;
	REQUIRE_EQ(valid_utf8(text), text);
	REQUIRE_EQ(valid_utf8(plain), plain);
	for (std::size_t i = 0; i < plain.size(); ++i) {
		const bool blank = plain[i] == ' ' || plain[i] == '\n';
		REQUIRE_EQ(static_cast<unsigned char>(plain[i]) >= 0x20 || plain[i] == '\n', true);
		REQUIRE_EQ(blank && (i == 0 || plain[i - 1] == ' ' || plain[i - 1] == '\n'), false);
	}
	return 0;
}
