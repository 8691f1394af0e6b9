// Rows grouped by their 64-bit values, and the pairs of values within a Hamming distance, for the joins of SimHashes
// and of embeddings. Rows of different groups are not paired.
#pragma once

#include <algorithm>
#include <span>

#include "core/base/keyed_rows.hpp"
#include "core/join/host.hpp"
#include "core/join/row_order.hpp"
#include "core/simhash/hamming_join.hpp"

namespace txtfp::core {

class HammingGroups {
public:
	// `rows`: value and rank of each row. Sorts them.
	void build(JoinHost &host, const RowOrder &order, std::span<KeyedRow> rows)
	{
		if (order.groups == nullptr)
			sort_rows(host, rows);
		else
			sort_polling(
				rows.begin(), rows.end(),
				[&](const KeyedRow &a, const KeyedRow &b) {
					const std::uint32_t x = order.group_of(a.row), y = order.group_of(b.row);
					return x != y ? x < y : a < b;
				},
				[&] { host.poll(); });
		host.poll();
		ranks_ = host.array<std::uint32_t>(rows.size());
		values_ = host.array<std::uint64_t>(rows.size());
		starts_ = host.array<std::uint32_t>(rows.size() + 1);
		for (std::size_t i = 0; i < rows.size(); ++i) {
			host.poll();
			ranks_[i] = rows[i].row;
			if (i == 0 || rows[i].key() != values_[count_ - 1] ||
				order.group_of(rows[i].row) != order.group_of(rows[i - 1].row)) {
				starts_[count_] = static_cast<std::uint32_t>(i);
				values_[count_++] = rows[i].key();
			}
		}
		starts_[count_] = static_cast<std::uint32_t>(rows.size());
	}

	std::size_t count() const { return count_; }
	std::uint64_t value(std::size_t group) const { return values_[group]; }
	std::span<const std::uint32_t> ranks(std::size_t group) const // ascending
	{
		return {ranks_ + starts_[group], ranks_ + starts_[group + 1]};
	}

	// Call fn(a, b), a < b, for each pair of rows with the same value, or with two given values. With two queries, only
	// rows of different queries are paired.
	template <class Fn> void for_each_pair(const RowOrder &order, std::size_t x, Fn fn) const
	{
		const std::span<const std::uint32_t> all = ranks(x);
		const std::size_t second = second_part(order, all);
		for (std::size_t j = order.has_parts() ? second : 1; j < all.size(); ++j)
			for (std::size_t i = 0; i < std::min(j, second); ++i)
				fn(all[i], all[j]);
	}
	template <class Fn> void for_each_pair(const RowOrder &order, std::size_t x, std::size_t y, Fn fn) const
	{
		const std::span<const std::uint32_t> a = ranks(x), b = ranks(y);
		if (!order.has_parts())
			return combine(a, b, fn);
		const std::size_t i = second_part(order, a), j = second_part(order, b);
		combine(a.first(i), b.subspan(j), fn);
		combine(b.first(j), a.subspan(i), fn);
	}

	// Calls fn(x, y) for each pair of different values of one group of rows that differ in at most `max_distance` bits.
	// begin(steps) is called before the work; 0 steps: their number is unknown.
	template <class Fn, class Begin>
	void for_each_close_pair(JoinHost &host, const RowOrder &order, int max_distance, Begin begin_steps, Fn fn) const
	{
		HammingJoinSpace space{};
		space.values = host.array<std::uint64_t>(count_);
		space.places = host.array<std::uint32_t>(count_);
		space.offsets = host.array<std::uint32_t>(hamming_block_values + 1);
		const auto poll = [&host](std::uint64_t steps) {
			host.poll();
			host.progress(steps);
		};
		if (order.groups != nullptr)
			begin_steps(std::uint64_t{0});
		for (std::size_t begin = 0, end; begin < count_; begin = end) {
			end = order.groups == nullptr ? count_ : end_of_group(order, begin);
			const auto emit = [&](std::uint32_t x, std::uint32_t y) {
				fn(static_cast<std::uint32_t>(begin + x), static_cast<std::uint32_t>(begin + y));
			};
			HammingJoin join({values_ + begin, end - begin}, max_distance, space, emit, poll);
			if (order.groups == nullptr)
				begin_steps(join.steps());
			join.run();
		}
	}

private:
	template <class Fn> static void combine(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b, Fn fn)
	{
		for (const std::uint32_t i : a)
			for (const std::uint32_t j : b)
				fn(std::min(i, j), std::max(i, j));
	}

	static std::size_t second_part(const RowOrder &order, std::span<const std::uint32_t> ranks)
	{
		return static_cast<std::size_t>(
			std::lower_bound(ranks.begin(), ranks.end(), order.second_part) - ranks.begin());
	}

	std::size_t end_of_group(const RowOrder &order, std::size_t begin) const
	{
		const std::uint32_t group = order.group_of(ranks(begin)[0]);
		std::size_t end = begin + 1;
		while (end < count_ && order.group_of(ranks(end)[0]) == group)
			++end;
		return end;
	}

	std::uint64_t *values_ = nullptr; // distinct in a group of rows, ascending there
	std::size_t count_ = 0;
	std::uint32_t *starts_ = nullptr; // of each group in ranks_
	std::uint32_t *ranks_ = nullptr;
};

} // namespace txtfp::core
