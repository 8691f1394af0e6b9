#include "core/compare/corpus_words.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "core/base/splitmix.hpp"
#include "core/compare/difference_signals.hpp"
#include "unit/check.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

std::vector<std::uint8_t> stored(const CorpusWords &corpus)
{
	std::vector<std::uint8_t> bytes(corpus.stored_bytes());
	corpus.store(bytes.data());
	return bytes;
}

double value(const Signals &signals, Signal signal) { return signals[static_cast<std::size_t>(signal)]; }

CorpusWords corpus_of(std::initializer_list<std::string_view> texts)
{
	CorpusWords corpus;
	for (const std::string_view text : texts)
		corpus.add(text);
	return corpus;
}

} // namespace

TEST(corpus_words_count_documents)
{
	const CorpusWords corpus = corpus_of({"A small model, a SMALL price", "small", "", "MDR-V150 headphones", "mdrv150"});
	CHECK_EQ(corpus.documents(), 5);
	CHECK_EQ(corpus.count(word_hash("small")), 2);
	CHECK_EQ(corpus.count(word_hash("a")), 1);
	CHECK_EQ(corpus.count(word_hash("mdrv150")), 2); // one as a code of two words
	CHECK_EQ(corpus.count(word_hash("mdr")), 1);
	CHECK_EQ(corpus.count(word_hash("nothing")), 0);
	CHECK_EQ(corpus.rarity(word_hash("nothing")), 1.0);
	CHECK_EQ(corpus.rarity(word_hash("small")) < corpus.rarity(word_hash("mdr")), true);
	const CorpusWords none;
	CHECK_EQ(none.count(word_hash("a")), 0);
	CHECK_EQ(std::isfinite(none.rarity(word_hash("a"))), true);
}

// Divided anyhow and merged in any order: the same bytes, also where the counts become a sketch.
TEST(corpus_words_do_not_depend_on_the_order)
{
	for (const std::size_t words : {std::size_t{2000}, CorpusWords::most_exact - 5, CorpusWords::most_exact + 50000}) {
		std::vector<std::string> texts;
		for (std::size_t at = 0; at < words; at += 5000) {
			texts.emplace_back("all ");
			for (std::size_t i = at; i < std::min(words, at + 5000); ++i)
				texts.back() += "w" + std::to_string(i) + "x ";
			texts.push_back(texts.back().substr(0, texts.back().rfind(' ', 20000)));
		}
		CorpusWords whole, first, second, third;
		for (std::size_t i = 0; i < texts.size(); ++i) {
			whole.add(texts[i]);
			(i % 3 == 0 ? first : i % 3 == 1 ? second : third).add(texts[texts.size() - 1 - i]);
		}
		third.merge(first);
		second.merge(third);
		CHECK_EQ(whole.is_exact(), words + 1 <= CorpusWords::most_exact);
		CHECK_EQ(stored(second) == stored(whole), true, words);
		CHECK_EQ(whole.count(word_hash("all")) >= texts.size(), true);
		// The bound: too large by more than e·N/2^18 for at most e^-4 of the words.
		const double most = std::exp(1.0) * static_cast<double>(whole.occurrences()) / CorpusWords::columns;
		std::size_t beyond = 0;
		for (std::size_t i = 0; i < words; ++i) {
			const std::uint64_t count = whole.count(word_hash("w" + std::to_string(i) + "x"));
			CHECK_EQ(count >= 1, true);
			beyond += static_cast<double>(count) > 2 + most;
		}
		CHECK_EQ(static_cast<double>(beyond) <= std::exp(-4.0) * static_cast<double>(words), true, beyond);
		CorpusWords again;
		CHECK_EQ(again.read(stored(whole)), true);
		CHECK_EQ(stored(again) == stored(whole), true);
		CHECK_EQ(again.rarity(word_hash("w17x")), whole.rarity(word_hash("w17x")));
	}
}

