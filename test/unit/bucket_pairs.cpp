#include "core/minhash/bucket_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "unit/check.hpp"
#include "unit/joins.hpp"

using namespace txtfp::test;

namespace {

using Slot = std::uint64_t;
using Sketch = SketchOf<Slot>;
using Sketches = SketchesOf<Slot>;
using Source = MemorySource<Slot>;

struct Result {
	Pairs pairs; // sorted; each pair must come once
	std::uint64_t compared = 0;
};

// Knows how many pairs were compared from one poll to the next.
struct Polled : Source {
	const BucketPairs<Polled> *join = nullptr;
	std::uint64_t last = 0, most = 0;

	void poll()
	{
		most = std::max(most, join->compared() - last);
		last = join->compared();
	}
};

constexpr std::uint32_t one_part = BucketPairs<Source>::one_part;

// The join of near_duplicate_pairs in small: calls BucketPairs for every bucket of every band. `second` is where the
// second part of the rows begins.
Result join(
	const Sketches &sketches, unsigned matches, Banding banding, bool copies = false, std::uint32_t second = one_part)
{
	const std::size_t slots = sketches[0].size();
	Source source{sketches, copies};
	std::vector<std::uint64_t> buffers(pair_bucket_limit * slots);
	BucketPairs<Source> bucket_pairs(source, slots, matches, banding, buffers.data(), second);
	Result result;
	for (const auto &[key, bucket] : buckets_of(sketches, banding))
		if (bucket.size() > 1)
			bucket_pairs.find(bucket, [&](std::uint32_t a, std::uint32_t b, unsigned equal) {
				CHECK_EQ(a < b, true, a, b);
				CHECK_EQ(equal, matching_slots(sketches[a], sketches[b]), a, b);
				result.pairs.emplace_back(a, b);
			});
	std::sort(result.pairs.begin(), result.pairs.end());
	result.compared = bucket_pairs.compared();
	return result;
}

// Rows that agree with the template of their family in `share` of the slots; the templates agree with a common one in
// `among` of them. Every eighth row is nearly the one before it.
Sketches boilerplate(std::size_t n, std::size_t slots, double share, std::size_t families = 1, double among = 0.5,
	std::uint64_t values = 0)
{
	std::mt19937_64 random(n * 1000 + families);
	const Sketch common = random_sketch<Slot>(random, slots);
	Sketches templates, rows;
	for (std::size_t f = 0; f < families; ++f)
		templates.push_back(like(common, among, random));
	for (std::size_t i = 0; i < n; ++i)
		rows.push_back(i % 8 == 7 ? like(rows[i - 1], 0.93, random, values)
								  : like(templates[i % families], share, random, values));
	return rows;
}

void check_all(const Sketches &sketches, double threshold, Banding banding, const char *what)
{
	const auto matches =
		static_cast<unsigned>(std::max(1.0, std::ceil(threshold * static_cast<double>(sketches[0].size()))));
	const Pairs expected = pairs_by_brute_force(sketches, matches, banding);
	for (const bool copies : {false, true}) {
		const Result result = join(sketches, matches, banding, copies);
		CHECK_EQ(result.pairs == expected, true, what, sketches[0].size(), threshold, copies, result.pairs.size(),
			expected.size());
	}
	const auto rows = static_cast<std::uint32_t>(sketches.size());
	for (const std::uint32_t second : {std::uint32_t{0}, std::uint32_t{1}, rows / 10, rows / 2, rows}) {
		Pairs across;
		for (const auto &[a, b] : expected)
			if (a < second && b >= second)
				across.emplace_back(a, b);
		const Result result = join(sketches, matches, banding, false, second);
		CHECK_EQ(result.pairs == across, true, what, second, threshold, result.pairs.size(), across.size());
	}
}

} // namespace

TEST(bucket_pairs_are_those_of_brute_force)
{
	for (const std::size_t slots : {64, 128, 256})
		for (const double share : {0.5, 0.7, 0.78, 0.83, 0.88, 0.95})
			check_all(boilerplate(by_length(400, 200), slots, share), 0.8, {8, 4}, "one family");
	for (const double threshold : {0.01, 0.3, 0.5, 0.7, 0.9, 1.0})
		check_all(boilerplate(by_length(400, 200), 64, 0.75), threshold, {10, 2}, "thresholds");
}

