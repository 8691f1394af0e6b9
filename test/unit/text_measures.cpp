#include "core/compare/text_measures.hpp"

#include <set>
#include <string>

#include "core/base/splitmix.hpp"
#include "core/text/canonical.hpp"
#include "unit/check.hpp"
#include "unit/options.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

std::set<std::string> token_set(std::string_view text, const TokenizerSpec &spec)
{
	const std::string canonical(canonicalize(text, {}));
	std::set<std::string> out;
	for (const std::string &token : tokens(canonical, spec))
		out.insert(token);
	return out;
}

} // namespace

TEST(token_overlap_is_that_of_the_sets)
{
	static const char *const pieces[] = {
		"one ", "TWO ", "two ", "three ", "\uFF46our ", "five. ", "\u4E00", "e\u0301 "};
	SplitMix64 random(1);
	for (const char *name : {"word-uax29", "shingle-k=2/word-uax29", "shingle-k=5/word-uax29", "grapheme-uax29"})
		for (int round = 0; round < 500; ++round) {
			std::string text[2];
			for (std::string &t : text)
				for (std::size_t n = random.below(30); n > 0; --n)
					t += pieces[random.below(std::size(pieces))];
			const TokenizerSpec spec = tokenizer(name);
			const auto a = token_set(text[0], spec), b = token_set(text[1], spec);
			std::uint64_t common = 0;
			for (const std::string &token : a)
				common += b.count(token);
			const SetOverlap overlap = token_overlap(text[0], text[1], {}, spec);
			CHECK_EQ(overlap.a, a.size(), text[0]);
			CHECK_EQ(overlap.b, b.size(), text[1]);
			CHECK_EQ(overlap.common, common, text[0], text[1]);
		}
}

TEST(runs_of_words_are_the_tokens_of_ascii_texts)
{
	SplitMix64 random(2);
	const auto made = [&random] {
		std::string text;
		for (std::size_t n = random.below(40); n > 0; --n)
			if (random.below(4) > 0)
				(text += "aAbB1"[random.below(5)]) += random.below(3) > 0 ? " " : "";
			else
				text += static_cast<char>(1 + random.below(127));
		return text;
	};
	for (const char *name : {"word-uax29", "shingle-k=2/word-uax29", "shingle-k=5/word-uax29", "shingle-k=1000/word-uax29"})
		for (int round = 0; round < 1000; ++round) {
			const std::string a = made(), b = round % 2 == 0 ? made() : made() + a;
			const TokenizerSpec spec = tokenizer(name);
			CHECK_EQ(runs_are_tokens(a, b, {}, spec), true);
			const ComparedTexts words(a, b, {}, Segmenter::word);
			const SetOverlap expected = token_overlap(a, b, {}, spec),
							 found = run_overlap(words.a(), words.b(), spec.depth == 0 ? 1 : spec.k[0]);
			CHECK_EQ(found.a, expected.a, a, b);
			CHECK_EQ(found.b, expected.b, a, b);
			CHECK_EQ(found.common, expected.common, a, b);
		}
	const TokenizerSpec spec = tokenizer("shingle-k=5/word-uax29");
	CHECK_EQ(runs_are_tokens("a", "\xC3\xA4", {}, spec), false);
	CHECK_EQ(runs_are_tokens("a", "b", {.case_fold = false}, spec), false);
	CHECK_EQ(runs_are_tokens("a", "b", {}, tokenizer("grapheme-uax29")), false);
	CHECK_EQ(runs_are_tokens("a", "b", {}, tokenizer("shingle-k=2/shingle-k=3/word-uax29")), false);
}

TEST(token_overlap_of_many_tokens)
{
	std::string a, b;
	for (int i = 0; i < 50000; ++i) {
		a += "w" + std::to_string(i) + " ";
		b += "w" + std::to_string(2 * i) + " ";
	}
	const SetOverlap overlap = token_overlap(a, b, {}, tokenizer("word-uax29"));
	CHECK_EQ(overlap.common, 25000);
	CHECK_EQ(overlap.jaccard(), 25000.0 / 75000.0);
	CHECK_EQ(overlap.containment_of_a(), 0.5);
	CHECK_EQ(overlap.containment_of_b(), 0.5);
}

TEST(token_overlap_without_tokens)
{
	const SetOverlap none = token_overlap("", "...", {}, tokenizer("word-uax29"));
	CHECK_EQ(none.a + none.b + none.common, 0);
	CHECK_EQ(none.jaccard(), 0.0);
	CHECK_EQ(token_overlap("a", "", {}, tokenizer("word-uax29")).containment_of_a(), 0.0);
}
