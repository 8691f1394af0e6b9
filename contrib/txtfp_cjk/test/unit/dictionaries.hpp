// The built dictionaries for tests that need them, and texts to cut.
#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "core/interface.hpp"
#include "core/text/cjk.hpp"

namespace txtfp::test {

// False if the dictionary was not built (make DICTIONARIES=…).
inline bool has_dictionary(int dictionary)
{
	const std::string path = "build/dictionaries/" + std::string(cjk::dictionary_name(dictionary).name) + ".dict";
	return cjk::open_dictionary(dictionary, path.c_str()) == cjk::OpenError::none;
}

inline bool has_tokenizer(int tokenizer) { return has_dictionary(cjk::dictionary_of(tokenizer)); }

// Cuts through the C interface, with batches of `capacity`.
inline std::vector<std::string> tokens_of(std::string_view text, int tokenizer, std::size_t capacity = 64)
{
	std::vector<std::string> out;
	std::vector<TxtfpCjkRange> ranges(capacity);
	TxtfpCjkSegmenter *const segmenter = cjk::txtfp_cjk_create(tokenizer);
	for (TxtfpCjkBatch batch{}; !batch.finished;) {
		if (cjk::txtfp_cjk_next(segmenter, text.data(), text.size(), batch.next, true, ranges.data(), capacity, nullptr,
				&batch) != TXTFP_CJK_OK)
			return {"failed"};
		for (std::size_t i = 0; i < batch.count; ++i)
			out.emplace_back(text.substr(ranges[i].start, ranges[i].end - ranges[i].start));
	}
	cjk::txtfp_cjk_destroy(segmenter);
	return out;
}

// A sequence of words, numbers and characters of all kinds.
inline std::string random_text(std::mt19937_64 &random, std::size_t parts)
{
	static const std::vector<std::string> vocabulary = {"北京", "天安门", "我", "爱", "的", "研究生", "研究", "生命",
		"起源", "长江大桥", "南京市长", "東京都", "杭研", "𦡦", "䶮", "鿕", "鿖", "豈", "一", "二〇二四", "一一一",
		"すもも", "も", "私は", "日本語", "ます", "している", "コンピュータ", "ー", "カナ", "ｶﾅ", "이", "책이", "그",
		"다", "안녕하세요", "한국어", "ㅋㅋㅋ", "abc", "x", "C++", "c#", "AT&T", "v1.2", "3.14%", "100", "%", "_", "-",
		".", "&", " ", "　", "\n", "\t", "\r\n", "。", "、", "，", "！", "「", "」", "é", "ß", "Ω", "Я", "ไทย", "ا",
		"😀", "👨‍👩‍👧", "\u00A0", "\u200B", "々", "〆", "①", "㈱", "ヶ"};
	std::string out;
	for (std::size_t i = 0; i < parts; ++i)
		out += vocabulary[random() % vocabulary.size()];
	return out;
}

} // namespace txtfp::test
