#include "core/minhash/lsh.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "unit/check.hpp"
#include "unit/data.hpp"
#include "unit/options.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

using Sketch = std::vector<std::uint64_t>;
using Keys = std::vector<std::uint64_t>;

Sketch sketch(std::string_view text, int k)
{
	TextOptions options;
	options.tokenizer = tokenizer("shingle-k=" + std::to_string(k) + "/word-uax29");
	Sketch out(128);
	minhash(text, options, out);
	return out;
}

Keys keys(const Sketch &slots, Banding banding)
{
	Keys out(static_cast<std::size_t>(banding.bands));
	band_keys(slots, banding, out.data());
	return out;
}

// The key by its definition: hash of the band's slots as little-endian bytes.
std::uint64_t hash_of_band(const Sketch &slots, int rows, int band, std::uint64_t seed)
{
	std::vector<std::uint8_t> bytes(8 * static_cast<std::size_t>(rows));
	for (int i = 0; i < rows; ++i)
		store_le64(&bytes[static_cast<std::size_t>(8 * i)], slots[static_cast<std::size_t>(rows * band + i)]);
	return xxh3_64(bytes.data(), bytes.size(), seed);
}

float float_of_bits(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }

// Distribution of the number of shared bands, one band after the other.
std::vector<double> shared_bands(double similarity, Banding banding)
{
	double hit = 1;
	for (int i = 0; i < banding.rows; ++i)
		hit *= similarity;
	std::vector<double> distribution = {1};
	for (int band = 0; band < banding.bands; ++band) {
		std::vector<double> next(distribution.size() + 1);
		for (std::size_t m = 0; m < distribution.size(); ++m) {
			next[m] += distribution[m] * (1 - hit);
			next[m + 1] += distribution[m] * hit;
		}
		distribution = next;
	}
	return distribution;
}

double at_least(const std::vector<double> &distribution, int m)
{
	double sum = 0;
	for (std::size_t k = distribution.size(); k-- > static_cast<std::size_t>(std::max(m, 0));)
		sum += distribution[k];
	return sum;
}

// Midpoint sums, fine enough to serve as the exact value.
double recall_above_by_sums(double threshold, Banding banding)
{
	constexpr int steps = 2000;
	double found = 0, all = 0;
	for (int i = 0; i < steps; ++i) {
		const double s = threshold + (1 - threshold) * (i + 0.5) / steps;
		found += match_probability(s, banding) / (s * s * s);
		all += 1 / (s * s * s);
	}
	return found / all;
}

bool close(double a, double b) { return std::fabs(a - b) <= 1e-9; }

constexpr Banding bandings[] = {{1, 1}, {1, 128}, {2, 64}, {4, 32}, {8, 16}, {12, 5}, {16, 4}, {16, 8}, {32, 4},
	{64, 2}, {128, 1}, {256, 1}, {20, 6}};
constexpr double similarities[] = {0, 0.01, 0.1, 0.25, 0.3, 0.5, 0.7, 0.75, 0.8, 0.9, 0.95, 0.99, 0.999, 1};

// The corpus of lsh_query.tsv; document i has the number i + 1.
const std::vector<std::string> corpus = {"the quick brown fox jumps over the lazy dog at noon",
	"the quick brown fox jumps over the lazy dog at dusk", "the quick brown fox jumps over the lazy dog at dawn",
	"a completely unrelated paragraph about astronomy and stars",
	"yet another distinct piece of text describing kittens", "the quick brown fox leaps over the lazy dog at noon"};

} // namespace

// The crate's keys of a band have seed 0; ours have the band's number, which for band 0 is the same.
TEST(lsh_crate_band_keys)
{
	const Table &vectors = table("lsh_band_keys.tsv");
	CHECK_EQ(vectors.size(), 155);
	for (const Row &row : vectors) {
		const Sketch slots = sketch(row["input"], row.number("k"));
		const std::vector<std::string> expected = list(row["first_keys"], ' ');
		Keys actual(expected.size());
		crate_band_keys(slots, {static_cast<int>(expected.size()), row.number("rows")}, actual.data());
		for (std::size_t band = 0; band < expected.size(); ++band)
			CHECK_EQ(hex_u64(actual[band]), expected[band], row["input"], band);
		CHECK_EQ(hex_u64(band_key(slots, row.number("rows"), 0)), expected[0], row["input"], row.number("rows"));
	}
}

