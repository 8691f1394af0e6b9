// The rows of a join: a row has a number, in the order of arrival, and a rank, in the order of ids. Rows are only
// compared within a group, or between two parts: rows of the first part have the lower ranks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "core/base/keyed_rows.hpp"
#include "core/base/union_find.hpp"

namespace txtfp::core {

struct RowOrder {
	static constexpr std::uint32_t one_part = 0xFFFFFFFF;

	const std::uint32_t *ranks = nullptr, *numbers = nullptr; // nullptr: the ranks are the numbers
	const std::uint32_t *groups = nullptr;                    // by number; nullptr: one group
	std::uint32_t second_part = one_part;                     // its first rank

	std::uint32_t rank_of(std::uint32_t number) const { return ranks == nullptr ? number : ranks[number]; }
	std::uint32_t number_of(std::uint32_t rank) const { return numbers == nullptr ? rank : numbers[rank]; }
	void prefetch_rank(std::uint32_t number) const
	{
		if (ranks != nullptr)
			__builtin_prefetch(ranks + number);
	}
	bool has_parts() const { return second_part != one_part; }
	bool is_second(std::uint32_t rank) const { return rank >= second_part; }
	bool is_pair(std::uint32_t a, std::uint32_t b) const { return !has_parts() || is_second(a) != is_second(b); }

	std::uint32_t group_of(std::uint32_t rank) const { return groups == nullptr ? 0 : groups[number_of(rank)]; }
	// A class is a group, or with `by_part` the rows of a group in one part.
	std::uint64_t class_of(std::uint32_t rank, bool by_part) const
	{
		return std::uint64_t{group_of(rank)} << 1 | (by_part && is_second(rank) ? 1 : 0);
	}
	bool has_classes(bool by_part) const { return groups != nullptr || (by_part && has_parts()); }

	// Divides a run of rows of one key, given by rank, into runs of one class, and calls fn for each that has at least
	// two rows, in ascending order of ranks. Sorts the run.
	template <class Fn> void for_each_class(std::span<KeyedRow> run, bool by_part, Fn fn) const
	{
		if (!has_classes(by_part)) {
			std::sort(run.begin(), run.end());
			if (run.size() > 1)
				fn(run);
			return;
		}
		std::sort(run.begin(), run.end(), [&](const KeyedRow &a, const KeyedRow &b) {
			const std::uint64_t x = class_of(a.row, by_part), y = class_of(b.row, by_part);
			return x != y ? x < y : a.row < b.row;
		});
		for (std::size_t begin = 0, end; begin < run.size(); begin = end) {
			const std::uint64_t own = class_of(run[begin].row, by_part);
			for (end = begin + 1; end < run.size() && class_of(run[end].row, by_part) == own;)
				++end;
			if (end - begin > 1)
				fn(run.subspan(begin, end - begin));
		}
	}
};

} // namespace txtfp::core
