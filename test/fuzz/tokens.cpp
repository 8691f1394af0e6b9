// Tokenizers on any text: fast words equal words by the rules, pieces give the whole, graphemes cover the text,
// shingles equal the definition. On any bytes: no crash.
//   byte 0: k of the shingles; byte 1: where the text is cut; the rest: the text
#include "core/text/tokens.hpp"

#include <algorithm>

#include "fuzz/fuzz.hpp"
#include "unit/options.hpp"

using namespace txtfp::core;
using namespace txtfp::fuzz;

using Strings = std::vector<std::string>;

static Strings words_by_rules(std::string_view text)
{
	Strings words;
	for (std::size_t at = 0; at < text.size();) {
		const RuleSegment segment = word_segment(text, at, true);
		if (segment.alphanumeric)
			words.emplace_back(text.substr(at, segment.end - at));
		at = segment.end;
	}
	return words;
}

static Strings in_two_pieces(std::string_view text, std::size_t cut, const TokenizerSpec &spec)
{
	Strings out;
	const auto sink = [&](std::string_view token) { out.emplace_back(token); };
	Tokenizer<decltype(sink)> tokenizer(spec, sink);
	tokenizer.append(text.substr(0, cut), false);
	tokenizer.append(text.substr(cut), true);
	return out;
}

static Strings shingles(const Strings &tokens, std::size_t k)
{
	Strings out;
	const std::size_t width = std::min(k, tokens.size());
	for (std::size_t first = 0; width > 0 && first + width <= tokens.size(); ++first) {
		std::string shingle = tokens[first];
		for (std::size_t i = 1; i < width; ++i)
			shingle += " " + tokens[first + i];
		out.push_back(shingle);
	}
	return out;
}

static std::string joined(const Strings &tokens)
{
	std::string out;
	for (const std::string &token : tokens)
		out += token;
	return out;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	Input input(data, size);
	const std::uint32_t k = input.byte() % 8;
	const unsigned where = input.byte();
	const std::string text = valid_utf8(input.rest());
	const std::size_t cut = character_boundary(text, where * text.size() / 255);

	for (const Segmenter segmenter : {Segmenter::word, Segmenter::grapheme}) {
		const Strings tokens = txtfp::test::tokens(text, TokenizerSpec{segmenter});
		if (segmenter == Segmenter::word)
			REQUIRE_EQ(tokens, words_by_rules(text));
		else
			REQUIRE_EQ(joined(tokens), text);
		REQUIRE_EQ(in_two_pieces(text, cut, TokenizerSpec{segmenter}), tokens);
		const TokenizerSpec spec{segmenter, 1, {k}};
		REQUIRE_EQ(txtfp::test::tokens(text, spec), shingles(tokens, k));
		REQUIRE_EQ(in_two_pieces(text, cut, spec), shingles(tokens, k));
		txtfp::test::tokens(input.rest(), spec); // not UTF-8: any result is allowed, but no invalid read
	}
	return 0;
}
