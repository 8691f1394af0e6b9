// Compares the fast segmenters with the naive ones, and pieces with whole texts; tests malformed bytes.
#include "reference/naive.hpp"
#include "unit/check.hpp"
#include "unit/dictionaries.hpp"
#include "unit/stop.hpp"

#include "core/text/tokens.hpp"
#include "core/text/utf8.hpp"

using namespace txtfp;
using namespace txtfp::test;

namespace {

constexpr int all_tokenizers[] = {
	TXTFP_CJK_JIEBA, TXTFP_CJK_JIEBA_HMM, TXTFP_CJK_LINDERA_IPADIC, TXTFP_CJK_LINDERA_KO_DIC};

constexpr TxtfpCjkInterface interface = {
	TXTFP_CJK_ABI, nullptr, cjk::txtfp_cjk_create, cjk::txtfp_cjk_destroy, cjk::txtfp_cjk_next};

std::string_view name(int tokenizer) { return core::cjk_names[tokenizer]; }

Strings naive_tokens(std::string_view text, int tokenizer)
{
	if (tokenizer <= TXTFP_CJK_JIEBA_HMM) {
		static const NaiveJieba jieba{cjk::dictionary(0)};
		return jieba.cut(text, tokenizer == TXTFP_CJK_JIEBA_HMM);
	}
	if (tokenizer == TXTFP_CJK_LINDERA_IPADIC) {
		static const NaiveLattice ipadic{cjk::dictionary(1)};
		return ipadic.cut(text);
	}
	static const NaiveLattice ko_dic{cjk::dictionary(2)};
	return ko_dic.cut(text);
}

// Cuts as the core does, in pieces of about `size` bytes.
Strings tokens_in_pieces(std::string_view text, int tokenizer, std::size_t size)
{
	core::set_cjk_interface(&interface);
	core::TokenizerSpec spec;
	core::parse_tokenizer(name(tokenizer), spec);
	Strings out;
	const auto sink = [&](std::string_view token) { out.emplace_back(token); };
	core::Tokenizer<decltype(sink)> tokenizer_in_pieces(spec, sink);
	while (text.size() > size) {
		std::size_t cut = core::character_boundary(text, size);
		if (cut == 0)
			cut = core::decode(text.data(), text.data() + text.size()).length;
		tokenizer_in_pieces.append(text.substr(0, cut), false);
		text.remove_prefix(cut);
	}
	tokenizer_in_pieces.append(text, true);
	return out;
}

} // namespace

TEST(cjk_names_are_tokenizers)
{
	for (const int tokenizer : all_tokenizers)
		for (const std::string &text : {std::string(name(tokenizer)), "shingle-k=3/" + std::string(name(tokenizer))}) {
			core::TokenizerSpec spec;
			CHECK_EQ(core::parse_tokenizer(text, spec), core::TokenizerError::none, text);
			CHECK_EQ(core::cjk_tokenizer(spec.segmenter), tokenizer, text);
			CHECK_EQ(core::format_tokenizer(spec), text);
		}
}

TEST(cjk_fast_is_naive)
{
	for (const int tokenizer : all_tokenizers) {
		if (!has_tokenizer(tokenizer))
			continue;
		std::mt19937_64 random(1);
		for (std::size_t i = 0; i < by_length(300, 80); ++i) {
			const std::string text = random_text(random, random() % 40);
			CHECK_EQ(tokens_of(text, tokenizer, 1 + i % 70), naive_tokens(text, tokenizer), name(tokenizer), text);
		}
	}
}

// If characters repeat, many paths are equally good, and unknown words are long.
TEST(cjk_fast_is_naive_on_repetitions)
{
	for (const int tokenizer : all_tokenizers) {
		if (!has_tokenizer(tokenizer))
			continue;
		for (const std::string unit : {"一", "すもも", "も", "ー", "ア", "이", "ㅋ", "a", "1.", "中", "的", "鿕", "𦡦",
				 "北京北", "一二", " ", "　"}) {
			std::string text;
			for (std::size_t i = 0; i < by_length(150, 50); ++i)
				text += unit;
			CHECK_EQ(tokens_of(text, tokenizer), naive_tokens(text, tokenizer), name(tokenizer), unit);
		}
	}
}

