// The compact form: how slots are folded, kernels against their plain versions, the estimate with its bias and error,
// its forms.
#include "core/minhash/minhash_compact.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/minhash/neighbours.hpp"
#include "core/trigger/lock_keys.hpp"
#include "unit/check.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

using Sketch = std::vector<std::uint64_t>;
using Bytes = std::vector<std::uint8_t>;

Bytes compacted(const Sketch &sketch)
{
	Bytes out(sketch.size());
	compact(sketch, out.data());
	return out;
}

Sketch random_sketch(std::mt19937_64 &random, std::size_t slots)
{
	Sketch sketch(slots);
	for (std::uint64_t &slot : sketch)
		slot = random();
	return sketch;
}

// The sketches of two sets of `shared` common tokens and `own` tokens of each, so that J = shared / (shared + 2 · own).
struct Pair {
	Sketch a, b;
};

Pair pair_of_sets(std::mt19937_64 &random, std::size_t slots, int shared, int own)
{
	Pair pair{Sketch(slots), Sketch(slots)};
	MinhashBuilder a(HashFamily::xxh3, default_seed, pair.a), b(HashFamily::xxh3, default_seed, pair.b);
	const auto token = [&] { return std::to_string(random()); };
	for (int i = 0; i < shared; ++i) {
		const std::string both = token();
		a.add(both);
		b.add(both);
	}
	for (int i = 0; i < own; ++i) {
		a.add(token());
		b.add(token());
	}
	a.finish();
	b.finish();
	return pair;
}

Bytes random_bytes(std::mt19937_64 &random, std::size_t n, unsigned values = 256)
{
	Bytes out(n);
	for (std::uint8_t &byte : out)
		byte = static_cast<std::uint8_t>(random() % values);
	return out;
}

} // namespace

// These bytes stand in tables: they never change.
TEST(compact_slots_are_frozen)
{
	CHECK_EQ(compact_slot(0), 0);
	CHECK_EQ(compact_slot(1), 0x9E);
	CHECK_EQ(compact_slot(2), 0x3C);
	CHECK_EQ(compact_slot(~std::uint64_t{0}), 0x80);
	CHECK_EQ(compact_slot(0x0123456789ABCDEF), minhash_mixed_slot(0x0123456789ABCDEF) >> 8);
	std::mt19937_64 random(1);
	for (const std::size_t slots : {1, 7, 64, 128, 255, 256}) {
		const Sketch sketch = random_sketch(random, slots);
		const Bytes bytes = compacted(sketch);
		for (std::size_t i = 0; i < slots; ++i)
			CHECK_EQ(bytes[i], compact_slot(sketch[i]), slots, i);
	}
}

TEST(compact_matches_agree_with_the_plain_count)
{
	std::mt19937_64 random(2);
	for (std::size_t n = 0; n <= minhash_max_slots; ++n)
		for (const std::size_t offset : {0, 1, 9}) {
			const Bytes a = random_bytes(random, n + offset, 3), b = random_bytes(random, n + offset, 3);
			const ConstCompactSlots x = ConstCompactSlots(a).subspan(offset), y = ConstCompactSlots(b).subspan(offset);
			CHECK_EQ(matching_slots(x, y), matching_slots_plain(x, y), n, offset);
			CHECK_EQ(matching_slots(x, x), n, offset);
		}
}

// Slots are minima: of long texts their upper bits are nearly always 0. Their bytes must be spread evenly all the same,
// and those of different slots equal by chance alone.
TEST(compact_slots_of_minima_are_mixed)
{
	constexpr std::size_t slots = 256;
	for (const int tokens : {1, 10, 300, 5000}) {
		const int sketches = tokens > 1000 ? 60 : 400;
		std::mt19937_64 random(static_cast<std::uint64_t>(tokens));
		double counts[256] = {}, equal = 0;
		for (int i = 0; i < sketches; ++i) {
			const Pair pair = pair_of_sets(random, slots, 0, tokens);
			const Bytes a = compacted(pair.a), b = compacted(pair.b);
			for (const std::uint8_t byte : a)
				++counts[byte];
			equal += matching_slots(a, b);
		}
		const double n = static_cast<double>(slots) * sketches, expected = n / 256;
		double chi_square = 0;
		for (const double count : counts)
			chi_square += (count - expected) * (count - expected) / expected;
		CHECK_EQ(chi_square < 370, true, tokens,
			chi_square); // 255 degrees of freedom: 370 is exceeded once in 300,000 times
		const double deviation = std::sqrt(n * (1 / 256.0) * (255 / 256.0));
		CHECK_EQ(std::abs(equal - expected) < 4.5 * deviation, true, tokens, equal, expected);
	}
}

