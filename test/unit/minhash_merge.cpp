// Unions of sketches, and the sizes that sketches estimate.
#include "core/minhash/minhash_merge.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "unit/check.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

using Sketch = std::vector<std::uint64_t>;

// The sketch of the tokens numbered first to last − 1.
Sketch sketch_of(unsigned first, unsigned last, std::size_t slots = 128, std::uint64_t seed = default_seed,
	HashFamily family = HashFamily::xxh3)
{
	Sketch out(slots);
	MinhashBuilder builder(family, seed, out);
	for (unsigned i = first; i < last; ++i)
		builder.add(std::to_string(i));
	builder.finish();
	return out;
}

Sketch united(Sketch a, const Sketch &b)
{
	unite(a, b);
	return a;
}

// The formula, slot by slot.
double cardinality_by_definition(const Sketch &sketch)
{
	double sum = 0;
	for (const std::uint64_t slot : sketch)
		sum -= std::log1p(-(static_cast<double>(slot) + 0.5) * 0x1p-64);
	return (static_cast<double>(sketch.size()) - 1) / sum;
}

} // namespace

TEST(merge_union_of_sketches_is_the_sketch_of_the_union)
{
	std::mt19937_64 random(1);
	for (int i = 0; i < 300; ++i) {
		const std::size_t slots = i % 3 == 0 ? 64 : i % 3 == 1 ? 128 : 256;
		const auto a = static_cast<unsigned>(random() % 50), b = a + static_cast<unsigned>(random() % 50),
				   c = static_cast<unsigned>(random() % (b + 1)), d = b + static_cast<unsigned>(random() % 50);
		const Sketch x = sketch_of(a, b, slots), y = sketch_of(c, d, slots); // [a, b) and [c, d) overlap or meet
		CHECK_EQ(united(x, y) == sketch_of(std::min(a, c), d, slots), true, a, b, c, d);
		CHECK_EQ(united(x, y) == united(y, x), true);
		CHECK_EQ(united(x, x) == x, true);
		const Sketch z = sketch_of(d, d + 5, slots);
		CHECK_EQ(united(united(x, y), z) == united(x, united(y, z)), true);
	}
}

TEST(merge_cardinality_by_definition)
{
	std::mt19937_64 random(2);
	for (int i = 0; i < 2000; ++i) {
		Sketch sketch(2 + random() % 255);
		const unsigned shift = random() % 44; // up to 2^43 tokens
		for (std::uint64_t &slot : sketch)
			slot = random() >> shift;
		const double expected = cardinality_by_definition(sketch);
		CHECK_EQ(std::abs(minhash_cardinality(sketch) / expected - 1) < 1e-3, true, shift, expected);
	}
	CHECK_EQ(
		std::abs(minhash_cardinality(sketch_of(0, 100)) / cardinality_by_definition(sketch_of(0, 100)) - 1) < 1e-12,
		true);
}

// Mean and mean square of the relative error over many seeds: no bias, standard error 1/√(H − 2). Using the 99th
// percentile excludes the rare sketches that one token spoils.
TEST(merge_cardinality)
{
	const int seeds = static_cast<int>(by_length(400, 200));
	for (const HashFamily family : {HashFamily::xxh3, HashFamily::murmur3})
		for (const std::size_t slots : {64, 128, 256})
			for (const unsigned size : {1u, 3u, 10u, 100u, 3000u}) {
				std::vector<double> errors;
				for (int seed = 0; seed < seeds; ++seed)
					errors.push_back(
						minhash_cardinality(sketch_of(0, size, slots, static_cast<std::uint64_t>(seed), family)) /
							size -
						1);
				std::sort(errors.begin(), errors.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
				errors.resize(static_cast<std::size_t>(seeds) * 98 / 100);
				double sum = 0, squares = 0;
				for (const double error : errors) {
					sum += error;
					squares += error * error;
				}
				const double n = static_cast<double>(errors.size()), expected = 1 / std::sqrt(slots - 2.0);
				CHECK_EQ(std::abs(sum / n) < 5 * expected / std::sqrt(n), true, slots, size, sum / n);
				CHECK_EQ(std::sqrt(squares / n) < 1.1 * expected, true, slots, size, std::sqrt(squares / n));
			}
}

TEST(merge_cardinality_at_the_ends)
{
	const double none = minhash_cardinality(Sketch(128, ~std::uint64_t{0})); // the sketch of the empty set
	CHECK_EQ(none > 0 && none < 0.05, true, none);
	const double huge = minhash_cardinality(Sketch(128, 0));
	CHECK_EQ(std::isfinite(huge) && huge > 1e15, true, huge);
}

// Containment of a in b from the sketches alone: the root mean square error that the reference page states, with
// estimated and with known sizes.
TEST(merge_containment)
{
	constexpr int seeds = 300;
	const auto check = [](unsigned a, unsigned b, unsigned common, double estimated_error, double known_error) {
		double estimated = 0, known = 0;
		for (int seed = 0; seed < seeds; ++seed) {
			const Sketch x = sketch_of(0, a, 128, static_cast<std::uint64_t>(seed));
			const Sketch y = sketch_of(a - common, a - common + b, 128, static_cast<std::uint64_t>(seed));
			const double jaccard = matching_slots(x, y) / 128.0, expected = static_cast<double>(common) / a;
			const double size = minhash_cardinality(x);
			const double error = intersection_size(jaccard, size, minhash_cardinality(y)) / size - expected;
			estimated += error * error;
			known += std::pow(intersection_size(jaccard, a, b) / a - expected, 2);
		}
		CHECK_EQ(std::sqrt(estimated / seeds) < 1.2 * estimated_error, true, a, b, std::sqrt(estimated / seeds));
		CHECK_EQ(std::sqrt(known / seeds) < 1.2 * known_error, true, a, b, std::sqrt(known / seeds));
	};
	check(100, 100, 50, 0.053, 0.047);
	check(100, 1000, 100, 0.17, 0.17);
	check(1000, 3000, 900, 0.09, 0.09);
}

TEST(merge_intersection_size)
{
	CHECK_EQ(intersection_size(1, 100, 100), 100.0);
	CHECK_EQ(intersection_size(0, 100, 50), 0.0);
	CHECK_EQ(std::abs(intersection_size(1.0 / 3, 100, 100) - 50) < 1e-9, true);
	CHECK_EQ(std::abs(intersection_size(0.1, 100, 1000) - 100) < 1e-9, true); // contained
	CHECK_EQ(intersection_size(0.5, 10, 1000), 10.0);                         // no more than there are
	CHECK_EQ(intersection_size(0.5, 1000, 10), 10.0);
}
