// The groups of the rows of a bulk operation: only rows of one group are compared. A group is what a column of the query has, NULL being
// one of its own. A row is known by its number in the order of arrival.
#pragma once

#include <cstdint>

#include "pg/bulk/numbered_ids.hpp"

namespace txtfp::pg {

class RowGroups {
public:
	void open(MemoryContext context, std::size_t memory); // 4 bytes per row come on top
	void close();                                         // temporary files

	// Raises an error (42804) for a type that cannot be a group, or differs from that of the query before.
	void column(Oid type);
	void add(Datum value, bool is_null); // that of the next row
	std::uint32_t of(std::uint32_t number) const { return groups_[number]; }

private:
	MemoryContext context_ = nullptr;
	std::size_t memory_ = 0;
	Oid type_ = InvalidOid, column_type_ = InvalidOid;
	RowIds names_;
	NumberedIds numbers_;
	std::uint32_t *groups_ = nullptr; // 0: NULL
	std::uint32_t count_ = 0;
	std::size_t room_ = 0;
};

} // namespace txtfp::pg
