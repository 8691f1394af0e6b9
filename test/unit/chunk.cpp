// Chunks: the crate's vectors, the properties of each mode, and texts that take long if the algorithm is not linear.
#include "core/text/chunk.hpp"

#include <string>
#include <vector>

#include "unit/check.hpp"
#include "unit/data.hpp"
#include "unit/options.hpp"
#include "unit/stop.hpp"
#include "unit/text.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

using Strings = std::vector<std::string>;

Strings chunks(std::string_view text, const ChunkOptions &options, StopToken stop = {})
{
	Strings out;
	for_each_chunk(
		text, options, [&out](std::string_view chunk) { out.emplace_back(chunk); }, stop);
	return out;
}

// "sentence/256/32"
ChunkOptions options(const std::string &setting)
{
	const std::vector<std::string> parts = split(setting, '/');
	ChunkOptions out;
	CHECK_EQ(parse_chunk_mode(parts.at(0), out.mode), true, setting);
	out.max_tokens = static_cast<std::uint32_t>(std::stoul(parts.at(1)));
	out.overlap = static_cast<std::uint32_t>(std::stoul(parts.at(2)));
	return out;
}

std::size_t word_count(std::string_view text) { return tokens(text, "word-uax29").size(); }

std::string repeated(std::string_view text, std::size_t times)
{
	std::string out;
	for (std::size_t i = 0; i < times; ++i)
		out += text;
	return out;
}

// Windows by their definition.
Strings fixed_by_definition(const Strings &words, std::size_t max_tokens, std::size_t overlap)
{
	const std::size_t most = std::max<std::size_t>(1, words_of_tokens(max_tokens));
	const std::size_t stride = most - std::min<std::size_t>(words_of_tokens(overlap), most - 1);
	Strings out;
	for (std::size_t start = 0; start < words.size(); start += stride) {
		const std::size_t end = std::min(start + most, words.size());
		std::string window;
		for (std::size_t i = start; i < end; ++i)
			window += (i > start ? " " : "") + words[i];
		out.push_back(window);
		if (end == words.size())
			break;
	}
	return out;
}

} // namespace

TEST(chunk_crate)
{
	std::size_t checked = 0;
	for (const Row &row : table("chunk.tsv"))
		for (const std::string &setting : list(row["settings"], ' ')) {
			CHECK_EQ(chunks(row["input"], options(setting)), list(row["chunks"]), setting, row["input"]);
			++checked;
		}
	CHECK_EQ(checked, 1533);
}

TEST(chunk_estimates)
{
	for (const Row &row : table("chunk_rounding.tsv")) {
		const auto n = static_cast<std::uint64_t>(row.number("n"));
		if (!row.is_null("tokens_of_words"))
			CHECK_EQ(tokens_of_words(n), row.number("tokens_of_words"), n);
		CHECK_EQ(words_of_tokens(n), row.number("words_of_tokens"), n);
	}
}

TEST(chunk_modes)
{
	ChunkMode mode{};
	for (const std::string_view wrong : {"", "Fixed", "sentences", "recursive "})
		CHECK_EQ(parse_chunk_mode(wrong, mode), false, wrong);
	const std::string text = "One two three. Four five six. Seven eight nine.";
	CHECK_EQ(
		chunks(text, {10, 0, ChunkMode::sentence}), (Strings{"One two three. Four five six.", "Seven eight nine."}));
	CHECK_EQ(chunks(text, {10, 3, ChunkMode::sentence}),
		(Strings{"One two three. Four five six.", "five six Seven eight nine."}));
	CHECK_EQ(chunks(text, {10, 3, ChunkMode::fixed}),
		(Strings{"One two three Four five six Seven", "six Seven eight nine"}));
	CHECK_EQ(
		chunks("a b\n\nc d\r\n\r\ne\n\n\n\nf", {4, 9, ChunkMode::recursive}), (Strings{"a b", "c d\r\n\r\ne", "f"}));
	CHECK_EQ(chunks(text, {0, 0, ChunkMode::sentence}), Strings{});
	const ChunkOptions usual; // as in SQL
	CHECK_EQ(usual.max_tokens, 256);
	CHECK_EQ(usual.overlap, 32);
	CHECK_EQ(usual.mode == ChunkMode::sentence, true);
	CHECK_EQ(chunks(" \n\n ... ", {5, 0, ChunkMode::sentence}), Strings{});
	CHECK_EQ(chunks(" \n\n ... ", {5, 0, ChunkMode::recursive}), Strings{"..."});
}

