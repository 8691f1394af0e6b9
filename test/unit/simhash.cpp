#include "core/simhash/simhash.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "core/simhash/idf.hpp"
#include "unit/check.hpp"
#include "unit/data.hpp"
#include "unit/options.hpp"
#include "unit/stop.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

SimhashOptions simhash_options(std::string_view tokenizer_name, HashFamily family = HashFamily::xxh3)
{
	SimhashOptions options;
	options.tokenizer = tokenizer(tokenizer_name);
	options.family = family;
	return options;
}

// The digits of the SimHash, or NULL for a text without tokens.
std::string digits(std::string_view text, const SimhashOptions &options)
{
	std::uint64_t bits = 0;
	return simhash(text, options, bits) ? hex_u64(bits) : "NULL";
}

std::string expected_digits(const Row &row, const std::string &column)
{
	return row.is_null(column) ? "NULL" : row[column];
}

IdfTable idf_table(const std::string &name)
{
	IdfTable idf;
	for (const Row &row : table("idf_tables.tsv"))
		if (row["table"] == name)
			idf.insert_or_assign(
				row["token"], std::bit_cast<float>(static_cast<std::uint32_t>(row.hex("weight_bits"))));
	return idf;
}

// Majority by the definition.
std::uint64_t majority(const std::vector<std::uint64_t> &words)
{
	std::uint64_t bits = 0;
	for (unsigned bit = 0; bit < 64; ++bit) {
		std::int64_t sum = 0;
		for (const std::uint64_t word : words)
			sum += (word >> bit & 1) != 0 ? 1 : -1;
		bits |= std::uint64_t{sum > 0} << bit;
	}
	return bits;
}

} // namespace

TEST(simhash_vectors)
{
	for (const Row &row : table("simhash.tsv")) {
		HashFamily family = HashFamily::xxh3;
		CHECK_EQ(parse_hash_family(row["family"], family), true, row["family"]);
		SimhashOptions options = simhash_options("word-uax29", family);
		const std::string weighting = row["weighting"];
		const IdfTable idf = idf_table(weighting.substr(weighting.find(':') + 1));
		CHECK_EQ(parse_weighting(weighting.substr(0, weighting.find(':')), options.weighting), true, weighting);
		options.idf = &idf;
		CHECK_EQ(digits(row["input"], options), expected_digits(row, "bits"), row["input"], weighting, row["family"]);
	}
}

TEST(simhash_document_vectors)
{
	for (const Row &row : table("documents.tsv")) {
		SimhashOptions options = simhash_options("word-uax29");
		CHECK_EQ(digits(row["input"], options), expected_digits(row, "simhash_tf"), row["name"]);
		options.weighting = Weighting::uniform;
		CHECK_EQ(digits(row["input"], options), expected_digits(row, "simhash_uniform"), row["name"]);
		CHECK_EQ(digits(row["input"], simhash_options("shingle-k=3/word-uax29", HashFamily::murmur3)),
			expected_digits(row, "simhash_shingle3_murmur3"), row["name"]);
	}
}

TEST(simhash_cosine_estimate_vectors)
{
	for (const Row &row : table("cosine_estimate.tsv")) {
		const int distance = row.number("hamming");
		const std::uint64_t bits = distance == 64 ? ~0ull : (1ull << distance) - 1;
		CHECK_EQ(hamming(0, bits), distance);
		CHECK_EQ(std::bit_cast<std::uint32_t>(cosine_estimate(0, bits)), row.hex("bits"), distance);
	}
}

TEST(simhash_bit_counter_is_the_majority)
{
	std::mt19937_64 random(7);
	for (const std::size_t n : {0u, 1u, 2u, 3u, 15u, 16u, 17u, 31u, 32u, 100u, 255u, 256u, 1000u, 5000u}) {
		std::vector<std::uint64_t> words(n);
		for (std::uint64_t &word : words)
			word = random() & random();
		BitCounter counter;
		for (const std::uint64_t word : words)
			counter.add(word);
		CHECK_EQ(hex_u64(counter.majority()), hex_u64(majority(words)), n);
		BitCounter by_spans; // of all sizes, on and between the borders of blocks
		const std::span<const std::uint64_t> all(words);
		for (std::size_t at = 0, size = 0; at < n; at += size, size = (size + 7) % 41) {
			size = std::min(size, n - at);
			by_spans.add(all.subspan(at, size));
		}
		CHECK_EQ(hex_u64(by_spans.majority()), hex_u64(majority(words)), n);
		CHECK_EQ(hex_u64(by_spans.majority()), hex_u64(majority(words)), n);
		by_spans.add(all);
		CHECK_EQ(hex_u64(by_spans.majority()), hex_u64(majority(words)), n);
	}
	// simhash-cpp: ties are zero
	const auto counted = [](std::initializer_list<std::uint64_t> words) {
		BitCounter counter;
		for (const std::uint64_t word : words)
			counter.add(word);
		return hex_u64(counter.majority());
	};
	CHECK_EQ(counted({0xdeadbeef, 0xffffffff21524110}), "0000000000000000");
	CHECK_EQ(counted({0xabcd, 0xbcde, 0xcdef}), "000000000000adcf");
	CHECK_EQ(counted({1, 2, 3, 4}), "0000000000000000");
	CHECK_EQ(counted({0x417ffd1301eaa631}), "417ffd1301eaa631");
	BitCounter many;
	for (unsigned i = 0; i < 1200000; ++i)
		many.add(i % 5 < 3 ? 0xF0F0F0F0F0F0F0F0 : 0x00FF00FF00FF00FF);
	CHECK_EQ(hex_u64(many.majority()), "f0f0f0f0f0f0f0f0");
}

