#include "core/base/keyed_rows.hpp"

#include <map>
#include <random>
#include <vector>

#include "unit/check.hpp"

using namespace txtfp::core;

namespace {

std::vector<KeyedRow> random_rows(std::size_t n, std::uint64_t mask)
{
	std::mt19937_64 random(n);
	std::vector<KeyedRow> rows;
	for (std::size_t i = 0; i < n; ++i)
		rows.push_back(KeyedRow::of(random() & mask, static_cast<std::uint32_t>(random())));
	return rows;
}

std::vector<std::pair<std::uint64_t, std::uint32_t>> plain(const std::vector<KeyedRow> &rows)
{
	std::vector<std::pair<std::uint64_t, std::uint32_t>> out;
	for (const KeyedRow &row : rows)
		out.emplace_back(row.key(), row.row);
	return out;
}

constexpr std::uint64_t masks[] = {~0ull, 0, 1, 0xFF, 0xFFull << 56, 0x0101010101010101, 0xFFFFFFFFull << 20};

} // namespace

TEST(keyed_rows_sort)
{
	CHECK_EQ(sizeof(KeyedRow), 12u);
	for (const std::uint64_t mask : masks)
		for (const std::size_t n : {0, 1, 2, 100, 129, 1000, 30000}) {
			std::vector<KeyedRow> rows = random_rows(n, mask);
			auto expected = plain(rows);
			std::sort(expected.begin(), expected.end());
			sort_rows(rows);
			CHECK_EQ(plain(rows) == expected, true, n, mask);
		}
	// keys that agree in their upper bits
	for (const int bits : {58, 52, 33, 10, 7, 0}) {
		std::vector<KeyedRow> rows = random_rows(5000, (1ull << bits) - 1);
		auto expected = plain(rows);
		std::sort(expected.begin(), expected.end());
		sort_rows(rows, bits);
		CHECK_EQ(plain(rows) == expected, true, bits);
	}
}

// Every row whose key occurs again is kept, in order; of the others a few.
TEST(keyed_rows_repeated)
{
	std::mt19937_64 random(7);
	for (const std::size_t n : {0, 1, 2, 60, 1000, 50000})
		for (const std::size_t different : {n, n / 2 + 1, std::size_t{1}}) {
			std::vector<std::uint64_t> values(std::max<std::size_t>(different, 1));
			for (std::uint64_t &value : values)
				value = random();
			std::vector<KeyedRow> rows;
			std::map<std::uint64_t, std::size_t> counts;
			for (std::uint32_t i = 0; i < n; ++i) {
				rows.push_back(KeyedRow::of(values[random() % values.size()], i));
				++counts[rows.back().key()];
			}
			std::vector<std::uint32_t> expected;
			for (const KeyedRow &row : rows)
				if (counts[row.key()] > 1)
					expected.push_back(row.row);
			std::vector<std::uint64_t> words(repeated_words(n));
			const std::size_t single = n - expected.size();
			rows.resize(keep_repeated(rows, words.data()));
			std::size_t others = 0;
			std::vector<std::uint32_t> kept;
			for (const KeyedRow &row : rows)
				if (counts[row.key()] > 1)
					kept.push_back(row.row);
				else
					++others;
			CHECK_EQ(kept == expected, true, n, different);
			CHECK_EQ(n < 1000 || others <= single / 3, true, n, different, others);
		}
}

TEST(keyed_rows_runs)
{
	for (const std::uint64_t mask : masks) {
		std::vector<KeyedRow> rows = random_rows(3000, mask);
		std::map<std::uint64_t, std::size_t> expected, found;
		for (const KeyedRow &row : rows)
			++expected[row.key()];
		std::erase_if(expected, [](const auto &entry) { return entry.second < 2; });
		sort_rows(rows);
		for_each_run(std::span(rows), [&](std::span<KeyedRow> run) {
			found[run[0].key()] += run.size();
			CHECK_EQ(run.front().key(), run.back().key());
		});
		CHECK_EQ(found == expected, true, mask);
	}
}
