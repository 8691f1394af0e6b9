// Repeats against its definition, over small collections: words, lines and paragraphs, groups, two parts, any order of arrival, one thread
// and several, in memory and in files.
#include "core/passages/repeats.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/splitmix.hpp"
#include "core/threads/team_executor.hpp"
#include "unit/check.hpp"
#include "unit/counting_host.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

struct Collection {
	std::vector<std::string> texts;        // by number
	std::vector<std::uint32_t> ranks;      // by number
	std::vector<std::uint32_t> groups;     // by number; empty: one group
	std::uint32_t second = RowOrder::one_part; // the first rank of the second part
};

using Cut = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>; // as PassageCut

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_white(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

struct Unit {
	std::string form; // empty: it is no repeat of any other
	std::size_t begin, end;
};

// In lower case, with single spaces.
std::string form_of(const std::string &text)
{
	std::string out;
	for (const char c : text)
		if (!is_white(c))
			out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
		else if (!out.empty() && out.back() != ' ')
			out += ' ';
	while (!out.empty() && out.back() == ' ')
		out.pop_back();
	return out;
}

std::vector<Unit> words_of(const std::string &text)
{
	std::vector<Unit> words;
	for (std::size_t i = 0; i < text.size();) {
		std::size_t end = i;
		while (end < text.size() && is_letter(text[end]))
			++end;
		if (end > i)
			words.push_back({form_of(text.substr(i, end - i)), i, end});
		i = std::max(end, i + 1);
	}
	for (std::size_t i = 0; i < words.size(); ++i) { // each reaches up to the blanks that follow it in its line
		const bool last = i + 1 == words.size();
		const std::size_t end = last ? text.size() : words[i + 1].begin;
		const std::size_t line = std::min(text.find_first_of("\r\n", words[i].end), end);
		std::size_t blank = line;
		while (blank > words[i].end && text[blank - 1] != ' ' && text[blank - 1] != '\t')
			--blank;
		words[i].end = line < end || last ? line : blank;
	}
	return words;
}

std::vector<Unit> lines_of(const std::string &text)
{
	std::vector<Unit> lines;
	for (std::size_t at = 0; at < text.size(); at = lines.back().end)
		lines.push_back({"", at, std::min(text.find('\n', at), text.size() - 1) + 1});
	for (Unit &line : lines)
		line.form = form_of(text.substr(line.begin, line.end - line.begin));
	return lines;
}

std::vector<Unit> units_of(const std::string &text, const UnitOptions &options)
{
	if (options.unit == PassageUnit::word)
		return words_of(text);
	std::vector<Unit> units;
	bool ended = true; // a blank line has ended the paragraph
	for (const Unit &line : lines_of(text)) {
		const bool blank = line.form.empty();
		if (options.unit == PassageUnit::line || units.empty() || (ended && !blank)) {
			units.push_back(line);
			ended = blank && units.size() > 1;
			continue;
		}
		if (!blank)
			units.back().form += (units.back().form.empty() ? "" : " ") + line.form;
		units.back().end = line.end;
		ended = blank;
	}
	for (Unit &unit : units)
		if (words_of(unit.form).size() < options.min_words)
			unit.form.clear();
	return units;
}

// The definition.
std::vector<Cut> naive_cuts(const Collection &collection, const UnitOptions &options)
{
	using Place = std::pair<std::uint32_t, std::uint32_t>; // rank, unit
	const auto rows = static_cast<std::uint32_t>(collection.texts.size());
	const std::uint32_t n = options.window();
	std::vector<std::vector<Unit>> units(rows);
	std::map<std::vector<std::string>, std::set<Place>> windows;
	const auto window_at = [&](std::uint32_t rank, std::uint32_t place, std::uint32_t group) {
		std::vector<std::string> window{std::to_string(group)};
		for (std::uint32_t i = place; i < place + n; ++i)
			window.push_back(units[rank][i].form);
		return window;
	};
	std::vector<std::uint32_t> group_of(rows);
	for (std::uint32_t number = 0; number < rows; ++number) {
		const std::uint32_t rank = collection.ranks[number];
		units[rank] = units_of(collection.texts[number], options);
		group_of[rank] = collection.groups.empty() ? 0 : collection.groups[number];
		for (std::uint32_t place = 0; place + n <= units[rank].size(); ++place)
			if (!units[rank][place].form.empty())
				windows[window_at(rank, place, group_of[rank])].insert({rank, place});
	}
	std::vector<Cut> cuts;
	const bool parts = collection.second != RowOrder::one_part;
	for (std::uint32_t rank = parts ? collection.second : 0; rank < rows; ++rank) {
		const auto size = static_cast<std::uint32_t>(units[rank].size());
		std::vector<char> covered(size), kept(size);
		std::map<std::uint32_t, Place> firsts; // of the windows that cover
		for (std::uint32_t place = 0; place + n <= size; ++place) {
			if (units[rank][place].form.empty())
				continue;
			const std::set<Place> &places = windows[window_at(rank, place, group_of[rank])];
			const Place first = *places.begin();
			if (places.size() == 1 || (parts && first.first >= collection.second))
				continue;
			const bool is_first = first == Place(rank, place);
			for (std::uint32_t i = place; i < place + n; ++i)
				(is_first ? kept : covered)[i] = 1;
			if (!is_first)
				firsts[place] = first;
		}
		for (std::uint32_t begin = 0, end; begin < size; begin = std::max(end, begin + 1)) {
			for (end = begin; end < size && covered[end] && !kept[end];)
				++end;
			if (end - begin < n)
				continue;
			for (std::uint32_t at = begin; at < end;) {
				auto by = std::prev(firsts.upper_bound(at));
				const auto [from, first] = *by;
				std::uint32_t next = from + n;
				for (++by; by != firsts.end() && by->first <= next; ++by)
					if (by->second.first == first.first && by->second.second - first.second == by->first - from)
						next = by->first + n;
				next = std::min(next, end);
				const std::vector<Unit> &own = units[rank], &other = units[first.first];
				for (std::uint32_t i = at; i < next; ++i)
					CHECK_EQ(own[i].form, other[first.second + (i - from)].form);
				cuts.emplace_back(rank, first.first, own[at].begin, own[next - 1].end - own[at].begin,
					other[first.second + (at - from)].begin);
				at = next;
			}
		}
	}
	return cuts;
}

class Executor final : public TeamExecutor {
public:
	using TeamExecutor::TeamExecutor;

private:
	void wait() override {}
};

class Texts final : public PassageTexts {
public:
	explicit Texts(const std::vector<std::string> &texts) : texts_(texts) {}
	std::string_view text(std::uint32_t number, unsigned) override { return texts_[number]; }
	void compute(unsigned, void (*fn)(void *data), void *data) override { fn(data); }
	StopToken stop() const override { return {}; }

private:
	const std::vector<std::string> &texts_;
};

class Cuts final : public CutSink {
public:
	void cut(const PassageCut &cut) override
	{
		found.emplace_back(cut.rank, cut.kept, cut.start, cut.length, cut.kept_start);
	}
	std::vector<Cut> found;
};

std::vector<Cut> cuts_of(
	const Collection &collection, const UnitOptions &options, unsigned threads = 0, std::size_t memory = 1 << 20)
{
	CountingHost host;
	Executor executor(host, threads);
	Texts texts(collection.texts);
	std::vector<std::uint32_t> numbers(collection.ranks.size());
	for (std::uint32_t number = 0; number < numbers.size(); ++number)
		numbers[collection.ranks[number]] = number;
	RowOrder order;
	order.ranks = collection.ranks.data();
	order.numbers = numbers.data();
	order.groups = collection.groups.empty() ? nullptr : collection.groups.data();
	order.second_part = collection.second;
	std::vector<RepeatScratch> scratch(executor.workers());
	Cuts cuts;
	Repeats(host, executor, texts, scratch.data(), options, order, static_cast<std::uint32_t>(numbers.size()), 1 << 20, memory)
		.run(cuts);
	CHECK_EQ(host.blocks, 0);
	CHECK_EQ(host.files, 0);
	return cuts.found;
}

std::string show(const std::vector<Cut> &cuts)
{
	std::string out;
	for (const auto &[rank, kept, start, length, kept_start] : cuts)
		out += std::to_string(rank) + " has from " + std::to_string(start) + ", " + std::to_string(length) + " what " +
			std::to_string(kept) + " has from " + std::to_string(kept_start) + "\n";
	return out;
}

std::string random_text(SplitMix64 &random, std::uint64_t kinds)
{
	// Between words only: "a.b" is one word.
	static constexpr const char *separators[] = {" ", " ", " ", " ", " ", ", ", " - ", "\n", "\n\n", ".\r\n", "-", " \n \n"};
	std::string out = random.below(8) == 0 ? "\n" : "";
	for (std::uint64_t left = random.below(60); left > 0; --left) {
		const char letter = static_cast<char>((random.below(9) == 0 ? 'A' : 'a') + random.below(kinds));
		out += std::string(1 + random.below(2), letter) + separators[random.below(std::size(separators))];
	}
	return out;
}

Collection random_collection(SplitMix64 &random)
{
	Collection collection;
	const std::uint64_t kinds = 1 + random.below(6), rows = random.below(9);
	for (std::uint64_t i = 0; i < rows; ++i) {
		std::string text = random_text(random, kinds);
		if (i > 0 && random.below(2) == 0) { // a part of another
			const std::string &other = collection.texts[random.below(i)];
			const std::size_t begin = random.below(other.size() + 1);
			text += other.substr(begin, random.below(other.size() + 1)) + " " + random_text(random, kinds);
		}
		collection.texts.push_back(text);
	}
	collection.ranks.resize(rows);
	std::iota(collection.ranks.begin(), collection.ranks.end(), 0u);
	for (std::uint64_t i = rows; i > 1; --i)
		std::swap(collection.ranks[i - 1], collection.ranks[random.below(i)]);
	if (random.below(4) == 0)
		for (std::uint64_t i = 0; i < rows; ++i)
			collection.groups.push_back(static_cast<std::uint32_t>(random.below(2)));
	if (random.below(4) == 0)
		collection.second = static_cast<std::uint32_t>(random.below(rows + 1));
	return collection;
}

UnitOptions random_options(SplitMix64 &random)
{
	UnitOptions options;
	options.unit = static_cast<PassageUnit>(random.below(3));
	options.min_words = static_cast<std::uint32_t>(1 + random.below(options.unit == PassageUnit::word ? 7 : 3));
	return options;
}

} // namespace

