#include "core/text/config.hpp"

#include "unit/check.hpp"
#include "unit/data.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

TEST(config_crate_vectors)
{
	const Table &vectors = table("config_hash.tsv");
	CHECK_EQ(vectors.size(), 1440);
	for (const Row &row : vectors) {
		const std::string canonicalizer = row["canonicalizer"], tokenizer = row["tokenizer"];
		const std::string algorithm = row["algorithm"];
		const auto classical = [&](HashFamily family, std::uint64_t seed) {
			return config_hash(canonicalizer, tokenizer, algorithm, family, seed);
		};
		CHECK_EQ(config_hash(canonicalizer, tokenizer, algorithm), row.hex("config_hash"), canonicalizer, tokenizer);
		CHECK_EQ(classical(HashFamily::murmur3, 42), row.hex("classical_mmh3_seed42"), canonicalizer, tokenizer);
		CHECK_EQ(
			classical(HashFamily::xxh3, default_seed), row.hex("classical_xxh3_default"), canonicalizer, tokenizer);
	}
}

TEST(config_spot_values)
{
	const char *canonicalizer = "nfkc-cf-simple-bidi-fmt", *tokenizer = "word-uax29", *algorithm = "minhash-h128-mmh3";
	CHECK_EQ(config_hash(canonicalizer, tokenizer, algorithm), 0x58b0596b0722cd78u);
	CHECK_EQ(config_hash(canonicalizer, tokenizer, algorithm, HashFamily::xxh3, default_seed), 0x2491bac1c69dae2bu);
}

// The definition, written out.
TEST(config_joins_the_parts_with_bars)
{
	const std::string_view text = "a|b|c", classical = "a|b|c|mmh3-x64-128|0000000000000abc";
	CHECK_EQ(config_hash("a", "b", "c"), xxh3_64(text.data(), text.size(), 0));
	CHECK_EQ(config_hash("a", "b", "c", HashFamily::murmur3, 0xABC), xxh3_64(classical.data(), classical.size(), 0));
}
