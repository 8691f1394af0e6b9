// Reads the rows of a query of two ids, which are numbered in the order of their first appearance.
#pragma once

#include "pg/bulk/near_duplicates.hpp"
#include "pg/bulk/numbered_ids.hpp"

namespace txtfp::pg {

// `ids` is open and empty. Rows are counted in `progress`, unless that is nullptr.
class IdPairReader : public RowReader {
public:
	IdPairReader(MemoryContext context, RowIds &ids, Oid id_type, Progress *progress);
	void columns(TupleDesc columns) final;
	void row(TupleTableSlot *row) final;
	const NumberedIds &numbers() const { return numbers_; }

protected:
	virtual void pair(std::uint32_t a, std::uint32_t b) = 0;

	~IdPairReader() = default;

private:
	RowIds &ids_;
	Progress *progress_;
	NumberedIds numbers_;
	Oid id_type_;
	GivenColumn ids_given_[2];
	MemoryContext scratch_;
};

} // namespace txtfp::pg
