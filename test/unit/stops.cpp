// Where long computations look whether they should stop: each of their phases does, as often as is written here, and a
// stop at any of these places ends the computation.
#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/splitmix.hpp"
#include "core/compare/difference_signals.hpp"
#include "core/compare/lossless.hpp"
#include "core/compare/mapped_text.hpp"
#include "core/compare/sequence_alignment.hpp"
#include "core/compare/shared_passages.hpp"
#include "core/compare/suffix_automaton.hpp"
#include "core/compare/text_difference.hpp"
#include "core/compare/text_measures.hpp"
#include "core/minhash/neighbours.hpp"
#include "core/minhash/spread_join.hpp"
#include "core/passages/boilerplate.hpp"
#include "core/passages/frequent_passages.hpp"
#include "core/review/removal_clusters.hpp"
#include "core/review/review_page.hpp"
#include "core/simhash/idf.hpp"
#include "core/text/chunk.hpp"
#include "core/text/normalize.hpp"
#include "core/text/segment.hpp"
#include "unit/check.hpp"
#include "unit/options.hpp"
#include "unit/stop.hpp"
#include "unit/text.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

unsigned polls_left = 0;
constexpr StopToken stop_later{[]() noexcept { return polls_left-- == 0; }};

// fn(stop) looks `least` times or more. Stopped at the first, the second, the last of them and some between, it ends.
template <class Fn> void check_stops(const char *what, unsigned least, const Fn &fn)
{
	polls = 0;
	fn(count_polls);
	CHECK_EQ(polls >= least, true, what, polls);
	const unsigned n = polls;
	for (unsigned at = 0; at < n; at += 1 + at / 2 * static_cast<unsigned>(txtfp::test::by_length(1, 4))) {
		polls_left = at;
		CHECK_EQ(is_cancelled([&] { fn(stop_later); }), true, what, at);
	}
	polls_left = n - 1;
	CHECK_EQ(is_cancelled([&] { fn(stop_later); }), true, what);
}

// Words of which few occur twice.
std::string words(std::size_t n, unsigned seed)
{
	SplitMix64 random(seed);
	std::string text;
	for (std::size_t i = 0; i < n; ++i)
		text += "w" + std::to_string(random.below(1000000)) + (i % 20 == 19 ? ". " : " ");
	return text;
}

std::string words_without_stops(std::size_t n)
{
	std::string text = words(n, 3);
	std::erase(text, '.');
	return text;
}

std::vector<std::uint32_t> numbers(std::size_t n, unsigned seed, std::uint32_t kinds)
{
	SplitMix64 random(seed);
	std::vector<std::uint32_t> out(n);
	for (std::uint32_t &number : out)
		number = static_cast<std::uint32_t>(random.below(kinds));
	return out;
}

const std::string some = words(20000, 1), changed = some.substr(0, some.size() / 2) + words(10000, 2);

} // namespace

TEST(alignments_stop)
{
	// of which runs of four are found first, then single symbols
	const auto a = numbers(100000, 1, 1000000);
	auto b = a;
	for (std::size_t i = 0; i < b.size(); i += 50)
		b[i] = 2000000;
	check_stops("different symbols", 8003, [&](StopToken stop) { align(a, b, stop); });
	const auto c = numbers(3000, 1, 3), d = numbers(3000, 2, 3);
	check_stops("edits", 7, [&](StopToken stop) { align(c, d, stop); });
	check_stops("differences", 346, [&](StopToken stop) { text_difference(some, changed, {}, Segmenter::word, stop); });
	check_stops("signals", 446, [](StopToken stop) { difference_signals(some, changed, stop); });
	// Reading the words, those of the shared ends once, looks 281 times, finding the statements of each text 5 times, every 4,096 of 20,000 words, and
	// comparing the 10,500 words and full stops of the first half twice.
	check_stops("all of a text", 293, [](StopToken stop) { has_all_of(some, changed, stop); });
	const std::string one = words_without_stops(30000), two = one + " " + words_without_stops(20000);
	check_stops("one statement", 535, [&](StopToken stop) { has_all_of("Begin.\n\n" + two + "\n\nEnd", "Begin.\n\n" + one, stop); });
	check_stops("measures", 424, [](StopToken stop) { token_overlap(some, changed, {}, {}, stop); });
}

TEST(passages_stop)
{
	const auto a = numbers(50000, 1, 100), b = numbers(50000, 2, 100);
	check_stops("automaton", 13, [&](StopToken stop) { SuffixAutomaton{b, stop}; });
	check_stops("runs", 13, [&](StopToken stop) { shared_runs(a, b, 2, stop); });
	check_stops("runs by automaton", 31, [&](StopToken stop) { runs_by_automaton(a, b, 2, stop); });
	check_stops("longest run", 26, [&](StopToken stop) { longest_run(a, b, 2, stop); });
	check_stops(
		"shared passages", 553, [](StopToken stop) { shared_passages(some, changed, 3, {}, Segmenter::word, stop); });
	const WinnowOptions options;
	const std::vector<std::uint64_t> windows = window_hashes(some, options), fingerprints = winnow(some, options);
	check_stops("windows", 212, [&](StopToken stop) { window_hashes(some, options, stop); });
	check_stops("winnowing", 212, [&](StopToken stop) { winnow(some, options, stop); });
	check_stops("parts", 279, [&](StopToken stop) { parts_among(changed, fingerprints, options, stop); });
	const std::vector<std::uint32_t> documents(windows.size(), 2),
		sets(windows.size(), 2 * set_member(document_hash(some)));
	const std::vector<std::uint64_t> owners(windows.size(), document_hash(some));
	const FrequentWindows frequent{windows, documents, sets, owners};
	check_stops("finding frequent passages", 217,
		[&](StopToken stop) { FrequentPassages(frequent, 2, options).find(some, stop); });
	FrequentPassages found(frequent, 2, options);
	found.find(some);
	found.end_reading();
	check_stops("counting them", 217, [&](StopToken stop) { FrequentPassages(found).count(some, stop); });
}

