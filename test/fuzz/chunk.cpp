// Sentences and chunks of any text: sentences equal those of the rules, windows those of the definition, without
// overlap no word is lost or repeated, and no chunk exceeds its limit. On any bytes: no crash.
//   byte 0: max_tokens; byte 1: overlap; the rest: the text
#include "core/text/chunk.hpp"

#include <algorithm>

#include "core/text/segment.hpp"
#include "fuzz/fuzz.hpp"
#include "unit/options.hpp"
#include "unit/sentences_naive.hpp"

using namespace txtfp::core;
using namespace txtfp::fuzz;

using Strings = std::vector<std::string>;

static Strings chunks(std::string_view text, const ChunkOptions &options)
{
	Strings out;
	for_each_chunk(text, options, [&out](std::string_view chunk) { out.emplace_back(chunk); });
	return out;
}

static Strings words(std::string_view text) { return txtfp::test::tokens(text, "word-uax29"); }

static void check_sentences(std::string_view text)
{
	std::vector<std::size_t> ends, expected;
	for (std::size_t at = 0; at < text.size(); at = ends.back()) {
		const Sentence sentence = next_sentence(text, at);
		REQUIRE_EQ(sentence.alphanumeric, !words(text.substr(at, sentence.end - at)).empty());
		ends.push_back(sentence.end);
	}
	const std::vector<std::size_t> places = txtfp::test::boundaries(text);
	for (const std::size_t end : txtfp::test::NaiveSentences::ends(txtfp::test::to_utf32(text)))
		expected.push_back(places[end]);
	REQUIRE_EQ(ends, expected);
}

static void check_windows(std::string_view text, const ChunkOptions &options)
{
	const Strings all = words(text), windows = chunks(text, options);
	const std::size_t most = std::max<std::size_t>(1, words_of_tokens(options.max_tokens));
	const std::size_t stride = most - std::min<std::size_t>(words_of_tokens(options.overlap), most - 1);
	std::size_t start = 0;
	for (const std::string &window : windows) {
		std::string expected;
		for (std::size_t i = start; i < std::min(start + most, all.size()); ++i)
			expected += (i > start ? " " : "") + all[i];
		REQUIRE_EQ(window, expected);
		start += stride;
	}
	REQUIRE_EQ(windows.empty(), all.empty());
	REQUIRE_EQ(all.empty() || start + most - stride >= all.size(), true);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	Input input(data, size);
	ChunkOptions options{1 + input.byte() % 40, input.byte() % 40, ChunkMode::fixed};
	const std::string text = valid_utf8(input.rest().substr(0, 400));
	check_sentences(text);
	check_windows(text, options);
	for (const ChunkMode mode : {ChunkMode::sentence, ChunkMode::recursive}) {
		options.mode = mode;
		for (const std::string &chunk : chunks(text, options))
			REQUIRE_EQ(chunk.empty(), false);
		// the limit of a single chunk: one word may count for more than the smallest limits
		for (const std::string &chunk : chunks(text, {options.max_tokens, 0, mode}))
			REQUIRE_EQ(tokens_of_words(words(chunk).size()) <= std::max(options.max_tokens, 2u), true);
		chunks(input.rest(), options); // not UTF-8: any result is allowed, but no invalid read
	}
	return 0;
}
