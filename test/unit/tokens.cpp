#include "core/text/tokens.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "core/text/canonical.hpp"
#include "unit/check.hpp"
#include "unit/data.hpp"
#include "unit/options.hpp"
#include "unit/stop.hpp"
#include "unit/text.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

using Strings = std::vector<std::string>;

// The definition of one shingle level.
Strings shingles_by_definition(const Strings &inner, std::uint32_t k)
{
	Strings out;
	const std::size_t width = std::min<std::size_t>(k, inner.size());
	for (std::size_t first = 0; width > 0 && first + width <= inner.size(); ++first) {
		std::string shingle = inner[first];
		for (std::size_t i = 1; i < width; ++i)
			shingle += " " + inner[first + i];
		out.push_back(shingle);
	}
	return out;
}

Strings tokens_by_definition(std::string_view text, TokenizerSpec spec)
{
	const unsigned depth = spec.depth;
	spec.depth = 0;
	Strings out = tokens(text, spec);
	for (unsigned level = depth; level-- > 0;)
		out = shingles_by_definition(out, spec.k[level]);
	return out;
}

Strings tokens_in_pieces(const std::vector<std::string_view> &pieces, const TokenizerSpec &spec)
{
	Strings out;
	const auto sink = [&](std::string_view token) { out.emplace_back(token); };
	Tokenizer<decltype(sink)> tokenizer(spec, sink);
	for (std::size_t i = 0; i < pieces.size(); ++i)
		tokenizer.append(pieces[i], i + 1 == pieces.size());
	return out;
}

const std::vector<TokenizerSpec> &sample_tokenizers()
{
	static const std::vector<TokenizerSpec> sample = [] {
		std::vector<TokenizerSpec> all;
		for (const char *name : {"word-uax29", "grapheme-uax29", "shingle-k=1/word-uax29", "shingle-k=5/word-uax29",
				 "shingle-k=4/grapheme-uax29", "shingle-k=2/shingle-k=3/word-uax29", "shingle-k=0/word-uax29",
				 "shingle-k=2/shingle-k=1/shingle-k=3/shingle-k=2/grapheme-uax29"})
			all.push_back(tokenizer(name));
		return all;
	}();
	return sample;
}

TokenizerError error_of_name(std::string_view name)
{
	TokenizerSpec spec;
	return parse_tokenizer(name, spec);
}

} // namespace

TEST(tokens_crate_vectors)
{
	const Table &vectors = table("tokens.tsv");
	CHECK_EQ(vectors.size(), 405);
	for (const Row &row : vectors)
		CHECK_EQ(tokens(row["input"], row["tokenizer"]), list(row["tokens"]), row["tokenizer"], row["input"]);
}

TEST(tokens_document_vectors)
{
	for (const Row &row : table("documents.tsv")) {
		CHECK_EQ(tokens(row["canonical"], "word-uax29"), list(row["words"]), row["name"]);
		CHECK_EQ(tokens(row["canonical"], "grapheme-uax29"), list(row["graphemes"]), row["name"]);
	}
}

TEST(tokens_shingles)
{
	const auto shingles = [](int k, std::string_view text) {
		return tokens(text, "shingle-k=" + std::to_string(k) + "/word-uax29");
	};
	CHECK_EQ(shingles(1, "the quick brown fox"), (Strings{"the", "quick", "brown", "fox"}));
	CHECK_EQ(shingles(2, "a b c"), (Strings{"a b", "b c"}));
	CHECK_EQ(shingles(3, "the quick brown fox"), (Strings{"the quick brown", "quick brown fox"}));
	CHECK_EQ(shingles(5, "a b"), (Strings{"a b"}));
	CHECK_EQ(shingles(2, "a, b!\n c"), (Strings{"a b", "b c"})); // one space, regardless of the original separator
	CHECK_EQ(shingles(3, ""), Strings{});
	CHECK_EQ(shingles(3, " … "), Strings{});
	CHECK_EQ(shingles(0, "a b c"), Strings{});
	CHECK_EQ(tokens("a b c d", "shingle-k=2/shingle-k=2/word-uax29"), (Strings{"a b b c", "b c c d"}));
}