TEST(bucket_pairs_of_families)
{
	for (const std::size_t families : {2, 3, 20})
		for (const double among : {0.3, 0.7, 0.9})
			check_all(boilerplate(by_length(500, 250), 64, 0.85, families, among), 0.8, {8, 2}, "families");
	// deviations with few values, such as dates and names: most rows share some
	for (const std::uint64_t values : {2, 10, 100})
		check_all(boilerplate(by_length(400, 200), 64, 0.6, 1, 0.5, values), 0.8, {8, 2}, "few values");
	// groups that are large enough to be searched as buckets
	check_all(boilerplate(5000, 64, 0.9, 2, 0.6), 0.9, {4, 4}, "large groups");
	// all rows are similar: every pair
	check_all(boilerplate(by_length(600, 300), 128, 0.99), 0.5, {4, 4}, "alike");
}

// A bucket of many rows, most of which share some deviating value: all pairs are compared by their masks, more than fit
// into a tile.
TEST(bucket_pairs_that_mostly_meet)
{
	const Sketches rows = boilerplate(2600, 64, 0.55, 1, 0.5, 2);
	const Banding banding{2, 1};
	const unsigned matches = 52;
	CHECK_EQ(join(rows, matches, banding).pairs == pairs_by_brute_force(rows, matches, banding), true);
	// where hardly any pair is similar, there is a poll for each tile
	Polled source{{rows, false}};
	std::vector<std::uint64_t> buffers(pair_bucket_limit * 64);
	BucketPairs<Polled> pairs(source, 64, 60, banding, buffers.data());
	source.join = &pairs;
	for (const auto &[key, bucket] : buckets_of(rows, banding))
		if (bucket.size() > pair_bucket_limit)
			pairs.find(bucket, [](std::uint32_t, std::uint32_t, unsigned) {});
	CHECK_EQ(pairs.compared() > 1000000, true, pairs.compared());
	CHECK_EQ(source.most < 2600, true, source.most);
}

// Groups in groups: in each of four slots most rows have a value that the samples, by which the join chooses its way, do
// not see. At the greatest depth a group of more rows than fit into a tile is compared pair by pair.
TEST(bucket_pairs_of_nested_groups)
{
	std::mt19937_64 random(12);
	Sketches rows;
	for (std::size_t i = 0; i < 1600; ++i) {
		rows.push_back(i % 3 == 2 ? like(rows[i / 2], 0.95, random) : random_sketch<Slot>(random, 64));
		rows[i][0] = 1; // the band
	}
	std::vector<std::size_t> seen(rows.size());
	std::iota(seen.begin(), seen.end(), 0);
	for (std::size_t slot = 1; slot <= 4; ++slot) {
		for (const std::size_t sample : {63, 32})
			for (std::size_t i = 0; i < sample; ++i)
				rows[seen[i * seen.size() / sample]][slot] = 2;
		std::vector<std::size_t> others;
		for (const std::size_t row : seen)
			if (rows[row][slot] != 2) {
				rows[row][slot] = 3;
				others.push_back(row);
			}
		seen = others;
	}
	CHECK_EQ(seen.size() > 1100, true, seen.size());
	for (const unsigned matches : {48, 56}) {
		const Pairs expected = pairs_by_brute_force(rows, matches, {1, 1});
		CHECK_EQ(expected.size() > 100, true, expected.size());
		CHECK_EQ(join(rows, matches, {1, 1}).pairs == expected, true, matches);
	}
}

TEST(bucket_pairs_of_equal_rows)
{
	Sketches rows = boilerplate(400, 64, 0.7);
	for (std::size_t i = 0; i < 400; i += 3)
		rows.push_back(rows[i]);
	check_all(rows, 1.0, {16, 4}, "equal");
	check_all(rows, 0.8, {16, 4}, "equal");
	// A row that occurs twice in a bucket, as when two of its bands have the same key, makes no pair.
	Source source{rows, false};
	std::vector<std::uint64_t> buffers(pair_bucket_limit * 64);
	BucketPairs<Source> pairs(source, 64, 64, {16, 4}, buffers.data());
	const std::uint64_t key = band_key(rows[0], 4, 0);
	const KeyedRow twice[] = {KeyedRow::of(key, 0), KeyedRow::of(key, 0)};
	pairs.find(twice, [](std::uint32_t a, std::uint32_t b, unsigned) { CHECK_EQ(true, false, a, b); });
}

