// Order and equality of a type, behind sql/parts/order.sql: seven SQL functions from one comparison.
#pragma once

#include "pg/base/pg.hpp"

// Defines txtfp_<type>_eq, _ne, _lt, _le, _gt, _ge and _cmp. int compare(FunctionCallInfo) compares arguments 0 and 1:
// negative, 0 or positive. It has released what it detoasted when it returns, as b-tree operator classes require.
#define TXTFP_COMPARISONS(type, compare)                                        \
	TXTFP_FUNCTION(txtfp_##type##_eq) { PG_RETURN_BOOL(compare(fcinfo) == 0); } \
	TXTFP_FUNCTION(txtfp_##type##_ne) { PG_RETURN_BOOL(compare(fcinfo) != 0); } \
	TXTFP_FUNCTION(txtfp_##type##_lt) { PG_RETURN_BOOL(compare(fcinfo) < 0); }  \
	TXTFP_FUNCTION(txtfp_##type##_le) { PG_RETURN_BOOL(compare(fcinfo) <= 0); } \
	TXTFP_FUNCTION(txtfp_##type##_gt) { PG_RETURN_BOOL(compare(fcinfo) > 0); }  \
	TXTFP_FUNCTION(txtfp_##type##_ge) { PG_RETURN_BOOL(compare(fcinfo) >= 0); } \
	TXTFP_FUNCTION(txtfp_##type##_cmp)                                          \
	{                                                                           \
		const int order = compare(fcinfo);                                      \
		PG_RETURN_INT32((order > 0) - (order < 0));                             \
	}
