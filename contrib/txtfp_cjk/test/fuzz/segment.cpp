// All segmenters on any bytes: no crash, ranges in order and in bounds. On valid UTF-8 they equal the naive ones, and
// pieces the whole.
//   byte 0: tokenizer; byte 1: where the text is cut; the rest: the text
#include "fuzz/fuzz.hpp"
#include "reference/naive.hpp"
#include "unit/dictionaries.hpp"

#include "core/text/tokens.hpp"
#include "core/text/utf8.hpp"
#include "core/text/utf8_stream.hpp"

using namespace txtfp;
using namespace txtfp::test;

static constexpr TxtfpCjkInterface interface = {
	TXTFP_CJK_ABI, nullptr, cjk::txtfp_cjk_create, cjk::txtfp_cjk_destroy, cjk::txtfp_cjk_next};

static Strings naive(std::string_view text, int tokenizer)
{
	static const NaiveJieba jieba{cjk::dictionary(0)};
	static const NaiveLattice ipadic{cjk::dictionary(1)}, ko_dic{cjk::dictionary(2)};
	if (tokenizer <= TXTFP_CJK_JIEBA_HMM)
		return jieba.cut(text, tokenizer == TXTFP_CJK_JIEBA_HMM);
	return (tokenizer == TXTFP_CJK_LINDERA_IPADIC ? ipadic : ko_dic).cut(text);
}

static Strings in_two_pieces(std::string_view text, std::size_t cut, int tokenizer)
{
	core::TokenizerSpec spec;
	core::parse_tokenizer(core::cjk_names[tokenizer], spec);
	Strings out;
	const auto sink = [&](std::string_view token) { out.emplace_back(token); };
	core::Tokenizer<decltype(sink)> pieces(spec, sink);
	pieces.append(text.substr(0, cut), false);
	pieces.append(text.substr(cut), true);
	return out;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	static const bool ready = has_dictionary(0) && has_dictionary(1) && has_dictionary(2);
	if (!ready)
		std::abort(); // the dictionaries must be built first
	core::set_cjk_interface(&interface);
	if (size < 2)
		return 0;
	const int tokenizer = data[0] % TXTFP_CJK_TOKENIZERS;
	const std::string_view text(reinterpret_cast<const char *>(data + 2), size - 2);

	TxtfpCjkSegmenter *const segmenter = cjk::txtfp_cjk_create(tokenizer);
	std::size_t before = 0;
	for (TxtfpCjkBatch batch{}; !batch.finished;) {
		TxtfpCjkRange ranges[7];
		REQUIRE_EQ(
			cjk::txtfp_cjk_next(segmenter, text.data(), text.size(), batch.next, true, ranges, 7, nullptr, &batch),
			TXTFP_CJK_OK);
		for (std::size_t i = 0; i < batch.count; ++i) {
			REQUIRE_EQ(
				before <= ranges[i].start && ranges[i].start < ranges[i].end && ranges[i].end <= text.size(), true);
			before = ranges[i].end;
		}
	}
	cjk::txtfp_cjk_destroy(segmenter);
	if (core::utf8_prefix(text).size != text.size())
		return 0;
	const Strings whole = tokens_of(text, tokenizer);
	REQUIRE_EQ(whole, naive(text, tokenizer));
	REQUIRE_EQ(in_two_pieces(text, core::character_boundary(text, data[1] * text.size() / 256), tokenizer), whole);
	return 0;
}