TEST(repeats_are_those_of_the_definition)
{
	SplitMix64 random(1);
	std::size_t cuts = 0;
	for (std::size_t round = 0; round < by_length(100000, 1000); ++round) {
		const Collection collection = random_collection(random);
		const UnitOptions options = random_options(random);
		const std::vector<Cut> expected = naive_cuts(collection, options);
		cuts += expected.size();
		CHECK_EQ(show(cuts_of(collection, options)), show(expected), round, static_cast<int>(options.unit), options.min_words);
	}
	CHECK_EQ(cuts > 300, true, cuts);
}

// Several orders of arrival, one thread and several, little memory.
TEST(repeats_depend_on_ranks_alone)
{
	SplitMix64 random(2);
	Collection collection;
	for (int i = 0; i < 300; ++i)
		collection.texts.push_back(random_text(random, 9) + " " + random_text(random, 9));
	for (int i = 0; i < 300; ++i)
		collection.texts.push_back(collection.texts[random.below(300)] + " " + random_text(random, 9));
	collection.ranks.resize(600);
	std::iota(collection.ranks.begin(), collection.ranks.end(), 0u);
	for (const auto &[unit, words] : {std::pair(PassageUnit::word, 5u), std::pair(PassageUnit::word, 30u),
			 std::pair(PassageUnit::line, 2u), std::pair(PassageUnit::paragraph, 3u)}) {
		UnitOptions options;
		options.unit = unit;
		options.min_words = words;
		const std::string expected = show(naive_cuts(collection, options));
		CHECK_EQ(expected.empty(), false);
		for (unsigned order = 0; order < by_length(10, 4); ++order) {
			Collection other = collection;
			for (std::size_t i = 600; i > 1; --i) {
				const std::size_t j = random.below(i);
				std::swap(other.texts[i - 1], other.texts[j]);
				std::swap(other.ranks[i - 1], other.ranks[j]);
			}
			const std::size_t memory = order % 2 == 0 ? 1 << 24 : 1 << 12;
			CHECK_EQ(show(cuts_of(other, options, order % 4, memory)) == expected, true, order, words);
		}
	}
}