TEST(compact_estimate)
{
	for (const std::size_t slots : {64, 128, 256}) {
		const auto all = static_cast<unsigned>(slots);
		CHECK_EQ(estimated_jaccard<std::uint8_t>(0, slots), 0.0);
		CHECK_EQ(estimated_jaccard<std::uint8_t>(all / 256, slots), 0.0, slots); // as many as chance makes equal
		CHECK_EQ(estimated_jaccard<std::uint8_t>(all, slots), 1.0, slots);
		for (unsigned m = 1; m <= all; ++m) {
			const double estimate = estimated_jaccard<std::uint8_t>(m, slots);
			const double by_definition =
				(static_cast<double>(m) / static_cast<double>(slots) - 1 / 256.0) / (1 - 1 / 256.0);
			CHECK_EQ(std::abs(estimate - std::max(0.0, by_definition)) < 1e-12, true, slots, m);
			CHECK_EQ(estimate <= estimated_jaccard<std::uint64_t>(m, slots), true, slots, m);
			CHECK_EQ(least_matches_of<std::uint8_t>(estimate, slots), estimate > 0 ? m : 0, slots, m);
		}
	}
	CHECK_EQ(least_matches_of<std::uint64_t>(0.8, 128), 103);
	CHECK_EQ(least_matches_of<std::uint8_t>(0.8, 128), 103);
	CHECK_EQ(least_matches_of<std::uint8_t>(1, 128), 128);
	CHECK_EQ(least_matches_of<std::uint8_t>(1e308, 128), 129);
	CHECK_EQ(least_matches_of<std::uint64_t>(std::numeric_limits<double>::infinity(), 128), 129);
}

// At J = 0.8 the standard error is at most 1.1 times that of the full sketch, and the mean is not off. By theory the
// errors are sqrt(J(1 − J) / H) and sqrt(E(1 − E) / H) · 256/255 with E = J + (1 − J) / 256: 1.0024 times.
TEST(compact_standard_error)
{
	for (const std::size_t slots : {64, 128, 256}) {
		std::mt19937_64 random(slots);
		constexpr int pairs = 3000;
		double errors[2] = {}, sums[2] = {};
		for (int i = 0; i < pairs; ++i) {
			const Pair pair = pair_of_sets(random, slots, 80, 10);
			const double full = estimated_jaccard<std::uint64_t>(matching_slots(pair.a, pair.b), slots) - 0.8;
			const double folded =
				estimated_jaccard<std::uint8_t>(matching_slots(compacted(pair.a), compacted(pair.b)), slots) - 0.8;
			sums[0] += full;
			sums[1] += folded;
			errors[0] += full * full;
			errors[1] += folded * folded;
		}
		const double ratio = std::sqrt(errors[1] / errors[0]);
		const double of_mean = std::sqrt(errors[1]) / pairs;
		std::printf("    H = %zu: standard error full %.5f, compact %.5f, ratio %.4f; mean error %+.5f, %+.5f\n", slots,
			std::sqrt(errors[0] / pairs), std::sqrt(errors[1] / pairs), ratio, sums[0] / pairs, sums[1] / pairs);
		CHECK_EQ(ratio <= 1.03, true, slots, ratio);
		CHECK_EQ(std::abs(sums[1] / pairs) < 4 * of_mean, true, slots, sums[1] / pairs, of_mean);
	}
}

