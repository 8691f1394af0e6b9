// Markdown of any bytes with any options: no crash or leak, valid UTF-8 stays valid, no white space at the ends, and an
// option that leaves something out does not make the text longer.
#include <string>

#include "core/markdown.hpp"
#include "fuzz/fuzz.hpp"

using namespace txtfp;
using namespace txtfp::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	Input input(data, size);
	const unsigned options = input.byte();
	const std::string_view rest = input.rest();
	const std::string document = options & 8 ? std::string(rest) : valid_utf8(rest);
	const std::string all = markup::markdown_to_text(document, {}, {});
	const std::string some =
		markup::markdown_to_text(document, {(options & 1) != 0, (options & 2) != 0, (options & 4) != 0}, {});
	if (!(options & 8)) {
		REQUIRE_EQ(valid_utf8(all), all);
		REQUIRE_EQ(valid_utf8(some), some);
	}
	if (options & 4)
		REQUIRE_EQ(some.size() <= all.size() + 2, true);
	for (const std::string &text : {all, some})
		if (!text.empty())
			REQUIRE_EQ(text.front() == ' ' || text.back() == ' ' || text.front() == '\n' || text.back() == '\n', false);
	return 0;
}
