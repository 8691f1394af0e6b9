#include "pg/bulk/id_pairs.hpp"

extern "C" {
#include "utils/lsyscache.h"
#include "utils/memutils.h"
}

namespace txtfp::pg {

IdPairReader::IdPairReader(MemoryContext context, RowIds &ids, Oid id_type, Progress *progress)
	: ids_(ids), progress_(progress), id_type_(id_type),
	  scratch_(AllocSetContextCreate(context, "a row", ALLOCSET_DEFAULT_SIZES))
{
	numbers_.open(context, ids);
}

void IdPairReader::columns(TupleDesc columns)
{
	check_two_columns(columns, "two ids");
	for (int i = 0; i < 2; ++i)
		ids_given_[i] = id_column(columns, i + 1, id_type_);
	if (progress_ != nullptr)
		progress_->begin(BulkPhase::reading_pairs, 0);
}

void IdPairReader::row(TupleTableSlot *row)
{
	if (progress_ != nullptr)
		progress_->add(1);
	const MemoryContext caller = MemoryContextSwitchTo(scratch_);
	std::uint32_t ends[2];
	for (int i = 0; i < 2; ++i)
		ends[i] = numbers_.number_of(ids_.bytes_of(column_value(row, ids_given_[i]), ids_given_[i].base));
	pair(ends[0], ends[1]);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(scratch_);
}

} // namespace txtfp::pg
