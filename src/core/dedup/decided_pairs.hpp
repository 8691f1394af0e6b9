// Pairs of rows that somebody has decided about: those that must not be in one cluster (`apart`), and those that must
// (`together`). Rows that are together, directly or through others, are a unit. A unit whose rows are to be apart is a
// contradiction.
#pragma once

#include <cstdint>
#include <span>

#include "core/join/joined_rows.hpp"
#include "core/join/row_order.hpp"

namespace txtfp::core {

struct RankPair {
	std::uint32_t a, b;
};

struct DecidedPairs {
	std::span<RankPair> apart, together; // by rank; their order may change

	bool empty() const { return apart.empty() && together.empty(); }
};

// The first pair of `apart` whose rows are one, or in one unit; nullptr: there is none.
const RankPair *find_contradiction(JoinHost &host, const DecidedPairs &pairs, std::uint32_t rows);
// The first pair of `together` whose rows are of different groups, which would be compared otherwise; nullptr: there is
// none.
const RankPair *find_across_groups(const DecidedPairs &pairs, const RowOrder &order);

// Unites the components of rows that are together; labels[rank] is the smallest rank of its component.
void unite_together(const DecidedPairs &pairs, std::span<std::uint32_t> labels);

// The rows of a deduplication, which are decided about in the order of ranks within each component, in several threads:
// a row is kept, or removed for one that is kept. What is decided about the first row of a unit, is decided about all.
class DecidedRows {
public:
	void open(JoinHost &host, const DecidedPairs &pairs, std::uint32_t rows);

	// The first row of the row's unit; the row itself, if it is the first or there are no pairs.
	std::uint32_t unit_of(std::uint32_t row) const { return unit_ == nullptr ? row : unit_[row]; }
	// The row kept for the first row of a unit, no_element if that is not decided.
	std::uint32_t kept_of(std::uint32_t unit) const { return __atomic_load_n(kept_of_ + unit, __ATOMIC_RELAXED); }
	void decide(std::uint32_t row, std::uint32_t kept)
	{
		if (kept_of_ != nullptr)
			__atomic_store_n(kept_of_ + row, kept, __ATOMIC_RELAXED);
	}
	// True unless a row for which `kept` is kept is apart from a row of the unit.
	bool may_join(std::uint32_t unit, std::uint32_t kept) const;

private:
	std::uint32_t *unit_ = nullptr, *kept_of_ = nullptr;
	std::span<RankPair> apart_; // of units, in both directions, in order
};

} // namespace txtfp::core
