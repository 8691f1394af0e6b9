#include "core/join/key_filter.hpp"

#include <random>
#include <vector>

#include "core/join/heap_host.hpp"
#include "unit/check.hpp"

using namespace txtfp::core;

namespace {

struct Host final : HeapHost {
	void poll() override {}
	JoinFile *open_file() override { return nullptr; }
	void progress(std::uint64_t) override {}
};

// How many of a hundred thousand other keys the filter of n keys may have
std::size_t wrong_keys(KeyFilter &filter, std::size_t n)
{
	std::mt19937_64 random(n);
	std::vector<std::uint64_t> keys(n);
	for (std::uint64_t &key : keys)
		filter.add(key = random());
	for (const std::uint64_t key : keys)
		CHECK_EQ(filter.may_have(key), true);
	std::size_t wrong = 0;
	for (int i = 0; i < 100000; ++i)
		wrong += filter.may_have(random());
	return wrong;
}

} // namespace

TEST(key_filter_finds_its_keys_and_few_others)
{
	Host host;
	KeyFilter filter;
	CHECK_EQ(!filter.is_open(), true);
	for (const std::size_t n : {1, 7, 8, 1000, 100000}) {
		filter.open(host, n, 1 << 24);
		CHECK_EQ(filter.is_open(), true);
		CHECK_EQ(wrong_keys(filter, n) < 1500, true); // of the last: at most 16 bits for each key
	}
	filter.open(host, 100000, 1 << 16);
	CHECK_EQ(filter.is_open(), true);
	CHECK_EQ(wrong_keys(filter, 100000) < 30000, true); // five bits
	filter.close(host);
	CHECK_EQ(!filter.is_open(), true);
}

TEST(key_filter_without_enough_memory_stays_closed)
{
	Host host;
	KeyFilter filter;
	filter.open(host, 100001, 100000 / 4);
	CHECK_EQ(!filter.is_open(), true);
	filter.open(host, 1, 8);
	CHECK_EQ(!filter.is_open(), true);
	filter.open(host, 1, 16);
	CHECK_EQ(filter.is_open(), true);
	filter.open(host, std::uint64_t{1} << 37, 1 << 20); // 2³² rows of 32 bands
	CHECK_EQ(!filter.is_open(), true);
	filter.open(host, 0, 1 << 20);
	CHECK_EQ(filter.is_open() && !filter.may_have(0) && !filter.may_have(~std::uint64_t{0}), true);
	filter.close(host);
}
