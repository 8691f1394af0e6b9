#include "cli/store.hpp"

#include <cstdlib>

#include "cli/pair_sorter.hpp"
#include "cli/progress.hpp"
#include "core/base/splitmix.hpp"
#include "unit/check.hpp"

using namespace txtfp::cli;
using namespace txtfp::test;

namespace {

std::string directory()
{
	const char *given = std::getenv("TMPDIR");
	return given != nullptr ? given : "/var/tmp";
}

} // namespace

// Stores in memory, in a file, and half in each.
TEST(cli_store_rows)
{
	for (const std::uint64_t memory : {std::uint64_t{0}, std::uint64_t{100000}, std::uint64_t{1} << 30}) {
		Budget budget(memory, directory());
		RowStore store(8, budget);
		std::vector<std::uint64_t> rows(20000);
		for (std::size_t i = 0; i < rows.size(); ++i)
			rows[i] = i * i;
		store.write(5000, 15000, rows.data() + 5000);
		store.write(0, 5000, rows.data());
		std::vector<std::uint64_t> back(12345);
		store.read(777, back.size(), back.data());
		CHECK_EQ(std::equal(back.begin(), back.end(), rows.begin() + 777), true, memory);
		std::uint64_t buffer;
		for (const std::uint64_t row : {0, 4095, 4096, 19999})
			CHECK_EQ(*static_cast<const std::uint64_t *>(store.item(row, &buffer)), row * row, memory);
	}
}

TEST(cli_store_bytes)
{
	for (const std::uint64_t memory : {std::uint64_t{0}, std::uint64_t{1} << 21, std::uint64_t{1} << 30}) {
		Budget budget(memory, directory());
		ByteStore store(budget);
		std::string all;
		txtfp::core::SplitMix64 random(1);
		for (int i = 0; i < 300; ++i) {
			const std::string piece(random.below(40000), static_cast<char>('a' + i % 26));
			CHECK_EQ(store.append(piece), all.size());
			all += piece;
		}
		for (int i = 0; i < 100; ++i) {
			const std::size_t at = random.below(all.size()), n = random.below(all.size() - at);
			std::string back(n, '\0');
			store.read(at, back.data(), n);
			CHECK_EQ(back == all.substr(at, n), true, memory, at, n);
		}
	}
}

TEST(cli_pair_sorter)
{
	for (const std::uint64_t memory : {std::uint64_t{0}, std::uint64_t{1} << 30}) {
		PairSorter sorter(memory, directory());
		txtfp::core::SplitMix64 random(1);
		std::vector<std::pair<std::uint32_t, std::uint32_t>> expected, actual;
		for (int i = 0; i < 100000; ++i) {
			const auto a = static_cast<std::uint32_t>(random.below(1000000));
			expected.emplace_back(a, a + 1 + static_cast<std::uint32_t>(i));
			sorter.add({expected.back().first, expected.back().second, 1});
		}
		sorter.for_each_sorted([&](const Pair &pair) { actual.emplace_back(pair.a, pair.b); });
		std::sort(expected.begin(), expected.end());
		CHECK_EQ(actual == expected, true, memory);
	}
}

TEST(cli_progress_line)
{
	CHECK_EQ(progress_line("reading", 50000000, 100000000, "MB", 2),
		"reading [============            ]  50 %  50 MB  25 MB/s  0:02  0:02 left");
	CHECK_EQ(progress_line("comparing", 10, 0, "rows", 3661), "comparing  10 rows  0 rows/s  1:01:01");
}
