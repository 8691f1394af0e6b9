// tokenizer.json of any bytes, and a text: the file up to the first NUL, the text after it. A file that loads must
// tokenize any text in bounded memory, with as many masks as ids.
#include "program/tokenizer/tokenizer.hpp"

#include "fuzz/fuzz.hpp"

using namespace txtfp::embed;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	const std::string_view input(reinterpret_cast<const char *>(data), size);
	const std::size_t end = input.find('\0');
	try {
		const Tokenizer tokenizer = Tokenizer::from_json(std::string(input.substr(0, end)));
		const std::string text(end == std::string_view::npos ? "Some text." : input.substr(end + 1));
		const Encoding encoding = tokenizer.encode(text);
		REQUIRE_EQ(encoding.ids.size(), encoding.mask.size());
	} catch (const Failure &) {
		// The failure was reported.
	}
	return 0;
}
