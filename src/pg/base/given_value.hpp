// Reads values that others made: constants of a plan, columns of a table or of a query's result, composite values.
//
// A Datum does not tell its type, and whoever owns a table, an operator or a function may change that type after it was
// looked at. A number that is taken for a pointer is an address that anybody may choose. So a value is read here and
// nowhere else, by a reader that says which type it expects, and the two are compared at that moment.
// scripts/check_layers.pl refuses PostgreSQL's own functions and fields for it in all other files.
#pragma once

#include <optional>
#include <span>

#include "pg/base/pg.hpp"

extern "C" {
#include "executor/spi.h"
#include "executor/tuptable.h"
#include "nodes/primnodes.h"
}

namespace txtfp::pg {

// What a reader expects. A modifier of −1 and an invalid collation are not compared.
struct ValueType {
	Oid type;
	int32 modifier = -1;
	Oid collation = InvalidOid;
};

// ---- columns, numbered from 1

// The type, modifier and collation of a column now, for a reader that keeps them and expects them of each row. Raises
// an error (42703) if there is no such column.
ValueType column_type(TupleDesc columns, int column);

// A column of a query that a reader accepted before the first row. Modifiers and collations are not compared: they may
// differ between the parts of a UNION ALL.
struct GivenColumn {
	int number = 0; // 0: there is none
	ValueType type{InvalidOid};
	Oid base = InvalidOid; // of a domain, the type below it, whose values the column has
};
GivenColumn given_column(TupleDesc columns, int number); // 42703

bool is_column(TupleDesc columns, int column, const ValueType &type);
[[noreturn]] void report_column(TupleDesc columns, int column, const ValueType &type); // 42804

// These raise an error (42804) if the row has no such column, or one of another type. The value lives as long as the
// row.
inline NullableDatum column_value(TupleTableSlot *row, int column, const ValueType &type)
{
	if (!is_column(row->tts_tupleDescriptor, column, type))
		report_column(row->tts_tupleDescriptor, column, type);
	NullableDatum result{};
	result.value = slot_getattr(row, column, &result.isnull);
	return result;
}
inline NullableDatum column_value(TupleTableSlot *row, const GivenColumn &column)
{
	return column_value(row, column.number, column.type);
}
NullableDatum column_value(HeapTuple row, TupleDesc columns, int column, const ValueType &type);

// A value of a result of SPI, whose rows are numbered from 0. Raises an error (02000), too, if it has fewer rows.
NullableDatum column_value(const SPITupleTable *result, uint64 row, int column, const ValueType &type);

// Both rows have the same bytes in this column, whatever its type is. Of different types none are the same.
bool is_same_column(TupleTableSlot *a, TupleTableSlot *b, int column);

// ---- values of their own

// The value of a constant of this type. None: the node is nullptr or no constant, the constant is NULL or of another
// type. A planner function then has no estimate, or leaves the expression as it is.
std::optional<Datum> constant_value(const Node *node, const ValueType &type);
// The same of a type of this library, which `input` reads (identity.hpp)
std::optional<Datum> constant_value(const Node *node, PGFunction input);
// Of a number of type double precision or integer
std::optional<double> constant_number(const Node *node);
bool is_null_constant(const Node *node); // of any type

// The values of a composite value. Raises an error (42804) unless it has exactly columns of these types.
void record_values(Datum record, std::span<const Oid> types, NullableDatum *values);

// ---- values of types of this library

// Their input functions refuse what is not sound, so a stored value that contradicts itself is damaged: raises an error
// (XX001).
[[noreturn]] void report_damaged_value(const char *type);

// ---- rows that the extension makes itself

// Empties a virtual slot of the extension's own and fills it.
void store_row(TupleTableSlot *slot, std::span<const NullableDatum> values);

} // namespace txtfp::pg
