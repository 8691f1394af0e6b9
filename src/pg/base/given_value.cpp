#include "pg/base/given_value.hpp"

#include "pg/base/identity.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

namespace txtfp::pg {

namespace {

bool fits(const ValueType &found, const ValueType &expected)
{
	return found.type == expected.type && OidIsValid(found.type) &&
		(expected.modifier == -1 || found.modifier == expected.modifier) &&
		(!OidIsValid(expected.collation) || found.collation == expected.collation);
}

bool has_column(TupleDesc columns, int column)
{
	return column >= 1 && column <= columns->natts && !TupleDescAttr(columns, column - 1)->attisdropped;
}

ValueType type_of(const Form_pg_attribute attribute)
{
	return {attribute->atttypid, attribute->atttypmod, attribute->attcollation};
}

} // namespace

ValueType column_type(TupleDesc columns, int column)
{
	if (!has_column(columns, column))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN), errmsg("the row has no column %d", column)));
	return type_of(TupleDescAttr(columns, column - 1));
}

GivenColumn given_column(TupleDesc columns, int number)
{
	const Oid type = column_type(columns, number).type;
	return {number, {type}, getBaseType(type)};
}

bool is_column(TupleDesc columns, int column, const ValueType &type)
{
	return has_column(columns, column) && fits(type_of(TupleDescAttr(columns, column - 1)), type);
}

void report_column(TupleDesc columns, int column, const ValueType &type)
{
	const char *expected = format_type_with_typemod(type.type, type.modifier);
	if (!has_column(columns, column))
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("a row has no column %d, which should be of type %s", column, expected)));
	const Form_pg_attribute found = TupleDescAttr(columns, column - 1);
	const char *actual = format_type_with_typemod(found->atttypid, found->atttypmod);
	ereport(ERROR,
		(errcode(ERRCODE_DATATYPE_MISMATCH),
			errmsg("column \"%s\" is of type %s, not %s", NameStr(found->attname), actual, expected),
			strcmp(actual, expected) == 0 ? errdetail("Types or collations differ that have the same name.") : 0));
	pg_unreachable();
}

NullableDatum column_value(HeapTuple row, TupleDesc columns, int column, const ValueType &type)
{
	if (!is_column(columns, column, type))
		report_column(columns, column, type);
	NullableDatum result{};
	result.value = heap_getattr(row, column, columns, &result.isnull);
	return result;
}

NullableDatum column_value(const SPITupleTable *result, uint64 row, int column, const ValueType &type)
{
	if (result == nullptr || row >= result->numvals)
		ereport(ERROR, (errcode(ERRCODE_NO_DATA), errmsg("a query has returned no row " UINT64_FORMAT, row + 1)));
	return column_value(result->vals[row], result->tupdesc, column, type);
}

bool is_same_column(TupleTableSlot *a, TupleTableSlot *b, int column)
{
	const ValueType type = column_type(a->tts_tupleDescriptor, column);
	if (!is_column(b->tts_tupleDescriptor, column, type))
		return false;
	const NullableDatum x = column_value(a, column, type), y = column_value(b, column, type);
	if (x.isnull || y.isnull)
		return x.isnull && y.isnull;
	const Form_pg_attribute attribute = TupleDescAttr(a->tts_tupleDescriptor, column - 1);
	const bool by_value = attribute->attbyval;
	return datumIsEqual(x.value, y.value, by_value, attribute->attlen) || // fast for a toasted value that is unchanged
		datum_image_eq(x.value, y.value, by_value, attribute->attlen);
}

std::optional<Datum> constant_value(const Node *node, const ValueType &type)
{
	if (node == nullptr || !IsA(node, Const))
		return std::nullopt;
	const auto &constant = *(const Const *) node;
	if (constant.constisnull || !fits({constant.consttype, constant.consttypmod, constant.constcollid}, type))
		return std::nullopt;
	return constant.constvalue;
}

std::optional<Datum> constant_value(const Node *node, PGFunction input)
{
	if (node == nullptr || !IsA(node, Const))
		return std::nullopt;
	const Oid type = ((const Const *) node)->consttype;
	return is_read_by(type, input) ? constant_value(node, ValueType{type}) : std::nullopt;
}

std::optional<double> constant_number(const Node *node)
{
	if (const std::optional<Datum> value = constant_value(node, ValueType{FLOAT8OID}))
		return DatumGetFloat8(*value);
	if (const std::optional<Datum> value = constant_value(node, ValueType{INT4OID}))
		return DatumGetInt32(*value);
	return std::nullopt;
}

bool is_null_constant(const Node *node)
{
	return node != nullptr && IsA(node, Const) && ((const Const *) node)->constisnull;
}

void record_values(Datum record, std::span<const Oid> types, NullableDatum *values)
{
	HeapTupleHeader header = DatumGetHeapTupleHeader(record);
	TupleDesc columns = lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(header), HeapTupleHeaderGetTypMod(header));
	HeapTupleData tuple{};
	tuple.t_len = HeapTupleHeaderGetDatumLength(header);
	ItemPointerSetInvalid(&tuple.t_self);
	tuple.t_data = header;
	const int count = static_cast<int>(types.size());
	if (columns->natts != count)
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("a value of type %s has %d columns, not %d",
					format_type_be(HeapTupleHeaderGetTypeId(header)), columns->natts, count)));
	for (int i = 0; i < count; ++i)
		values[i] = column_value(&tuple, columns, i + 1, {types[static_cast<std::size_t>(i)]});
	ReleaseTupleDesc(columns);
}

void report_damaged_value(const char *type)
{
	ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("a stored value of type %s is damaged", type)));
	pg_unreachable();
}

void store_row(TupleTableSlot *slot, std::span<const NullableDatum> values)
{
	Assert(TTS_IS_VIRTUAL(slot) && values.size() == static_cast<std::size_t>(slot->tts_tupleDescriptor->natts));
	ExecClearTuple(slot);
	for (std::size_t i = 0; i < values.size(); ++i) {
		slot->tts_values[i] = values[i].value;
		slot->tts_isnull[i] = values[i].isnull;
	}
	ExecStoreVirtualTuple(slot);
}

} // namespace txtfp::pg
