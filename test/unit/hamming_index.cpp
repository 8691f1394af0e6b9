// Compares multi-index hashing with the block permutations of simhash-cpp (G. Manku, A. Jain, A. Das Sarma, 2007) and
// with that program's own pairs.
#include "core/simhash/hamming_index.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "core/simhash/simhash.hpp"
#include "unit/check.hpp"
#include "unit/data.hpp"
#include "unit/md5.hpp"
#include "unit/simhash_sets.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

using Values = std::vector<std::uint64_t>;
using Pairs = std::set<std::pair<std::uint64_t, std::uint64_t>>; // (smaller, greater)

// One table of the reference: the chosen blocks lead, so that values which agree in them are neighbours when sorted.
struct Permutation {
	std::vector<std::uint64_t> masks; // of the blocks, in permuted order
	std::vector<int> shifts;          // to the left; negative: to the right
	std::uint64_t search_mask = 0;

	std::uint64_t operator()(std::uint64_t value) const
	{
		std::uint64_t out = 0;
		for (std::size_t i = 0; i < masks.size(); ++i) {
			const std::uint64_t block = value & masks[i];
			out |= shifts[i] >= 0 ? block << shifts[i] : block >> -shifts[i];
		}
		return out;
	}
};

Permutation permutation(const std::vector<int> &order, int blocks, int leading)
{
	Permutation out;
	int width = 0;
	for (std::size_t i = 0; i < order.size(); ++i) {
		const int low = 64 * order[i] / blocks, high = 64 * (order[i] + 1) / blocks;
		out.masks.push_back((high - low == 64 ? ~0ull : (1ull << (high - low)) - 1) << low);
		width += high - low;
		out.shifts.push_back(64 - width - low);
		if (static_cast<int>(i) + 1 == leading)
			out.search_mask = ~0ull << (64 - width);
	}
	return out;
}

// All tables: the choices of blocks − distance leading blocks, in lexicographic order.
std::vector<Permutation> permutations(int blocks, int distance)
{
	std::vector<Permutation> tables;
	std::vector<bool> chosen(static_cast<std::size_t>(blocks), false);
	std::fill_n(chosen.begin(), blocks - distance, true);
	do {
		std::vector<int> order;
		for (const bool leads : {true, false})
			for (int block = 0; block < blocks; ++block)
				if (chosen[static_cast<std::size_t>(block)] == leads)
					order.push_back(block);
		tables.push_back(permutation(order, blocks, blocks - distance));
	} while (std::prev_permutation(chosen.begin(), chosen.end()));
	return tables;
}

void add_pair(Pairs &pairs, std::uint64_t a, std::uint64_t b, int distance)
{
	if (a != b && hamming(a, b) <= distance)
		pairs.emplace(std::min(a, b), std::max(a, b));
}

Pairs pairs_by_permutations(const Values &values, int blocks, int distance)
{
	Pairs pairs;
	for (const Permutation &table : permutations(blocks, distance)) {
		std::map<std::uint64_t, Values> runs;
		for (const std::uint64_t value : values)
			runs[table(value) & table.search_mask].push_back(value);
		for (const auto &[prefix, run] : runs)
			for (std::size_t i = 0; i < run.size(); ++i)
				for (std::size_t j = 0; j < i; ++j)
					add_pair(pairs, run[i], run[j], distance);
	}
	return pairs;
}

Pairs pairs_by_index(const Values &values, int distance)
{
	std::map<std::uint64_t, Values> index;
	for (const std::uint64_t value : values)
		for (int block = 0; block < hamming_blocks; ++block)
			index[compact_key(value, block)].push_back(value);
	Pairs pairs;
	for (const std::uint64_t value : values)
		for (const std::uint32_t key : probe_keys(value, distance))
			if (const auto at = index.find(key); at != index.end())
				for (const std::uint64_t other : at->second)
					add_pair(pairs, value, other, distance);
	return pairs;
}

