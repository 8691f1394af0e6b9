// Texts in chunks of bytes, cut anywhere: the fingerprint is that of the whole text, and bytes that are not UTF-8 are
// rejected.
#include "core/text/stream.hpp"

#include <optional>
#include <string>
#include <vector>

#include "core/minhash/minhash.hpp"
#include "core/simhash/simhash.hpp"
#include "unit/check.hpp"
#include "unit/data.hpp"
#include "unit/options.hpp"
#include "unit/stop.hpp"
#include "unit/text.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

using Chunks = std::vector<std::string_view>;
using Sketch = std::vector<std::uint64_t>; // empty: no token

// Texts whose fingerprint depends on the characters on both sides of a cut.
const std::string joining_texts[] = {
	"",
	"a",
	"The quick brown fox, jumps over… the lazy dog!",
	"e\u0301a\u0323\u0302 \u1EAD o\u031B\u0323",                                       // marks, composed and not
	"\U0001F468\u200D\U0001F469\u200D\U0001F467\u200D\U0001F466 \U0001F44D\U0001F3FD", // joined by ZWJ, modified
	"\U0001F1FA\U0001F1F8\U0001F1E9\U0001F1EA\U0001F1EB",                              // flags go in pairs
	"can't 3.14 a.b 1,000 a: x'y' \u05D0\"\u05D1 \u05D0' ",                            // middle characters look ahead
	"\u1100\u1161\u11A8\uAC00\u11A8 \u304B\u3099 \uFF76\uFF9E",                        // Hangul, kana
	"\u0915\u094D\u0937\u093F \u0995\u09CD\u09B7",                                     // conjuncts
	"  \r\n \t\u00A0\u3000\u2028 x \r\n",
	"\uFEFFa\u202Eb\u200Bc \uFB01\uFDFA \u0130\u00DF\u03A3",
	"\u65E5\u672C\u8A9E\u306E\u30C6\u30AD\u30B9\u30C8\u3001\u6F22\u5B57",
};

const TextOptions minhash_variants[] = {
	{{}, tokenizer("shingle-k=5/word-uax29")},
	{canonicalizer("none-cf-none"), tokenizer("shingle-k=2/grapheme-uax29"), HashFamily::murmur3, 42},
	{canonicalizer("nfc-cf-simple-conf"), tokenizer("word-uax29")},
};

Chunks chunks_at(std::string_view text, const std::vector<std::size_t> &cuts)
{
	Chunks chunks;
	std::size_t start = 0;
	for (const std::size_t at : cuts) {
		chunks.push_back(text.substr(start, at - start));
		start = at;
	}
	chunks.push_back(text.substr(start));
	return chunks;
}

// Every cut into two, one byte per chunk, and a few random cuts, some of them empty.
template <class Check> void for_each_chunking(std::string_view text, std::mt19937_64 &random, Check check)
{
	std::vector<std::size_t> all;
	for (std::size_t at = 0; at <= text.size(); ++at) {
		check(chunks_at(text, {at}));
		all.push_back(at);
	}
	check(chunks_at(text, all));
	for (int i = 0; i < 3; ++i) {
		std::vector<std::size_t> some;
		for (const std::size_t at : all)
			some.insert(some.end(), random() % 4 == 0 ? random() % 3 : 0, at);
		check(chunks_at(text, some));
	}
}

Sketch whole(std::string_view text, const TextOptions &options)
{
	Sketch slots(64);
	return minhash(text, options, slots) ? slots : Sketch{};
}

Sketch streamed(const Chunks &chunks, const TextOptions &options)
{
	Sketch slots(64);
	Stream<MinhashSketcher> stream(options, slots);
	for (const std::string_view chunk : chunks)
		CHECK_EQ(stream.append(chunk), true, chunk);
	CHECK_EQ(stream.pending(), std::string_view());
	return stream.end().finish() ? slots : Sketch{};
}

std::optional<std::uint64_t> whole(std::string_view text, const SimhashOptions &options)
{
	std::uint64_t bits = 0;
	return simhash(text, options, bits) ? std::optional(bits) : std::nullopt;
}

