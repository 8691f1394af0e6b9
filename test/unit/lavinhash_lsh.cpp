#include "core/lavinhash/lavinhash_lsh.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "unit/check.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

using Bytes = std::vector<std::uint8_t>;
constexpr std::size_t slot_count = 256;

// A form with `count` random bits, of which `kept` are set in `like`.
Bytes form_like(std::mt19937_64 &random, const Bytes &like, unsigned kept, unsigned count)
{
	Bytes out(lavinhash_min_size);
	out[0] = 'H';
	out[1] = 1;
	const auto is_set = [](const Bytes &form, std::size_t bit) { return (form[4 + bit / 8] >> bit % 8 & 1) != 0; };
	for (unsigned set = 0; set < count;) {
		const std::size_t bit = random() % lavinhash_filter_bits;
		if (is_set(out, bit) || (!like.empty() && is_set(like, bit) != (set < kept)))
			continue;
		out[4 + bit / 8] = static_cast<std::uint8_t>(out[4 + bit / 8] | 1 << bit % 8);
		++set;
	}
	return out;
}

std::vector<std::uint64_t> slots_of(const Bytes &form)
{
	std::vector<std::uint64_t> slots(slot_count);
	lavinhash_slots(form, slots);
	return slots;
}

} // namespace

TEST(lavinhash_slots_are_bits_of_the_set)
{
	std::mt19937_64 random(1);
	for (const unsigned count : {1, 5, 100, 4000, 8192}) {
		const Bytes form = form_like(random, {}, 0, count);
		for (const std::uint64_t bit : slots_of(form))
			CHECK_EQ(form.at(4 + bit / 8) >> bit % 8 & 1, 1, count, bit);
	}
	for (const std::uint64_t slot : slots_of(form_like(random, {}, 0, 0)))
		CHECK_EQ(slot, lavinhash_filter_bits);
}

// The share of equal slots, averaged over pairs, is the content similarity; more than four standard errors would be a
// bias.
TEST(lavinhash_slots_estimate_the_content)
{
	std::mt19937_64 random(2);
	constexpr int pairs = 60;
	for (const unsigned count : {20, 200, 3000})
		for (const unsigned percent : {0, 30, 60, 80, 95, 100}) {
			double error = 0, variance = 0;
			for (int pair = 0; pair < pairs; ++pair) {
				const Bytes a = form_like(random, {}, 0, count), b = form_like(random, a, count * percent / 100, count);
				const std::vector<std::uint64_t> x = slots_of(a), y = slots_of(b);
				const double content = static_cast<double>(lavinhash_content(a, b));
				error += static_cast<double>(matching_slots(x, y)) / slot_count - content;
				variance += content * (1 - content) / slot_count;
			}
			CHECK_EQ(std::abs(error) <= 4 * std::sqrt(variance) + 1e-9, true, count, percent, error);
		}
}

// A pair that reaches a score has the content similarity that the index relies on, for any structure.
TEST(lavinhash_least_content_is_necessary)
{
	for (int score = 0; score <= 100; ++score) {
		const auto least = static_cast<float>(lavinhash_least_content(score));
		for (unsigned united = 1; united <= 8192; united += 7) {
			const auto common = static_cast<unsigned>(std::ceil(std::max(0.0f, least) * static_cast<float>(united)));
			if (common == 0)
				continue;
			const float below = static_cast<float>(common - 1) / static_cast<float>(united);
			if (below < least)
				CHECK_EQ(lavinhash_score(1.0f, below, lavinhash_default_alpha) < score, true, score, united);
		}
	}
	CHECK_EQ(lavinhash_least_content(30) <= 0, true);
	CHECK_EQ(std::abs(lavinhash_least_content(100) - 1) < 1e-5, true);
}