// What is cut is somewhere in what remains.
TEST(first_occurrences_remain)
{
	UnitOptions options;
	options.unit = PassageUnit::word;
	options.min_words = 2;
	const auto cuts = [&](const std::vector<std::string> &texts) {
		Collection collection{.texts = texts, .ranks = {}, .groups = {}};
		for (std::uint32_t i = 0; i < texts.size(); ++i)
			collection.ranks.push_back(i);
		return show(cuts_of(collection, options));
	};
	CHECK_EQ(cuts({"a a a a a a"}), "0 has from 4, 4 what 0 has from 0\n0 has from 8, 3 what 0 has from 0\n");
	CHECK_EQ(cuts({"a b a b a b"}), "0 has from 6, 4 what 0 has from 2\n0 has from 10, 1 what 0 has from 2\n");
	CHECK_EQ(cuts({"x y z", "y z w", "z w"}), "2 has from 0, 3 what 1 has from 2\n"); // z remains for it
	CHECK_EQ(cuts({"x y z", "v y z, w"}), "1 has from 2, 5 what 0 has from 2\n");
}

TEST(cuts_and_marks)
{
	const std::string text = "One two.\r\n\r\nThree.\n\nFour";
	UnitOptions options;
	options.min_words = 1;
	UnitPlaces places(text, options);
	CHECK_EQ(places.count(), 3u);
	const SourceRange middle = places.range(1, 1);
	CHECK_EQ(without_ranges(text, {&middle, 1}, ""), "One two.\r\n\r\nFour");
	CHECK_EQ(without_ranges(text, {&middle, 1}, "[...]"), "One two.\r\n\r\n[...]\n\nFour");
	options.unit = PassageUnit::word;
	const std::string quoted = "He said \"one two\" (three).";
	UnitPlaces words(quoted, options);
	const SourceRange inner = words.range(2, 3), last = words.range(4, 4);
	CHECK_EQ(without_ranges(quoted, {&inner, 1}, ""), "He said \"(three).");
	CHECK_EQ(without_ranges(quoted, {&last, 1}, ""), "He said \"one two\" (");
	// All four words of U+FDFA are the same character.
	const std::string ligature = "a \xEF\xB7\xBA b";
	UnitPlaces same(ligature, options);
	const SourceRange both[] = {same.range(1, 2), same.range(3, 4)};
	CHECK_EQ(same.count(), 6u);
	CHECK_EQ(without_ranges(ligature, both, ""), "a b");
}

