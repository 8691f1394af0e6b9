// Texts in 14 languages that differ in one fact, and texts that say the same: what `lossless` with `strict`, and
// `balanced`, make of them. The sentences are those of test/data/look_alikes.tsv and look_alikes_more.tsv;
// bench/look_alikes.py writes such pairs for a server.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/base/splitmix.hpp"
#include "core/decide/pair_decision.hpp"
#include "core/text/utf8.hpp"
#include "unit/check.hpp"
#include "unit/data.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

struct Fact {
	std::string a, b;
};
struct Language {
	std::string name;
	std::vector<std::string> fillers;
	std::vector<Fact> facts;
	bool has_spaces() const { return name != "zh" && name != "ja"; }
};

std::vector<Language> languages(const char *file = "look_alikes.tsv")
{
	std::vector<Language> all;
	for (const Row &row : table(file)) {
		if (all.empty() || all.back().name != row["language"])
			all.push_back({row["language"], {}, {}});
		if (row["kind"] == "filler")
			all.back().fillers.push_back(row["a"]);
		else
			all.back().facts.push_back({row["a"], row["b"]});
	}
	return all;
}

std::string joined(const Language &language, const std::vector<std::string> &sentences)
{
	std::string text;
	for (const std::string &sentence : sentences)
		text.append(text.empty() || !language.has_spaces() ? "" : " ").append(sentence);
	return text;
}

std::string replaced(std::string text, std::string_view from, std::string_view to)
{
	for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
		text.replace(at, from.size(), to);
	return text;
}

// The text with a character between two letters here and there.
std::string with_invisible(const std::string &text, std::string_view invisible, SplitMix64 &random)
{
	std::string out;
	for (const char c : text) {
		const bool letters = !out.empty() && c >= 'a' && c <= 'z' && out.back() >= 'a' && out.back() <= 'z';
		if (letters && random.below(20) == 0)
			out.append(invisible);
		out += c;
	}
	return "\uFEFF" + out;
}

struct Rates {
	std::map<std::string, std::pair<int, int>> of; // removed, all

	void add(const std::string &what, bool removed)
	{
		of[what].first += removed;
		++of[what].second;
	}
	double share(bool same) const
	{
		double removed = 0, all = 0;
		for (const auto &[what, counts] : of)
			if ((what != "look-alike") == same) {
				removed += counts.first;
				all += counts.second;
			}
		return removed / all;
	}
};

void measure(const PairOptions &options, const char *file, Rates &rates)
{
	SplitMix64 random(7);
	const auto decide = [&](const std::string &what, const std::string &a, const std::string &b) {
		rates.add(what, decide_pair(a, b, 0.9, options).outcome == removal::removed);
	};
	for (int round = 0; round < static_cast<int>(by_length(20, 2)); ++round)
		for (const Language &language : languages(file)) {
			std::vector<std::string> sentences(language.fillers.begin(), language.fillers.end() - 1);
			for (const Fact &fact : language.facts)
				sentences.push_back(fact.a);
			for (std::size_t i = sentences.size(); i > 1; --i)
				std::swap(sentences[i - 1], sentences[random.below(i)]);
			const std::string text = joined(language, sentences), more = language.fillers.back();
			for (const Fact &fact : language.facts) {
				std::vector<std::string> other = sentences;
				std::replace(other.begin(), other.end(), fact.a, fact.b);
				const std::string changed = joined(language, other);
				decide("look-alike", text, changed);
				decide("look-alike", changed, text);
			}
			const char *const space = language.has_spaces() ? " " : "";
			decide("copy", text, text);
			decide("spacing", replaced(text, " ", random.below(2) == 0 ? "\n" : " \u00A0"), text);
			decide("typography", replaced("\u201C" + text + "\u201D", "'", "\u2019"), "\"" + text + "\"");
			decide("invisible", with_invisible(text, "\u200B", random), text);
			decide("invisible", with_invisible(text, "\u00AD", random), text);
			decide("more before", text, more + space + text);
			decide("more behind", text, text + (random.below(2) == 0 ? space : "\n\n") + more);
		}
}

} // namespace

TEST(look_alikes_stay)
{
	std::string_view unknown;
	PairOptions strict;
	strict.verify = removal::Verify::lossless;
	strict.guards = *Guards::parse("strict", unknown);
	constexpr const char *files[] = {"look_alikes.tsv", "look_alikes_more.tsv"};
	for (const char *file : files) {
		Rates rates;
		measure(strict, file, rates);
		CHECK_EQ(rates.share(false) <= 0.01, true, rates.share(false));
		CHECK_EQ(rates.share(true) >= 0.97, true, rates.share(true));
	}

	PairOptions balanced;
	parse_tokenizer(default_tokenizer, balanced.tokenizer);
	balanced.verify = removal::Verify::jaccard;
	balanced.least = 0.6;
	balanced.guards = *Guards::parse("balanced", unknown);
	for (const char *file : files) {
		Rates rates;
		measure(balanced, file, rates);
		CHECK_EQ(rates.share(false) <= 0.05, true, rates.share(false));
		CHECK_EQ(rates.share(true) >= 0.9, true, rates.share(true));
	}
}

