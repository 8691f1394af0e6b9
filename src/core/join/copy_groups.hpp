// Rows with equal values: only the first of them, the head, takes part in a join; its copies are chained to it.
#pragma once

#include <algorithm>
#include <span>

#include "core/base/keyed_rows.hpp"
#include "core/base/union_find.hpp"
#include "core/join/host.hpp"
#include "core/join/row_order.hpp"

namespace txtfp::core {

class CopyGroups {
public:
	static constexpr std::uint32_t none = no_element;

	// hash(rank) is the hash of a row's value; equal(head, rank) compares two values. Rows of different classes are no
	// copies. `sorted` has room for all rows, and is scratch memory.
	template <class Hash, class Equal>
	void find(JoinHost &host, const RowOrder &order, std::uint32_t rows, KeyedRow *sorted, Hash hash, Equal equal)
	{
		first_ = host.array<std::uint32_t>(rows);
		next_ = host.array<std::uint32_t>(rows);
		for (std::uint32_t rank = 0; rank < rows; ++rank) {
			first_[rank] = rank;
			sorted[rank] = KeyedRow::of(hash(rank), rank);
		}
		sort_rows(host, {sorted, rows});
		for_each_run({sorted, rows}, [&](std::span<KeyedRow> run) {
			order.for_each_class(run, true, [&](std::span<KeyedRow> same) {
				for (const KeyedRow &row : same.subspan(1)) {
					host.poll();
					if (equal(same[0].row, row.row))
						first_[row.row] = same[0].row;
				}
			});
			host.progress(run.size());
		});
		chain_groups({first_, rows}, next_);
	}

	bool is_head(std::uint32_t rank) const { return first_[rank] == rank; }
	void read_heads(std::span<std::uint32_t> heads) const { std::copy_n(first_, heads.size(), heads.data()); }
	bool has_copies(std::uint32_t head) const { return is_head(head) && next_[head] != none; }
	bool are_copies(std::uint32_t a, std::uint32_t b) const { return first_[a] == first_[b]; }

	// Call fn(row) for a head and its copies, in ascending order, or fn(a, b), a < b, for every pair of them.
	template <class Fn> void for_each(std::uint32_t head, Fn fn) const
	{
		for (std::uint32_t row = head; row != none; row = next_[row])
			fn(row);
	}
	template <class Fn> void for_each_pair(std::uint32_t head, Fn fn) const
	{
		for (std::uint32_t a = head; a != none; a = next_[a])
			for (std::uint32_t b = next_[a]; b != none; b = next_[b])
				fn(a, b);
	}
	// The pairs of the rows of two heads.
	template <class Fn> void for_each_pair(std::uint32_t x, std::uint32_t y, Fn fn) const
	{
		for (std::uint32_t a = x; a != none; a = next_[a])
			for (std::uint32_t b = y; b != none; b = next_[b])
				fn(std::min(a, b), std::max(a, b));
	}

private:
	std::uint32_t *first_ = nullptr, *next_ = nullptr; // the first row with the same value, and the next one
};

} // namespace txtfp::core
