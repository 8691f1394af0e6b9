#include "core/tlsh/tlsh_index.hpp"

#include <algorithm>
#include <initializer_list>
#include <random>
#include <set>
#include <vector>

#include "unit/check.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

constexpr TlshPart parts[] = {TlshPart::length_class, TlshPart::ratios, TlshPart::first_half, TlshPart::second_half};

Tlsh random_digest(std::mt19937_64 &random)
{
	Tlsh digest;
	for (std::uint8_t &byte : digest.bytes)
		byte = static_cast<std::uint8_t>(random());
	return digest;
}

// The digest with up to `changes` bytes changed.
Tlsh neighbour(Tlsh digest, unsigned changes, std::mt19937_64 &random)
{
	for (unsigned i = 0; i < changes; ++i)
		digest.bytes[random() % tlsh_bytes] ^= static_cast<std::uint8_t>(1u << random() % 8);
	return digest;
}

int code(const Tlsh &digest, int i) { return digest.body()[i / 4] >> (i % 4 * 2) & 3; }

int bound(const Tlsh &a, const Tlsh &b)
{
	int sum = 0;
	for (const TlshPart part : parts)
		sum += tlsh_part_distance(part, tlsh_part(part, a), tlsh_part(part, b));
	return sum;
}

std::vector<std::int64_t> probe(const Tlsh &digest, TlshBanding banding, int flips)
{
	std::vector<std::int64_t> keys(tlsh_probe_key_count(banding, flips));
	tlsh_probe_keys(digest, banding, flips, keys.data());
	return keys;
}

// The number of high bits of the band that differ, counted bit by bit.
int differing_bits(const Tlsh &a, const Tlsh &b, TlshBanding banding, int band)
{
	int count = 0;
	for (int place = band * banding.bits; place < (band + 1) * banding.bits; ++place) {
		const int bit = place % 128 * (1 + place / 128 * 36) % 128;
		count += (code(a, bit) ^ code(b, bit)) >> 1;
	}
	return count;
}

} // namespace

TEST(tlsh_parts_bound_the_distance)
{
	std::mt19937_64 random(11);
	for (unsigned i = 0; i < 20000; ++i) {
		const Tlsh a = random_digest(random), b = i % 2 == 0 ? random_digest(random) : neighbour(a, i % 32, random);
		const int distance = tlsh_distance(a, b);
		CHECK_EQ(bound(a, b) <= distance, true, i);
		CHECK_EQ(bound(a, b) + 1 >= tlsh_header_distance(a, b, true), true, i); // 1: the checksum
		CHECK_EQ(bound(a, a), 0, i);
		CHECK_EQ(tlsh_within(a, b, distance), true, i);
		CHECK_EQ(tlsh_within(a, b, distance - 1), false, i);
		for (const TlshPart part : parts) {
			CHECK_EQ(tlsh_part(part, a) >= 0 && tlsh_part(part, a) < tlsh_part_values, true, i);
			CHECK_EQ(tlsh_part_distance(part, tlsh_part(part, a), tlsh_part(part, b)),
				tlsh_part_distance(part, tlsh_part(part, b), tlsh_part(part, a)), i);
		}
	}
}

TEST(tlsh_parts_of_sums)
{
	Tlsh digest{};
	CHECK_EQ(tlsh_part(TlshPart::first_half, digest), 0);
	digest.bytes[tlsh_header_bytes] = 0b11100100;
	CHECK_EQ(tlsh_part(TlshPart::first_half, digest), 1); // 6, in steps of 4
	CHECK_EQ(tlsh_part(TlshPart::second_half, digest), 0);
	for (std::uint8_t &byte : digest.bytes)
		byte = 0xFF;
	CHECK_EQ(tlsh_part(TlshPart::first_half, digest), 48);
	CHECK_EQ(tlsh_part(TlshPart::second_half, digest), 48);
	CHECK_EQ(tlsh_part(TlshPart::ratios, digest), 255);
}