TEST(chunk_fixed_is_its_definition)
{
	RandomText random(1);
	for (int i = 0; i < 3000; ++i) {
		const std::string text = random.next_utf8(60);
		const auto max_tokens = static_cast<std::uint32_t>(1 + random.engine()() % 20);
		const auto overlap = static_cast<std::uint32_t>(random.engine()() % 25);
		CHECK_EQ(chunks(text, {max_tokens, overlap, ChunkMode::fixed}),
			fixed_by_definition(tokens(text, "word-uax29"), max_tokens, overlap), text, max_tokens, overlap);
	}
}

// Without overlap no word is lost or repeated, and no chunk exceeds the limit.
TEST(chunk_without_overlap)
{
	std::mt19937_64 random(2);
	constexpr std::string_view pieces[] = {
		"word ", "Two words. ", "x", ". ", "\n\n", "! ", "\"", "É ", "今天。", "\n", " "};
	for (int i = 0; i < 4000; ++i) {
		std::string text;
		for (std::size_t n = random() % 60; n > 0; --n)
			text += pieces[random() % std::size(pieces)];
		const auto max_tokens = static_cast<std::uint32_t>(2 + random() % 30);
		for (const ChunkMode mode : {ChunkMode::sentence, ChunkMode::recursive}) {
			std::size_t words = 0;
			for (const std::string &chunk : chunks(text, {max_tokens, 0, mode})) {
				CHECK_EQ(tokens_of_words(word_count(chunk)) <= max_tokens, true, text, chunk, max_tokens);
				words += word_count(chunk);
			}
			CHECK_EQ(words, word_count(text), text, max_tokens);
		}
	}
}

TEST(chunk_of_great_numbers)
{
	constexpr std::uint32_t most = 4294967295u;
	const std::string text = repeated("Some words. ", 1000);
	for (const ChunkMode mode : {ChunkMode::fixed, ChunkMode::sentence, ChunkMode::recursive}) {
		CHECK_EQ(chunks(text, {most, most, mode}).size(), 1, mode);
		CHECK_EQ(chunks(text, {1, most, mode}).size(), 2000, mode);
	}
	CHECK_EQ(chunks(repeated("word ", 100000), {256, 32, ChunkMode::sentence}).size(),
		582); // windows of 196 words, every 172
}

TEST(chunk_is_linear)
{
	for (const std::string_view unit : {"a ", ". ", "A. ", "\n\n", "x.\n\n", "\u0301", "a.\u0301", ".)", "!"})
		for (const ChunkMode mode : {ChunkMode::fixed, ChunkMode::sentence, ChunkMode::recursive}) {
			const double growth = growth_of(20000, [&](std::size_t n) { chunks(repeated(unit, n), {256, 32, mode}); });
			CHECK_EQ(growth < even_growth, true, unit, mode, growth);
		}
}

TEST(chunk_stops)
{
	const std::string words = repeated("word ", 20000), sentences = repeated("A. ", 20000), blanks(20000, '\n');
	CHECK_EQ(is_cancelled([&] { chunks(words, {5, 0, ChunkMode::fixed}, stop_at_once); }), true);
	CHECK_EQ(is_cancelled([&] { chunks(sentences, {500, 0, ChunkMode::sentence}, stop_at_once); }), true);
	CHECK_EQ(is_cancelled([&] {
		chunks(repeated(".\n\n", 20000), {50, 0, ChunkMode::recursive}, stop_at_once);
	}),
		true);
	CHECK_EQ(is_cancelled([&] { chunks(blanks, {50, 0, ChunkMode::recursive}, stop_at_once); }), true);
}
