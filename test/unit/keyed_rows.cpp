#include "core/base/keyed_rows.hpp"

#include <map>
#include <random>
#include <vector>

#include "core/join/row_order.hpp"
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

// Rows at 2³¹ and at the end of 32 bits: their numbers stay what they are, and so do their groups and parts.
TEST(keyed_rows_of_billions)
{
	std::vector<KeyedRow> rows;
	for (const std::uint32_t row : {0xFFFFFFFEu, 0x80000000u, 1u, 0x7FFFFFFFu, 0x80000001u})
		for (const std::uint64_t key : {~0ull, 0ull, 1ull << 63})
			rows.push_back(KeyedRow::of(key, row));
	sort_rows(rows);
	for (std::size_t i = 1; i < rows.size(); ++i) {
		CHECK_EQ(rows[i - 1] < rows[i], true, i);
		CHECK_EQ(rows[i].key() == rows[i - 1].key() ? rows[i].row > rows[i - 1].row : rows[i].key() > rows[i - 1].key(),
			true, i);
	}
	RowOrder order;
	order.second_part = 0x80000000;
	CHECK_EQ(order.is_second(0x7FFFFFFF), false);
	CHECK_EQ(order.is_second(0x80000000) && order.is_second(0xFFFFFFFE), true);
	CHECK_EQ(order.is_pair(0x7FFFFFFF, 0x80000000) && !order.is_pair(0x80000000, 0xFFFFFFFE), true);
	CHECK_EQ(order.class_of(0xFFFFFFFE, true), 1u);
	CHECK_EQ(order.rank_of(0xFFFFFFFE), 0xFFFFFFFE);
	std::size_t found = 0;
	order.for_each_class(std::span(rows).first(5), true, [&](std::span<KeyedRow> same) { found += same.size(); });
	CHECK_EQ(found, 5u); // two before and three after the second part begins
}

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

// A long sort is interrupted: each of its passes looks again within 16384 rows, whatever the keys are.
TEST(keyed_rows_sort_polls)
{
	for (const std::uint64_t mask : masks) {
		std::vector<KeyedRow> rows = random_rows(200000, mask);
		auto expected = plain(rows);
		std::sort(expected.begin(), expected.end());
		std::size_t polls = 0;
		sort_rows(rows, 64, [](void *count) { ++*static_cast<std::size_t *>(count); }, &polls);
		CHECK_EQ(plain(rows) == expected, true, mask);
		CHECK_EQ(polls >= 200000 / 16384, true, polls, mask);
	}
	std::vector<KeyedRow> rows = random_rows(200000, ~0ull);
	struct Stopped {};
	bool stopped = false;
	try {
		sort_rows(rows, 64, [](void *) { throw Stopped(); }, nullptr);
	} catch (const Stopped &) {
		stopped = true;
	}
	CHECK_EQ(stopped, true);
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