TEST(tlsh_distance_0_is_equality)
{
	std::mt19937_64 random(12);
	for (unsigned i = 0; i < 35 * 255; ++i) { // every other value of every byte
		const Tlsh a = random_digest(random);
		Tlsh b = a;
		b.bytes[i / 255] = static_cast<std::uint8_t>(b.bytes[i / 255] + 1 + i % 255);
		CHECK_EQ(tlsh_distance(a, b) > 0, true, i);
		CHECK_EQ(tlsh_distance(a, a), 0, i);
	}
}

TEST(tlsh_split_takes_the_first_part_that_differs)
{
	Tlsh a{};
	const Tlsh *const equal[] = {&a, &a, &a};
	CHECK_EQ(tlsh_split_part(equal).has_value(), false);
	const auto split_by = [&](std::initializer_list<std::size_t> places) {
		Tlsh other = a;
		for (const std::size_t place : places)
			other.bytes[place] = 0xFF;
		const Tlsh *const digests[] = {&a, &other, &a};
		return tlsh_split_part(digests);
	};
	CHECK_EQ(split_by({0, 1, 2, 3, 34}) == TlshPart::length_class, true);
	CHECK_EQ(split_by({0, 2, 3, 34}) == TlshPart::ratios, true);
	CHECK_EQ(split_by({0, 3, 34}) == TlshPart::first_half, true);
	CHECK_EQ(split_by({0, 34}) == TlshPart::second_half, true);
	CHECK_EQ(split_by({0}).has_value(), false);
}

TEST(tlsh_bands)
{
	std::mt19937_64 random(14);
	for (const TlshBanding banding : {TlshBanding{8, 16}, {12, 20}, {1, 8}, {32, 32}, {6, 21}}) {
		for (unsigned i = 0; i < 300; ++i) {
			const Tlsh a = random_digest(random), b = neighbour(a, i % 12, random);
			std::vector<std::int64_t> keys(static_cast<std::size_t>(banding.bands));
			tlsh_band_keys(b, banding, keys.data());
			CHECK_EQ(std::set(keys.begin(), keys.end()).size(), keys.size(), i);
			for (const int flips : {0, 1}) {
				const std::vector<std::int64_t> probes = probe(a, banding, flips);
				const std::set<std::int64_t> looked_up(probes.begin(), probes.end());
				CHECK_EQ(looked_up.size(), probes.size(), i);
				for (int band = 0; band < banding.bands; ++band)
					CHECK_EQ(looked_up.count(keys[static_cast<std::size_t>(band)]) == 1,
						differing_bits(a, b, banding, band) <= flips, i);
			}
		}
	}
}

// If codes differ in fewer steps than there are disjoint bands, one band is equal; if in fewer than twice as many, one
// differs by a single bit.
TEST(tlsh_bands_find_the_nearest_for_sure)
{
	CHECK_EQ(TlshBanding({8, 16}).disjoint(), 8);
	CHECK_EQ(TlshBanding({10, 24}).disjoint(), 5);
	CHECK_EQ(TlshBanding({3, 24}).disjoint(), 3);
	for (const TlshBanding banding : {TlshBanding{8, 16}, {10, 24}, {4, 20}, {32, 32}}) {
		std::mt19937_64 random(15);
		for (unsigned i = 0; i < 5000; ++i) {
			const Tlsh a = random_digest(random), b = neighbour(a, i % 8, random);
			const int body = tlsh_body_distance(a, b);
			if (body >= 2 * banding.disjoint())
				continue;
			std::vector<std::int64_t> keys(static_cast<std::size_t>(banding.bands));
			tlsh_band_keys(b, banding, keys.data());
			const std::vector<std::int64_t> probes = probe(a, banding, body < banding.disjoint() ? 0 : 1);
			const std::set<std::int64_t> looked_up(probes.begin(), probes.end());
			CHECK_EQ(std::any_of(keys.begin(), keys.end(), [&](std::int64_t key) { return looked_up.count(key) == 1; }),
				true, i);
		}
	}
}