TEST(lsh_band_keys_by_definition)
{
	for (const std::size_t size : {64, 128, 256}) {
		Sketch slots(size);
		for (std::size_t i = 0; i < size; ++i)
			slots[i] = i * 0x9E3779B97F4A7C15;
		for (const Banding banding : bandings) {
			if (static_cast<std::size_t>(banding.bands * banding.rows) > size)
				continue;
			const Keys all = keys(slots, banding);
			for (int band = 0; band < banding.bands; ++band) {
				CHECK_EQ(all[static_cast<std::size_t>(band)], band_key(slots, banding.rows, band), banding.rows, band);
				CHECK_EQ(all[static_cast<std::size_t>(band)],
					hash_of_band(slots, banding.rows, band, static_cast<std::uint64_t>(band)), banding.rows, band);
			}
		}
	}
}

// Equal slots in different bands are no match.
TEST(lsh_band_number_is_in_the_key)
{
	const Keys all = keys(Sketch(128, 42), {32, 4});
	CHECK_EQ(std::set<std::uint64_t>(all.begin(), all.end()).size(), 32);
}

TEST(lsh_crate_queries)
{
	const Table &vectors = table("lsh_query.tsv");
	CHECK_EQ(vectors.size(), 216);
	for (const Row &row : vectors) {
		const Banding banding{row.number("bands"), row.number("rows")};
		const float threshold = std::clamp(float_of_bits(row.hex("threshold_bits")), 0.0f, 1.0f);
		const Sketch probe = sketch(row["probe"], 5);
		const Keys probe_keys = keys(probe, banding);
		std::string candidates, similar;
		for (std::size_t i = 0; i < corpus.size(); ++i) {
			const Sketch stored = sketch(corpus[i], 5);
			const Keys stored_keys = keys(stored, banding);
			if (!std::any_of(stored_keys.begin(), stored_keys.end(),
					[&](std::uint64_t key) { return std::count(probe_keys.begin(), probe_keys.end(), key) != 0; }))
				continue;
			const std::string number = std::to_string(i + 1);
			candidates += (candidates.empty() ? "" : " ") + number;
			if (static_cast<float>(matching_slots(probe, stored)) / 128.0f >= threshold)
				similar += (similar.empty() ? "" : " ") + number;
		}
		CHECK_EQ(candidates, row["candidates"], row["probe"], banding.bands, banding.rows);
		CHECK_EQ(similar, row["similar"], row["probe"], banding.bands, threshold);
	}
}

TEST(lsh_crate_bandings)
{
	const Table &vectors = table("lsh_for_threshold.tsv");
	CHECK_EQ(vectors.size(), 300);
	for (const Row &row : vectors) {
		const Banding banding = banding_for_threshold(float_of_bits(row.hex("threshold_bits")), row.number("slots"));
		CHECK_EQ(banding.bands, row.number("bands"), row["threshold_bits"], row.number("slots"));
		CHECK_EQ(banding.rows, row.number("rows"), row["threshold_bits"], row.number("slots"));
	}
}

// The smallest thousandth at which each banding of 128 slots is chosen.
TEST(lsh_bandings_of_128_slots)
{
	std::map<int, int> first; // bands → thousandth
	for (int t = 1; t < 1000; ++t) {
		const Banding banding = banding_for_threshold(static_cast<float>(t) / 1000.0f, 128);
		CHECK_EQ(banding.bands * banding.rows, 128, t);
		first.try_emplace(banding.bands, t);
	}
	CHECK_EQ(
		first == (std::map<int, int>{{128, 1}, {64, 65}, {32, 251}, {16, 523}, {8, 752}, {4, 888}, {2, 953}, {1, 982}}),
		true);
	CHECK_EQ(banding_for_threshold(0.7f, 128) == (Banding{16, 8}), true);
	CHECK_EQ(banding_for_threshold(0.9f, 128).rows >= banding_for_threshold(0.3f, 128).rows, true);
}

TEST(lsh_match_probability)
{
	for (const Banding banding : bandings)
		for (const double s : similarities) {
			const std::vector<double> distribution = shared_bands(s, banding);
			CHECK_EQ(
				close(match_probability(s, banding), at_least(distribution, 1)), true, s, banding.bands, banding.rows);
			for (int m = 0; m <= banding.bands + 1; ++m)
				CHECK_EQ(close(match_probability(s, banding, m), at_least(distribution, m)), true, s, banding.bands,
					banding.rows, m);
		}
	CHECK_EQ(match_probability(0, {16, 8}), 0.0);
	CHECK_EQ(match_probability(1, {16, 8}), 1.0);
	CHECK_EQ(match_probability(0.3, {16, 8}) < match_probability(0.5, {16, 8}), true);
	CHECK_EQ(match_probability(0.5, {16, 8}) < match_probability(0.8, {16, 8}), true);
}

