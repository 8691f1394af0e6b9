#include "core/base/table_hash.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/base/hash.hpp"
#include "core/simhash/idf.hpp"
#include "core/simhash/simhash.hpp"
#include "unit/check.hpp"

using namespace txtfp::core;

namespace {

// The 8 bytes whose XXH3 (64 bits, seed 0) is `hash`: for this length it is a bijection.
std::uint64_t bytes_of_hash(std::uint64_t hash)
{
	constexpr std::uint64_t multiplier = 0x9FB21C651E98DF25;
	std::uint64_t inverse = 1; // of the multiplier modulo 2^64: I. Newton
	for (int i = 0; i < 6; ++i)
		inverse *= 2 - multiplier * inverse;
	std::uint64_t h = hash;
	h ^= h >> 28 ^ h >> 56;
	h *= inverse;
	h ^= (h >> 35) + 8;
	h *= inverse;
	for (const int k : {1, 2, 4, 8, 16, 32}) // 1 + r^49 + r^24 in the rotation r by one bit, whose 64th power is 1
		h ^= std::rotl(h, 49 * k % 64) ^ std::rotl(h, 24 * k % 64);
	h ^= 0x1CAD21F72C81017C ^ 0xDB979083E96DD4DE; // words of the default secret
	std::uint64_t bytes;
	store_le64(&bytes, std::rotl(h, 32));
	return bytes;
}

std::string_view view(const std::uint64_t &bytes) { return {reinterpret_cast<const char *>(&bytes), sizeof bytes}; }

// The number of keys in the fullest of 2^16 slots.
template <class Hash> std::size_t fullest(const std::vector<std::uint64_t> &keys, Hash hash)
{
	std::vector<std::size_t> places(1 << 16);
	for (const std::uint64_t &key : keys)
		++places[hash(view(key)) & 0xFFFF];
	return *std::max_element(places.begin(), places.end());
}

} // namespace

// With key 0 it is python_hash, which vectors test.
TEST(table_hash_depends_on_the_key)
{
	const std::uint64_t text = 42;
	set_table_key(1, 2);
	const std::uint64_t a = table_hash(view(text));
	set_table_key(1, 3);
	const std::uint64_t b = table_hash(view(text));
	set_table_key(2, 2);
	const std::uint64_t c = table_hash(view(text));
	set_table_key(1, 2);
	CHECK_EQ(a != b && b != c && a != c, true);
	CHECK_EQ(table_hash(view(text)), a);
	set_table_key(0, 0);
}

TEST(table_hash_cannot_be_flooded)
{
	std::vector<std::uint64_t> crafted;
	for (std::uint64_t i = 1; i <= 30000; ++i)
		crafted.push_back(bytes_of_hash(i << 32));
	for (std::size_t i = 0; i < crafted.size(); i += 1000)
		CHECK_EQ(xxh3_64(&crafted[i], 8, 0), std::uint64_t{i + 1} << 32);
	const auto known = [](std::string_view key) { return xxh3_64(key.data(), key.size(), 0); };
	CHECK_EQ(fullest(crafted, known), crafted.size()); // the result with a known key
	for (const std::uint64_t key : {0, 1, 77}) {
		set_table_key(key, ~key);
		CHECK_EQ(fullest(crafted, table_hash) <= 12, true, key, fullest(crafted, table_hash));
	}
	// tokens that collide under one key are spread by another
	set_table_key(5, 6);
	std::vector<std::uint64_t> chosen;
	for (std::uint64_t i = 0; chosen.size() < 200; ++i)
		if ((table_hash(view(i)) & 0x3FF) == 0)
			chosen.push_back(i);
	set_table_key(7, 8);
	std::size_t together = 0;
	for (const std::uint64_t &key : chosen)
		together += (table_hash(view(key)) & 0x3FF) == 0;
	CHECK_EQ(together <= 8, true, together);
	set_table_key(0, 0);
}

// Fingerprints and tables of weights do not depend on the key.
TEST(table_hash_key_has_no_result)
{
	std::string text;
	for (int i = 0; i < 3000; ++i)
		text += "word" + std::to_string(i * 7919 % 1000) + ' ';
	std::vector<std::uint64_t> uniform, weighted;
	for (const std::uint64_t key : {0, 1, 2}) {
		set_table_key(key, 3 * key);
		IdfTable idf;
		for (int i = 0; i < 1000; i += 3)
			idf.emplace("word" + std::to_string(i), 0.5f + static_cast<float>(i));
		SimhashOptions options;
		std::uint64_t bits;
		options.weighting = Weighting::uniform;
		simhash(text, options, bits);
		uniform.push_back(bits);
		options.weighting = Weighting::idf;
		options.idf = &idf;
		simhash(text, options, bits);
		weighted.push_back(bits);
	}
	set_table_key(0, 0);
	CHECK_EQ(uniform[0] == uniform[1] && uniform[1] == uniform[2], true);
	CHECK_EQ(weighted[0] == weighted[1] && weighted[1] == weighted[2], true);
}

TEST(idf_escapes)
{
	CHECK_EQ(without_escapes(""), "");
	CHECK_EQ(without_escapes("plain \\ text"), "plain \\ text");
	CHECK_EQ(without_escapes("\\u{3bc}m"), "\u03BCm");
	CHECK_EQ(without_escapes("a\\u{1f600}b\\u{5c}u{41}"), "a\U0001F600b\\u{41}");
	for (const char *broken : {"\\u{", "\\u{}", "\\u{zz}", "\\u{41", "\\u{d800}", "\\u{110000}", "\\u{41 }", "\\u{-1}"})
		CHECK_EQ(without_escapes(broken), broken);
}
