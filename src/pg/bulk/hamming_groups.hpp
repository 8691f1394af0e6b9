// Rows grouped by their 64-bit values, and the pairs of values within a Hamming distance, for the bulk joins of SimHashes and of embeddings. Rows
// of different groups of the query are not paired. All memory is palloc'd and freed with the context.
#pragma once

#include <algorithm>
#include <span>

#include "core/base/keyed_rows.hpp"
#include "core/simhash/hamming_join.hpp"
#include "pg/base/large_array.hpp"
#include "pg/bulk/near_duplicates.hpp"

namespace txtfp::pg {

class HammingGroups {
public:
	// `rows`: value and rank of each row. Sorts them.
	void build(const JoinContext &context, std::span<core::KeyedRow> rows)
	{
		if (context.groups == nullptr)
			core::sort_rows(rows);
		else
			std::sort(rows.begin(), rows.end(), [&](const core::KeyedRow &a, const core::KeyedRow &b) {
				const std::uint32_t x = context.group_of(a.row), y = context.group_of(b.row);
				return x != y ? x < y : a < b;
			});
		CHECK_FOR_INTERRUPTS();
		ranks_ = allocate<std::uint32_t>(context.memory, rows.size());
		values_ = allocate<std::uint64_t>(context.memory, rows.size());
		starts_ = allocate<std::uint32_t>(context.memory, rows.size() + 1);
		for (std::size_t i = 0; i < rows.size(); ++i) {
			ranks_[i] = rows[i].row;
			if (i == 0 || rows[i].key() != values_[count_ - 1] ||
				context.group_of(rows[i].row) != context.group_of(rows[i - 1].row)) {
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

	// Call fn(a, b), a < b, for each pair of rows with the same value, or with two given values. With two queries, only rows of different queries
	// are paired.
	template <class Fn> void for_each_pair(const JoinContext &context, std::size_t x, Fn fn) const
	{
		const std::span<const std::uint32_t> all = ranks(x);
		const std::size_t second = second_part(context, all);
		for (std::size_t j = context.ids->has_parts() ? second : 1; j < all.size(); ++j)
			for (std::size_t i = 0; i < std::min(j, second); ++i)
				fn(all[i], all[j]);
	}
	template <class Fn> void for_each_pair(const JoinContext &context, std::size_t x, std::size_t y, Fn fn) const
	{
		const std::span<const std::uint32_t> a = ranks(x), b = ranks(y);
		if (!context.ids->has_parts())
			return combine(a, b, fn);
		const std::size_t i = second_part(context, a), j = second_part(context, b);
		combine(a.first(i), b.subspan(j), fn);
		combine(b.first(j), a.subspan(i), fn);
	}

	// Calls fn(x, y) for each pair of different values of one group of rows that differ in at most `max_distance` bits.
	template <class Fn>
	void for_each_close_pair(const JoinContext &context, int max_distance, BulkPhase phase, Fn fn) const
	{
		core::HammingJoinSpace space{};
		space.values = allocate<std::uint64_t>(context.memory, count_);
		space.places = allocate<std::uint32_t>(context.memory, count_);
		space.offsets = allocate<std::uint32_t>(context.memory, core::hamming_block_values + 1);
		const auto poll = [&context](std::uint64_t steps) {
			CHECK_FOR_INTERRUPTS();
			context.progress->add(steps);
		};
		if (context.groups != nullptr)
			context.progress->begin(phase, 0);
		for (std::size_t begin = 0, end; begin < count_; begin = end) {
			end = context.groups == nullptr ? count_ : end_of_group(context, begin);
			const auto emit = [&](std::uint32_t x, std::uint32_t y) {
				fn(static_cast<std::uint32_t>(begin + x), static_cast<std::uint32_t>(begin + y));
			};
			core::HammingJoin join({values_ + begin, end - begin}, max_distance, space, emit, poll);
			if (context.groups == nullptr)
				context.progress->begin(phase, join.steps());
			join.run();
		}
		if (count_ > 0)
			context.progress->end();
	}

private:
	template <class Fn> static void combine(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b, Fn fn)
	{
		for (const std::uint32_t i : a)
			for (const std::uint32_t j : b)
				fn(std::min(i, j), std::max(i, j));
	}

	static std::size_t second_part(const JoinContext &context, std::span<const std::uint32_t> ranks)
	{
		return static_cast<std::size_t>(
			std::lower_bound(ranks.begin(), ranks.end(), context.ids->second_part()) - ranks.begin());
	}

	std::size_t end_of_group(const JoinContext &context, std::size_t begin) const
	{
		const std::uint32_t group = context.group_of(ranks(begin)[0]);
		std::size_t end = begin + 1;
		while (end < count_ && context.group_of(ranks(end)[0]) == group)
			++end;
		return end;
	}

	std::uint64_t *values_ = nullptr; // distinct in a group of rows, ascending there
	std::size_t count_ = 0;
	std::uint32_t *starts_ = nullptr; // of each group in ranks_
	std::uint32_t *ranks_ = nullptr;
};

} // namespace txtfp::pg
