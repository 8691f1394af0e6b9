// Sketches: the crate's vectors, the formula at every SIMD level, pieces, set semantics. Forms: minhash_forms.cpp.
#include "core/minhash/minhash.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "core/minhash/config_names.hpp"
#include "core/text/config.hpp"
#include "unit/check.hpp"
#include "unit/data.hpp"
#include "unit/md5.hpp"
#include "unit/options.hpp"
#include "unit/stop.hpp"
#include "unit/text.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

using Sketch = std::vector<std::uint64_t>; // empty: no token

constexpr std::uint64_t untouched = ~std::uint64_t{0};
const std::string pangram = "the quick brown fox jumps over the lazy dog";

TextOptions options(
	std::string_view tokenizer_name, HashFamily family = HashFamily::xxh3, std::uint64_t seed = default_seed)
{
	return {{}, tokenizer(tokenizer_name), family, seed};
}

Sketch sketch(std::string_view text, const TextOptions &options, std::size_t slots = 128)
{
	Sketch out(slots);
	return minhash(text, options, out) ? out : Sketch{};
}

// slot[i] = min over tokens of lo + i·hi
void update_by_definition(Sketch &slots, const Sketch &lo, const Sketch &hi)
{
	for (std::size_t j = 0; j < lo.size(); ++j)
		for (std::size_t i = 0; i < slots.size(); ++i)
			slots[i] = std::min(slots[i], lo[j] + i * hi[j]);
}

Sketch sketch_by_definition(const std::vector<std::string> &tokens, const TextOptions &options, std::size_t slots)
{
	Sketch out(slots, untouched), lo, hi;
	for (const std::string &token : tokens) {
		const Hash128 hash = hash128(options.family, token, options.seed);
		lo.push_back(hash.lo);
		hi.push_back(hash.hi);
	}
	update_by_definition(out, lo, hi);
	return tokens.empty() ? Sketch{} : out;
}

Sketch sketch_in_pieces(const std::vector<std::string_view> &pieces, const TextOptions &options, std::size_t slots)
{
	Sketch out(slots);
	MinhashSketcher sketcher(options, out);
	for (std::size_t i = 0; i < pieces.size(); ++i)
		sketcher.append(pieces[i], i + 1 == pieces.size());
	return sketcher.finish() ? out : Sketch{};
}

std::string wire(const Sketch &slots)
{
	std::string out(wire_size(slots.size()), '?');
	write_wire(slots, reinterpret_cast<std::uint8_t *>(out.data()));
	return out;
}

std::string to_hex(std::string_view bytes)
{
	std::string out(2 * bytes.size(), '?');
	hex_encode(reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size(), out.data());
	return out;
}

// The vectors keep big sketches as the MurmurHash3 (seed 0) of their wire form.
std::string murmur_of_wire(const Sketch &slots)
{
	const std::string bytes = wire(slots);
	const Hash128 hash = murmur3_128(bytes.data(), bytes.size(), 0);
	return hex_u64(hash.lo) + hex_u64(hash.hi);
}

float jaccard(std::string_view a, std::string_view b, const TextOptions &options)
{
	const Sketch x = sketch(a, options), y = sketch(b, options);
	return static_cast<float>(matching_slots(x, y)) / static_cast<float>(x.size());
}

} // namespace

TEST(minhash_crate_vectors)
{
	const Table &vectors = table("minhash.tsv");
	CHECK_EQ(vectors.size(), 432);
	for (const Row &row : vectors) {
		const TextOptions made = options(row["tokenizer"], hash_family(row["hash"]), row.hex("seed"));
		const std::string input = row["input"];
		const Sketch small = sketch(input, made, 8);
		if (row.is_null("wire8")) {
			CHECK_EQ(small, Sketch{}, input, row["tokenizer"]);
			continue;
		}
		CHECK_EQ(to_hex(wire(small)), row["wire8"], input, row["tokenizer"]);
		for (const std::size_t slots : {64, 128, 256}) {
			const Sketch s = sketch(input, made, slots);
			CHECK_EQ(hex_u64(s.back()), row["last" + std::to_string(slots)], input, row["tokenizer"], slots);
			CHECK_EQ(murmur_of_wire(s), row["murmur" + std::to_string(slots)], input, row["tokenizer"], slots);
		}
	}
}

