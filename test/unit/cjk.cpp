// Tokenizers whose segmenters are in another library: a segmenter that stands in for them, whose tokens are what blanks
// separate.
#include "core/text/cjk.hpp"

#include <algorithm>
#include <new>
#include <string>
#include <vector>

#include "unit/check.hpp"
#include "unit/options.hpp"
#include "unit/stop.hpp"

struct TxtfpCjkSegmenter {
	int tokenizer;
};

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

int living = 0, made_of = -1;
unsigned batches = 0;
int answer = TXTFP_CJK_OK; // of the next call
bool has_memory = true;

TxtfpCjkSegmenter *create(int tokenizer)
{
	if (!has_memory)
		return nullptr;
	++living;
	made_of = tokenizer;
	return new TxtfpCjkSegmenter{tokenizer};
}

void destroy(TxtfpCjkSegmenter *segmenter)
{
	living -= segmenter != nullptr;
	delete segmenter;
}

int next(TxtfpCjkSegmenter *, const char *text, std::size_t size, std::size_t from, bool last, TxtfpCjkRange *ranges,
	std::size_t capacity, bool (*stop)(), TxtfpCjkBatch *batch)
{
	++batches;
	if (stop != nullptr && stop())
		return TXTFP_CJK_CANCELLED;
	const std::string_view all(text, size);
	*batch = {0, from, false};
	while (batch->count < capacity) {
		const std::size_t begin = std::min(all.find_first_not_of(' ', batch->next), size), end = all.find(' ', begin);
		if (begin == size || (end == all.npos && !last)) {
			batch->next = begin;
			batch->finished = true;
			break;
		}
		ranges[batch->count++] = {begin, std::min(end, size)};
		batch->next = std::min(end, size);
	}
	return answer;
}

const TxtfpCjkInterface interface {
	TXTFP_CJK_ABI, [](int) {}, create, destroy, next
};

// Sets the interface for a test.
class Installed {
public:
	Installed() { set_cjk_interface(&interface); }
	~Installed()
	{
		set_cjk_interface(nullptr);
		answer = TXTFP_CJK_OK;
		has_memory = true;
	}
};

// Many tokens at once, as functions that hash them take them.
std::vector<std::string> tokens_of(const std::vector<std::string> &pieces, std::string_view name)
{
	std::vector<std::string> out;
	const auto sink = [&](Tokens tokens) {
		CHECK_EQ(tokens.size() <= token_batch, true, tokens.size());
		for (std::size_t i = 0; i < tokens.size(); ++i) {
			CHECK_EQ(i + 1 == tokens.size() || tokens[i].size() < long_token, true, "a long token is the last");
			out.emplace_back(tokens[i]);
		}
	};
	Tokenizer<decltype(sink)> cut(tokenizer(name), sink);
	for (std::size_t i = 0; i < pieces.size(); ++i)
		cut.append(pieces[i], i + 1 == pieces.size());
	return out;
}

std::vector<std::string> words_of(std::string_view text)
{
	std::vector<std::string> out;
	for (std::size_t at = 0; (at = text.find_first_not_of(' ', at)) != text.npos;) {
		const std::size_t end = std::min(text.find(' ', at), text.size());
		out.emplace_back(text.substr(at, end - at));
		at = end;
	}
	return out;
}

} // namespace

TEST(cjk_needs_its_extension)
{
	CHECK_EQ(cjk_interface() == nullptr, true);
	CHECK_EQ(error_of([] { tokens("a b", "cjk-jieba"); }) == ErrorKind::invalid_parameter, true);
	const Installed installed;
	CHECK_EQ(cjk_interface() == &interface, true);
	for (int i = 0; i < TXTFP_CJK_TOKENIZERS; ++i) {
		CHECK_EQ(tokens(" a b ", cjk_names[i]), (std::vector<std::string>{"a", "b"}));
		CHECK_EQ(made_of, i);
	}
	CHECK_EQ(living, 0);
}

TEST(cjk_tokens_of_texts_in_pieces)
{
	const Installed installed;
	std::string text;
	for (int i = 0; i < 1000; ++i)
		text += std::string(static_cast<std::size_t>(i % 5), ' ') + "t" + std::to_string(i) + " ";
	const std::vector<std::string> expected = words_of(text);
	CHECK_EQ(expected.size(), 1000);
	for (const std::size_t size : {1ul, 7ul, 640ul, 100000ul}) {
		std::vector<std::string> pieces;
		for (std::size_t at = 0; at < text.size(); at += size)
			pieces.push_back(text.substr(at, size));
		batches = 0;
		CHECK_EQ(tokens_of(pieces, "cjk-jieba") == expected, true, size);
		CHECK_EQ(batches >= expected.size() / token_batch, true, batches);
		const auto shingles = tokens_of(pieces, "shingle-k=2/cjk-jieba");
		CHECK_EQ(shingles.size(), 999);
		CHECK_EQ(shingles[998], "t998 t999");
	}
	CHECK_EQ(tokens_of({""}, "cjk-jieba").size(), 0);
	CHECK_EQ(tokens_of({"   "}, "cjk-jieba").size(), 0);
	const std::string large(long_token, 'x');
	const std::string mixed = "a " + large + " b " + large + " " + large + " c d";
	CHECK_EQ(tokens_of({mixed}, "cjk-jieba") == words_of(mixed), true);
	CHECK_EQ(living, 0);
}

TEST(cjk_errors)
{
	const Installed installed;
	const auto kind = [] { return error_of([] { tokens("a b", "cjk-jieba"); }); };
	answer = TXTFP_CJK_CANCELLED;
	CHECK_EQ(kind() == ErrorKind::cancelled, true);
	answer = TXTFP_CJK_TOO_LARGE;
	CHECK_EQ(kind() == ErrorKind::too_large, true);
	for (const int number : {int{TXTFP_CJK_FAILED}, 77}) {
		answer = number;
		CHECK_EQ(kind() == ErrorKind::internal, true);
	}
	const auto lacks_memory = [] {
		try {
			tokens("a b", "cjk-jieba");
		} catch (const std::bad_alloc &) {
			return true;
		}
		return false;
	};
	answer = TXTFP_CJK_NO_MEMORY;
	CHECK_EQ(lacks_memory(), true);
	answer = TXTFP_CJK_OK;
	has_memory = false;
	CHECK_EQ(lacks_memory(), true);
	has_memory = true;
	std::string text;
	for (int i = 0; i < 10000; ++i)
		text += "a ";
	polls = 0;
	for_each_token(
		text, tokenizer("cjk-jieba"), [](std::string_view) {}, count_polls);
	CHECK_EQ(polls >= 2 * (10000 / token_batch), true, polls);
	CHECK_EQ(is_cancelled([&] {
		for_each_token(
			text, tokenizer("cjk-jieba"), [](std::string_view) {}, stop_at_once);
	}),
		true);
	CHECK_EQ(living, 0);
}