TEST(tokens_shingles_by_definition)
{
	RandomText random(1);
	for (int i = 0; i < 4000; ++i) {
		const std::string text = random.next_utf8(40);
		for (const TokenizerSpec &spec : sample_tokenizers())
			CHECK_EQ(tokens(text, spec), tokens_by_definition(text, spec), format_tokenizer(spec), text);
	}
}

// Long enough for the window to move inside its buffer, with tokens shorter and longer than the buffer.
TEST(tokens_shingles_of_long_texts)
{
	std::mt19937_64 random(2);
	std::string text;
	for (int i = 0; i < 3000; ++i)
		text += std::string(random() % 100 == 0 ? 70000 : 1 + random() % 300, static_cast<char>('a' + i % 26)) + " ";
	for (const char *name :
		{"shingle-k=1/word-uax29", "shingle-k=2/word-uax29", "shingle-k=3/shingle-k=2/word-uax29"}) {
		std::size_t at = 0;
		const Strings expected = tokens_by_definition(text, tokenizer(name));
		for_each_token(text, tokenizer(name), [&](std::string_view token) {
			CHECK_EQ(at < expected.size() && token == expected[at], true, name, at);
			++at;
		});
		CHECK_EQ(at, expected.size(), name);
	}
	CHECK_EQ(tokens(text, "shingle-k=1000000/word-uax29"),
		tokens_by_definition(text, tokenizer("shingle-k=1000000/word-uax29")));
}

TEST(tokens_pieces_give_the_whole)
{
	RandomText random(3);
	for (int i = 0; i < 400; ++i) {
		const std::string text = random.next_utf8(20);
		for (const TokenizerSpec &spec : sample_tokenizers()) {
			const Strings expected = tokens(text, spec);
			for_each_cutting(text, random.engine(), [&](const std::vector<std::string_view> &pieces) {
				CHECK_EQ(tokens_in_pieces(pieces, spec), expected, format_tokenizer(spec), text, pieces);
			});
		}
	}
}

// One segment much longer than a piece is rescanned only after it has doubled; otherwise this would take minutes.
TEST(tokens_long_segments_in_small_pieces)
{
	std::string text = std::string(1 << 20, 'a') + " b" + std::string(1 << 20, '1');
	const auto every_64_bytes = [](std::size_t at) { return at % 64 == 0; };
	CHECK_EQ(tokens_in_pieces(cut(text, every_64_bytes), tokenizer("word-uax29")) == tokens(text, "word-uax29"), true);
	text = "e";
	while (text.size() < (1 << 20))
		text += "\u0301";
	CHECK_EQ(tokens_in_pieces(cut(text, every_64_bytes), tokenizer("grapheme-uax29")), Strings{text});
}

TEST(tokenizer_names)
{
	for (const char *name : {"word-uax29", "grapheme-uax29", "shingle-k=1/word-uax29", "shingle-k=5/word-uax29",
			 "shingle-k=4/grapheme-uax29", "shingle-k=1000000/word-uax29", "shingle-k=2/shingle-k=3/grapheme-uax29",
			 "shingle-k=1/shingle-k=22/shingle-k=333/shingle-k=4444/word-uax29"}) {
		TokenizerSpec spec{Segmenter::grapheme, 3, {7, 8, 9, 10}}; // options that parsing must overwrite
		CHECK_EQ(parse_tokenizer(name, spec), TokenizerError::none, name);
		CHECK_EQ(format_tokenizer(spec), name);
		CHECK_EQ(spec == tokenizer(name), true, name);
	}
	const TokenizerSpec nested = tokenizer("shingle-k=2/shingle-k=3/grapheme-uax29");
	CHECK_EQ(nested.depth == 2 && nested.k[0] == 2 && nested.k[1] == 3, true); // outermost first
	CHECK_EQ(nested.segmenter, Segmenter::grapheme);
	CHECK_EQ(format_tokenizer(tokenizer(default_tokenizer)), default_tokenizer);
}

