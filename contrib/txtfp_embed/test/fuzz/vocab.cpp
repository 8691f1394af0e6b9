// vocab.txt of any bytes, and a text: the file up to the first NUL, the text after it.
#include "fuzz/fuzz.hpp"
#include "program/tokenizer/tokenizer.hpp"

using namespace txtfp::embed;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	const std::string_view input(reinterpret_cast<const char *>(data), size);
	const std::size_t end = input.find('\0');
	try {
		const Tokenizer tokenizer = Tokenizer::from_vocab_txt(std::string(input.substr(0, end)), {});
		const Encoding encoding =
			tokenizer.encode(std::string(end == std::string_view::npos ? "Text." : input.substr(end + 1)));
		REQUIRE_EQ(encoding.ids.size() >= 2, true);
		REQUIRE_EQ(encoding.ids.size(), encoding.mask.size());
	} catch (const Failure &) {
		// The failure was reported.
	}
	return 0;
}
