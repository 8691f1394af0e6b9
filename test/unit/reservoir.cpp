#include "core/base/reservoir.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "unit/check.hpp"

using namespace txtfp::core;

namespace {

std::vector<int> sample_of(int items, std::size_t size)
{
	std::vector<int> sample(size, -1);
	Reservoir reservoir(size);
	for (int item = 0; item < items; ++item)
		if (const std::uint64_t place = reservoir.next_place(); place < size)
			sample[place] = item;
	sample.resize(reservoir.drawn());
	return sample;
}

} // namespace

TEST(reservoir_keeps_short_streams)
{
	for (int items = 0; items <= 10; ++items) {
		const std::vector<int> sample = sample_of(items, 10);
		CHECK_EQ(sample.size(), static_cast<std::size_t>(items));
		for (int i = 0; i < items; ++i)
			CHECK_EQ(sample[static_cast<std::size_t>(i)], i, items);
	}
	CHECK_EQ(sample_of(5, 0).size(), 0u);
}

TEST(reservoir_draws_different_items_evenly)
{
	constexpr std::size_t size = 1000;
	constexpr int items = 100000, parts = 10;
	std::vector<int> sample = sample_of(items, size);
	CHECK_EQ(sample == sample_of(items, size), true);
	int counts[parts] = {};
	for (const int item : sample)
		++counts[item / (items / parts)];
	for (int part = 0; part < parts; ++part) // 100 are expected, with a standard deviation of 9.5
		CHECK_EQ(counts[part] > 60 && counts[part] < 140, true, part, counts[part]);
	std::sort(sample.begin(), sample.end());
	CHECK_EQ(std::adjacent_find(sample.begin(), sample.end()) == sample.end(), true);
}
