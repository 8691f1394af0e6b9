#include "core/jenkins_simhash.hpp"

#include <bit>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "core/jenkins.hpp"
#include "core/simhash/simhash.hpp"
#include "unit/check.hpp"
#include "unit/data.hpp"
#include "unit/generated.hpp"
#include "unit/stop.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

std::string string_input(const std::string &recipe)
{
	const std::vector<std::uint8_t> bytes = described_bytes(recipe);
	return {bytes.begin(), bytes.end()};
}

std::string text_of(const std::string &recipe)
{
	if (recipe == "edited text(1,4096)") {
		std::string text = string_input("text(1,4096)");
		return text.insert(2000, "INSERTED WORDS HERE");
	}
	return string_input(recipe);
}

std::uint64_t majority(const std::vector<std::uint64_t> &hashes)
{
	BitCounter counter;
	counter.add(hashes);
	return counter.majority();
}

// "100 x <hash>", "splitmix(<seed>,<count>)" or hashes separated by blanks.
std::vector<std::uint64_t> hashes_of(const std::string &recipe)
{
	std::vector<std::uint64_t> hashes;
	if (recipe.starts_with("100 x "))
		return std::vector<std::uint64_t>(100, std::stoull(recipe.substr(6), nullptr, 16));
	if (recipe.starts_with("splitmix(")) {
		const std::vector<std::string> arguments = split(recipe.substr(9, recipe.size() - 10), ',');
		SplitMix64 random(std::stoull(arguments[0]));
		for (std::size_t i = 0; i < std::stoul(arguments[1]); ++i)
			hashes.push_back(random());
		return hashes;
	}
	for (const std::string &hash : list(recipe, ' '))
		hashes.push_back(std::stoull(hash, nullptr, 16));
	return hashes;
}

// By the definition.
std::uint64_t slow_majority(const std::vector<std::uint64_t> &hashes)
{
	std::uint64_t bits = 0;
	for (int bit = 0; bit < 64; ++bit) {
		std::size_t ones = 0;
		for (const std::uint64_t hash : hashes)
			ones += hash >> bit & 1;
		bits |= std::uint64_t{2 * ones > hashes.size()} << bit;
	}
	return bits;
}

std::uint64_t slow_windows(const std::string &text, std::size_t window, bool all_windows)
{
	std::vector<std::uint64_t> hashes;
	for (std::size_t i = 0; i + window < text.size() + all_windows; ++i)
		hashes.push_back(jenkins64(text.substr(i, window)));
	return slow_majority(hashes);
}

std::vector<std::string> words_of(const std::string &text)
{
	std::vector<std::string> words;
	bool inside = false;
	for (const char c : text) {
		if (c == '\0')
			break;
		const bool letter =
			std::string_view("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ").find(c) != text.npos;
		if (letter && !inside)
			words.emplace_back();
		if (letter)
			words.back() += c;
		inside = letter;
	}
	return words;
}

// The state is the exclusive or of the last hashes, each rotated by its age.
std::uint64_t slow_cyclic(const std::string &text, std::size_t window, bool padded)
{
	std::vector<std::uint64_t> hashes, outputs;
	for (const std::string &word : words_of(text))
		hashes.push_back(jenkins64(word));
	if (padded && !hashes.empty())
		hashes.resize(hashes.size() + window - 1);
	for (std::size_t end = 1; end <= hashes.size(); ++end) {
		std::uint64_t state = 0;
		for (std::size_t age = 0; age < std::min(end, window); ++age)
			state ^= std::rotl(hashes[end - 1 - age], static_cast<int>(age % 64));
		outputs.push_back(state);
	}
	const std::uint64_t bits = slow_majority(outputs);
	std::uint64_t reversed = 0;
	for (int bit = 0; bit < 64; ++bit)
		reversed |= (bits >> bit & 1) << (63 - bit);
	return reversed;
}

template <class Fn> unsigned for_each_vector(const std::string &kind, Fn fn)
{
	unsigned count = 0;
	for (const Row &row : table("jenkins_simhash.tsv"))
		if (row["kind"] == kind) {
			fn(row);
			++count;
		}
	return count;
}

} // namespace

TEST(jenkins64_vectors)
{
	const unsigned count = for_each_vector("jenkins", [](const Row &row) {
		CHECK_EQ(jenkins64(text_of(row["input"]), row.hex("parameter")), row.hex("value"), row["input"]);
	});
	CHECK_EQ(count, 36);
}

