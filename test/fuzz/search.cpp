// The keys of indexes, joins and locks: on any values, nothing that must be found is missed.
//   byte 0: selects the test; byte 1: a radius, threshold or size; the rest: values, a few bytes each, derived from
//   those before
#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>
#include <vector>

#include "core/base/keyed_rows.hpp"
#include "core/minhash/bucket_pairs.hpp"
#include "core/minhash/minhash_join.hpp"
#include "core/minhash/minhash_merge.hpp"
#include "core/simhash/hamming_join.hpp"
#include "core/simhash/simhash.hpp"
#include "core/tlsh/tlsh.hpp"
#include "core/trigger/lock_keys.hpp"
#include "fuzz/fuzz.hpp"

using namespace txtfp::core;
using namespace txtfp::fuzz;

using Keys = std::vector<std::uint64_t>;
using Pairs = std::multiset<std::pair<std::uint32_t, std::uint32_t>>;

static bool share_one(Keys a, Keys b)
{
	Keys both;
	std::sort(a.begin(), a.end());
	std::sort(b.begin(), b.end());
	std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
	return !both.empty();
}

static std::uint64_t word(Input &input)
{
	std::uint64_t value = 0;
	for (int i = 0; i < 8; ++i)
		value = value << 8 | input.byte();
	return value;
}

// ---- SimHash

// A byte below 64 flips that bit of the value before; others begin a new value.
static Keys simhashes(Input &input, std::size_t limit)
{
	Keys values;
	for (std::uint64_t value = 0; !input.rest().empty() && values.size() < limit;) {
		const unsigned byte = input.byte();
		value = byte < 64 ? value ^ std::uint64_t{1} << byte : byte < 96 ? ~value : word(input);
		values.push_back(value);
	}
	return values;
}

static void check_hamming(std::uint64_t a, std::uint64_t b, int radius)
{
	const std::vector<std::uint32_t> probes = probe_keys(a, radius);
	REQUIRE_EQ(probes.size(), probe_key_count(radius));
	const bool within = hamming(a, b) <= radius;
	bool found = false;
	for (int block = 0; block < hamming_blocks; ++block) {
		found = found || std::count(probes.begin(), probes.end(), compact_key(b, block)) == 1;
		REQUIRE_EQ(wide_key_distance(wide_key(a, block), wide_key(b, block)) <= hamming(a, b), true);
	}
	REQUIRE_EQ(found || !within, true);
	if (const int blocks = lock_blocks(radius); blocks > 0 && within) {
		Keys x(max_lock_keys), y(max_lock_keys);
		x.resize(lock_keys(a, blocks, 1, x.data()));
		y.resize(lock_keys(b, blocks, 1, y.data()));
		REQUIRE_EQ(share_one(x, y), true);
	}
}

static void check_hamming_join(Keys values, int radius)
{
	std::sort(values.begin(), values.end());
	values.erase(std::unique(values.begin(), values.end()), values.end());
	Pairs expected, actual;
	for (std::uint32_t i = 0; i < values.size(); ++i)
		for (std::uint32_t j = i + 1; j < values.size(); ++j)
			if (hamming(values[i], values[j]) <= radius)
				expected.emplace(i, j);
	Keys grouped(values.size());
	std::vector<std::uint32_t> places(values.size());
	static std::vector<std::uint32_t> offsets(hamming_block_values + 1);
	const auto emit = [&](std::uint32_t i, std::uint32_t j) { actual.insert(std::minmax(i, j)); };
	HammingJoin join(values, radius, {grouped.data(), places.data(), offsets.data()}, emit, [](std::uint64_t) {});
	join.run();
	REQUIRE_EQ(actual == expected, true);
}

// ---- MinHash

// Sketches of 64 slots; each is the one before except for slots that the input names.
static std::vector<Keys> sketches(Input &input, std::size_t limit)
{
	std::vector<Keys> out;
	Keys sketch(64, 7);
	while (!input.rest().empty() && out.size() < limit) {
		for (unsigned changes = input.byte() % 48; changes > 0; --changes) {
			const unsigned byte = input.byte();
			sketch[byte % 64] += 1 + byte / 64;
		}
		out.push_back(sketch);
	}
	return out;
}

