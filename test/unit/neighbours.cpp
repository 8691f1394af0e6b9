#include "core/minhash/neighbours.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "unit/check.hpp"
#include "unit/stop.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

using Sketch = std::vector<std::uint64_t>;

// Groups of near-duplicates: each member has a share of its slots from the head of its group.
std::vector<Sketch> clustered_sketches(std::size_t groups, std::size_t members, std::size_t slots)
{
	std::mt19937_64 random(1);
	std::vector<Sketch> out;
	for (std::size_t group = 0; group < groups; ++group) {
		Sketch head(slots);
		for (std::uint64_t &slot : head)
			slot = random();
		for (std::size_t member = 0; member < members; ++member) {
			const std::uint64_t percent = 60 + random() % 41;
			Sketch sketch = head;
			for (std::uint64_t &slot : sketch)
				slot = random() % 100 < percent ? slot : random();
			out.push_back(sketch);
		}
	}
	return out;
}

std::vector<const std::uint64_t *> pointers(const std::vector<Sketch> &sketches)
{
	std::vector<const std::uint64_t *> out;
	for (const Sketch &sketch : sketches)
		out.push_back(sketch.data());
	return out;
}

SimilarityProfile profile_by_definition(const std::vector<Sketch> &sketches)
{
	SimilarityProfile profile{};
	const double n = static_cast<double>(sketches.size());
	for (std::size_t a = 0; a < sketches.size(); ++a)
		for (std::size_t b = a + 1; b < sketches.size(); ++b) {
			const double similarity =
				matching_slots(sketches[a], sketches[b]) / static_cast<double>(sketches[a].size());
			for (std::size_t i = 0; i < profile_points; ++i)
				profile[i] += similarity >= profile_threshold(i) - 1e-9 ? 2 / (n * (n - 1)) : 0;
		}
	return profile;
}

} // namespace

TEST(neighbours_profile_is_near_the_truth)
{
	for (const std::size_t slots : {64, 128}) {
		const std::vector<Sketch> sketches = clustered_sketches(200, 6, slots);
		const SimilarityProfile actual = similarity_profile(pointers(sketches), slots),
								exact = profile_by_definition(sketches);
		for (std::size_t i = 0; i < 8; ++i) // above 0.85 there are too few pairs for an estimate
			CHECK_EQ(std::fabs(actual[i] - exact[i]) <= 0.15 * exact[i], true, slots, i, actual[i], exact[i]);
		for (std::size_t i = 1; i < profile_points; ++i)
			CHECK_EQ(actual[i] <= actual[i - 1], true, slots, i);
		CHECK_EQ(similarity_profile(pointers(sketches), slots), actual); // deterministic
	}
}

// A bucket too large for comparing all pairs; all rows are equal, so every pair counts.
TEST(neighbours_profile_of_equal_rows)
{
	const std::vector<Sketch> sketches(1000, Sketch(64, 7));
	for (const double fraction : similarity_profile(pointers(sketches), 64))
		CHECK_EQ(std::fabs(fraction - 1) < 1e-6, true, fraction);
}

TEST(neighbours_profile_of_few_rows)
{
	CHECK_EQ(similarity_profile({}, 64), SimilarityProfile{});
	const std::vector<Sketch> unrelated = clustered_sketches(2, 1, 64);
	CHECK_EQ(similarity_profile(pointers({unrelated[0]}), 64), SimilarityProfile{});
	CHECK_EQ(similarity_profile(pointers(unrelated), 64), SimilarityProfile{});
}

TEST(neighbours_fraction_between_the_points)
{
	SimilarityProfile profile;
	for (std::size_t i = 0; i < profile_points; ++i)
		profile[i] = 0.4 * std::pow(0.5, static_cast<double>(i));
	for (std::size_t i = 0; i < profile_points; ++i)
		CHECK_EQ(std::fabs(fraction_at(profile, profile_threshold(i)) - profile[i]) < 1e-9, true, i);
	CHECK_EQ(std::fabs(fraction_at(profile, 0.525) - 0.3) < 1e-9, true);
	double last = 1;
	for (double threshold = 0; threshold <= 1.2; threshold += 0.01) {
		const double fraction = fraction_at(profile, threshold);
		CHECK_EQ(fraction >= 0 && fraction <= last, true, threshold, fraction);
		last = fraction;
	}
}

// Boilerplate: each sketch has a share of its slots from one text, so every pair shares bands by it.
TEST(neighbours_candidates_by_boilerplate)
{
	constexpr std::size_t slots = 128, rows = 400;
	for (const std::uint64_t percent : {80, 84, 92}) {
		std::mt19937_64 random(percent);
		std::vector<Sketch> sketches(rows, Sketch(slots));
		for (Sketch &sketch : sketches)
			for (std::size_t slot = 0; slot < slots; ++slot)
				sketch[slot] = random() % 100 < percent ? slot : random();
		const SimilarityProfile profile = similarity_profile(pointers(sketches), slots);
		for (const auto &[banding, m] : {std::pair<Banding, int>{{16, 4}, 2}, {{16, 8}, 1}, {{32, 4}, 7}, {{16, 4}, 9}}) {
			double candidates = 0;
			for (std::size_t a = 0; a < rows; ++a)
				for (std::size_t b = a + 1; b < rows; ++b) {
					int shared = 0;
					for (int band = 0; band < banding.bands; ++band) {
						const auto first = static_cast<std::size_t>(band * banding.rows);
						shared += std::equal(&sketches[a][first], &sketches[a][first] + banding.rows, &sketches[b][first]);
					}
					candidates += shared >= m;
				}
			const double exact = 2 * candidates / (rows * (rows - 1));
			const double estimate = candidate_fraction(profile, banding, m);
			CHECK_EQ(std::fabs(estimate - exact) <= 0.1, true, percent, banding.bands, banding.rows, m, estimate, exact);
		}
	}
	SimilarityProfile strangers{};
	CHECK_EQ(candidate_fraction(strangers, {16, 4}, 2), 0.0);
	SimilarityProfile copies;
	copies.fill(1);
	CHECK_EQ(candidate_fraction(copies, {16, 4}, 16), 1.0);
}

TEST(neighbours_cancellation)
{
	const std::vector<Sketch> sketches = clustered_sketches(3000, 2, 64);
	CHECK_EQ(is_cancelled([&] { similarity_profile(pointers(sketches), 64, stop_at_once); }), true);
}