std::optional<std::uint64_t> streamed(const Chunks &chunks, const SimhashOptions &options)
{
	Stream<SimhashSketcher> stream(options);
	for (const std::string_view chunk : chunks)
		CHECK_EQ(stream.append(chunk), true, chunk);
	std::uint64_t bits = 0;
	return stream.end().finish(bits) ? std::optional(bits) : std::nullopt;
}

SimhashOptions simhash_options(Weighting weighting)
{
	SimhashOptions options;
	options.tokenizer = tokenizer(default_simhash_tokenizer);
	options.weighting = weighting;
	return options;
}

// The output of a stream: the text, then '|' and what it holds back; with '!' first if it rejects the bytes.
std::string received(const Chunks &chunks)
{
	Utf8Stream stream;
	std::string text;
	bool good = true;
	for (const std::string_view chunk : chunks)
		good = good && stream.append(chunk, [&](std::string_view part) { text += part; });
	return text + (good ? "|" : "!|") + std::string(stream.pending());
}

} // namespace

TEST(stream_minhash_of_every_cut)
{
	RandomText random(1);
	for (const TextOptions &options : minhash_variants) {
		const auto check = [&](std::string_view text) {
			const Sketch expected = whole(text, options);
			for_each_chunking(text, random.engine(), [&](const Chunks &chunks) {
				CHECK_EQ(streamed(chunks, options) == expected, true, format_tokenizer(options.tokenizer), chunks);
			});
		};
		for (const std::string &text : joining_texts)
			check(text);
		for (int i = 0; i < 60; ++i)
			check(random.next_utf8(16));
	}
}

TEST(stream_simhash_of_every_cut)
{
	RandomText random(2);
	for (const Weighting weighting : {Weighting::tf, Weighting::uniform}) {
		const SimhashOptions options = simhash_options(weighting);
		const auto check = [&](std::string_view text) {
			const std::optional<std::uint64_t> expected = whole(text, options);
			for_each_chunking(text, random.engine(),
				[&](const Chunks &chunks) { CHECK_EQ(streamed(chunks, options) == expected, true, chunks); });
		};
		for (const std::string &text : joining_texts)
			check(text + " " + text);
		for (int i = 0; i < 60; ++i)
			check(random.next_utf8(16));
	}
}

// The pieces that the crate's streamer accepted, cut at every byte instead.
TEST(stream_crate_vectors)
{
	const Table &vectors = table("streaming.tsv");
	CHECK_EQ(vectors.size(), 9);
	const TextOptions options{{}, tokenizer("shingle-k=3/word-uax29")};
	std::mt19937_64 random(3);
	for (const Row &row : vectors) {
		std::string text;
		for (const std::string &piece : split(row["pieces"], '\x1F'))
			text += piece;
		for_each_chunking(text, random, [&](const Chunks &chunks) {
			const Sketch sketch = streamed(chunks, options);
			CHECK_EQ(sketch.empty(), row.is_null("first_slots"), row["scenario"]);
			std::string first;
			for (std::size_t i = 0; i < 4 && !sketch.empty(); ++i)
				first += (i == 0 ? "" : " ") + hex_u64(sketch[i]);
			CHECK_EQ(first, row.is_null("first_slots") ? "" : row["first_slots"], row["scenario"], chunks);
		});
	}
}

TEST(stream_long_text_in_chunks)
{
	RandomText random(4);
	std::string text;
	while (text.size() < 300000)
		text += random.next_utf8(300) + " plain words ";
	std::vector<std::size_t> cuts;
	for (std::size_t at = 0; at < text.size(); at += random.engine()() % 5000)
		cuts.push_back(at);
	for (const TextOptions &options : minhash_variants)
		CHECK_EQ(streamed(chunks_at(text, cuts), options) == whole(text, options), true);
}

