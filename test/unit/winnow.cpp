#include "core/passages/winnow.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "core/base/hash.hpp"
#include "core/base/splitmix.hpp"
#include "core/passages/boilerplate.hpp"
#include "core/passages/passages_form.hpp"
#include "unit/check.hpp"
#include "unit/options.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

using Hashes = std::vector<std::uint64_t>;

// The definition: of each window the gram with the least hash, the last one of equal ones.
std::vector<WinnowChoice> naive_choices(const Hashes &hashes, std::size_t window)
{
	std::vector<WinnowChoice> choices;
	const std::size_t size = std::min(window, hashes.size());
	for (std::size_t begin = 0; size > 0 && begin + size <= hashes.size(); ++begin) {
		std::size_t best = begin;
		for (std::size_t i = begin; i < begin + size; ++i)
			if (hashes[i] <= hashes[best])
				best = i;
		if (choices.empty() || choices.back().place != best)
			choices.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(best)});
	}
	return choices;
}

std::string show_choices(const std::vector<WinnowChoice> &choices)
{
	std::string out;
	for (const WinnowChoice &choice : choices)
		out += std::to_string(choice.first) + ":" + std::to_string(choice.place) + " ";
	return out;
}

std::string random_words(SplitMix64 &random, std::size_t count, std::uint64_t kinds)
{
	std::string out;
	for (; count > 0; --count)
		out += "w" + std::to_string(random.below(kinds)) + " ";
	return out;
}

// The text with its lines broken elsewhere, in upper case, with other punctuation.
std::string rewrapped(std::string_view text)
{
	std::string out;
	std::size_t words = 0;
	for (const char c : text)
		if (c == ' ')
			out += ++words % 8 == 0 ? ",\r\n\t" : " - ";
		else
			out += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
	return out;
}

WinnowOptions with_guarantee(std::uint32_t guarantee)
{
	WinnowOptions options;
	options.guarantee = guarantee;
	return options;
}

} // namespace

TEST(winnow_choices_are_those_of_the_definition)
{
	SplitMix64 random(1);
	for (int round = 0; round < 20000; ++round) {
		Hashes hashes(random.below(40));
		for (std::uint64_t &hash : hashes)
			hash = random.below(1 + random.below(20));
		const auto window = static_cast<std::uint32_t>(1 + random.below(12));
		CHECK_EQ(show_choices(winnow_choices(hashes, window)), show_choices(naive_choices(hashes, window)), window);
	}
}

TEST(winnow_and_grams_agree)
{
	SplitMix64 random(2);
	for (int round = 0; round < 500; ++round) {
		const WinnowOptions options = with_guarantee(static_cast<std::uint32_t>(1 + random.below(20)));
		const std::string text = random_words(random, random.below(60), 30);
		const Grams grams = grams_of(text, options);
		Hashes chosen;
		for (const auto [first, gram] : winnow_choices(grams.hashes, options.window())) {
			chosen.push_back(grams.hashes[gram]);
			const std::string words = text.substr(grams.begin(gram), grams.end(gram) - grams.begin(gram));
			CHECK_EQ(xxh3_64(words.data(), words.size(), 0), grams.hashes[gram], words);
		}
		std::sort(chosen.begin(), chosen.end());
		chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
		CHECK_EQ(winnow(text, options) == chosen, true, text);
	}
}

// A common run of the guaranteed length leaves a common fingerprint at any position, with any change of line breaks,
// case and punctuation. With a run that is one word shorter there may be none.
TEST(winnow_keeps_its_guarantee)
{
	SplitMix64 random(3);
	unsigned missed = 0;
	for (int round = 0; round < 2000; ++round) {
		const WinnowOptions options = with_guarantee(static_cast<std::uint32_t>(1 + random.below(30)));
		const std::string shared = random_words(random, options.guarantee, 1000000),
						  a = random_words(random, random.below(50), 1000000) + shared +
			random_words(random, random.below(50), 1000000),
						  b = random_words(random, random.below(50), 1000000) + rewrapped(shared) +
			random_words(random, random.below(50), 1000000);
		CHECK_EQ(count_common(winnow(a, options), winnow(b, options)) > 0, true, a, b, options.guarantee);
		const std::string less = shared.substr(shared.find(' ') + 1);
		missed += count_common(winnow("x " + less + " x", options), winnow("y " + less + " y", options)) == 0;
	}
	CHECK_EQ(missed > 0, true);
}