TEST(tokenizer_malformed_names)
{
	for (const char *name : {"", "word", "word-uax29 ", " word-uax29", "WORD-uax29", "word-uax29/", "word-uax2",
			 "sentence-uax29", "cjk", "cjk-jieba-", "cjk-lindera", "CJK-jieba", "shingle", "shingle-k=", "shingle-k=5",
			 "shingle-k=5/", "shingle-k=/word-uax29", "shingle-k=5/word", "shingle-k=5/word-uax29/",
			 "shingle-k=5word-uax29", "shingle-k=5//word-uax29", "shingle-k=05/word-uax29",
			 "shingle-k=00005/word-uax29", "shingle-k=-1/word-uax29", "shingle-k=+1/word-uax29",
			 "shingle-k= 1/word-uax29", "shingle-k=1 /word-uax29", "shingle-k=1.0/word-uax29",
			 "shingle-k=0x1/word-uax29", "shingle-k=a/word-uax29", "shingle-k=5/shingle-k=05/word-uax29",
			 "shingle-K=5/word-uax29", "5/word-uax29", "shingle-k=\u0665/word-uax29"})
		CHECK_EQ(error_of_name(name), TokenizerError::unknown, name);
	CHECK_EQ(error_of_name(std::string_view("word-uax29\0", 11)), TokenizerError::unknown);
}

TEST(tokenizer_names_of_txtfp_cjk)
{
	for (const std::string name : {"cjk-jieba", "cjk-jieba-hmm", "cjk-lindera-ipadic", "cjk-lindera-ko-dic"}) {
		TokenizerSpec spec;
		CHECK_EQ(parse_tokenizer(name, spec), TokenizerError::none, name);
		CHECK_EQ(format_tokenizer(spec), name);
		CHECK_EQ(parse_tokenizer("shingle-k=3/" + name, spec), TokenizerError::none, name);
		CHECK_EQ(format_tokenizer(spec), "shingle-k=3/" + name);
	}
}

TEST(tokenizer_refused_numbers)
{
	CHECK_EQ(error_of_name("shingle-k=0/word-uax29"), TokenizerError::zero_k);
	CHECK_EQ(error_of_name("shingle-k=3/shingle-k=0/word-uax29"), TokenizerError::zero_k);
	for (const char *k : {"1000001", "4294967296", "4294967301", "18446744073709551615", "18446744073709551617",
			 "99999999999999999999999999999999"})
		CHECK_EQ(error_of_name("shingle-k=" + std::string(k) + "/word-uax29"), TokenizerError::k_too_large, k);
	std::string name = "word-uax29";
	for (unsigned depth = 1; depth <= 6; ++depth) {
		name.insert(0, "shingle-k=2/");
		CHECK_EQ(error_of_name(name),
			depth <= TokenizerSpec::max_depth ? TokenizerError::none : TokenizerError::too_deep, depth);
	}
}

TEST(tokenizer_names_round_trip)
{
	std::mt19937_64 random(4);
	for (int i = 0; i < 2000; ++i) {
		TokenizerSpec spec, parsed{Segmenter::grapheme, 4, {1, 1, 1, 1}};
		spec.segmenter = random() % 2 == 0 ? Segmenter::word : Segmenter::grapheme;
		spec.depth = static_cast<std::uint8_t>(random() % (TokenizerSpec::max_depth + 1));
		for (unsigned level = 0; level < spec.depth; ++level)
			spec.k[level] = static_cast<std::uint32_t>(1 + random() % TokenizerSpec::max_k);
		CHECK_EQ(parse_tokenizer(format_tokenizer(spec), parsed), TokenizerError::none, format_tokenizer(spec));
		CHECK_EQ(parsed == spec, true, format_tokenizer(spec));
	}
}

TEST(tokens_cancellation)
{
	std::string text;
	while (text.size() < (1 << 20))
		text += "word ";
	for (const TokenizerSpec &spec : sample_tokenizers())
		CHECK_EQ(is_cancelled([&] {
			for_each_token(
				text, spec, [](std::string_view) {}, stop_at_once);
		}),
			true, format_tokenizer(spec));
	polls = 0;
	for_each_token(
		text, tokenizer("word-uax29"), [](std::string_view) {}, count_polls);
	CHECK_EQ(polls >= 20, true, polls);
}