static unsigned matching(const Keys &a, const Keys &b)
{
	unsigned equal = 0;
	for (std::size_t i = 0; i < a.size(); ++i)
		equal += a[i] == b[i];
	return equal;
}

static void check_bands(const Keys &a, const Keys &b, Banding banding, double threshold)
{
	REQUIRE_EQ(matching_slots(a, b), matching(a, b));
	int first = -1;
	Keys x(static_cast<std::size_t>(banding.bands)), y(x);
	band_keys(a, banding, x.data());
	band_keys(b, banding, y.data());
	for (int band = banding.bands; band-- > 0;) {
		const auto from = [&](const Keys &k) { return k.begin() + band * banding.rows; };
		const bool equal = std::equal(from(a), from(a) + banding.rows, from(b));
		REQUIRE_EQ(x[static_cast<std::size_t>(band)] == y[static_cast<std::size_t>(band)], equal);
		first = equal ? band : first;
	}
	REQUIRE_EQ(first_common_band(a, b, banding), first);
	if (const Banding locks = lock_banding(threshold, 64); locks.bands > 0 && matching(a, b) >= threshold * 64) {
		Keys held(max_lock_keys), wanted(max_lock_keys);
		held.resize(lock_keys(a, locks, 1, held.data()));
		wanted.resize(lock_keys(b, locks, 1, wanted.data()));
		REQUIRE_EQ(share_one(held, wanted), true);
	}
	Keys both = a;
	unite(both, b);
	for (std::size_t i = 0; i < both.size(); ++i)
		REQUIRE_EQ(both[i], std::min(a[i], b[i]));
}

struct Source {
	const std::vector<Keys> &all;
	std::vector<KeyedRow> memory = {};
	const std::uint64_t *sketch(std::uint32_t row, std::uint64_t *buffer)
	{
		return std::copy(all[row].begin(), all[row].end(), buffer) - all[row].size();
	}
	std::span<KeyedRow> scratch(std::size_t rows)
	{
		memory.resize(rows);
		return memory;
	}
	void poll() {}
	void *allocate(std::size_t bytes) { return std::malloc(bytes); } // NOLINT: the sanitizer reports what is not freed
	void release(void *memory) { std::free(memory); }                // NOLINT
};

// Components: buckets as small as these are joined exactly.
static void check_bucket(const std::vector<Keys> &all, unsigned matches)
{
	std::vector<KeyedRow> rows;
	std::vector<std::uint32_t> joined(all.size()), expected(all.size());
	UnionFind actual(joined.data()), naive(expected.data());
	for (std::uint32_t i = 0; i < all.size(); ++i) {
		rows.push_back(KeyedRow::of(1, i));
		actual.add(i);
		naive.add(i);
	}
	Source source{all};
	Keys buffers(bucket_limit * 64);
	BucketJoin<Source>(source, 64, matches, buffers.data()).connect(rows, actual);
	for (std::uint32_t i = 0; i < all.size(); ++i)
		for (std::uint32_t j = i + 1; j < all.size(); ++j)
			if (matching(all[i], all[j]) >= matches)
				naive.unite(i, j);
	for (std::uint32_t i = 0; i < all.size(); ++i)
		REQUIRE_EQ(actual.find(i), naive.find(i));
}

// Pairs: every similar pair that shares a band is found, once.
static void check_pairs(const std::vector<Keys> &all, unsigned matches)
{
	constexpr Banding banding{16, 4};
	std::map<std::uint64_t, std::vector<KeyedRow>> buckets;
	for (std::uint32_t i = 0; i < all.size(); ++i)
		for (int band = 0; band < banding.bands; ++band) {
			const std::uint64_t key = band_key(all[i], banding.rows, band);
			buckets[key].push_back(KeyedRow::of(key, i));
		}
	Source source{all};
	Keys buffers(pair_bucket_limit * 64);
	BucketPairs<Source> join(source, 64, matches, banding, buffers.data());
	Pairs found, expected;
	for (const auto &[key, bucket] : buckets)
		join.find(bucket, [&](std::uint32_t a, std::uint32_t b, unsigned) { found.emplace(a, b); });
	for (std::uint32_t i = 0; i < all.size(); ++i)
		for (std::uint32_t j = i + 1; j < all.size(); ++j)
			if (matching(all[i], all[j]) >= matches && first_common_band(all[i], all[j], banding) >= 0)
				expected.emplace(i, j);
	REQUIRE_EQ(found == expected, true);
}

