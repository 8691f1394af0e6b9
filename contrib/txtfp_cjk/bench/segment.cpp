// Cuts texts with a tokenizer, for comparison and for measurement.
//
//   segment TOKENIZER DICTIONARY < TEXTS             each text's tokens separated by U+001F, and a zero byte
//   segment TOKENIZER DICTIONARY ROUNDS < TEXTS      the best of this number of rounds, in MB/s
//
// TEXTS: UTF-8, each ended by a zero byte.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "core/interface.hpp"
#include "core/text/cjk.hpp"

using namespace txtfp;

namespace {

template <class Sink> void tokens(const std::string &text, int tokenizer, Sink sink)
{
	TxtfpCjkRange ranges[128];
	TxtfpCjkSegmenter *const segmenter = cjk::txtfp_cjk_create(tokenizer);
	for (TxtfpCjkBatch batch{}; !batch.finished;) {
		if (cjk::txtfp_cjk_next(segmenter, text.data(), text.size(), batch.next, true, ranges, 128, nullptr, &batch) !=
			TXTFP_CJK_OK)
			std::exit(1);
		for (std::size_t i = 0; i < batch.count; ++i)
			sink(std::string_view(text).substr(ranges[i].start, ranges[i].end - ranges[i].start));
	}
	cjk::txtfp_cjk_destroy(segmenter);
}

void measure(const std::vector<std::string> &texts, int tokenizer, int rounds)
{
	double best = 0;
	std::size_t bytes = 0, count = 0;
	for (const std::string &text : texts)
		bytes += text.size();
	for (int round = 0; round < rounds; ++round) {
		const auto begin = std::chrono::steady_clock::now();
		count = 0;
		for (const std::string &text : texts)
			tokens(text, tokenizer, [&](std::string_view) { ++count; });
		const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
		best = std::max(best, static_cast<double>(bytes) / 1e6 / took.count());
	}
	std::printf("%.2f MB/s, %zu tokens\n", best, count);
}

} // namespace

int main(int argc, char **argv)
{
	int tokenizer = 0;
	while (argc >= 3 && tokenizer < TXTFP_CJK_TOKENIZERS && core::cjk_names[tokenizer] != argv[1])
		++tokenizer;
	if (argc < 3 || tokenizer == TXTFP_CJK_TOKENIZERS) {
		std::fprintf(stderr, "usage: segment TOKENIZER DICTIONARY [ROUNDS] < TEXTS\n");
		return 2;
	}
	if (cjk::open_dictionary(cjk::dictionary_of(tokenizer), argv[2], false) != cjk::OpenError::none) {
		std::fprintf(stderr, "segment: cannot use %s\n", argv[2]);
		return 1;
	}
	std::vector<std::string> texts;
	for (std::string text; std::getline(std::cin, text, '\0');)
		texts.push_back(std::move(text));
	if (argc > 3) {
		measure(texts, tokenizer, std::atoi(argv[3]));
		return 0;
	}
	for (const std::string &text : texts) {
		bool first = true;
		tokens(text, tokenizer, [&](std::string_view token) {
			if (!first)
				std::fputc('\x1F', stdout);
			std::fwrite(token.data(), 1, token.size(), stdout);
			first = false;
		});
		std::fputc('\0', stdout);
	}
	return 0;
}