// What only one text has, in a statement that both have, may make it another thing.
TEST(balanced_sees_longer_quantities_and_identifiers)
{
	std::string_view unknown;
	PairOptions balanced;
	balanced.guards = *Guards::parse("balanced", unknown);
	const auto reason = [&](const std::string &a, const std::string &b) {
		const std::string before = "The store of the village was built by a small firm. ", after = " It is open on most days.";
		const PairDecision there = decide_pair(before + a + after, before + b + after, 0.9, balanced),
						   back = decide_pair(before + b + after, before + a + after, 0.9, balanced);
		CHECK_EQ(there.outcome == back.outcome, true, a);
		return there.outcome == removal::removed ? std::string("-") : std::string(there.reason_name());
	};
	CHECK_EQ(reason("每袋粉末重40克。", "每袋粉末重40千克。"), "two_sided");
	CHECK_EQ(reason("跳台高5米，池子很大。", "跳台高5厘米，池子很大。"), "two_sided");
	CHECK_EQ(reason("会费每年30円です。", "会费每年30万円です。"), "two_sided");
	CHECK_EQ(reason("十人入场以后关门。", "三十人入场以后关门。"), "two_sided");
	CHECK_EQ(reason("The floor has 15 m in all.", "The floor has 15² m in all."), "two_sided");
	CHECK_EQ(reason("Give the option --key to it.", "Give the option --proxy-key to it."), "two_sided");
	CHECK_EQ(reason("Write it into usr/share/doc again.", "Write it into usr/local/share/doc again."), "two_sided");
	CHECK_EQ(reason("Call getsockets() for each.", "Call getsocket() for each."), "-"); // a plural
	CHECK_EQ(reason("Call wcsrtombs() for each.", "Call wcsnrtombs() for each."), "two_sided");
	CHECK_EQ(reason("The room is recieved by all.", "The room is receeved by all."), "-"); // a misspelling
	CHECK_EQ(reason("Jeden Tag 28 °C warm.", "Jeden Tag 2.8 °C warm."), "two_sided");
	CHECK_EQ(reason("कक्ष में ४५ कुर्सियाँ हैं।", "कक्ष में ४.५ कुर्सियाँ हैं।"), "two_sided");
	CHECK_EQ(reason("The library has Python 3.9 inside.", "The library has Python 3.10 inside."), "-"); // a version
	CHECK_EQ(reason("It works with MySQL databases.", "It works with MySQL/MariaDB databases."), "-");
}

// Whoever stores decisions or rules compares the version. If this fails because guards, signals or lossless are others
// now, raise decision_version, and signals_version where a signal has another value, and write the new digests here.
TEST(decisions_of_one_version_are_the_same)
{
	std::uint64_t decisions = 0xCBF29CE484222325, values = decisions;
	const auto add = [](std::uint64_t &digest, std::uint64_t value) { digest = (digest ^ value) * 0x100000001B3; };
	std::vector<PairOptions> all;
	for (const char *guards : {"balanced", "number, name", "statement"}) {
		std::string_view unknown;
		PairOptions options;
		parse_tokenizer(default_tokenizer, options.tokenizer);
		options.verify = removal::Verify::jaccard;
		options.least = 0.3;
		options.guards = *Guards::parse(guards, unknown);
		all.push_back(options);
	}
	all.push_back(all[2]);
	all.back().verify = removal::Verify::lossless;
	const auto decide = [&](const std::string &a, const std::string &b) {
		for (const PairOptions &options : all) {
			const PairDecision decision = decide_pair(a, b, 0.9, options, {}, 20, 3);
			add(decisions, decision.outcome);
			add(decisions, decision.guard ? static_cast<std::uint64_t>(*decision.guard) : guard_count);
		}
		for (const double value : difference_signals(a, b))
			add(values, static_cast<std::uint64_t>(1000 * (value + 1)));
	};
	SplitMix64 random(11);
	for (int round = 0; round < 20; ++round)
		for (const Language &language : languages()) {
			std::vector<std::string> sentences = language.fillers;
			sentences.push_back(language.facts[random.below(language.facts.size())].a);
			for (std::size_t i = sentences.size(); i > 1; --i)
				std::swap(sentences[i - 1], sentences[random.below(i)]);
			const std::string text = joined(language, sentences);
			for (const Fact &fact : language.facts)
				decide(text, replaced(text, fact.a, fact.b));
			// A piece that begins with a character is left out, comes twice, or comes with another one.
			const auto character = [&](std::size_t from) {
				std::size_t at = random.below(text.size() - from) + from;
				while (at > from && is_continuation(text[at]))
					--at;
				return at;
			};
			const std::size_t begin = character(0), end = character(begin), to = character(0);
			const std::string piece = text.substr(begin, end - begin);
			decide(text, text.substr(0, begin) + text.substr(end));
			decide(text.substr(0, begin) + piece + text.substr(begin), text);
			decide(text, text.substr(0, to) + piece + text.substr(to));
		}
	CHECK_EQ(decision_version, 3);
	CHECK_EQ(decisions, 4468285545251586353u);
	CHECK_EQ(signals_version, 4);
	CHECK_EQ(values, 3361236911478104184u);
}
