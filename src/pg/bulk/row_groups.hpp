// The groups of the rows of a bulk operation. Only rows of the same group are compared. A group is a value of a column
// of the query; NULL is a group, too. A row is identified by its number in the order of arrival.
#pragma once

#include <cstdint>

#include "pg/bulk/numbered_ids.hpp"

namespace txtfp::pg {

class RowGroups {
public:
	// `memory` is in bytes; 4 bytes per row are needed in addition.
	void open(MemoryContext context, std::size_t memory);
	void close(); // closes temporary files

	// Raises an error (42804) if the type cannot be used for groups, or differs from the type in the previous query.
	void column(const GivenColumn &column);
	void add(const NullableDatum &group);                // of the next row
	const std::uint32_t *all() const { return groups_; } // by number

private:
	MemoryContext context_ = nullptr;
	std::size_t memory_ = 0;
	Oid type_ = InvalidOid, column_type_ = InvalidOid;
	RowIds names_;
	NumberedIds numbers_;
	std::uint32_t *groups_ = nullptr; // 0: NULL
	std::uint32_t count_ = 0;
	std::size_t capacity_ = 0;
};

// The groups of labels: the third column of a query, if it has one. A NULL is no group: such a label is alone.
class LabelGroups {
public:
	explicit LabelGroups(MemoryContext context) : context_(context) {}

	// Raises an error (42804) unless there are two or three columns. `names` are the first two.
	void columns(TupleDesc columns, const char *names);
	// Of the next label; `label` is the number of labels before it.
	std::uint64_t next(TupleTableSlot *row, std::size_t label);
	bool are_given() const { return are_given_; }
	void close(); // closes temporary files

private:
	MemoryContext context_;
	GivenColumn column_;
	RowGroups groups_;
	bool are_given_ = false;
};

} // namespace txtfp::pg