TEST(lsh_recall_above)
{
	for (const Banding banding : bandings) {
		for (const double t : {0.3, 0.5, 0.7, 0.8, 0.9, 0.95})
			CHECK_EQ(std::fabs(recall_above(t, banding) - recall_above_by_sums(t, banding)) < 1e-3, true, t,
				banding.bands, banding.rows);
		for (const double t : similarities) {
			const double recall = recall_above(t, banding);
			CHECK_EQ(recall >= match_probability(t, banding) - 1e-9 && recall <= 1 + 1e-9, true, t, banding.bands,
				banding.rows);
		}
		CHECK_EQ(recall_above(1, banding), 1.0);
	}
}

TEST(lsh_min_matching_bands)
{
	for (const Banding banding : bandings)
		for (const double t : similarities)
			for (const double recall : {0.5, 0.9, 0.95, 0.99, 0.999, 0.999999}) {
				const std::vector<double> distribution = shared_bands(t, banding);
				int expected = banding.bands;
				while (at_least(distribution, expected) < recall)
					--expected;
				if (expected == 0 && recall_above(t, banding) >= recall)
					expected = 1;
				CHECK_EQ(min_matching_bands(t, banding, recall), expected, t, banding.bands, banding.rows, recall);
			}
	CHECK_EQ(min_matching_bands(0.75, {16, 4}, 0.99), 1);
	CHECK_EQ(min_matching_bands(0.8, {16, 4}, 0.99), 2);
	CHECK_EQ(min_matching_bands(1.0, {16, 4}, 0.99), 16);
	CHECK_EQ(min_matching_bands(0.7, {16, 4}, 0.99),
		1); // 0.988 at 0.7 itself, but the recall of all pairs above is high enough
	CHECK_EQ(min_matching_bands(0.1, {16, 4}, 0.99), 0);
}

TEST(lsh_banding_for_recall)
{
	for (const int slots : {1, 2, 16, 64, 100, 128, 256})
		for (const double threshold : {0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.99, 1.0})
			for (const double recall : {0.5, 0.8, 0.9, 0.99, 0.999}) {
				const auto reaches = [&](Banding b) { return at_least(shared_bands(threshold, b), 1) >= recall; };
				const Banding best = banding_for_recall(threshold, recall, slots);
				if (best.bands == 0) { // single slots are the banding that finds most
					CHECK_EQ(reaches({slots, 1}), false, slots, threshold, recall);
					continue;
				}
				CHECK_EQ(best.bands * best.rows <= slots && best.rows >= 1, true, slots, threshold, recall);
				CHECK_EQ(reaches(best), true, slots, threshold, recall, best.bands, best.rows);
				if (best.bands > 1)
					CHECK_EQ(
						reaches({best.bands - 1, best.rows}), false, slots, threshold, recall, best.bands, best.rows);
			}
}

TEST(first_common_band)
{
	Sketch a(64), b(64);
	for (std::size_t i = 0; i < 64; ++i)
		a[i] = i, b[i] = 100 + i;
	CHECK_EQ(first_common_band(a, b, {16, 4}), -1);
	CHECK_EQ(first_common_band(a, a, {16, 4}), 0);
	for (std::size_t i = 20; i < 24; ++i)
		b[i] = a[i];
	CHECK_EQ(first_common_band(a, b, {16, 4}), 5);
	CHECK_EQ(first_common_band(a, b, {5, 4}), -1);
	CHECK_EQ(first_common_band(a, b, {32, 2}), 10);
	CHECK_EQ(first_common_band(a, b, {64, 1}), 20);
	CHECK_EQ(first_common_band(a, b, {1, 64}), -1);
	b[63] = a[63];
	CHECK_EQ(first_common_band(a, b, {16, 4}), 5);
	CHECK_EQ(first_common_band(a, b, {64, 1}), 20);
	b[22] = 0;
	CHECK_EQ(first_common_band(a, b, {16, 4}), -1);
	CHECK_EQ(first_common_band(a, b, {64, 1}), 20);
}

// The first position in which the lists of keys agree.
TEST(first_common_band_is_that_of_the_keys)
{
	const Sketch whole = sketch("the quick brown fox jumps over the lazy dog and runs away from the hunters", 1);
	for (const char *text : {"the quick brown fox jumps over the lazy dog and runs away from hunters",
			 "the quick brown fox", "a quick brown fox leaps over the lazy dog and runs away", "something else"})
		for (const Banding banding :
			{Banding{16, 4}, Banding{32, 4}, Banding{128, 1}, Banding{16, 8}, Banding{42, 3}}) {
			const Sketch other = sketch(text, 1);
			const Keys a = keys(whole, banding), b = keys(other, banding);
			int expected = -1;
			for (int band = banding.bands; band-- > 0;)
				if (a[static_cast<std::size_t>(band)] == b[static_cast<std::size_t>(band)])
					expected = band;
			CHECK_EQ(first_common_band(whole, other, banding), expected, text, banding.bands);
		}
}