TEST(winnow_of_an_excerpt_is_part_of_that_of_the_text)
{
	SplitMix64 random(4);
	for (int round = 0; round < 500; ++round) {
		const WinnowOptions options = with_guarantee(12);
		const std::string excerpt = random_words(random, 12 + random.below(60), 50),
						  text = random_words(random, 40, 50) + excerpt + random_words(random, 40, 50);
		const Hashes some = winnow(excerpt, options), all = winnow(text, options);
		CHECK_EQ(count_common(some, all), some.size(), excerpt);
	}
}

TEST(winnow_chooses_as_few_as_it_says)
{
	SplitMix64 random(5);
	for (const std::uint32_t guarantee : {6u, 12u, 24u}) {
		const WinnowOptions options = with_guarantee(guarantee);
		const double expected = 20000 * 2.0 / (options.window() + 1);
		const auto chosen = static_cast<double>(winnow(random_words(random, 20000, 1000000), options).size());
		CHECK_EQ(chosen > 0.95 * expected && chosen < 1.05 * expected, true, chosen, expected);
	}
	CHECK_EQ(with_guarantee(12).gram(), 4);
	CHECK_EQ(with_guarantee(12).window(), 9);
	CHECK_EQ(with_guarantee(1).gram(), 1);
	CHECK_EQ(with_guarantee(10000).gram(), 8);
}

TEST(winnow_of_short_texts)
{
	CHECK_EQ(winnow("", {}).size(), 0);
	CHECK_EQ(winnow("... !", {}).size(), 0);
	CHECK_EQ(winnow("one", {}).size(), 1);
	CHECK_EQ(winnow("one two three four five", {}).size(), 1);
	CHECK_EQ(winnow_config({}) != 0, true);
	CHECK_EQ(winnow_config(with_guarantee(12)) != winnow_config(with_guarantee(13)), true);
}

TEST(count_common_is_an_intersection)
{
	SplitMix64 random(6);
	for (int round = 0; round < 3000; ++round) {
		Hashes sets[2];
		for (Hashes &set : sets) {
			set.resize(random.below(random.below(4) == 0 ? 400 : 12));
			for (std::uint64_t &value : set)
				value = random.below(500);
			std::sort(set.begin(), set.end());
			set.erase(std::unique(set.begin(), set.end()), set.end());
		}
		Hashes common;
		std::set_intersection(
			sets[0].begin(), sets[0].end(), sets[1].begin(), sets[1].end(), std::back_inserter(common));
		CHECK_EQ(count_common(sets[0], sets[1]), common.size());
		const std::size_t two_at_most = std::min<std::size_t>(common.size(), 2);
		CHECK_EQ(count_common(sets[0], sets[1], 2), two_at_most);
	}
}

TEST(parts_among_are_what_the_fingerprints_say)
{
	const WinnowOptions options = with_guarantee(3); // grams are single words
	const std::string text = "Keep this; ALL Rights reserved - keep that";
	Hashes frequent = winnow("all rights reserved", with_guarantee(1));
	const auto parts = parts_among(text, frequent, options);
	CHECK_EQ(parts.size(), 1);
	CHECK_EQ(text.substr(parts[0].byte, parts[0].bytes), "ALL Rights reserved");
	CHECK_EQ(parts_among("", frequent, options).size(), 0);
	CHECK_EQ(parts_among(text, {}, options).size(), 0);
}

TEST(passages_forms_are_read_as_they_are_written)
{
	const Hashes values = {0, 1, 0xFFFF, ~std::uint64_t{0}};
	std::string text(passages_text_size(4), '?');
	write_passages_text(0x123456789ABCDEF0, values, text.data());
	CHECK_EQ(text,
		"123456789abcdef0:0000000000000000"
		"0000000000000001"
		"000000000000ffffffffffffffffffff");
	std::uint64_t config = 0;
	Hashes again(4);
	CHECK_EQ(read_passages_text(text, config, again) == PassagesParse::ok, true);
	CHECK_EQ(config, 0x123456789ABCDEF0);
	CHECK_EQ(again == values, true);
	text[17 + 15] = '1';
	CHECK_EQ(read_passages_text(text, config, again) == PassagesParse::not_ascending, true);
	text[16] = '/';
	CHECK_EQ(read_passages_text(text, config, again) == PassagesParse::malformed, true);
	CHECK_EQ(passages_in_text(16), -1);
	CHECK_EQ(passages_in_text(17), 0);
	CHECK_EQ(passages_in_text(32), -1);
	CHECK_EQ(passages_in_binary(7), -1);
	CHECK_EQ(passages_in_binary(16), 1);
}
