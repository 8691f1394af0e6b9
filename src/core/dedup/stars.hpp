// Stars: in the order of rows, one that belongs to no star becomes the centre of a new one, and takes rows after it that
// are similar to it and belong to no star. So a row belongs to the first centre that is similar to it.
#pragma once

#include <cstdint>

#include "core/base/union_find.hpp"
#include "core/join/joined_rows.hpp"

namespace txtfp::core {

// Divides the rows 0 … n − 1. `sets` knows the stars: find(row) is the first row of the set of a row, at the beginning
// the row itself, or the first row of the unit that must stay together; may_unite(centre, row) may refuse;
// unite(centre, row). for_each_similar(centre, visit) calls visit(row) for rows that are similar to the centre; of rows
// that a star has, or that come before the centre, it may leave out any.
template <class Sets, class Similar> void cut_into_stars(std::uint32_t n, Sets &sets, Similar for_each_similar)
{
	for (std::uint32_t centre = 0; centre < n; ++centre)
		if (sets.find(centre) == centre)
			for_each_similar(centre, [&](std::uint32_t row) {
				if (sets.find(row) > centre && sets.may_unite(centre, row))
					sets.unite(centre, row);
			});
}

// The sets of rows that nobody has decided about: of each row the first one of its star.
struct FreeRows {
	std::uint32_t *stars;
	std::uint32_t find(std::uint32_t row) const { return stars[row]; }
	bool may_unite(std::uint32_t, std::uint32_t) const { return true; }
	void unite(std::uint32_t centre, std::uint32_t row) const { stars[row] = centre; }
};

// The similar rows of a component, `rows` by ascending rank, found by comparing each with each. Rows that a star has are
// not compared again. `next` has room for them.
template <class Sets> class ComparedRows {
public:
	ComparedRows(JoinHost &host, JoinedRows &joined, std::span<const std::uint32_t> rows, Sets &sets, std::uint32_t *next)
		: host_(host), joined_(joined), rows_(rows), sets_(sets), next_(next)
	{
		for (std::uint32_t row = 0; row < rows.size(); ++row)
			next_[row] = row + 1;
	}
	template <class Visit> void operator()(std::uint32_t centre, Visit visit)
	{
		for (std::uint32_t before = centre, row = next_[centre]; row < rows_.size(); row = next_[row]) {
			host_.poll();
			if (sets_.find(row) > centre && joined_.similar(rows_[centre], rows_[row]))
				visit(row);
			if (sets_.find(row) > centre)
				before = row;
			else
				next_[before] = next_[row];
		}
	}

private:
	JoinHost &host_;
	JoinedRows &joined_;
	std::span<const std::uint32_t> rows_;
	Sets &sets_;
	std::uint32_t *next_; // the row after it that belonged to no star when it was last looked at
};

} // namespace txtfp::core
