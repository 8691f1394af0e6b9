#include "pg/bulk/row_groups.hpp"

#include <algorithm>

#include "pg/base/large_array.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
}

namespace txtfp::pg {

namespace {

// The type as which values of a type are stored; InvalidOid if the type cannot be used for groups.
Oid kept_type(Oid base)
{
	switch (base) {
	case INT2OID:
	case INT4OID:
	case INT8OID:
		return INT8OID;
	case TEXTOID:
	case VARCHAROID:
		return TEXTOID;
	case UUIDOID:
		return UUIDOID;
	default:
		return InvalidOid;
	}
}

} // namespace

void RowGroups::open(MemoryContext context, std::size_t memory)
{
	*this = {};
	context_ = context;
	memory_ = memory;
}

void RowGroups::close()
{
	if (OidIsValid(type_))
		names_.close();
}

void RowGroups::column(const GivenColumn &column)
{
	const Oid type = column.type.type;
	column_type_ = column.base;
	const Oid kept = kept_type(column_type_);
	if (!OidIsValid(kept))
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("the query returns groups of type %s", format_type_be(type)),
				errhint("Groups are of type integer, bigint, uuid or text. Add a cast to the query.")));
	if (!OidIsValid(type_)) {
		type_ = kept;
		names_.open(context_, kept, memory_);
		numbers_.open(context_, names_);
	} else if (type_ != kept) {
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("the second query returns groups of type %s, the first of type %s", format_type_be(type),
					format_type_be(type_))));
	}
}

void RowGroups::add(const NullableDatum &group)
{
	reserve_next(context_, groups_, count_, capacity_);
	groups_[count_++] = group.isnull ? 0 : 1 + numbers_.number_of(names_.bytes_of(group, column_type_));
}

void LabelGroups::columns(TupleDesc columns, const char *names)
{
	if (columns->natts != 2 && columns->natts != 3)
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("the query must return two or three columns, %s and a group, not %d", names, columns->natts)));
	are_given_ = columns->natts == 3;
	if (!are_given_)
		return;
	column_ = given_column(columns, 3);
	groups_.open(context_, static_cast<std::size_t>(work_mem) * 1024);
	groups_.column(column_);
}

std::uint64_t LabelGroups::next(TupleTableSlot *row, std::size_t label)
{
	const std::uint64_t alone = (std::uint64_t{1} << 32) + label;
	if (!are_given_)
		return alone;
	const NullableDatum group = column_value(row, column_);
	groups_.add(group);
	return group.isnull ? alone : groups_.all()[label];
}

void LabelGroups::close()
{
	if (are_given_)
		groups_.close();
}

} // namespace txtfp::pg
