#include "core/base/hash.hpp"
#include "core/base/siphash.hpp"

#include <set>
#include <string>
#include <vector>

#include "unit/check.hpp"
#include "unit/data.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

std::string hex(Hash128 hash)
{
	char text[32];
	hex_encode_u64(hash.lo, text);
	hex_encode_u64(hash.hi, text + 16);
	return std::string(text, 32);
}

std::string from_hex(const std::string &digits)
{
	std::string bytes(digits.size() / 2, '\0');
	hex_decode(digits.data(), bytes.size(), reinterpret_cast<std::uint8_t *>(bytes.data()));
	return bytes;
}

} // namespace

// Both families, eight seeds, lengths from 0 to 4096 around every block boundary.
TEST(hash_crate_vectors)
{
	const Table &vectors = table("hash128.tsv");
	CHECK_EQ(vectors.size(), 43);
	for (const std::string &column : vectors.column_names()) {
		if (column == "input_hex")
			continue;
		const std::size_t slash = column.find('/');
		HashFamily family{};
		CHECK_EQ(parse_hash_family(column.substr(0, slash), family), true, column);
		const std::uint64_t seed = std::stoull(column.substr(slash + 1), nullptr, 16);
		for (const Row &row : vectors) {
			const std::string input = from_hex(row["input_hex"]);
			CHECK_EQ(hex(hash128(family, input, seed)), row[column], column, input);
		}
	}
}

TEST(hash_spot_values)
{
	const auto hello = [](HashFamily family, std::uint64_t seed) { return hex(hash128(family, "hello", seed)); };
	CHECK_EQ(hello(HashFamily::xxh3, 0), "c779cfaa5e523818b5e9c1ad071b3e7f");
	CHECK_EQ(hello(HashFamily::xxh3, default_seed), "9c165db7b53c9009219496be4117f77a");
	CHECK_EQ(hello(HashFamily::murmur3, 0), "cbd8a7b341bd9b025b1e906a48ae1d19");
	CHECK_EQ(hello(HashFamily::murmur3, default_seed), "bb93b20b339e7d54fe44d54ac283c031");
	CHECK_EQ(hello(HashFamily::murmur3, ~std::uint64_t{0}), "c0eb3c1697185396dbb7ade0823f4087");
}

TEST(hash_differs_by_input_seed_and_family)
{
	std::set<std::string> seen;
	for (const HashFamily family : {HashFamily::xxh3, HashFamily::murmur3})
		for (const std::uint64_t seed : {0, 1})
			for (const char *input : {"", "hello", "world"})
				seen.insert(hex(hash128(family, input, seed)));
	CHECK_EQ(seen.size(), 12);
}

// Tokens may have any alignment.
TEST(hash_does_not_depend_on_alignment)
{
	const std::string text(300, 'x');
	std::vector<char> memory(text.size() + 16);
	for (const HashFamily family : {HashFamily::xxh3, HashFamily::murmur3})
		for (std::size_t size : {0, 1, 8, 15, 16, 17, 129, 300})
			for (std::size_t offset = 0; offset < 16; ++offset) {
				std::copy(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(size), memory.data() + offset);
				CHECK_EQ(hex(hash128(family, {memory.data() + offset, size}, 7)),
					hex(hash128(family, std::string_view(text).substr(0, size), 7)), size, offset);
			}
}

TEST(hash_of_many_tokens_is_that_of_each)
{
	std::vector<std::string> texts;
	for (std::size_t size = 0; size < 300; ++size)
		texts.emplace_back(size, static_cast<char>('a' + size % 26));
	const std::vector<std::string_view> tokens(texts.begin(), texts.end());
	for (const HashFamily family : {HashFamily::xxh3, HashFamily::murmur3}) {
		std::vector<std::uint64_t> lo(tokens.size()), hi(tokens.size()), lo_alone(tokens.size());
		hash128(family, tokens, default_seed, lo.data(), hi.data());
		hash128(family, tokens, default_seed, lo_alone.data(), nullptr);
		for (std::size_t i = 0; i < tokens.size(); ++i) {
			const std::string expected = hex(hash128(family, tokens[i], default_seed));
			CHECK_EQ(hex({lo[i], hi[i]}), expected, i);
			CHECK_EQ(hex({lo_alone[i], hi[i]}), expected, i);
		}
	}
}

TEST(hash_family_names)
{
	CHECK_EQ(name(HashFamily::xxh3), "xxh3-64");
	CHECK_EQ(name(HashFamily::murmur3), "mmh3-x64-128");
	for (const HashFamily family : {HashFamily::xxh3, HashFamily::murmur3}) {
		HashFamily parsed = family == HashFamily::xxh3 ? HashFamily::murmur3 : HashFamily::xxh3;
		CHECK_EQ(parse_hash_family(name(family), parsed), true);
		CHECK_EQ(parsed, family);
	}
	for (const char *bad :
		{"", "xxh3", "xxh3-64 ", " xxh3-64", "XXH3-64", "xxh3-128", "mmh3-x64-12", "mmh3-x64-1288"}) {
		HashFamily parsed{};
		CHECK_EQ(parse_hash_family(bad, parsed), false, bad);
	}
}

// The values of the paper's appendix and of OpenSSL: openssl mac -macopt hexkey:… -macopt size:8 SIPHASH
TEST(siphash_2_4)
{
	const std::string bytes = from_hex("000102030405060708090a0b0c0d0e0f1011121314151617");
	const auto of = [&](const SipHash24 &hash, std::size_t size) {
		return siphash(hash, reinterpret_cast<const std::uint8_t *>(bytes.data()), size);
	};
	const SipHash24 ascending(0x0706050403020100, 0x0F0E0D0C0B0A0908),
		descending(0x8899AABBCCDDEEFF, 0x0011223344556677);
	CHECK_EQ(of(ascending, 0), 0x726FDB47DD0E0E31u);
	CHECK_EQ(of(ascending, 8), 0x93F5F5799A932462u);
	CHECK_EQ(of(ascending, 15), 0xA129CA6149BE45E5u);
	CHECK_EQ(of(ascending, 16), 0x3F2ACC7F57C29BDBu);
	CHECK_EQ(of(ascending, 24), 0xB8AD50C6F649AF94u);
	CHECK_EQ(of(descending, 0), 0x6D16F3F4EA6E3CE9u);
	CHECK_EQ(of(descending, 16), 0xDC9F5B333DB98C55u);
	CHECK_EQ(of(descending, 24), 0xCCBD1B5659BCD2B8u);
}