TEST(stream_utf8_that_is_cut)
{
	CHECK_EQ(received({}), "|");
	CHECK_EQ(received({"", "", ""}), "|");
	CHECK_EQ(received({"\xC3", "\xA9"}), "\u00E9|");
	CHECK_EQ(received({"a\xC3", "", "\xA9z"}), "a\u00E9z|");
	CHECK_EQ(received({"\xF0", "\x9F", "\x98", "\x80\xF0\x9F"}), "\U0001F600|\xF0\x9F");
	CHECK_EQ(received({"a\xC3"}), "a|\xC3");
	CHECK_EQ(received({"\xE0\xA0"}), "|\xE0\xA0");
	CHECK_EQ(received({std::string_view("a\0b", 3)}), std::string("a\0b|", 4));
}

TEST(stream_utf8_that_is_ill_formed)
{
	for (const char *bytes : {"\x80", "\xBF", "\xC0", "\xC1", "\xC0\x80", "\xC3(", "\xC3\xC3", "\xE0\x80", "\xE0\x9F",
			 "\xE2\x82(", "\xED\xA0", "\xED\xBF", "\xF0\x80", "\xF0\x8F", "\xF0\x9F\x98(", "\xF4\x90", "\xF5", "\xFF",
			 "\xFE", "\xF8\x88\x80\x80\x80"})
		for (const char *before : {"", "a", "abcdefghij", "\u20AC"}) {
			const std::string text = std::string(before) + bytes;
			for (std::size_t at = 0; at <= text.size(); ++at) {
				const std::string result = received(chunks_at(text, {at}));
				CHECK_EQ(result.find("!|"), std::string(before).size(), text, at);
			}
		}
}

// Well-formed is what encodes a scalar value: all sequences of up to three bytes, and the edges of four.
TEST(stream_utf8_by_definition)
{
	const auto by_definition = [](std::string_view bytes) {
		const Decoded c = decode(bytes.data(), bytes.data() + bytes.size());
		std::string encoded;
		append(encoded, c.code_point);
		const bool surrogate = c.code_point >= 0xD800 && c.code_point <= 0xDFFF;
		return encoded == bytes && !surrogate;
	};
	const auto check = [&](std::string_view bytes) {
		const bool well_formed = by_definition(bytes);
		CHECK_EQ(utf8_prefix(bytes).size == bytes.size(), well_formed, bytes);
	};
	std::string bytes(1, 0);
	for (unsigned a = 0x80; a < 0x100; ++a) {
		check(std::string{static_cast<char>(a)});
		for (unsigned b = 0x80; b < 0x100; ++b) {
			check(std::string{static_cast<char>(a), static_cast<char>(b)});
			for (unsigned c = 0x80; c < 0x100; ++c) {
				check(std::string{static_cast<char>(a), static_cast<char>(b), static_cast<char>(c)});
				if (a >= 0xF0 && c % 9 == 0)
					for (const unsigned d : {0x7F, 0x80, 0xBF, 0xC0})
						check(std::string{
							static_cast<char>(a), static_cast<char>(b), static_cast<char>(c), static_cast<char>(d)});
			}
		}
	}
}

// Marks on one letter, one byte at a time: the stream must not rescan them again and again.
TEST(stream_marks_byte_by_byte)
{
	const TextOptions options = minhash_variants[0];
	const double growth = growth_of(25000, [&](std::size_t marks) {
		std::string text = "a";
		for (std::size_t i = 0; i < marks; ++i)
			text += "\u0301\u0323";
		std::vector<std::size_t> cuts(text.size());
		for (std::size_t at = 0; at < cuts.size(); ++at)
			cuts[at] = at;
		CHECK_EQ(streamed(chunks_at(text, cuts), options) == whole(text, options), true);
	});
	CHECK_EQ(growth < even_growth, true, growth);
}

TEST(stream_cancellation)
{
	Sketch slots(64);
	Stream<MinhashSketcher> sketch(minhash_variants[0], slots, stop_at_once);
	Stream<SimhashSketcher> simhash(simhash_options(Weighting::tf), stop_at_once);
	CHECK_EQ(is_cancelled([&] { sketch.append("some words"); }), true);
	CHECK_EQ(is_cancelled([&] { simhash.append("some words"); }), true);
}