TEST(minhash_document_vectors)
{
	const struct {
		const char *column, *tokenizer;
		std::size_t slots;
		HashFamily family;
		std::uint64_t seed;
	} columns[] = {{"minhash128", "shingle-k=5/word-uax29", 128, HashFamily::xxh3, default_seed},
		{"minhash64_k3_murmur3", "shingle-k=3/word-uax29", 64, HashFamily::murmur3, default_seed},
		{"minhash256_grapheme4_seed42", "shingle-k=4/grapheme-uax29", 256, HashFamily::xxh3, 42},
		{"minhash128_words", "word-uax29", 128, HashFamily::xxh3, default_seed}};
	for (const Row &row : table("documents.tsv"))
		for (const auto &c : columns) {
			const Sketch actual = sketch(row["input"], options(c.tokenizer, c.family, c.seed), c.slots);
			CHECK_EQ(actual.empty(), row.is_null(c.column), row["name"], c.column);
			const std::string bytes = wire(actual), expected = row[c.column];
			if (!row.is_null(c.column))
				CHECK_EQ(expected.starts_with("md5:") ? "md5:" + Md5::hex(bytes) : to_hex(bytes), expected, row["name"],
					c.column);
		}
}

TEST(minhash_jaccard_vectors)
{
	for (const Row &row : table("jaccard.tsv")) {
		const float similarity = jaccard(row["a"], row["b"], options("shingle-k=3/word-uax29"));
		CHECK_EQ(std::bit_cast<std::uint32_t>(similarity), row.hex("jaccard_bits"), row["a"], row["b"]);
	}
}

// What the crate's streamer makes of the chunks that it accepts.
TEST(minhash_streaming_vectors)
{
	for (const Row &row : table("streaming.tsv")) {
		const std::vector<std::string> pieces = split(row["pieces"], '\x1F');
		const Sketch actual = sketch_in_pieces({pieces.begin(), pieces.end()}, options("shingle-k=3/word-uax29"), 64);
		CHECK_EQ(actual.empty(), row.is_null("first_slots"), row["scenario"]);
		std::string first;
		for (std::size_t i = 0; i < 4 && !actual.empty(); ++i)
			first += (i > 0 ? " " : "") + hex_u64(actual[i]);
		if (!row.is_null("first_slots"))
			CHECK_EQ(first, row["first_slots"], row["scenario"]);
	}
}

TEST(minhash_update_at_every_level)
{
	std::mt19937_64 random(1);
	for (const std::size_t size :
		{0, 1, 3, 4, 7, 8, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 160, 200, 255, 256, 300, 513})
		for (const std::size_t tokens : {0, 1, 2, 5, 128}) {
			Sketch lo(tokens), hi(tokens), start(size);
			for (Sketch *values : {&lo, &hi, &start})
				for (std::uint64_t &value : *values)
					value = random() % 8 == 0 ? untouched << random() % 64 : random();
			Sketch expected = start;
			update_by_definition(expected, lo, hi);
			for (const SimdLevel level : usable_simd_levels()) {
				Sketch actual = start;
				minhash_update(level, actual, lo.data(), hi.data(), tokens);
				CHECK_EQ(actual == expected, true, name(level), size, tokens);
			}
		}
}

TEST(minhash_level_names)
{
	CHECK_EQ(name(SimdLevel::baseline), std::string("baseline"));
	CHECK_EQ(name(SimdLevel::avx2), std::string("avx2"));
	CHECK_EQ(name(SimdLevel::avx512), std::string("avx512"));
	CHECK_EQ(name(SimdLevel::neon), std::string("neon"));
	CHECK_EQ(usable_simd_levels().front() == SimdLevel::baseline && usable_simd_levels().back() == simd_level(), true);
}

// Values next to the sign bit and to both ends of the range, which a signed comparison would order wrongly.
TEST(minhash_update_at_the_edges)
{
	const Sketch edges = {0, 1, untouched, untouched - 1, std::uint64_t{1} << 63, (std::uint64_t{1} << 63) - 1};
	for (const std::uint64_t lo : edges)
		for (const std::uint64_t hi : edges)
			for (const SimdLevel level : usable_simd_levels()) {
				Sketch actual(256, untouched), expected(256, untouched);
				update_by_definition(expected, {lo}, {hi});
				minhash_update(level, actual, &lo, &hi, 1);
				CHECK_EQ(actual == expected, true, name(level), hex_u64(lo), hex_u64(hi));
			}
}