std::string lines(const Pairs &pairs)
{
	std::string out;
	for (const auto &[a, b] : pairs)
		out += std::to_string(a) + " " + std::to_string(b) + "\n";
	return out;
}

} // namespace

TEST(hamming_index_finds_the_pairs_of_simhash_cpp)
{
	for (const Row &row : table("simhash_pairs.tsv")) {
		const Values values = simhash_set(row["set"]);
		CHECK_EQ(values.size(), static_cast<std::size_t>(row.number("values")), row["set"]);
		const Pairs found = pairs_by_index(values, row.number("distance"));
		CHECK_EQ(found.size(), static_cast<std::size_t>(row.number("pairs")), row["set"], row["distance"]);
		CHECK_EQ(Md5::hex(lines(found)), row["pairs_md5"], row["set"], row["distance"]);
		CHECK_EQ(found == pairs_by_permutations(values, row.number("blocks"), row.number("distance")), true, row["set"],
			row["blocks"]);
	}
}

TEST(hamming_index_reference_permutes_as_simhash_cpp)
{
	for (const Row &row : table("block_permutations.tsv")) {
		const auto tables = permutations(row.number("blocks"), row.number("distance"));
		CHECK_EQ(tables.size(), static_cast<std::size_t>(row.number("tables")), row["blocks"]);
		const Permutation &permutation = tables.at(static_cast<std::size_t>(row.number("table")));
		std::string masks, shifts;
		for (std::size_t i = 0; i < permutation.masks.size(); ++i) {
			masks += (i == 0 ? "" : " ") + hex_u64(permutation.masks[i]);
			shifts += (i == 0 ? "" : " ") + std::to_string(permutation.shifts[i]);
		}
		CHECK_EQ(masks, row["masks"], row["blocks"], row["table"]);
		CHECK_EQ(shifts, row["shifts"], row["blocks"], row["table"]);
		CHECK_EQ(hex_u64(permutation.search_mask), row["search_mask"], row["blocks"], row["table"]);
		CHECK_EQ(hex_u64(permutation(0x0123456789ABCDEF)), row["permuted"], row["blocks"], row["table"]);
	}
}

// For any differing bits, a search for one value looks up a key of the other.
TEST(hamming_index_misses_nothing)
{
	std::mt19937_64 random(3);
	for (int radius = 0; radius <= max_indexed_distance; ++radius) {
		const std::uint64_t value = random();
		const std::vector<std::uint32_t> keys = probe_keys(value, radius);
		const std::set<std::uint32_t> looked_up(keys.begin(), keys.end());
		CHECK_EQ(looked_up.size(), keys.size(), radius); // each key once
		CHECK_EQ(probe_key_count(radius), keys.size(), radius);
		for (int i = 0; i < 20000; ++i) {
			std::uint64_t other = value;
			for (int flips = radius; flips > 0; --flips) // half of the time the flipped bits are close together
				other ^= std::uint64_t{1}
					<< (i % 2 == 0 ? random() % 64 : (random() % 20 + static_cast<unsigned>(i)) % 64);
			bool found = false;
			for (int block = 0; block < hamming_blocks; ++block)
				found = found || looked_up.count(static_cast<std::uint32_t>(compact_key(other, block))) != 0;
			CHECK_EQ(found, true, radius, hex_u64(value ^ other));
		}
	}
}

TEST(hamming_index_wide_keys)
{
	std::mt19937_64 random(4);
	for (int i = 0; i < 1000; ++i) {
		const std::uint64_t a = random(), b = a ^ (random() & random() & random());
		for (int block = 0; block < hamming_blocks; ++block) {
			CHECK_EQ(wide_key(a, block) >> prefix_shift, compact_key(a, block));
			CHECK_EQ(compact_key(a, block), std::uint64_t(block) << 16 | (a >> (48 - 16 * block) & 0xFFFF));
			const int bound = wide_key_distance(wide_key(a, block), wide_key(b, block));
			CHECK_EQ(bound <= hamming(a, b) && hamming(a, b) <= bound + 2, true, hex_u64(a), hex_u64(b));
		}
	}
}
