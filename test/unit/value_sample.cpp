#include "core/join/value_sample.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/base/splitmix.hpp"
#include "unit/check.hpp"
#include "unit/counting_host.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

// How many items of each value are drawn.
std::vector<std::uint64_t> sample_of(const std::vector<std::uint64_t> &items, std::size_t size, std::size_t memory)
{
	CountingHost host;
	ValueSample sample;
	sample.open(host, size, memory);
	for (const std::uint64_t item : items)
		sample.add(SplitMix64::mixed(item));
	const std::size_t expected = std::min(items.size(), size);
	CHECK_EQ(sample.items(), items.size());
	CHECK_EQ(sample.draw(), expected);
	CHECK_EQ(host.opened() > 0, items.size() * 12 > memory);
	CHECK_EQ(host.files, 0, "files are closed");
	std::vector<std::uint64_t> times(items.empty() ? 0 : 1 + *std::max_element(items.begin(), items.end()));
	for (std::size_t item = 0; item < times.size(); ++item)
		if (const DrawnValue *drawn = sample.find(SplitMix64::mixed(item)))
			times[item] = drawn->times;
	const std::uint64_t drawn = std::accumulate(times.begin(), times.end(), std::uint64_t{0});
	CHECK_EQ(drawn, expected);
	return times;
}

std::vector<std::uint64_t> numbers(std::size_t n)
{
	std::vector<std::uint64_t> items(n);
	std::iota(items.begin(), items.end(), std::uint64_t{0});
	return items;
}

void shuffle(std::vector<std::uint64_t> &items, std::uint64_t seed)
{
	SplitMix64 random(seed);
	for (std::size_t i = items.size(); i > 1; --i)
		std::swap(items[i - 1], items[random.below(i)]);
}

} // namespace

TEST(value_sample_keeps_few_items)
{
	for (std::size_t n = 0; n <= 10; ++n) {
		const std::vector<std::uint64_t> times = sample_of(numbers(n), 10, 1 << 20);
		for (const std::uint64_t one : times)
			CHECK_EQ(one, 1u, n);
	}
	const std::vector<std::uint64_t> threes = sample_of({3, 3, 3}, 10, 1 << 20);
	CHECK_EQ(threes[3], 3u);
	sample_of({1, 2, 3}, 0, 1 << 20);
}

TEST(value_sample_draws_evenly)
{
	constexpr std::size_t size = 1000, n = 100000, parts = 10;
	const std::vector<std::uint64_t> times = sample_of(numbers(n), size, 1 << 20);
	for (std::size_t part = 0; part < parts; ++part) { // 100 are expected, with a standard deviation of 9.5
		const auto begin = times.begin() + static_cast<std::ptrdiff_t>(part * (n / parts));
		const std::uint64_t count = std::accumulate(begin, begin + n / parts, std::uint64_t{0});
		CHECK_EQ(count > 60 && count < 140, true, part, count);
	}
	const std::uint64_t most = *std::max_element(times.begin(), times.end());
	CHECK_EQ(most, 1u);
}

// Half of the items are equal: so is about half of the sample.
TEST(value_sample_draws_repeated_values_as_often_as_they_occur)
{
	std::vector<std::uint64_t> items = numbers(50000);
	items.resize(100000, 7);
	const std::vector<std::uint64_t> times = sample_of(items, 1000, 1 << 20);
	CHECK_EQ(times[7] > 430 && times[7] < 570, true, times[7]); // standard deviation 16
}

TEST(value_sample_does_not_depend_on_order_or_memory)
{
	std::vector<std::uint64_t> items = numbers(30000);
	for (std::uint64_t value = 0; value < 100; ++value)
		items.insert(items.end(), value, value);
	const std::vector<std::uint64_t> expected = sample_of(items, 500, 64 << 20);
	for (const std::uint64_t seed : {1, 2, 3}) {
		shuffle(items, seed);
		const std::vector<std::uint64_t> times = sample_of(items, 500, 1 << 16); // with a file
		CHECK_EQ(times == expected, true, seed);
	}
}