TEST(cjk_pieces_are_the_whole)
{
	for (const int tokenizer : all_tokenizers) {
		if (!has_tokenizer(tokenizer))
			continue;
		std::mt19937_64 random(2);
		for (const std::size_t size : {1, 2, 3, 7, 40, 4096}) {
			const std::string text = random_text(random, size < 10 ? 200 : 2000);
			CHECK_EQ(tokens_in_pieces(text, tokenizer, size), tokens_of(text, tokenizer), name(tokenizer), size);
		}
	}
}

// Dropping edges of the lattice does not change the result.
TEST(cjk_lattice_forgets_the_right_edges)
{
	for (const int dictionary : {1, 2}) {
		if (!has_dictionary(dictionary))
			continue;
		std::mt19937_64 random(3);
		for (std::size_t limit = 1; limit < 3000; limit = 2 * limit + random() % 3) {
			std::string text = random_text(random, 400);
			std::erase_if(text, [](char c) { return c == '\n' || c == '\t'; });
			const auto cut = [&](std::size_t edges) {
				Strings out;
				cjk::Lattice lattice{cjk::LatticeDictionary(cjk::dictionary(dictionary))};
				lattice.set_edge_limit(edges);
				TxtfpCjkRange ranges[16];
				for (TxtfpCjkBatch batch{}; !batch.finished;) {
					batch = lattice.next(text, batch.next, true, ranges, {});
					for (std::size_t i = 0; i < batch.count; ++i)
						out.push_back(text.substr(ranges[i].start, ranges[i].end - ranges[i].start));
				}
				return out;
			};
			CHECK_EQ(cut(limit), cut(1 << 30), dictionary, limit);
		}
	}
}

// Time is linear for any text, and text without white space loses nothing.
TEST(cjk_megabytes_without_a_break)
{
	for (const int tokenizer : all_tokenizers) {
		if (!has_tokenizer(tokenizer))
			continue;
		for (const std::string unit : {"一", "すもも", "ア", "이", "中华人民", "a", "鿕", "𦡦", "1."}) {
			const double growth = growth_of(50'000, [&](std::size_t size) {
				std::string text, joined;
				while (text.size() < size)
					text += unit;
				for (const std::string &token : tokens_of(text, tokenizer))
					joined += token;
				CHECK_EQ(joined == text, true, name(tokenizer), unit);
			});
			CHECK_EQ(growth < even_growth, true, name(tokenizer), unit, growth);
		}
	}
}

TEST(cjk_broken_bytes_end)
{
	for (const int tokenizer : all_tokenizers) {
		if (!has_tokenizer(tokenizer))
			continue;
		std::mt19937_64 random(4);
		for (int i = 0; i < 400; ++i) {
			std::string text = random_text(random, random() % 10);
			for (int errors = 0; errors < 4; ++errors)
				text.insert(random() % (text.size() + 1), 1, static_cast<char>(random()));
			std::size_t bytes = 0;
			for (const std::string &token : tokens_of(text, tokenizer))
				bytes += token.size();
			CHECK_EQ(bytes <= text.size(), true, text);
		}
	}
}

TEST(cjk_is_cancelled)
{
	for (const int tokenizer : all_tokenizers) {
		if (!has_tokenizer(tokenizer))
			continue;
		std::string text;
		while (text.size() < 100'000)
			text += "中";
		TxtfpCjkRange ranges[8];
		TxtfpCjkBatch batch{};
		TxtfpCjkSegmenter *const segmenter = cjk::txtfp_cjk_create(tokenizer);
		CHECK_EQ(cjk::txtfp_cjk_next(
					 segmenter, text.data(), text.size(), 0, true, ranges, 8, [] { return true; }, &batch),
			TXTFP_CJK_CANCELLED);
		cjk::txtfp_cjk_destroy(segmenter);
		polls = 0;
		core::set_cjk_interface(&interface);
		core::CjkSegmenter counted(tokenizer);
		counted.next(text, 0, true, ranges, count_polls);
		CHECK_EQ(polls >= 5, true, name(tokenizer), polls);
	}
}

TEST(cjk_needs_its_extension)
{
	core::set_cjk_interface(nullptr);
	CHECK_EQ(
		error_of([] { core::CjkSegmenter segmenter(TXTFP_CJK_JIEBA); }) == core::ErrorKind::invalid_parameter, true);
	core::set_cjk_interface(&interface);
	CHECK_EQ(cjk::txtfp_cjk_create(TXTFP_CJK_TOKENIZERS) == nullptr, true);
	CHECK_EQ(cjk::txtfp_cjk_create(-1) == nullptr, true);
}
