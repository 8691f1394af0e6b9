// The stored form of corpus_words on any bytes: it accepts only what the writer writes, and merging does not depend on the
// order.
//   byte 0: even: bytes of the form; odd: texts, one a line, whose form is read and changed in one byte
#include "core/compare/corpus_words.hpp"

#include <string>
#include <vector>

#include "fuzz/fuzz.hpp"

using namespace txtfp::core;
using namespace txtfp::fuzz;

namespace {

std::vector<std::uint8_t> stored(const CorpusWords &corpus)
{
	std::vector<std::uint8_t> bytes(corpus.stored_bytes());
	corpus.store(bytes.data());
	return bytes;
}

void check_bytes(const std::vector<std::uint8_t> &bytes)
{
	CorpusWords corpus;
	if (!corpus.read(bytes))
		return;
	REQUIRE_EQ(stored(corpus) == bytes, true);
	CorpusWords merged;
	merged.merge(corpus);
	REQUIRE_EQ(stored(merged) == bytes, true);
	const double rarity = corpus.rarity(word_hash("word"));
	REQUIRE_EQ(rarity > -1e-9 && rarity <= 1, true);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	Input input(data, size);
	const unsigned choice = input.byte();
	if (choice % 2 == 0) {
		check_bytes({input.rest().begin(), input.rest().end()});
		return 0;
	}
	CorpusWords all, parts[2];
	std::string text;
	std::size_t lines = 0;
	for (const char c : std::string(input.rest().begin(), input.rest().end())) {
		if (static_cast<unsigned char>(c) < 0x80 && c != '\n') {
			text += c;
			continue;
		}
		all.add(text);
		parts[++lines % 2].add(text);
		text.clear();
	}
	parts[choice / 2 % 2].merge(parts[1 - choice / 2 % 2]);
	std::vector<std::uint8_t> bytes = stored(all);
	REQUIRE_EQ(stored(parts[choice / 2 % 2]) == bytes, true);
	check_bytes(bytes);
	bytes[choice * 31 % bytes.size()] ^= static_cast<std::uint8_t>(choice | 1);
	check_bytes(bytes);
	return 0;
}
