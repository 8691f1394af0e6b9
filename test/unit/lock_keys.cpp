#include "core/trigger/lock_keys.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <random>
#include <vector>

#include "core/simhash/simhash.hpp"
#include "unit/check.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

using Sketch = std::vector<std::uint64_t>;
using Keys = std::vector<std::uint64_t>;

constexpr std::uint64_t space = 16384;

Keys keys(const Sketch &sketch, Banding banding, std::uint64_t in = space)
{
	Keys out(max_lock_keys);
	out.resize(lock_keys(sketch, banding, in, out.data()));
	return out;
}

Keys keys(std::uint64_t bits, int blocks, std::uint64_t in = space)
{
	Keys out(max_lock_keys);
	out.resize(lock_keys(bits, blocks, in, out.data()));
	return out;
}

bool share_one(const Keys &a, const Keys &b)
{
	Keys common;
	std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
	return !common.empty();
}

bool ascending(const Keys &keys)
{
	return std::adjacent_find(keys.begin(), keys.end(), std::greater_equal()) == keys.end();
}

// Returns the sketch with other values in `differing` random slots.
Sketch changed(Sketch sketch, int differing, std::mt19937_64 &random)
{
	std::vector<std::size_t> places(sketch.size());
	for (std::size_t i = 0; i < places.size(); ++i)
		places[i] = i;
	std::shuffle(places.begin(), places.end(), random);
	for (int i = 0; i < differing; ++i)
		++sketch[places[static_cast<std::size_t>(i)]];
	return sketch;
}

std::uint64_t changed(std::uint64_t bits, int differing, std::mt19937_64 &random)
{
	std::uint64_t mask = 0;
	while (__builtin_popcountll(mask) < differing)
		mask |= std::uint64_t{1} << random() % 64;
	return bits ^ mask;
}

} // namespace

TEST(lock_banding)
{
	CHECK_EQ(lock_banding(1, 128) == (Banding{1, 128}), true);
	CHECK_EQ(lock_banding(0.9, 128) == (Banding{13, 9}), true);
	CHECK_EQ(lock_banding(0.8, 128) == (Banding{26, 4}), true);
	CHECK_EQ(lock_banding(0.75, 128) == (Banding{33, 3}), true);
	CHECK_EQ(lock_banding(0.8, 64) == (Banding{13, 4}), true);
	CHECK_EQ(lock_banding(0.8, 256) == (Banding{52, 4}), true);
	CHECK_EQ(lock_banding(65.0 / 128, 128) == (Banding{64, 2}), true);
	for (const int slots : {64, 128, 256})
		for (const double threshold : {0.0, 0.1, 0.5})
			CHECK_EQ(lock_banding(threshold, slots).bands, 0, slots, threshold);
}

TEST(lock_blocks)
{
	for (int distance = 0; distance <= 15; ++distance)
		CHECK_EQ(lock_blocks(distance), distance + 1);
	for (int distance = 16; distance <= 64; ++distance)
		CHECK_EQ(lock_blocks(distance), 0, distance);
}

// For every threshold: pairs at the least similarity that reaches it share a key.
TEST(similar_sketches_share_a_lock_key)
{
	std::mt19937_64 random(5);
	for (const int slots : {64, 128, 256})
		for (int percent = 51; percent <= 100; ++percent) {
			const double threshold = percent / 100.0;
			const Banding banding = lock_banding(threshold, slots);
			if (banding.bands == 0)
				continue;
			CHECK_EQ(banding.bands * banding.rows <= slots && banding.bands <= static_cast<int>(max_lock_keys), true);
			int differing = 0;
			while (static_cast<double>(slots - differing - 1) / slots >= threshold)
				++differing;
			for (int round = 0; round < 40; ++round) {
				Sketch sketch(static_cast<std::size_t>(slots));
				for (std::uint64_t &slot : sketch)
					slot = random();
				const Sketch near = changed(sketch, differing, random);
				CHECK_EQ(share_one(keys(sketch, banding), keys(near, banding)), true, slots, percent);
			}
			// the worst case: one slot of every band but the last
			Sketch sketch(static_cast<std::size_t>(slots), 7), near = sketch;
			for (int band = 0; band < std::min(differing, banding.bands); ++band)
				++near[static_cast<std::size_t>(band * banding.rows)];
			CHECK_EQ(share_one(keys(sketch, banding), keys(near, banding)), true, slots, percent);
		}
}

TEST(similar_simhashes_share_a_lock_key)
{
	std::mt19937_64 random(6);
	for (int distance = 0; distance <= 15; ++distance) {
		const int blocks = lock_blocks(distance);
		for (int round = 0; round < 3000; ++round) {
			const std::uint64_t bits = random(), near = changed(bits, distance, random);
			CHECK_EQ(hamming(bits, near), distance);
			CHECK_EQ(share_one(keys(bits, blocks), keys(near, blocks)), true, distance);
		}
		std::uint64_t near = 0; // one bit of every block but the last
		for (int block = 0; block < distance; ++block)
			near |= std::uint64_t{1} << (64 * block / blocks);
		CHECK_EQ(share_one(keys(0, blocks), keys(near, blocks)), true, distance);
		CHECK_EQ(share_one(keys(0, blocks), keys(near | std::uint64_t{1} << 63, blocks)), false, distance);
		CHECK_EQ(share_one(keys(0, blocks), keys(~std::uint64_t{0}, blocks)), false, distance);
	}
}

TEST(lock_keys_are_sorted_and_of_their_space)
{
	std::mt19937_64 random(7);
	for (int round = 0; round < 100; ++round) {
		Sketch sketch(128);
		for (std::uint64_t &slot : sketch)
			slot = random();
		const Keys of_sketch = keys(sketch, {26, 4}), of_bits = keys(random(), 16);
		CHECK_EQ(of_sketch.size(), 26u);
		CHECK_EQ(ascending(of_sketch), true);
		CHECK_EQ(of_bits.size(), 16u);
		CHECK_EQ(ascending(of_bits), true);
		CHECK_EQ(share_one(of_sketch, keys(sketch, {26, 4}, space + 1)), false);
		CHECK_EQ(share_one(of_sketch, of_bits), false);
	}
	// equal contents at different places are different keys
	CHECK_EQ(keys(Sketch(128, 1), {26, 4}).size(), 26u);
	CHECK_EQ(keys(0, 16).size(), 16u);
}
