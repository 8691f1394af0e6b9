#include "pg/embedding/real_array.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/memutils.h"
}

namespace txtfp::pg {

void check_no_nulls(ArrayType *array, const char *what)
{
	if (array_contains_nulls(array))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not contain nulls", what)));
}

core::Vector real_array_arg(FunctionCallInfo fcinfo, int i, bool matrix)
{
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(i);
	if (!matrix && ARR_NDIM(array) > 1)
		ereport(ERROR,
			(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR), errmsg("array must be one-dimensional"),
				errdetail("The array has %d dimensions.", ARR_NDIM(array))));
	check_no_nulls(array, "array of elements");
	return {reinterpret_cast<const float *>(ARR_DATA_PTR(array)),
		static_cast<std::size_t>(ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)))};
}

ArrayType *allocate_real_array(std::size_t size)
{
	const std::size_t bytes = ARR_OVERHEAD_NONULLS(1) + size * sizeof(float4);
	if (size > MaxAllocSize / sizeof(float4) || bytes > MaxAllocSize)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("array of elements would exceed 1 GB")));
	auto *array = static_cast<ArrayType *>(palloc0(bytes));
	SET_VARSIZE(array, bytes);
	array->ndim = 1;
	array->elemtype = FLOAT4OID;
	ARR_DIMS(array)[0] = static_cast<int>(size);
	ARR_LBOUND(array)[0] = 1;
	return array;
}

ArrayType *make_real_array(core::Vector vector)
{
	ArrayType *array = allocate_real_array(vector.size());
	memcpy(ARR_DATA_PTR(array), vector.data(), vector.size_bytes());
	return array;
}

} // namespace txtfp::pg
