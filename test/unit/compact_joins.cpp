// BucketJoin and BucketPairs over compact sketches, compared with all pairs by brute force. Bytes are equal by chance
// far more often than slots of 64 bits.
#include "core/minhash/bucket_pairs.hpp"

#include <algorithm>

#include "unit/check.hpp"
#include "unit/joins.hpp"

using namespace txtfp::test;

namespace {

using Slot = std::uint8_t;
using Sketch = SketchOf<Slot>;
using Sketches = SketchesOf<Slot>;
using Source = MemorySource<Slot>;

static_assert(std::is_same_v<txtfp::core::SlotOf<Source>, Slot>);

Pairs pairs_of(const Sketches &sketches, unsigned matches, Banding banding, bool copies)
{
	const std::size_t slots = sketches[0].size();
	Source source{sketches, copies};
	std::vector<std::uint8_t> buffers(pair_bucket_limit * slots);
	BucketPairs<Source> join(source, slots, matches, banding, buffers.data());
	Pairs pairs;
	for (const auto &[key, bucket] : buckets_of(sketches, banding))
		if (bucket.size() > 1)
			join.find(bucket, [&](std::uint32_t a, std::uint32_t b, unsigned equal) {
				CHECK_EQ(equal, matching_slots(sketches[a], sketches[b]), a, b);
				pairs.emplace_back(a, b);
			});
	std::sort(pairs.begin(), pairs.end());
	return pairs;
}

std::vector<std::uint32_t> connected(const Sketches &sketches, unsigned matches, Banding banding)
{
	const std::size_t slots = sketches[0].size();
	Source source{sketches, true};
	std::vector<Slot> buffers(bucket_limit * slots);
	BucketJoin<Source> join(source, slots, matches, buffers.data());
	return labels_of(sketches.size(), [&](UnionFind &sets) {
		for (const auto &[key, bucket] : buckets_of(sketches, banding))
			if (bucket.size() > 1)
				join.connect(bucket, sets);
	});
}

// Every row agrees with the template in `share` of the slots; every fourth is nearly the one before it.
Sketches boilerplate(std::size_t n, std::size_t slots, double share)
{
	std::mt19937_64 random(n + slots);
	const Sketch common = random_sketch<Slot>(random, slots);
	Sketches sketches;
	for (std::size_t i = 0; i < n; ++i)
		sketches.push_back(i % 4 == 3 ? like(sketches[i - 1], 0.9, random) : like(common, share, random));
	return sketches;
}

} // namespace

// Small and large buckets, rows that are strangers to each other and rows that share most slots.
TEST(compact_joins_agree_with_brute_force)
{
	for (const std::size_t slots : {64, 128, 256})
		for (const std::size_t n : {100, 700, 2500})
			for (const double share : {0.0, 0.5, 0.85}) {
				if (n == 2500 && slots != 128)
					continue;
				const unsigned matches = least_matches_of<std::uint8_t>(0.8, slots);
				const Banding banding{8, 4};
				const Sketches sketches = boilerplate(n, slots, share);
				const Pairs expected = pairs_by_brute_force(sketches, matches, banding);
				CHECK_EQ(expected.size() > n / 8, true, slots, n, share);
				CHECK_EQ(pairs_of(sketches, matches, banding, n != 700) == expected, true, slots, n, share);
				const std::vector<std::uint32_t> labels = connected(sketches, matches, banding);
				const std::vector<std::uint32_t> truth = components_of(expected, n);
				std::size_t different = 0; // of large buckets a few rows may stay alone
				for (std::size_t i = 0; i < n; ++i)
					different += labels[i] != truth[i];
				CHECK_EQ(different <= n / 200, true, slots, n, share, different);
			}
}

TEST(compact_deviations)
{
	std::mt19937_64 random(1);
	for (const std::size_t slots : {64, 128, 256}) {
		Sketch a(slots), b(slots);
		for (std::size_t i = 0; i < slots; ++i) {
			a[i] = static_cast<std::uint8_t>(random());
			b[i] = static_cast<std::uint8_t>(random() % 2 == 0 ? a[i] : random());
		}
		std::uint64_t mask[mask_words_limit];
		deviations_of(a.data(), b.data(), slots, mask);
		for (std::size_t i = 0; i < slots; ++i)
			CHECK_EQ((mask[i / 64] >> i % 64 & 1) != 0, a[i] != b[i], slots, i);
	}
}
