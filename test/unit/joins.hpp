// What the tests of BucketJoin and BucketPairs share: random sketches, a Source in memory, and the answers by brute
// force.
// Slot is the type of a slot: std::uint64_t, or std::uint8_t for compact sketches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "core/minhash/lsh.hpp"
#include "core/minhash/minhash_join.hpp"

namespace txtfp::test {

using namespace txtfp::core;

template <class Slot> using SketchOf = std::vector<Slot>;
template <class Slot> using SketchesOf = std::vector<SketchOf<Slot>>;
using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>; // sorted, when they are compared

// The Source of BucketJoin and BucketPairs, in memory; counts calls.
template <class Slot> struct MemorySource {
	const SketchesOf<Slot> &sketches;
	bool copies;               // sketch() fills the buffer instead of returning the sketch itself
	std::size_t area_rows = 0; // least number of rows of the scratch area
	std::size_t fetched = 0;
	std::vector<KeyedRow> memory = {};

	const Slot *sketch(std::uint32_t row, Slot *buffer)
	{
		++fetched;
		if (!copies)
			return sketches[row].data();
		std::copy(sketches[row].begin(), sketches[row].end(), buffer);
		return buffer;
	}
	std::span<KeyedRow> scratch(std::size_t rows)
	{
		memory.resize(std::max(rows, area_rows));
		return memory;
	}
	void poll() {}
	void *allocate(std::size_t bytes) { return std::malloc(bytes); } // NOLINT: the sanitizer reports what is not freed
	void release(void *memory) { std::free(memory); }
};

template <class Slot> SketchOf<Slot> random_sketch(std::mt19937_64 &random, std::size_t slots)
{
	SketchOf<Slot> sketch(slots);
	for (Slot &slot : sketch)
		slot = static_cast<Slot>(random());
	return sketch;
}

// A sketch that agrees with `other` in about `share` of the slots, and by chance in others; these are random, or below
// `values` if that is not 0.
template <class Slot>
SketchOf<Slot> like(const SketchOf<Slot> &other, double share, std::mt19937_64 &random, std::uint64_t values = 0)
{
	SketchOf<Slot> sketch = other;
	for (Slot &slot : sketch)
		if (static_cast<double>(random() >> 11) * 0x1p-53 > share)
			slot = static_cast<Slot>(values == 0 ? random() : random() % values);
	return sketch;
}

// The rows of each bucket of each band.
template <class Slot>
std::map<std::uint64_t, std::vector<KeyedRow>> buckets_of(const SketchesOf<Slot> &sketches, Banding banding)
{
	std::map<std::uint64_t, std::vector<KeyedRow>> buckets;
	for (std::uint32_t row = 0; row < sketches.size(); ++row)
		for (int band = 0; band < banding.bands; ++band) {
			const std::uint64_t key = band_key(sketches[row], banding.rows, band);
			buckets[key].push_back(KeyedRow::of(key, row));
		}
	return buckets;
}

// The pairs (a, b), a < b, that agree in `matches` slots and in a whole band.
template <class Slot> Pairs pairs_by_brute_force(const SketchesOf<Slot> &sketches, unsigned matches, Banding banding)
{
	Pairs pairs;
	for (std::uint32_t b = 1; b < sketches.size(); ++b)
		for (std::uint32_t a = 0; a < b; ++a)
			if (matching_slots(sketches[a], sketches[b]) >= matches &&
				first_common_band(sketches[a], sketches[b], banding) >= 0)
				pairs.emplace_back(a, b);
	std::sort(pairs.begin(), pairs.end());
	return pairs;
}

// The smallest row of the component of each of n rows, where `connect` gets the UnionFind to connect them in.
template <class Connect> std::vector<std::uint32_t> labels_of(std::size_t n, const Connect &connect)
{
	std::vector<std::uint32_t> parent(n);
	UnionFind sets(parent.data());
	for (std::uint32_t i = 0; i < n; ++i)
		sets.add(i);
	connect(sets);
	for (std::uint32_t i = 0; i < n; ++i)
		parent[i] = sets.find(i);
	return parent;
}

inline std::vector<std::uint32_t> components_of(const Pairs &pairs, std::size_t n)
{
	return labels_of(n, [&](UnionFind &sets) {
		for (const auto &[a, b] : pairs)
			sets.unite(a, b);
	});
}

} // namespace txtfp::test
