// The crate's golden files: TXTFP_GOLDEN names the folder with corpora/, canonical/, minhash/ and simhash/. The texts
// belong to another project and are not part of this repository; without the variable these tests are skipped.
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/minhash/minhash.hpp"
#include "core/simhash/simhash.hpp"
#include "unit/check.hpp"
#include "unit/options.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

constexpr const char *texts[] = {
	"arabic_rtl", "chinese_classical", "emoji_zwj", "lorem_ipsum", "markdown_post", "mixed_script"};

std::string contents(const std::string &path)
{
	std::ifstream file(std::string(std::getenv("TXTFP_GOLDEN")) + "/" + path, std::ios::binary);
	CHECK_EQ(file.good(), true, path);
	return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string corpus(const std::string &name)
{
	return contents("corpora/" + name + (name == "markdown_post" ? ".md" : ".txt"));
}

} // namespace

TEST_IF(golden_canonical_texts, std::getenv("TXTFP_GOLDEN") != nullptr)
{
	for (const std::string name : texts)
		CHECK_EQ(canonicalize(corpus(name), {}), contents("canonical/" + name + ".txt"), name);
}

TEST_IF(golden_minhash, std::getenv("TXTFP_GOLDEN") != nullptr)
{
	TextOptions options;
	options.tokenizer = tokenizer("shingle-k=5/word-uax29");
	for (const std::string name : texts) {
		std::vector<std::uint64_t> slots(128);
		CHECK_EQ(minhash(corpus(name), options, slots), true, name);
		std::string wire(wire_size(128), '?');
		write_wire(slots, reinterpret_cast<std::uint8_t *>(wire.data()));
		CHECK_EQ(wire, contents("minhash/" + name + "_h128_k5.bin"), name);
	}
}

TEST_IF(golden_simhash, std::getenv("TXTFP_GOLDEN") != nullptr)
{
	SimhashOptions options;
	options.tokenizer = tokenizer("word-uax29");
	for (const std::string name : texts) {
		std::uint64_t bits = 0;
		CHECK_EQ(simhash(corpus(name), options, bits), true, name);
		std::string wire(sizeof bits, '?');
		store_le64(wire.data(), bits);
		CHECK_EQ(wire, contents("simhash/" + name + "_b64.bin"), name);
	}
}