TEST(compact_estimate_has_no_bias)
{
	constexpr std::size_t slots = 256;
	for (const int shared : {20, 50, 90}) { // of 100
		std::mt19937_64 random(static_cast<std::uint64_t>(shared));
		const int own = (100 - shared) / 2, pairs = 600;
		const double j = static_cast<double>(shared) / (shared + 2 * own);
		double sum = 0, squares = 0;
		for (int i = 0; i < pairs; ++i) {
			const Pair pair = pair_of_sets(random, slots, shared, own);
			const double error =
				estimated_jaccard<std::uint8_t>(matching_slots(compacted(pair.a), compacted(pair.b)), slots) - j;
			sum += error;
			squares += error * error;
		}
		CHECK_EQ(std::abs(sum / pairs) < 4 * std::sqrt(squares) / pairs, true, shared, sum / pairs);
	}
}

TEST(compact_bands)
{
	std::mt19937_64 random(3);
	const Bytes a = random_bytes(random, 128);
	Bytes b = random_bytes(random, 128);
	const Banding banding{16, 4};
	CHECK_EQ(first_common_band(a, b, banding), -1);
	std::copy(&a[20], &a[24], &b[20]);
	CHECK_EQ(first_common_band(a, b, banding), 5);
	std::uint64_t keys[2][16];
	band_keys(a, banding, keys[0]);
	band_keys(b, banding, keys[1]);
	for (int band = 0; band < 16; ++band) {
		CHECK_EQ(keys[0][band], band_key(a, 4, band), band);
		CHECK_EQ(keys[0][band], xxh3_64(&a[static_cast<std::size_t>(4 * band)], 4, static_cast<std::uint64_t>(band)));
		CHECK_EQ(keys[0][band] == keys[1][band], band == 5, band);
	}
}

// What an index with the default banding finds of the pairs whose estimate reaches the threshold, with as many common
// bands as it demands at a recall of 0.99. Bytes that are equal by chance only add to it.
TEST(compact_recall_of_the_default_banding)
{
	const Banding banding{16, 4};
	constexpr std::size_t slots = 128;
	std::mt19937_64 random(4);
	for (const double threshold : {0.7, 0.8, 0.9}) {
		const unsigned least = least_matches_of<std::uint8_t>(threshold, slots);
		const int demanded = min_matching_bands(threshold, banding, 0.99);
		int similar = 0, found = 0;
		for (int i = 0; i < 4000; ++i) {
			// the worst case: pairs at the threshold
			const Bytes a = random_bytes(random, slots);
			Bytes b = a;
			std::vector<std::size_t> order(slots);
			for (std::size_t s = 0; s < slots; ++s)
				order[s] = s;
			std::shuffle(order.begin(), order.end(), random);
			for (std::size_t s = least; s < slots; ++s)
				b[order[s]] = static_cast<std::uint8_t>(b[order[s]] + 1 + random() % 255);
			std::uint64_t x[16], y[16];
			band_keys(a, banding, x);
			band_keys(b, banding, y);
			int common = 0;
			for (int band = 0; band < banding.bands; ++band)
				common += x[band] == y[band];
			++similar;
			found += common >= demanded;
		}
		CHECK_EQ(demanded >= 1 && found >= 0.985 * similar, true, threshold, demanded, found);
	}
}

TEST(compact_lock_keys)
{
	std::mt19937_64 random(5);
	for (const std::size_t slots : {64, 128, 256})
		for (const double threshold : {0.6, 0.8, 0.95, 1.0}) {
			const unsigned least = least_matches_of<std::uint8_t>(threshold, slots);
			const Banding banding = lock_banding(threshold, static_cast<int>(slots));
			CHECK_EQ(banding.bands > 0, true, slots, threshold);
			for (int i = 0; i < 300; ++i) {
				const Bytes a = random_bytes(random, slots);
				Bytes b = a;
				for (std::size_t s = 0; s < slots - least; ++s)
					b[random() % slots] ^= 0x55;
				std::uint64_t x[max_lock_keys], y[max_lock_keys];
				const std::size_t n = lock_keys(a, banding, 7, x), m = lock_keys(b, banding, 7, y);
				const bool shared =
					std::any_of(x, x + n, [&](std::uint64_t key) { return std::binary_search(y, y + m, key); });
				CHECK_EQ(shared, true, slots, threshold, i);
			}
		}
}