TEST(minhash_builder)
{
	for (const std::size_t count : {0, 1, 127, 128, 129, 256, 1000}) { // around the batch size
		std::vector<std::string> tokens;
		for (std::size_t i = 0; i < count; ++i)
			tokens.push_back("token " + std::to_string(i));
		Sketch actual(128);
		MinhashBuilder builder(HashFamily::murmur3, 7, actual);
		for (const std::string &token : tokens)
			builder.add(token);
		CHECK_EQ(builder.finish(), count > 0, count);
		CHECK_EQ(count == 0 ? Sketch{} : actual,
			sketch_by_definition(tokens, options("word-uax29", HashFamily::murmur3, 7), 128), count);
		if (count == 0)
			CHECK_EQ(actual, Sketch(128, untouched));
	}
}

TEST(minhash_by_definition)
{
	RandomText random(2);
	for (int i = 0; i < 1500; ++i) {
		const std::string text = random.next_utf8(60);
		for (const char *name : {"word-uax29", "shingle-k=5/word-uax29", "shingle-k=4/grapheme-uax29"}) {
			const TextOptions made =
				options(name, i % 2 == 0 ? HashFamily::xxh3 : HashFamily::murmur3, random.engine()());
			const std::vector<std::string> expected = tokens(canonicalize(text, made.canonical), made.tokenizer);
			CHECK_EQ(sketch(text, made) == sketch_by_definition(expected, made, 128), true, name, text);
		}
	}
}

TEST(minhash_pieces_give_the_whole)
{
	RandomText random(3);
	TextOptions by_rules = options("shingle-k=2/word-uax29");
	by_rules.canonical = canonicalizer("nfc-cf-simple");
	for (const TextOptions &made : {options("shingle-k=5/word-uax29"), options("shingle-k=2/grapheme-uax29"), by_rules})
		for (int i = 0; i < 100; ++i) {
			const std::string text = random.next_utf8(20);
			const Sketch expected = sketch(text, made, 64);
			for_each_cutting(text, random.engine(), [&](const std::vector<std::string_view> &pieces) {
				CHECK_EQ(sketch_in_pieces(pieces, made, 64) == expected, true, text, pieces);
			});
		}
}

// A whole text is also processed in pieces internally.
TEST(minhash_of_long_texts)
{
	RandomText random(4);
	for (int i = 0; i < 6; ++i) {
		std::string text;
		while (text.size() < 200000)
			text += i == 0 ? "\U0001F600\u00E9\u20AC " : random.next_utf8(300);
		const TextOptions made = options("shingle-k=3/word-uax29");
		const Sketch expected = sketch_by_definition(tokens(canonicalize(text, {}), made.tokenizer), made, 128);
		CHECK_EQ(sketch(text, made) == expected, true, i);
		CHECK_EQ(
			sketch_in_pieces(cut(text, [](std::size_t at) { return at % 1000 < 2; }), made, 128) == expected, true, i);
	}
}

// Slot i does not depend on the number of slots.
TEST(minhash_small_sketch_is_a_prefix)
{
	const Sketch large = sketch(pangram, options("word-uax29"), 256);
	for (const std::size_t slots : {1, 8, 63, 64, 65, 128, 200, 256})
		CHECK_EQ(sketch(pangram, options("word-uax29"), slots) ==
				Sketch(large.begin(), large.begin() + static_cast<std::ptrdiff_t>(slots)),
			true, slots);
}

TEST(minhash_is_of_a_set)
{
	const TextOptions made = options("word-uax29");
	const Sketch expected = sketch("alpha beta gamma delta", made, 64);
	CHECK_EQ(sketch("delta gamma beta alpha", made, 64) == expected, true);
	CHECK_EQ(sketch("alpha beta gamma delta alpha beta gamma delta", made, 64) == expected, true);
	CHECK_EQ(sketch("alpha beta gamma", made, 64) == expected, false);
}

TEST(minhash_of_no_tokens)
{
	for (const char *text : {"", "    \n\n\n", "\u200B\u200B\u200B", "!!! …", "\U0001F600", "\u0301"}) {
		Sketch slots(64, 7);
		CHECK_EQ(minhash(text, options(default_tokenizer), slots), false, text);
		CHECK_EQ(slots, Sketch(64, untouched), text);
	}
	CHECK_EQ(sketch("a b c", options("shingle-k=0/word-uax29")), Sketch{});
	CHECK_EQ(sketch(" ", options("grapheme-uax29")).size(), 128);
}

TEST(minhash_similarities)
{
	const TextOptions made = options("shingle-k=3/word-uax29");
	CHECK_EQ(jaccard(pangram, pangram, made), 1.0f);
	CHECK_EQ(jaccard(pangram, "the quick brown fox leaps over the lazy dog", made) > 0.30f, true);
	CHECK_EQ(jaccard(pangram, "a completely unrelated sentence about astronomy", made) < 0.3f, true);
	CHECK_EQ(sketch(pangram, made) == sketch(pangram, options("shingle-k=3/word-uax29", HashFamily::xxh3, 42)), false);
}

