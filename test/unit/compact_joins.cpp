// BucketJoin and BucketPairs over compact sketches, compared with all pairs by brute force. Bytes are equal by chance far more often
// than slots of 64 bits.
#include "core/minhash/bucket_pairs.hpp"

#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "unit/check.hpp"

using namespace txtfp::core;

namespace {

using Sketch = std::vector<std::uint8_t>;
using Sketches = std::vector<Sketch>;
using Pairs = std::set<std::pair<std::uint32_t, std::uint32_t>>;

// The Source of both, in memory.
struct Source {
	const Sketches &sketches;
	bool copies;
	std::vector<KeyedRow> memory = {};

	const std::uint8_t *sketch(std::uint32_t row, std::uint8_t *buffer)
	{
		if (!copies)
			return sketches[row].data();
		std::copy(sketches[row].begin(), sketches[row].end(), buffer);
		return buffer;
	}
	void poll() {}
	void *take(std::size_t bytes) { return std::malloc(bytes); } // NOLINT: the sanitizer reports what is not freed
	void give(void *memory) { std::free(memory); }
	std::span<KeyedRow> scratch(std::size_t rows)
	{
		memory.resize(rows);
		return memory;
	}
};

static_assert(std::is_same_v<SlotOf<Source>, std::uint8_t>);

using Buckets = std::map<std::uint64_t, std::vector<KeyedRow>>;

Buckets buckets_of(const Sketches &sketches, Banding banding)
{
	Buckets buckets;
	for (std::uint32_t row = 0; row < sketches.size(); ++row)
		for (int band = 0; band < banding.bands; ++band) {
			const std::uint64_t key = band_key(sketches[row], banding.rows, band);
			buckets[key].push_back(KeyedRow::of(key, row));
		}
	return buckets;
}

Pairs pairs_of(const Sketches &sketches, unsigned matches, Banding banding, bool copies)
{
	const std::size_t slots = sketches[0].size();
	Source source{sketches, copies};
	std::vector<std::uint8_t> buffers(pair_bucket_limit * slots);
	BucketPairs<Source> join(source, slots, matches, banding, buffers.data());
	Pairs pairs;
	std::size_t emitted = 0;
	for (const auto &[key, bucket] : buckets_of(sketches, banding))
		if (bucket.size() > 1)
			join.find(bucket, [&](std::uint32_t a, std::uint32_t b, unsigned equal) {
				CHECK_EQ(equal, matching_slots(sketches[a], sketches[b]), a, b);
				pairs.emplace(a, b);
				++emitted;
			});
	CHECK_EQ(emitted, pairs.size());
	return pairs;
}

Pairs by_brute_force(const Sketches &sketches, unsigned matches, Banding banding)
{
	Pairs pairs;
	for (std::uint32_t b = 1; b < sketches.size(); ++b)
		for (std::uint32_t a = 0; a < b; ++a)
			if (matching_slots(sketches[a], sketches[b]) >= matches &&
				first_common_band(sketches[a], sketches[b], banding) >= 0)
				pairs.emplace(a, b);
	return pairs;
}

std::vector<std::uint32_t> components_of(const Pairs &pairs, std::size_t n)
{
	std::vector<std::uint32_t> parent(n);
	UnionFind sets(parent.data());
	for (std::uint32_t i = 0; i < n; ++i)
		sets.add(i);
	for (const auto &[a, b] : pairs)
		sets.unite(a, b);
	for (std::uint32_t i = 0; i < n; ++i)
		parent[i] = sets.find(i);
	return parent;
}

std::vector<std::uint32_t> connected(const Sketches &sketches, unsigned matches, Banding banding)
{
	const std::size_t slots = sketches[0].size();
	Source source{sketches, true};
	std::vector<std::uint8_t> buffers(bucket_limit * slots);
	std::vector<std::uint32_t> parent(sketches.size());
	UnionFind sets(parent.data());
	for (std::uint32_t i = 0; i < sketches.size(); ++i)
		sets.add(i);
	BucketJoin<Source> join(source, slots, matches, buffers.data());
	for (const auto &[key, bucket] : buckets_of(sketches, banding))
		if (bucket.size() > 1)
			join.connect(bucket, sets);
	for (std::uint32_t i = 0; i < sketches.size(); ++i)
		parent[i] = sets.find(i);
	return parent;
}

Sketch like(const Sketch &other, double share, std::mt19937_64 &random)
{
	Sketch sketch = other;
	for (std::uint8_t &slot : sketch)
		if (static_cast<double>(random() >> 11) * 0x1p-53 > share)
			slot = static_cast<std::uint8_t>(random());
	return sketch;
}

// Every row agrees with the template in `share` of the slots; every fourth is nearly the one before it.
Sketches boilerplate(std::size_t n, std::size_t slots, double share)
{
	std::mt19937_64 random(n + slots);
	const Sketch common = like(Sketch(slots), 0, random);
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
				const Pairs expected = by_brute_force(sketches, matches, banding);
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