TEST(window_simhash_vectors)
{
	const unsigned count = for_each_vector("window", [](const Row &row) {
		std::uint64_t bits = 1;
		const auto window = static_cast<std::size_t>(row.number("parameter"));
		CHECK_EQ(window_simhash(text_of(row["input"]), window, false, bits), true, row["input"]);
		CHECK_EQ(bits, row.hex("value"), row["input"], window);
	});
	CHECK_EQ(count, 50);
}

TEST(majority_vectors)
{
	const unsigned count = for_each_vector("majority",
		[](const Row &row) { CHECK_EQ(majority(hashes_of(row["input"])), row.hex("value"), row["input"]); });
	CHECK_EQ(count, 9);
}

TEST(cyclic_simhash_vectors)
{
	const unsigned count = for_each_vector("cyclic", [](const Row &row) {
		const std::string text = text_of(row["input"]);
		for (const bool padded : {false, true}) {
			std::uint64_t bits = 1;
			CHECK_EQ(cyclic_simhash(text, 3, padded, bits), !words_of(text).empty(), row["input"]);
			CHECK_EQ(bits, row.hex(padded ? "padded" : "value"), row["input"], padded);
		}
	});
	CHECK_EQ(count, 12);
}

// Input that is not in this repository: TXTFP_JABBERWOCKY names a file with the text of simhash-cpp's own test.
TEST(cyclic_simhash_jabberwocky)
{
	const char *path = std::getenv("TXTFP_JABBERWOCKY");
	if (path == nullptr)
		return;
	std::ifstream file(path, std::ios::binary);
	const std::string text{std::istreambuf_iterator<char>(file), {}};
	std::uint64_t bits = 0;
	CHECK_EQ(cyclic_simhash(text, 3, false, bits), true);
	CHECK_EQ(bits, 0x041379A587C66880);
	CHECK_EQ(cyclic_simhash(text, 3, true, bits), true);
	CHECK_EQ(bits, 0x041358A587C66882);
}

TEST(window_simhash_of_all_windows)
{
	std::uint64_t bits = 0;
	CHECK_EQ(window_simhash("hello world", 5, true, bits), true);
	CHECK_EQ(bits, 0x3c871cfa14f20738);
	CHECK_EQ(window_simhash("hello world!", 5, true, bits), true);
	CHECK_EQ(bits, 0x24861ce204d00728);
	CHECK_EQ(window_simhash("hello", 5, true, bits), true);
	CHECK_EQ(bits, jenkins64("hello"));
	CHECK_EQ(window_simhash("hello", 5, false, bits), true);
	CHECK_EQ(bits, 0);
	CHECK_EQ(window_simhash("hell", 5, true, bits), false);
	CHECK_EQ(bits, 0);
	CHECK_EQ(window_simhash("", 1, false, bits), false);
}

TEST(window_simhash_equals_definition)
{
	std::mt19937_64 random(7);
	for (const std::size_t size : {1, 2, 5, 12, 13, 40, 300})
		for (const std::size_t window : {1, 2, 5, 8, 12, 13, 24, 25})
			for (const bool all_windows : {false, true}) {
				std::string text(size, ' ');
				for (char &c : text)
					c = static_cast<char>(random());
				std::uint64_t bits = 1;
				const bool long_enough = size >= window;
				CHECK_EQ(window_simhash(text, window, all_windows, bits), long_enough, size, window);
				CHECK_EQ(bits, long_enough ? slow_windows(text, window, all_windows) : 0, size, window, all_windows);
			}
}

TEST(cyclic_simhash_equals_definition)
{
	std::mt19937_64 random(8);
	constexpr std::string_view alphabet = "abzABZ  .1\n@[`{";
	for (int i = 0; i < 300; ++i) {
		std::string text(random() % 200, ' ');
		for (char &c : text)
			c = alphabet[random() % alphabet.size()];
		if (i % 7 == 0 && !text.empty())
			text[random() % text.size()] = '\0';
		for (const std::size_t window : {1, 2, 3, 5, 63, 64, 65, 130, 1024})
			for (const bool padded : {false, true}) {
				std::uint64_t bits = 1;
				CHECK_EQ(cyclic_simhash(text, window, padded, bits), !words_of(text).empty(), text);
				CHECK_EQ(bits, slow_cyclic(text, window, padded), text, window, padded);
			}
	}
}

TEST(jenkins_simhash_can_be_stopped)
{
	std::uint64_t bits = 0;
	const std::string text = string_input("text(1,2000000)");
	CHECK_EQ(is_cancelled([&] { window_simhash(text, 5, true, bits, stop_at_once); }), true);
	CHECK_EQ(is_cancelled([&] { cyclic_simhash(text, 3, false, bits, stop_at_once); }), true);
}