TEST(simhash_weights)
{
	constexpr float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
	CHECK_EQ(idf_weight(3, 0.1f), 0);
	CHECK_EQ(idf_weight(1, 4.7f), 4);
	CHECK_EQ(idf_weight(1, -4.7f), -4);
	CHECK_EQ(idf_weight(7, nan), 1);
	CHECK_EQ(idf_weight(7, -infinity), 1);
	CHECK_EQ(idf_weight(1000, 1e30f), 1000000000000000);
	CHECK_EQ(idf_weight(1000, -1e30f), -1000000000000000);

	SimhashOptions options = simhash_options("word-uax29");
	options.weighting = Weighting::idf;
	const IdfTable small{{"a", 0.4f}, {"b", -0.9f}, {"c", 0.5f}};
	options.idf = &small;
	CHECK_EQ(digits("a b c", options), "NULL"); // no token has a weight
	CHECK_EQ(digits("a b c c", options) == "NULL", false);
	CHECK_EQ(digits("a b d", options) == "NULL", false); // not in the table: 1
	CHECK_EQ(digits("", options), "NULL");

	BitAccumulator saturating;
	for (int i = 0; i < 20000; ++i)
		saturating.add(1, 1000000000000000);
	saturating.add(0, 1000000000000000);
	CHECK_EQ(saturating.bits(), 1u);
}

TEST(simhash_order_and_repetition)
{
	SimhashOptions options = simhash_options("word-uax29");
	CHECK_EQ(digits("a b c d", options), digits("d c b a", options));
	CHECK_EQ(digits("a b c", options), digits("a b c a b c", options));
	CHECK_EQ(digits("a a a b c", options) == digits("a b c", options), false);
	options.weighting = Weighting::uniform;
	CHECK_EQ(digits("a a a b c", options), digits("a b c", options));
	for (const std::string_view empty : {"", "  ", "…!", "\xE2\x80\x8B"})
		CHECK_EQ(digits(empty, options), "NULL", empty);
}

TEST(simhash_can_be_cancelled)
{
	std::string text;
	for (int i = 0; i < 100000; ++i)
		text += std::to_string(i) + " ";
	for (const Weighting weighting : {Weighting::tf, Weighting::uniform}) {
		SimhashOptions options = simhash_options("shingle-k=2/word-uax29");
		options.weighting = weighting;
		std::uint64_t bits = 0;
		CHECK_EQ(is_cancelled([&] { simhash(text, options, bits, stop_at_once); }), true);
	}
}

TEST(simhash_idf_of_a_corpus)
{
	DocumentFrequencies frequencies;
	const TokenizerSpec words = tokenizer("word-uax29");
	for (const std::string_view text : {"The cat, the dog", "the CAT", "a bird", ""})
		frequencies.add(text, {}, words);
	CHECK_EQ(frequencies.documents(), 4u);
	CHECK_EQ(frequencies.entries().size(), 5u);
	CHECK_EQ(frequencies.entries().find("the")->second.documents, 2u); // not the occurrences
	CHECK_EQ(frequencies.entries().find("bird")->second.documents, 1u);
	CHECK_EQ(idf(7, 7), 1.0f);
	CHECK_EQ(idf(4, 1), static_cast<float>(std::log(2.5) + 1));
	CHECK_EQ(is_cancelled([&] { frequencies.add(std::string(1 << 20, 'x'), {}, words, stop_at_once); }), true);
}

TEST(simhash_counters_merge)
{
	std::mt19937_64 random(12);
	for (const std::size_t size : {0, 1, 15, 16, 17, 100, 1000})
		for (const std::size_t other_size : {0, 1, 16, 31, 500}) {
			BitCounter all, part, other;
			for (std::size_t i = 0; i < size + other_size; ++i) {
				const std::uint64_t word = random() & random();
				all.add(word);
				(i < size ? part : other).add(word);
			}
			part.merge(other);
			const std::uint64_t word = random();
			all.add(word);
			part.add(word);
			CHECK_EQ(part.majority(), all.majority(), size, other_size);
		}
}

// Only what is the number of a character is an escape; everything else stays as it is.
TEST(escapes_of_keys)
{
	const std::pair<std::string_view, std::string_view> keys[] = {{"\\u{41}", "A"},
		{"a\\u{4e2d}b\\u{10FFFF}",
			"a\xE4\xB8\xAD"
			"b\xF4\x8F\xBF\xBF"},
		{"\\u{0}", std::string_view("\0", 1)}, {"", ""}, {"\\u", "\\u"}, {"\\u{", "\\u{"}, {"\\u{}", "\\u{}"},
		{"\\u{41", "\\u{41"}, {"\\u{41 }", "\\u{41 }"}, {"\\u{xy}", "\\u{xy}"}, {"\\u{110000}", "\\u{110000}"},
		{"\\u{fffffffff}", "\\u{fffffffff}"}, {"\\u{d7ff}", "\xED\x9F\xBF"}, {"\\u{d800}", "\\u{d800}"},
		{"\\u{dfff}x", "\\u{dfff}x"}, {"\\u{e000}", "\xEE\x80\x80"}, {"\\u{\\u{42}", "\\u{B"}};
	for (const auto &[key, plain] : keys)
		CHECK_EQ(without_escapes(key), plain, key);
}