// A few rows against many that are all alike: the many are not compared with each other.
TEST(bucket_pairs_across_parts_compare_only_these)
{
	const Sketches rows = boilerplate(3000, 64, 0.9, 2, 0.6);
	for (const double threshold : {0.5, 0.9}) {
		const auto matches = static_cast<unsigned>(std::ceil(threshold * 64));
		const Result across = join(rows, matches, {4, 4}, false, 10), all = join(rows, matches, {4, 4});
		CHECK_EQ(across.compared * 20 < all.compared, true, threshold, across.compared, all.compared);
	}
}

// Rows that are half alike and nothing else: no pair, and no more than a constant number of comparisons for each. Four
// times the rows, at most five times the work.
TEST(bucket_pairs_of_boilerplate_grow_with_the_rows)
{
	const Banding banding{12, 6};
	std::vector<std::uint64_t> compared;
	for (const std::size_t n : {4000, 16000}) {
		std::mt19937_64 random(n);
		const Sketch common = random_sketch<Slot>(random, 128);
		Sketches rows;
		for (std::size_t i = 0; i < n; ++i)
			rows.push_back(like(common, 0.7, random));
		const Result result = join(rows, 103, banding);
		CHECK_EQ(result.pairs.size(), 0u);
		CHECK_EQ(result.compared < 40 * n, true, n, result.compared);
		compared.push_back(result.compared + n);
	}
	CHECK_EQ(compared[1] <= 5 * compared[0], true, compared[0], compared[1]);
}

TEST(bucket_pairs_most_frequent)
{
	std::mt19937_64 random(3);
	for (int trial = 0; trial < 1000; ++trial) {
		std::vector<std::uint64_t> values(1 + random() % 63);
		std::map<std::uint64_t, int> counts;
		for (std::uint64_t &value : values)
			++counts[value = random() % 7];
		int most = 0;
		for (const auto &[value, count] : counts)
			most = std::max(most, count);
		CHECK_EQ(counts[most_frequent(values.data(), values.size())], most);
	}
}

TEST(bucket_pairs_masks)
{
	std::mt19937_64 random(4);
	for (const std::size_t slots : {64, 128, 256}) {
		const Sketch common = random_sketch<Slot>(random, slots);
		const std::size_t words = slots / 64, n = 100;
		std::vector<std::uint64_t> masks(n * words);
		Sketches rows;
		for (std::size_t i = 0; i < n; ++i) {
			rows.push_back(like(common, 0.8, random));
			deviations_of(rows[i].data(), common.data(), slots, &masks[i * words]);
			for (std::size_t slot = 0; slot < slots; ++slot)
				CHECK_EQ((masks[i * words + slot / 64] >> slot % 64 & 1) != 0, rows[i][slot] != common[slot]);
		}
		for (const unsigned most : {0u, 10u, static_cast<unsigned>(slots / 4), static_cast<unsigned>(slots)}) {
			std::vector<std::uint32_t> unions, differences, found(n);
			for (std::uint32_t i = 0; i < n; ++i) {
				int united = 0, different = 0;
				for (std::size_t w = 0; w < words; ++w) {
					united += std::popcount(masks[w] | masks[i * words + w]);
					different += std::popcount(masks[w] ^ masks[i * words + w]);
				}
				if (united <= static_cast<int>(most))
					unions.push_back(i);
				if (different <= static_cast<int>(most))
					differences.push_back(i);
			}
			found.resize(close_unions(masks.data(), masks.data(), n, words, most, found.data()));
			CHECK_EQ(found == unions, true, slots, most);
			found.resize(n);
			found.resize(close_masks(masks.data(), masks.data(), n, words, most, found.data()));
			CHECK_EQ(found == differences, true, slots, most);
		}
	}
}
