#include "core/minhash/minhash_join.hpp"

#include <set>

#include "unit/check.hpp"
#include "unit/joins.hpp"

using namespace txtfp::test;

namespace {

using Slot = std::uint64_t;
using Sketch = SketchOf<Slot>;
using Sketches = SketchesOf<Slot>;
using Source = MemorySource<Slot>;

std::vector<KeyedRow> bucket_of(std::size_t n)
{
	std::vector<KeyedRow> rows;
	for (std::size_t i = 0; i < n; ++i)
		rows.push_back(KeyedRow::of(7, static_cast<std::uint32_t>(i)));
	return rows;
}

Pairs similar_pairs(const Sketches &sketches, unsigned matches)
{
	Pairs pairs;
	for (std::uint32_t a = 0; a < sketches.size(); ++a)
		for (std::uint32_t b = a + 1; b < sketches.size(); ++b)
			if (matching_slots(sketches[a], sketches[b]) >= matches)
				pairs.emplace_back(a, b);
	return pairs;
}

struct Connected {
	std::vector<std::uint32_t> labels;
	std::size_t fetched;
};

Connected connected(const Sketches &sketches, unsigned matches, bool copies, std::size_t area_rows = 0)
{
	const std::size_t slots = sketches[0].size();
	Source source{sketches, copies, area_rows};
	std::vector<Slot> buffers(bucket_limit * slots);
	BucketJoin<Source> join(source, slots, matches, buffers.data());
	std::vector<std::uint32_t> labels =
		labels_of(sketches.size(), [&](UnionFind &sets) { join.connect(bucket_of(sketches.size()), sets); });
	return {std::move(labels), source.fetched};
}

// A large bucket: rows that agree with one template in half of their slots, and pairs of near-duplicates among them.
Sketches boilerplate(std::size_t n, std::size_t slots, double similarity)
{
	std::mt19937_64 random(n);
	const Sketch common = random_sketch<Slot>(random, slots);
	Sketches sketches;
	for (std::size_t i = 0; i < n; ++i)
		sketches.push_back(i % 2 == 1 ? like(sketches[i - 1], similarity, random) : like(common, 0.5, random));
	return sketches;
}

} // namespace

TEST(minhash_join_least_matches)
{
	for (const std::size_t slots : {64, 128, 256})
		for (unsigned m = 1; m <= slots; ++m) {
			const double exact = static_cast<double>(m) / static_cast<double>(slots);
			CHECK_EQ(least_matches(exact, slots), m, slots);
			CHECK_EQ(least_matches(exact - 1e-9, slots), m, slots);
			if (m < slots)
				CHECK_EQ(least_matches(exact + 1e-9, slots), m + 1, slots);
		}
	CHECK_EQ(least_matches(0.8, 128), 103u);
}

TEST(minhash_join_cuts)
{
	for (const std::size_t slots : {64, 128, 256})
		for (const double threshold : {0.3, 0.5, 0.7, 0.8, 0.9, 0.99, 1.0}) {
			const unsigned matches = least_matches(threshold, slots);
			const Cuts cuts(matches, slots);
			CHECK_EQ(cuts.count() >= 1 && cuts.count() <= Cuts::max_cuts, true, slots, threshold);
			CHECK_EQ(cuts.rows() >= 1 && cuts.rows() <= Cuts::max_rows, true, slots, threshold);
			constexpr int trials = 3000;
			std::mt19937_64 random(slots);
			int together = 0;
			for (int trial = 0; trial < trials; ++trial) {
				const Sketch a = random_sketch<Slot>(random, slots);
				Sketch b = a;
				std::vector<std::size_t> order(slots);
				for (std::size_t i = 0; i < slots; ++i)
					order[i] = i;
				std::shuffle(order.begin(), order.end(), random);
				for (std::size_t i = matches; i < slots; ++i)
					++b[order[i]];
				for (int cut = 0; cut < cuts.count(); ++cut)
					if (cuts.key(a.data(), cut) == cuts.key(b.data(), cut)) {
						++together;
						break;
					}
			}
			CHECK_EQ(together >= 0.997 * trials, true, slots, threshold, together);
		}
	// pairs at 0.8 of 128 slots: enough rows to separate dissimilar sketches
	CHECK_EQ(Cuts(103, 128).rows() >= 9, true);
}

TEST(minhash_join_small_buckets_are_exact)
{
	for (const std::size_t slots : {64, 128, 256})
		for (const std::size_t n : {2, 3, 40, 255, 256}) {
			const unsigned matches = least_matches(0.8, slots);
			const Sketches sketches = boilerplate(n, slots, 0.82);
			const Pairs truth = similar_pairs(sketches, matches);
			for (const bool copies : {false, true})
				CHECK_EQ(
					connected(sketches, matches, copies).labels == components_of(truth, n), true, slots, n, copies);
		}
}

TEST(minhash_join_hot_bucket_of_strangers)
{
	constexpr std::size_t n = 6000, slots = 128;
	const unsigned matches = least_matches(0.8, slots);
	const Sketches sketches = boilerplate(n, slots, 0.9);
	std::size_t planted = 0, together = 0;
	const Connected actual = connected(sketches, matches, true);
	for (std::uint32_t i = 0; i < n; i += 2)
		if (matching_slots(sketches[i], sketches[i + 1]) >= matches) {
			++planted;
			together += actual.labels[i] == actual.labels[i + 1];
		}
	CHECK_EQ(planted > n / 3, true, planted);
	CHECK_EQ(static_cast<double>(together) >= 0.998 * static_cast<double>(planted), true, together, planted);
	std::set<std::uint32_t> labels(actual.labels.begin(), actual.labels.end());
	CHECK_EQ(labels.size(), n - together); // and no other rows are connected
	// each row is fetched for each cut and for its few neighbours, which is far below n² / 2
	CHECK_EQ(actual.fetched < n * 300, true, actual.fetched);
	// with room for several cuts at a time the rows are fetched less often, and the result is the same
	const Connected roomy = connected(sketches, matches, true, 64 * n);
	CHECK_EQ(roomy.labels == actual.labels, true);
	CHECK_EQ(roomy.fetched < actual.fetched, true, roomy.fetched, actual.fetched);
}

TEST(minhash_join_hot_bucket_of_copies)
{
	constexpr std::size_t n = 20000, slots = 128;
	std::mt19937_64 random(1);
	const Sketch head = random_sketch<Slot>(random, slots);
	Sketches sketches;
	for (std::size_t i = 0; i < n; ++i)
		sketches.push_back(like(head, 0.97, random));
	const Connected actual = connected(sketches, least_matches(0.8, slots), true);
	CHECK_EQ(
		std::all_of(actual.labels.begin(), actual.labels.end(), [](std::uint32_t label) { return label == 0; }), true);
	CHECK_EQ(actual.fetched <= 3 * n, true, actual.fetched);
}