TEST(texts_stop)
{
	std::u32string letters(200000, U'\u00E9'), marks(U"a");
	for (int i = 0; i < 200000; ++i)
		marks += i % 2 == 0 ? U'\u0301' : U'\u0323';
	struct Polls {
		const std::u32string &text;
		unsigned composing, decomposing, skeletons;
	};
	for (const Polls &of : {Polls{letters, 38, 13, 38}, Polls{marks, 28, 15, 28}}) {
		const std::u32string &text = of.text;
		check_stops("composing", of.composing, [&](StopToken stop) { normalize(text, Normalization::nfc, stop); });
		check_stops("decomposing", of.decomposing, [&](StopToken stop) { decompose_canonically(text, stop); });
		check_stops("folding", 12, [&](StopToken stop) { fold_case(text, stop); });
		check_stops("skeletons", of.skeletons, [&](StopToken stop) { skeleton(text, stop); });
	}
	const std::string latin = to_utf8(letters);
	for (const auto &[name, of_latin, of_some] : {std::tuple{"nfkc-cf-simple-bidi-fmt", 25u, 10u},
			 {"nfc-cf-none", 147u, 60u}, {"none-cf-none-conf", 147u, 60u}}) {
		const CanonicalOptions options = canonicalizer(name);
		check_stops(name, of_latin, [&](StopToken stop) { canonicalize(latin, options, stop); });
		check_stops(name, of_some, [&](StopToken stop) { canonicalize(some, options, stop); });
	}
	check_stops("mapped", 13116, [&](StopToken stop) {
		const MappedText mapped(latin, {}, stop);
		(void) mapped.source_of(mapped.canonical().size() / 2, mapped.canonical().size() / 2 + 1);
	});
	std::string blanks;
	for (int i = 0; i < 20000; ++i)
		blanks += "\n\nx ";
	for (const auto &[mode, of_some, of_blanks] : {std::tuple{ChunkMode::fixed, 486u, 468u},
			 {ChunkMode::sentence, 685u, 188u}, {ChunkMode::recursive, 882u, 183u}}) {
		const ChunkOptions options{100, 10, mode};
		check_stops("chunks", of_some, [&](StopToken stop) {
			for_each_chunk(
				some, options, [](std::string_view) {}, stop);
		});
		check_stops("paragraphs", of_blanks, [&](StopToken stop) {
			for_each_chunk(
				blanks, options, [](std::string_view) {}, stop);
		});
	}
	const std::string far = "A. " + std::string(1 << 19, '1') + " b", plain(1 << 19, 'a'),
					  closing = "A." + std::string(1 << 19, ')') + " b";
	check_stops("a long sentence", 8, [&](StopToken stop) { next_sentence(plain, 0, stop); });
	check_stops("what closes a sentence", 8, [&](StopToken stop) { next_sentence(closing, 0, stop); });
	check_stops("a long look ahead", 16, [&](StopToken stop) { next_sentence(far, 0, stop); });
	for (const auto &[name, least] :
		{std::pair{"word-uax29", 196u}, {"grapheme-uax29", 38u}, {"shingle-k=3/word-uax29", 196u}})
		check_stops(name, least, [&](StopToken stop) {
			for_each_token(
				some, tokenizer(name), [](std::string_view) {}, stop);
		});
	check_stops("document frequencies", 212,
		[&](StopToken stop) { DocumentFrequencies().add(some, {}, tokenizer("word-uax29"), stop); });
}

TEST(joins_and_pages_stop)
{
	std::vector<std::uint64_t> entries;
	for (std::uint64_t i = 0; i < 20000; ++i)
		entries.insert(entries.end(), {i / 2, 1 + i});
	check_stops("groups of keys", 3, [&](StopToken stop) { group_keys(entries, 2, 10, stop); });
	const KeyGroups groups = group_keys(entries, 1, 10);
	check_stops("partners", 4, [&](StopToken stop) {
		for (Partners partners(groups.places[0], 0, 1, stop); partners.next();) {
		}
	});
	SplitMix64 random(1);
	std::vector<std::uint64_t> slots(64 * 2000);
	for (std::uint64_t &slot : slots)
		slot = random.below(4);
	std::vector<const std::uint64_t *> sketches;
	for (std::size_t i = 0; i < slots.size(); i += 64)
		sketches.push_back(&slots[i]);
	check_stops("profile", 4, [&](StopToken stop) { similarity_profile(sketches, 64, stop); });
	std::vector<PictureSketch> rows(40);
	std::vector<RowLink> links;
	for (std::uint32_t i = 0; i + 1 < rows.size(); ++i)
		if (i % 4 != 3)
			links.push_back({i, i + 1});
	check_stops("clusters of a page", 10, [&](StopToken stop) { removal_clusters(rows, links, stop); });
}