TEST(corpus_words_believe_no_bytes)
{
	const std::vector<std::uint8_t> good = stored(corpus_of({"one two three", "two three", "three"}));
	CorpusWords corpus;
	CHECK_EQ(corpus.read(good), true);
	for (std::size_t size = 0; size < good.size(); ++size)
		CHECK_EQ(corpus.read(std::span(good).first(size)), false, size);
	for (std::size_t at = 0; at < good.size(); ++at) {
		std::vector<std::uint8_t> bad = good;
		bad[at] ^= 0x41;
		if (corpus.read(bad)) // more documents, or other words in the same order
			CHECK_EQ(stored(corpus) == bad && (at < 16 || (at >= 24 && at < 48)), true, at);
	}
}

TEST(signals_weigh_words_by_the_corpus)
{
	const CorpusWords corpus = corpus_of({"the red lamp", "the blue lamp", "the lamp", "the zircon ring"});
	const Signals common = difference_signals("the lamp", "the ring", {}, &corpus),
				  rare = difference_signals("the zircon lamp", "the zircon ring", {}, &corpus);
	CHECK_EQ(value(common, Signal::weighted_shared) < value(rare, Signal::weighted_shared), true);
	CHECK_EQ(value(rare, Signal::rarest_common), corpus.rarity(word_hash("zircon")));
	CHECK_EQ(value(rare, Signal::rarest_removed), corpus.rarity(word_hash("lamp")));
	CHECK_EQ(value(rare, Signal::rarest_kept), corpus.rarity(word_hash("ring")));
	const Signals without = difference_signals("the zircon lamp", "the zircon ring");
	for (std::size_t i = 0; i < signal_count; ++i)
		CHECK_EQ(without[i] == -1, is_optional(static_cast<Signal>(i)), i);
}

TEST(signals_know_codes)
{
	const auto codes = [](std::string_view a, std::string_view b) {
		const Signals s = difference_signals(a, b);
		return std::vector<double>{value(s, Signal::codes_common), value(s, Signal::codes_inside),
			value(s, Signal::codes_removed), value(s, Signal::codes_kept)};
	};
	using Counts = std::vector<double>;
	CHECK_EQ(codes("Sony MDR-V150", "sony headphones mdrv150") == (Counts{1, 0, 0, 0}), true);
	CHECK_EQ(codes("case for the MDR V150", "case mdrv150") == (Counts{1, 1, 0, 0}), true); // and V150
	CHECK_EQ(codes("KX-TG6700B phone", "phone KXTG6700BK") == (Counts{0, 1, 0, 1}), true);
	CHECK_EQ(codes("model A100x", "model B200x") == (Counts{0, 0, 1, 1}), true);
	CHECK_EQ(codes("two words", "2 words of 300") == (Counts{0, 0, 0, 0}), true);
}

TEST(signals_know_quantities_and_shape)
{
	const Signals same = difference_signals("13 mm, 5kg", "5 kg and 13mm"), other = difference_signals("13 mm", "13 kg");
	CHECK_EQ(value(same, Signal::quantities_common), 2.0);
	CHECK_EQ(value(same, Signal::quantities_removed) + value(same, Signal::quantities_kept), 0.0);
	CHECK_EQ(value(other, Signal::quantities_removed) + value(other, Signal::quantities_kept), 2.0);
	CHECK_EQ(value(difference_signals("f(x[1]) = a;", "g(y[2]) = b;"), Signal::shape), 1.0);
	CHECK_EQ(value(difference_signals("cat", "cats"), Signal::trigrams), 2.0 / 5); // " ca" "cat"; "at ", "ats", "ts "
}

TEST(signals_know_strings_in_quotes)
{
	const auto quoted = [](std::string_view a, std::string_view b) {
		const Signals s = difference_signals(a, b);
		return std::vector<double>{value(s, Signal::quoted_removed), value(s, Signal::quoted_kept)};
	};
	using Shares = std::vector<double>;
	CHECK_EQ(quoted("print(\"a b\"); print(\"c\")", "x = 'a b'") == (Shares{0.5, 1}), true);
	CHECK_EQ(quoted("print(\"a b\")", "print(\"A b\")") == (Shares{0, 0}), true);
	CHECK_EQ(quoted("\"a\\\"b\"", "'a\\\"b'") == (Shares{1, 1}), true);
	CHECK_EQ(quoted("it's John's", "an 'open quote\nand \"another") == (Shares{1, 1}), true); // there are none
	CHECK_EQ(quoted("it's 'x' here", "isn't \"x\"") == (Shares{1, 1}), true);
}