// Ranges that overlap are found in two passes over the text: of this many, going back for each would take hours.
TEST(ranges_that_overlap)
{
	std::string text;
	for (int i = 0; i < 400000; ++i)
		text += i % 3 == 0 ? "\xC3\xA4" : "a";
	const auto byte_of = [](std::size_t character) { return character + (character + 2) / 3; };
	std::vector<SourceRange> ranges;
	for (std::size_t i = 0; i < 100000; ++i)
		ranges.push_back({0, 0, i * 7919 % 100000, 300000 - i});
	CHECK_EQ(place_ranges(text, ranges), true);
	std::size_t end = 0;
	for (std::size_t i = 0; i < ranges.size(); ++i) {
		const SourceRange &range = ranges[i];
		end = std::max(end, range.byte + range.bytes);
		CHECK_EQ(range.character, i);
		CHECK_EQ(range.byte, byte_of(range.character));
		CHECK_EQ(range.byte + range.bytes, byte_of(range.character + range.characters));
	}
	CHECK_EQ(without_ranges(text, ranges, "").size(), text.size() - end);
	ranges.push_back({0, 0, 5, 400000});
	CHECK_EQ(place_ranges(text, ranges), false);
	bool too_large = false;
	try {
		without_ranges("abc", std::vector<SourceRange>(200), std::string(10000000, '-'));
	} catch (const Error &error) {
		too_large = error.kind() == ErrorKind::too_large;
	}
	CHECK_EQ(too_large, true);
}
