// Pairs of rows that somebody has decided about: those that must not be in one cluster (`apart`), and those that must
// (`together`).
//
// Rows that are together, directly or through others, are a unit. A unit whose rows are to be apart is a contradiction,
// which is an error.
//
//   components  The links of a component that has a pair to be kept apart are followed from the most similar to the least, equal ones in the order of
//               rows, and one that would bring such a pair together is left out.
//   stars       The first row of each unit may become a centre, as a row without exceptions. A unit belongs to the first centre that is similar to one of its rows,
//               unless it is to be apart from a unit that belongs to it already.
//   complete    In the order of their first rows, a unit joins the first cluster all of whose rows are similar to all of its own, under the same condition; otherwise it begins one.
#pragma once

#include "pg/bulk/near_duplicates.hpp"

namespace txtfp::pg {

enum class ClusterMode { components, star, complete };

struct RankPair {
	std::uint32_t a, b;
};

struct Exceptions {
	std::span<RankPair> apart, together; // pairs of different rows

	bool empty() const { return apart.empty() && together.empty(); }
};

// Reads the queries of arguments `apart` and the one after it, of which each may be NULL. The rows are read and ranked.
// Pairs of which a row is missing are left out. Raises an error (22023) for a contradiction.
Exceptions read_exceptions(FunctionCallInfo fcinfo, const JoinContext &context, Oid id_type, int apart);

// Unites the components of rows that are together.
void unite_together(const Exceptions &exceptions, std::span<std::uint32_t> labels);

// Changes the components of the rows, labels[rank] being the smallest rank of each: unites those that are together, and
// divides those that have exceptions, and all in the mode `complete`. is_done[root], false before, tells which clusters
// come from a component that was divided.
void apply_exceptions(FingerprintJoin &join, const JoinContext &context, const Exceptions &exceptions,
	std::span<std::uint32_t> labels, ClusterMode mode, bool *is_done);

// The rows of deduplicate, which are decided about in the order of ranks within each component, in several threads: a
// row is kept, or removed for one that is kept. What is decided about the first row of a unit, is decided about all.
class DecidedRows {
public:
	void open(const Exceptions &exceptions, std::uint32_t rows, MemoryContext memory);

	// The first row of the row's unit; the row itself, if it is the first or there are no exceptions.
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

} // namespace txtfp::pg