// Every kernel gives the same slots as the plain one.
static void check_update(Input &input, std::size_t slots)
{
	Keys lo, hi, plain(slots, ~std::uint64_t{0});
	while (!input.rest().empty()) {
		lo.push_back(word(input));
		hi.push_back(word(input));
	}
	for (std::size_t token = 0; token < lo.size(); ++token)
		for (std::size_t i = 0; i < slots; ++i)
			plain[i] = std::min(plain[i], lo[token] + i * hi[token]);
	for (const SimdLevel level : usable_simd_levels()) {
		Keys fast(slots, ~std::uint64_t{0});
		minhash_update(level, fast, lo.data(), hi.data(), lo.size());
		REQUIRE_EQ(fast, plain);
	}
}

// ---- TLSH

// The first digest, and a copy with changed bytes: pairs of position and value.
static std::array<Tlsh, 2> digests(Input &input)
{
	std::array<Tlsh, 2> out{};
	for (std::uint8_t &byte : out[0].bytes)
		byte = static_cast<std::uint8_t>(input.byte());
	out[1] = out[0];
	while (!input.rest().empty()) {
		std::uint8_t &byte = out[1].bytes[input.byte() % tlsh_bytes];
		byte = static_cast<std::uint8_t>(input.byte());
	}
	return out;
}

static void check_tlsh(const Tlsh &a, const Tlsh &b)
{
	const int distance = tlsh_distance(a, b);
	REQUIRE_EQ(tlsh_within(a, b, distance), true);
	REQUIRE_EQ(tlsh_within(a, b, distance - 1), false);
}

// ---- rows by key

static void check_sort(Input &input, int bits)
{
	const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
	std::vector<KeyedRow> rows;
	while (!input.rest().empty()) {
		const unsigned byte = input.byte();
		std::uint64_t key = word(input);
		for (unsigned copies = 1 + byte; copies > 0; --copies, key += byte % 3 * 0x100)
			rows.push_back(KeyedRow::of(key & mask, copies));
	}
	std::vector<KeyedRow> expected = rows;
	std::sort(expected.begin(), expected.end());
	sort_rows(rows, bits);
	const auto equal = [](const KeyedRow &a, const KeyedRow &b) { return !(a < b) && !(b < a); };
	REQUIRE_EQ(std::equal(rows.begin(), rows.end(), expected.begin(), expected.end(), equal), true);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	Input input(data, size);
	const unsigned which = input.byte(), how = input.byte();
	switch (which % 7) {
	case 0: {
		const Keys values = simhashes(input, 2);
		if (values.size() == 2)
			check_hamming(values[0], values[1], static_cast<int>(how) % (max_indexed_distance + 1));
		break;
	}
	case 1:
		check_hamming_join(simhashes(input, 1200), static_cast<int>(how) % 65);
		break;
	case 2: {
		const std::vector<Keys> two = sketches(input, 2);
		const int rows = 1 + static_cast<int>(how) % 16;
		if (two.size() == 2)
			check_bands(two[0], two[1], {64 / rows, rows}, how / 255.0);
		break;
	}
	case 3:
		if (const std::vector<Keys> bucket = sketches(input, bucket_limit); bucket.size() > 1) {
			check_bucket(bucket, 1 + how % 64);
			check_pairs(bucket, 1 + how % 64);
		}
		break;
	case 4:
		check_update(input, std::size_t{64} << how % 3);
		break;
	case 5: {
		const auto [a, b] = digests(input);
		check_tlsh(a, b);
		break;
	}
	default:
		check_sort(input, 1 + static_cast<int>(how) % 64);
	}
	return 0;
}
