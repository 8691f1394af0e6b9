// Tokens that the original programs return, see test/data/README.md.
#include <cstdlib>
#include <fstream>

#include "unit/check.hpp"
#include "unit/dictionaries.hpp"

using namespace txtfp;
using namespace txtfp::test;

TEST(cjk_tokens_are_those_of_the_originals)
{
	const char *const folder = std::getenv("TXTFP_TEST_DATA");
	std::ifstream file(std::string(folder == nullptr ? "test/data" : folder) + "/tokens.tsv");
	std::size_t rows = 0;
	for (std::string line; std::getline(file, line); ++rows) {
		const std::size_t first = line.find('\t'), second = line.find('\t', first + 1);
		const std::string name = line.substr(0, first), text = line.substr(first + 1, second - first - 1);
		int tokenizer = 0;
		while (core::cjk_names[tokenizer] != name)
			++tokenizer;
		if (!has_tokenizer(tokenizer))
			continue;
		std::string tokens;
		for (const std::string &token : tokens_of(text, tokenizer))
			tokens += (tokens.empty() ? "" : "|||") + token;
		CHECK_EQ(tokens, line.substr(second + 1), name, text);
	}
	CHECK_EQ(rows, 320);
}
