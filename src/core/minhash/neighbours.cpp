#include "core/minhash/neighbours.hpp"

#include <algorithm>
#include <functional>
#include <cmath>
#include <vector>

#include "core/base/keyed_rows.hpp"
#include "core/minhash/minhash_compact.hpp"

namespace txtfp::core {

namespace {

constexpr Banding banding{16, 4};
constexpr std::size_t full_bucket = 16; // sketches; smaller buckets are compared pair by pair
constexpr std::size_t stop_interval = 1024;

struct Entry {
	std::uint64_t key;
	std::uint32_t row;
	bool operator<(const Entry &other) const noexcept { return key != other.key ? key < other.key : row < other.row; }
};

template <class Slot> class PairCounter {
public:
	PairCounter(std::span<const Slot *const> sketches, std::size_t slots) noexcept : sketches_(sketches), slots_(slots)
	{
	}

	// `weight` is the number of pairs that this pair stands for. A pair is seen once per shared band but counted once
	// in total.
	void add(std::uint32_t a, std::uint32_t b, double weight) noexcept
	{
		const std::span x(sketches_[a], slots_), y(sketches_[b], slots_);
		const double similarity = estimated_jaccard<Slot>(matching_slots(x, y), slots_);
		if (similarity < profile_threshold(0))
			return;
		int shared = 0;
		for (int band = 0; band < banding.bands; ++band)
			shared += std::equal(&x[static_cast<std::size_t>(band * banding.rows)],
				&x[static_cast<std::size_t>(band * banding.rows)] + banding.rows,
				&y[static_cast<std::size_t>(band * banding.rows)]);
		const double counts = weight / std::max(shared, 1) / match_probability(similarity, banding);
		for (std::size_t i = 0; i < profile_points && similarity >= profile_threshold(i) - 1e-9; ++i)
			pairs[i] += counts;
	}

	SimilarityProfile pairs{};

private:
	std::span<const Slot *const> sketches_;
	std::size_t slots_;
};

// Each sketch is paired with all others of its bucket, or with `full_bucket` evenly spaced ones if there are more.
template <class Slot> void count_bucket(std::span<const Entry> bucket, PairCounter<Slot> &counter)
{
	const std::size_t others = bucket.size() - 1;
	const std::size_t taken = std::min(others, full_bucket);
	const double weight =
		static_cast<double>(others) / static_cast<double>(taken) / 2; // each pair is seen from both ends
	for (std::size_t i = 0; i < bucket.size(); ++i)
		for (std::size_t j = 0; j < taken; ++j) {
			const std::size_t distance = 1 + j * others / taken;
			counter.add(bucket[i].row, bucket[(i + distance) % bucket.size()].row, weight);
		}
}

template <class Slot>
SimilarityProfile profile_of(std::span<const Slot *const> sketches, std::size_t slots, StopToken stop)
{
	const std::size_t n = sketches.size();
	PairCounter<Slot> counter(sketches, slots);
	if (n < 2)
		return counter.pairs;
	std::vector<Entry> entries(n);
	std::size_t steps = 0;
	for (int band = 0; band < banding.bands; ++band) {
		for (std::uint32_t row = 0; row < n; ++row)
			entries[row] = {band_key(std::span(sketches[row], slots), banding.rows, band), row};
		sort_polling(entries.begin(), entries.end(), std::less(), [&] { stop.check(); });
		for (auto first = entries.begin(); first != entries.end();) {
			const auto last = std::find_if(first, entries.end(), [&](const Entry &e) { return e.key != first->key; });
			if (last - first > 1)
				count_bucket({first, last}, counter);
			first = last;
			if (++steps % stop_interval == 0)
				stop.check();
		}
	}
	const double all_pairs = static_cast<double>(n) * static_cast<double>(n - 1) / 2;
	for (double &pairs : counter.pairs)
		pairs = std::min(1.0, pairs / all_pairs);
	return counter.pairs;
}

} // namespace

SimilarityProfile similarity_profile(std::span<const std::uint64_t *const> sketches, std::size_t slots, StopToken stop)
{
	return profile_of(sketches, slots, stop);
}

SimilarityProfile similarity_profile(std::span<const std::uint8_t *const> sketches, std::size_t slots, StopToken stop)
{
	return profile_of(sketches, slots, stop);
}

double fraction_at(const SimilarityProfile &profile, double threshold) noexcept
{
	if (threshold <= 0)
		return 1;
	const double position = (threshold - profile_threshold(0)) / 0.05;
	if (position <= 0) {
		const double growth = profile_threshold(0) / std::max(threshold, 0.01);
		return std::min(1.0, std::max(profile[0], 1e-9) * growth * growth * growth);
	}
	const auto below = std::min(static_cast<std::size_t>(position), profile_points - 1);
	const std::size_t above = std::min(below + 1, profile_points - 1);
	const double part = position - static_cast<double>(below);
	return profile[below] + (profile[above] - profile[below]) * std::clamp(part, 0.0, 1.0);
}

double candidate_fraction(const SimilarityProfile &profile, Banding banding, int m) noexcept
{
	double fraction = profile.back(); // equal sketches share every band
	for (std::size_t i = 0; i + 1 < profile_points; ++i) {
		const double similarity = (profile_threshold(i) + profile_threshold(i + 1)) / 2;
		fraction += (profile[i] - profile[i + 1]) * match_probability(similarity, banding, m);
	}
	return fraction;
}

} // namespace txtfp::core