// ANALYZE finds about the same of the compact form as of the full one.
TEST(compact_similarity_profile)
{
	std::mt19937_64 random(6);
	std::vector<Sketch> sketches;
	for (int group = 0; group < 150; ++group) {
		const Sketch head = random_sketch(random, 128);
		for (int member = 0; member < 8; ++member) {
			Sketch sketch = head;
			for (std::uint64_t &slot : sketch)
				slot = random() % 100 < 85 ? slot : random();
			sketches.push_back(sketch);
		}
	}
	std::vector<Bytes> folded;
	std::vector<const std::uint64_t *> full;
	std::vector<const std::uint8_t *> compact;
	for (const Sketch &sketch : sketches) {
		folded.push_back(compacted(sketch));
		full.push_back(sketch.data());
	}
	for (const Bytes &bytes : folded)
		compact.push_back(bytes.data());
	const SimilarityProfile of_full = similarity_profile(full, 128), of_compact = similarity_profile(compact, 128);
	for (const std::size_t i : {0, 2, 4}) // 0.5, 0.6, 0.7
		CHECK_EQ(std::abs(of_compact[i] / of_full[i] - 1) < 0.05, true, i, of_full[i], of_compact[i]);
}

// ---- forms

namespace {

Bytes wire(const Bytes &slots)
{
	Bytes out(compact_wire_size(slots.size()), 0xAA);
	write_wire(slots, out.data());
	return out;
}

std::string text(std::uint64_t config, const Bytes &slots)
{
	std::string out(compact_text_size(slots.size()), '?');
	write_text(config, slots, out.data());
	return out;
}

MinhashParse parsed_wire(const Bytes &bytes, std::size_t slots)
{
	Bytes out(slots);
	return read_wire(bytes, CompactSlots(out));
}

} // namespace

TEST(compact_wire_layout)
{
	CHECK_EQ(compact_wire_size(128), 136);
	CHECK_EQ(wire({11, 0xEF}), Bytes({1, 0, 8, 0, 0, 0, 0, 0, 11, 0xEF}));
	CHECK_EQ(text(0xC0FFEE5EED, {11, 0xEF}), "000000c0ffee5eed:01000800000000000bef");
}

TEST(compact_forms_round_trip)
{
	std::mt19937_64 random(7);
	for (const std::size_t slots : {64, 128, 256}) {
		const Bytes value = random_bytes(random, slots);
		Bytes back(slots);
		CHECK_EQ(read_wire(wire(value), CompactSlots(back)), MinhashParse::ok, slots);
		CHECK_EQ(back, value, slots);
		for (const std::uint64_t config : {std::uint64_t{0}, ~std::uint64_t{0}, default_seed}) {
			std::uint64_t config_back = 99;
			std::fill(back.begin(), back.end(), 0);
			CHECK_EQ(read_text(text(config, value), config_back, CompactSlots(back)), MinhashParse::ok, slots);
			CHECK_EQ(config_back, config);
			CHECK_EQ(back, value);
		}
		std::uint64_t config_back = 99;
		CHECK_EQ(read_text(text(5, value).substr(17), config_back, CompactSlots(back)), MinhashParse::ok);
		CHECK_EQ(config_back, 0);
	}
}

TEST(compact_wire_errors)
{
	std::mt19937_64 random(8);
	const Bytes good = wire(random_bytes(random, 64));
	for (std::size_t size = 0; size < good.size() + 20; ++size) {
		Bytes bytes = good;
		bytes.resize(size);
		CHECK_EQ(parsed_wire(bytes, 64), size == good.size() ? MinhashParse::ok : MinhashParse::bad_length, size);
	}
	for (std::size_t at = 0; at < 8; ++at)
		for (int value = 0; value < 256; ++value) {
			Bytes bytes = good;
			bytes[at] = static_cast<std::uint8_t>(value);
			const MinhashParse bad = at < 2 ? MinhashParse::bad_schema
				: at == 2                   ? MinhashParse::bad_bits
											: MinhashParse::bad_padding;
			CHECK_EQ(parsed_wire(bytes, 64), bytes == good ? MinhashParse::ok : bad, at, value);
		}
	CHECK_EQ(parsed_wire(Bytes(520, 0), 64), MinhashParse::bad_length); // the wire form of a full sketch
}
