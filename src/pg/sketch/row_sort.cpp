#include "pg/sketch/row_sort.hpp"

#include "pg/base/given_value.hpp"

extern "C" {
#include "access/tupdesc.h"
#include "catalog/pg_operator_d.h"
#include "catalog/pg_type_d.h"
#include "executor/executor.h"
}

namespace txtfp::pg {

namespace {

// The columns of the sorted tuples: the order, and the row with its signature.
TupleDesc sorted_columns()
{
	TupleDesc columns = CreateTemplateTupleDesc(2);
	TupleDescInitEntry(columns, 1, "order", INT8OID, -1, 0);
	TupleDescInitEntry(columns, 2, "row", BYTEAOID, -1, 0);
#if PG_VERSION_NUM >= 190000
	TupleDescFinalize(columns);
#endif
	return columns;
}

// By the first two leading columns; further ones would not make equal rows lie closer together in most tables.
std::int64_t order_of(const SketchKeys &keys)
{
	return static_cast<std::int64_t>(std::uint64_t{keys.hash[0]} << 32 | keys.hash[1]);
}

} // namespace

PartitionFiles *open_row_files(std::size_t signature_size, const SharedFiles &shared)
{
	return PartitionFiles::open(CurrentMemoryContext, sizeof(SortedRow) + signature_size, row_partition_bits, &shared);
}

void write_row(PartitionFiles &files, const SortedRow &row, const std::uint8_t *signature, std::size_t signature_size)
{
	std::uint8_t *to = files.append(row.keys.hash[0] >> (32 - row_partition_bits));
	memcpy(to, &row, sizeof row);
	memcpy(to + sizeof row, signature, signature_size);
}

RowSort *RowSort::open(std::size_t signature_size, int memory)
{
	auto *sort = static_cast<RowSort *>(palloc0(sizeof(RowSort)));
	TupleDesc columns = sorted_columns();
	AttrNumber attribute = 1;
	Oid order = Int8LessOperator, collation = InvalidOid;
	bool nulls_first = false;
	sort->signature_size_ = signature_size;
	sort->state_ =
		tuplesort_begin_heap(columns, 1, &attribute, &order, &collation, &nulls_first, memory, nullptr, TUPLESORT_NONE);
	sort->added_ = MakeSingleTupleTableSlot(columns, &TTSOpsVirtual);
	sort->returned_ = MakeSingleTupleTableSlot(columns, &TTSOpsMinimalTuple);
	const std::size_t size = VARHDRSZ + sizeof(SortedRow) + signature_size;
	sort->image_ = static_cast<bytea *>(palloc0(size));
	SET_VARSIZE(sort->image_, size);
	return sort;
}

void RowSort::add(const SortedRow &row, const std::uint8_t *signature)
{
	memcpy(VARDATA(image_), &row, sizeof row);
	memcpy(VARDATA(image_) + sizeof row, signature, signature_size_);
	const NullableDatum values[] = {{Int64GetDatum(order_of(row.keys)), false}, {PointerGetDatum(image_), false}};
	store_row(added_, values);
	tuplesort_puttupleslot(state_, added_);
}

void RowSort::add_partition(PartitionFiles &files, std::uint32_t partition)
{
	files.read(partition, [this](const std::uint8_t *records, std::size_t n) {
		for (; n > 0; --n, records += sizeof(SortedRow) + signature_size_) {
			SortedRow row;
			memcpy(&row, records, sizeof row);
			add(row, records + sizeof row);
		}
	});
}

void RowSort::sort() { tuplesort_performsort(state_); }

const std::uint8_t *RowSort::next(SortedRow &row)
{
	if (!tuplesort_gettupleslot(state_, true, false, returned_, nullptr))
		return nullptr;
	const auto *image = (const bytea *) DatumGetPointer(column_value(returned_, 2, {BYTEAOID}).value);
	memcpy(&row, VARDATA_ANY(image), sizeof row);
	return reinterpret_cast<const std::uint8_t *>(VARDATA_ANY(image)) + sizeof row;
}

void RowSort::close()
{
	ExecDropSingleTupleTableSlot(added_);
	ExecDropSingleTupleTableSlot(returned_);
	tuplesort_end(state_);
	pfree(image_);
	pfree(this);
}

} // namespace txtfp::pg
