#include "core/simhash/hamming_join.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "core/base/union_find.hpp"
#include "core/simhash/simhash.hpp"
#include "unit/check.hpp"
#include "unit/data.hpp"
#include "unit/simhash_sets.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

using Pairs = std::multiset<std::pair<std::uint32_t, std::uint32_t>>;

Pairs pairs_by_definition(const std::vector<std::uint64_t> &values, int radius)
{
	Pairs pairs;
	for (std::uint32_t i = 0; i < values.size(); ++i)
		for (std::uint32_t j = i + 1; j < values.size(); ++j)
			if (hamming(values[i], values[j]) <= radius)
				pairs.emplace(i, j);
	return pairs;
}

struct Joined {
	Pairs pairs;
	std::uint64_t steps = 0, promised = 0;
};

Joined joined(const std::vector<std::uint64_t> &values, int radius)
{
	std::vector<std::uint64_t> grouped(values.size());
	std::vector<std::uint32_t> places(values.size()), offsets(hamming_block_values + 1);
	Joined out;
	const auto emit = [&](std::uint32_t i, std::uint32_t j) { out.pairs.insert(std::minmax(i, j)); };
	const auto poll = [&](std::uint64_t steps) { out.steps += steps; };
	HammingJoin join(values, radius, {grouped.data(), places.data(), offsets.data()}, emit, poll);
	out.promised = join.steps();
	join.run();
	return out;
}

// Distinct values in groups: some far apart, some a few bits from each other.
std::vector<std::uint64_t> heaps(std::size_t n, std::uint64_t mask)
{
	std::mt19937_64 random(n);
	std::set<std::uint64_t> values;
	std::uint64_t value = 0;
	while (values.size() < n) {
		if (random() % 4 == 0)
			value = random() & mask;
		else
			value ^= 1ull << random() % 64;
		values.insert(value);
	}
	std::vector<std::uint64_t> out(values.begin(), values.end());
	std::shuffle(out.begin(), out.end(), random);
	return out;
}

void check_against_reference(const std::vector<std::uint64_t> &values, int radius)
{
	const Joined actual = joined(values, radius);
	CHECK_EQ(actual.pairs == pairs_by_definition(values, radius), true, values.size(), radius);
	CHECK_EQ(actual.steps, actual.promised, values.size(), radius);
}

} // namespace

TEST(find_close_lists_values_in_order)
{
	std::mt19937_64 random(6);
	for (const std::size_t n : {0, 1, 7, 8, 9, 15, 16, 100})
		for (const int radius : {-1, 0, 3, 31, 64}) {
			const std::uint64_t value = random();
			std::vector<std::uint64_t> values(n);
			for (std::uint64_t &other : values)
				other = random() % 3 == 0 ? value ^ (random() & random() & random() & random() & random()) : random();
			std::vector<std::uint16_t> found(n + 1), expected;
			for (std::size_t i = 0; i < n; ++i)
				if (std::popcount(value ^ values[i]) <= radius)
					expected.push_back(static_cast<std::uint16_t>(i));
			found.resize(find_close(value, values.data(), n, radius, found.data()));
			CHECK_EQ(found == expected, true, n, radius);
		}
}

TEST(hamming_join_equals_brute_force)
{
	for (const std::size_t n : {0, 1, 2, 3, 300})
		for (const int radius : {0, 1, 3, 7, 16, 31, 63, 64})
			check_against_reference(heaps(n, ~0ull), radius);
	// enough values for the join by blocks
	const std::vector<std::uint64_t> spread = heaps(3000, ~0ull), skewed = heaps(3000, 0xFF00FF00FF00FF00);
	bool indexed = false;
	for (int radius = 0; radius <= 10; ++radius) {
		indexed = indexed || is_indexed_join(3000, radius);
		check_against_reference(spread, radius);
		check_against_reference(skewed, radius);
	}
	CHECK_EQ(indexed, true);
}

TEST(hamming_join_with_masks)
{
	// every number of bits that a block's mask may have: a radius of 4 · bits, and one bit more in the later blocks
	const std::vector<std::uint64_t> values = heaps(12000, ~0ull);
	for (const int radius : {4, 9, 15}) {
		CHECK_EQ(is_indexed_join(values.size(), radius), true, radius);
		const Joined actual = joined(values, radius);
		CHECK_EQ(actual.pairs == pairs_by_definition(values, radius), true, radius);
	}
	CHECK_EQ(is_indexed_join(1u << 30, 23), true);
	CHECK_EQ(is_indexed_join(1u << 30, 24), false);
}

TEST(hamming_join_masks)
{
	const BlockMasks masks;
	std::set<std::uint16_t> seen;
	for (int bits = 0; bits <= max_mask_bits; ++bits)
		for (std::size_t i = bits == 0 ? 0 : masks.count[bits - 1]; i < masks.count[bits]; ++i) {
			CHECK_EQ(__builtin_popcount(masks.masks[i]), bits);
			CHECK_EQ(seen.insert(masks.masks[i]).second, true, bits);
		}
	CHECK_EQ(seen.size(), 6885u);
}

TEST(hamming_join_vectors)
{
	for (const Row &row : table("simhash_pairs.tsv")) {
		const std::string name = row["set"];
		const std::vector<std::uint64_t> values = simhash_set(name);
		const int radius = row.number("distance");
		CHECK_EQ(values.size(), row.number("values"), name, radius);
		const Joined actual = joined(values, radius);
		CHECK_EQ(actual.pairs.size(), row.number("pairs"), name, radius);

		std::vector<std::uint32_t> parent(values.size());
		UnionFind components(parent.data());
		for (std::uint32_t i = 0; i < values.size(); ++i)
			components.add(i);
		for (const auto &[i, j] : actual.pairs)
			components.unite(i, j);
		std::map<std::uint32_t, int> sizes;
		for (std::uint32_t i = 0; i < values.size(); ++i)
			++sizes[components.find(i)];
		std::erase_if(sizes, [](const auto &entry) { return entry.second < 2; });
		int largest = 0;
		for (const auto &[root, size] : sizes)
			largest = std::max(largest, size);
		CHECK_EQ(sizes.size(), row.number("clusters"), name, radius);
		CHECK_EQ(largest, row.number("largest"), name, radius);
	}
}
