// Texts that end where memory ends: nothing reads a byte that is not of the text. The sanitizers see that, too, but not
// in the builds that ship.
#include <array>
#include <string>
#include <vector>

#include "core/compare/text_difference.hpp"
#include "core/lavinhash/lavinhash.hpp"
#include "core/minhash/minhash.hpp"
#include "core/passages/winnow.hpp"
#include "core/simhash/simhash.hpp"
#include "core/text/chunk.hpp"
#include "core/text/segment.hpp"
#include "core/tlsh/tlsh.hpp"
#include "unit/check.hpp"
#include "unit/guarded_bytes.hpp"
#include "unit/options.hpp"
#include "unit/text.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

// Texts of all lengths up to some registers, whose last bytes are of every kind.
std::vector<std::string> texts()
{
	std::vector<std::string> out;
	RandomText random(3);
	const std::string words = "Some words of 3.5 kinds, which don't end. ";
	const std::string ideographs = "\u4E00\u4E8C\u4E09\u3002\u56DB", marks = "e\u0301\u0323 \u0430\u0431 \u1100\u1161";
	for (const std::string &text : {words + words + words, ideographs + ideographs + ideographs, marks + words + marks})
		for (const std::size_t end : boundaries(text))
			out.push_back(text.substr(0, end));
	for (const char *end :
		{".", "!", "\r", "'", "\u00AD", "\u0301", "\u200D", "\u4E00", "\u1100", "\U0001F1E6", "\uFDFA", "\u0130"})
		for (std::size_t n = 0; n < 70; ++n)
			out.push_back(std::string(n, 'a') + end);
	for (int i = 0; i < 300; ++i)
		out.push_back(to_utf8(random.next(40)));
	return out;
}

// Calls run(text) for all texts at both ends of readable memory.
template <class Fn> void for_each_text(const Fn &run)
{
	GuardedBytes memory(4096);
	for (const std::string &text : texts()) {
		run(memory.at_the_end(text));
		run(memory.at_the_beginning(text));
	}
}

template <class Next> void walk(std::string_view text, const Next &next)
{
	for (const bool last : {true, false})
		for (std::size_t at = 0; at < text.size();) {
			const Segment segment = next(text, at, last);
			if (!segment.found)
				break;
			CHECK_EQ(segment.end > at && segment.end <= text.size(), true, text);
			at = segment.end;
		}
}

} // namespace

TEST(segments_end_with_the_text)
{
	for_each_text([](std::string_view text) {
		walk(text, next_word);
		walk(text, next_grapheme);
		for (std::size_t at = 0; at < text.size();)
			at = next_sentence(text, at).end;
		std::array<WordRange, 128> words;
		for (const bool last : {true, false})
			CHECK_EQ(next_words(text, 0, last, words).next <= text.size(), true, text);
	});
}

TEST(canonical_texts_end_with_the_text)
{
	const auto all = all_canonicalizers();
	std::size_t which = 0;
	for_each_text([&](std::string_view text) {
		const CanonicalOptions &options = all[++which % all.size()];
		CHECK_EQ(canonicalize(text, options) == std::string_view(canonicalize(std::string(text), options)), true, text);
		(void) canonicalize(text, {});
	});
}

TEST(chunks_and_differences_end_with_the_text)
{
	for_each_text([](std::string_view text) {
		for (const ChunkMode mode : {ChunkMode::fixed, ChunkMode::sentence, ChunkMode::recursive})
			for_each_chunk(text, {6, 2, mode}, [](std::string_view) {});
		(void) text_difference(text, "Some words of 3.6 kinds", {}, Segmenter::word);
		(void) text_difference("e\u0301\u0323 \u0430\u0431", text, {}, Segmenter::grapheme);
	});
}

TEST(sketches_end_with_the_text)
{
	for_each_text([](std::string_view text) {
		std::array<std::uint64_t, 16> slots;
		std::uint64_t bits;
		for (const char *name : {"word-uax29", "grapheme-uax29", "shingle-k=2/word-uax29"}) {
			(void) minhash(text, {{}, tokenizer(name)}, slots);
			(void) simhash(text, {{{}, tokenizer(name)}}, bits);
		}
		(void) winnow(text, {});
		Tlsh digest;
		const std::span bytes(reinterpret_cast<const std::uint8_t *>(text.data()), text.size());
		(void) tlsh(bytes, digest);
		std::vector<std::uint8_t> hash(4096);
		(void) lavinhash(bytes, {}, hash.data());
	});
}
