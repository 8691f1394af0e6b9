#include "core/minhash/lsh.hpp"

#include <algorithm>
#include <cmath>

namespace txtfp::core {

namespace {

// Number of steps of the trapezoid rule, part of the crate's definition of banding_for_threshold.
constexpr int integration_steps = 200;

template <class Real, class Fn> Real integrate(Fn fn, Real from, Real to) noexcept
{
	if (to <= from)
		return 0;
	const Real dx = (to - from) / Real(integration_steps);
	Real sum = Real(0.5) * (fn(from) + fn(to));
	for (int i = 1; i < integration_steps; ++i)
		sum += fn(from + Real(i) * dx);
	return sum * dx;
}

// Power by repeated squaring. The crate's result depends on this order of multiplications.
float power(float x, unsigned n) noexcept
{
	float result = 1;
	for (; n != 0; n >>= 1, x *= x)
		if ((n & 1) != 0)
			result *= x;
	return result;
}

float match_probability_single(float similarity, unsigned bands, unsigned rows) noexcept
{
	const float miss = std::clamp(1.0f - power(similarity, rows), 0.0f, 1.0f);
	return 1.0f - power(miss, bands);
}

// Density of rows at a similarity to a given row (rows per unit of similarity), fitted to 84,000 package descriptions.
constexpr double row_density(double similarity) noexcept { return 5 / (similarity * similarity * similarity); }

// Cost of a search in units of one key look-up: one per key, and one per expected candidate below the threshold.
double probe_cost(Banding banding, double threshold) noexcept
{
	const auto candidates = [&](double s) { return match_probability(s, banding) * row_density(s); };
	return banding.bands + integrate(candidates, 0.01, threshold);
}

} // namespace

namespace {

std::uint64_t seeded_band_key(ConstSlots slots, int rows, int band, std::uint64_t seed) noexcept
{
	const std::uint64_t *first = slots.data() + static_cast<std::size_t>(rows) * static_cast<std::size_t>(band);
	const std::size_t bytes = sizeof(std::uint64_t) * static_cast<std::size_t>(rows);
	if constexpr (std::endian::native == std::endian::little)
		return xxh3_64(first, bytes, seed);
	std::uint64_t copy[minhash_max_slots];
	for (int i = 0; i < rows; ++i)
		store_le64(&copy[i], first[i]);
	return xxh3_64(copy, bytes, seed);
}

} // namespace

std::uint64_t band_key(ConstSlots slots, int rows, int band) noexcept
{
	return seeded_band_key(slots, rows, band, static_cast<std::uint64_t>(band));
}

void band_keys(ConstSlots slots, Banding banding, std::uint64_t *out) noexcept
{
	for (int band = 0; band < banding.bands; ++band)
		out[band] = band_key(slots, banding.rows, band);
}

void crate_band_keys(ConstSlots slots, Banding banding, std::uint64_t *out) noexcept
{
	for (int band = 0; band < banding.bands; ++band)
		out[band] = seeded_band_key(slots, banding.rows, band, 0);
}

int first_common_band(ConstSlots a, ConstSlots b, Banding banding) noexcept
{
	const auto rows = static_cast<std::size_t>(banding.rows);
	for (int band = 0; band < banding.bands; ++band) {
		const std::size_t first = rows * static_cast<std::size_t>(band);
		if (std::equal(&a[first], &a[first] + rows, &b[first]))
			return band;
	}
	return -1;
}

double match_probability(double similarity, Banding banding) noexcept
{
	const double band = std::pow(similarity, banding.rows);
	return band >= 1 ? 1 : -std::expm1(banding.bands * std::log1p(-band));
}

double match_probability(double similarity, Banding banding, int m) noexcept
{
	const double band = std::pow(similarity, banding.rows);
	if (m <= 0)
		return 1;
	if (band >= 1 || band <= 0)
		return band >= 1 && m <= banding.bands ? 1 : 0;
	const int n = banding.bands;
	const bool from_below = m <= n / 2; // sums the shorter tail: P(X < m) or P(X ≥ m)
	const double log_hit = std::log(band), log_miss = std::log1p(-band);
	const double step = from_below ? log_hit - log_miss : log_miss - log_hit;
	double log_term = n * (from_below ? log_miss : log_hit), sum = 0;
	for (int i = 0; i < (from_below ? m : n - m + 1); ++i) {
		sum += std::exp(log_term);
		log_term += step + std::log((n - i) / (i + 1.0));
	}
	return std::clamp(from_below ? 1 - sum : sum, 0.0, 1.0);
}

double recall_above(double threshold, Banding banding) noexcept
{
	const double from = std::max(threshold, 0.01);
	if (from >= 1)
		return 1;
	const auto found = [&](double s) { return match_probability(s, banding) * row_density(s); };
	return integrate(found, from, 1.0) / integrate(row_density, from, 1.0);
}

int min_matching_bands(double threshold, Banding banding, double recall) noexcept
{
	int low = 0, high = banding.bands; // match_probability falls with m
	while (low < high) {
		const int m = (low + high + 1) / 2;
		if (match_probability(threshold, banding, m) >= recall)
			low = m;
		else
			high = m - 1;
	}
	if (low == 0 && recall_above(threshold, banding) >= recall)
		return 1;
	return low;
}

Banding banding_for_threshold(float threshold, int slots) noexcept
{
	Banding best{0, 0};
	float least = 0;
	for (int bands = 1; bands <= slots; ++bands) {
		if (slots % bands != 0)
			continue;
		const auto b = static_cast<unsigned>(bands), r = static_cast<unsigned>(slots / bands);
		const auto matches = [=](float s) { return match_probability_single(s, b, r); };
		const auto misses = [=](float s) { return 1.0f - match_probability_single(s, b, r); };
		const float error = integrate(matches, 0.0f, threshold) + integrate(misses, threshold, 1.0f);
		if (best.bands == 0 || error < least) {
			best = {bands, slots / bands};
			least = error;
		}
	}
	return best;
}

Banding banding_for_recall(double threshold, double recall, int slots) noexcept
{
	Banding best{0, 0};
	double least = 0;
	for (int rows = 1; rows <= slots; ++rows) {
		Banding banding{1, rows};
		while (banding.bands * rows <= slots && match_probability(threshold, banding) < recall)
			++banding.bands;
		if (banding.bands * rows > slots)
			continue;
		const double cost = probe_cost(banding, threshold);
		if (best.bands == 0 || cost < least) {
			best = banding;
			least = cost;
		}
	}
	return best;
}

} // namespace txtfp::core