TEST(minhash_matching_slots)
{
	const Sketch a = {1, 2, 3, 4, 5, 6, 7, 8}, b = {1, 2, 3, 4, 99, 99, 99, 99};
	CHECK_EQ(matching_slots(a, b), 4);
	CHECK_EQ(matching_slots(a, a), 8);
	CHECK_EQ(matching_slots(Sketch{}, Sketch{}), 0);
	std::mt19937_64 random(5);
	for (std::size_t size = 0; size < 300; ++size) {
		Sketch x(size), y(size);
		unsigned expected = 0;
		for (std::size_t i = 0; i < size; ++i) {
			x[i] = random() % 3;
			y[i] = x[i] ^ (random() % 2 << random() % 64); // differs in one bit, anywhere
			expected += x[i] == y[i];
		}
		CHECK_EQ(matching_slots(x, y), expected, size);
	}
}

TEST(minhash_configuration)
{
	const TextOptions made = options("shingle-k=5/word-uax29");
	CHECK_EQ(minhash_config(made, 128),
		config_hash(
			"nfkc-cf-simple-bidi-fmt", "shingle-k=5/word-uax29", "minhash-h128", HashFamily::xxh3, default_seed));
	CHECK_EQ(minhash_config(made, 64) == minhash_config(made, 128), false);
	CHECK_EQ(minhash_config(made, 128) == minhash_config(options("word-uax29"), 128), false);
	// as the crate's vectors have it
	for (const Row &row : table("config_hash.tsv"))
		if (row["canonicalizer"] == default_canonicalizer && row["tokenizer"] == default_tokenizer &&
			row["algorithm"] == "minhash-h128")
			CHECK_EQ(minhash_config(made, 128), row.hex("classical_xxh3_default"));
}

TEST(minhash_configuration_has_a_name)
{
	TextOptions options;
	parse_tokenizer(default_tokenizer, options.tokenizer);
	for (const std::size_t slots : {64, 128, 256})
		CHECK_EQ(configuration_name(minhash_config(options, slots), slots), "shingle-k=5/word-uax29", slots);
	CHECK_EQ(configuration_name(minhash_config(options, 64), 128), "");
	options.tokenizer = {};
	CHECK_EQ(configuration_name(minhash_config(options, 128), 128), "word-uax29");
	options.family = HashFamily::murmur3;
	for (const std::string canonicalizer : {"none-cf-none", "nfc-cf-simple-bidi", "nfkc-cf-none-fmt-conf"}) {
		CHECK_EQ(parse_canonicalizer(canonicalizer, options.canonical), true);
		CHECK_EQ(
			configuration_name(minhash_config(options, 256), 256), "word-uax29, " + canonicalizer + ", mmh3-x64-128");
	}
	options.seed = 1;
	CHECK_EQ(configuration_name(minhash_config(options, 256), 256), "");
	CHECK_EQ(configuration_name(0, 128), "");
}

TEST(minhash_cancellation)
{
	Sketch slots(128);
	for (const char *part : {"word ", "WORD", "日本", "\u0301\u0323", "  "}) {
		std::string text = "a";
		while (text.size() < (1 << 20))
			text += part;
		CHECK_EQ(is_cancelled([&] { minhash(text, options(default_tokenizer), slots, stop_at_once); }), true, part);
		polls = 0;
		minhash(text, options(default_tokenizer), slots, count_polls);
		CHECK_EQ(polls >= 10, true, part, polls);
	}
}

// Marks on one letter in small pieces: the canonicalizer must hold them back to the end, and must not rescan all of
// them for each piece.
TEST(minhash_many_marks_in_small_pieces)
{
	for (const char *name : {"nfkc-cf-simple-bidi-fmt", "nfc-cf-simple"}) {
		TextOptions made = options("word-uax29");
		made.canonical = canonicalizer(name);
		const double growth = growth_of(60000, [&](std::size_t marks) {
			std::string text = "a";
			for (std::size_t i = 0; i < marks; ++i)
				text += "\u0301\u0323";
			const std::vector<std::string_view> pieces = cut(text, [](std::size_t at) { return at % 64 == 1; });
			CHECK_EQ(sketch_in_pieces(pieces, made, 64) == sketch(text, made, 64), true, name);
		});
		CHECK_EQ(growth < even_growth, true, name, growth);
	}
}
