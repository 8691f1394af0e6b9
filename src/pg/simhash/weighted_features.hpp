// SimHash of features with weights, for features of any type.
#pragma once

#include <cmath>

#include "core/simhash/bit_counter.hpp"
#include "pg/simhash/simhash64.hpp"

extern "C" {
#include "miscadmin.h"
#include "utils/array.h"
}

namespace txtfp::pg {

// The arguments (features, weights); NULL if there is no feature with a weight.
template <auto hash_of> Datum weigh_features(FunctionCallInfo fcinfo)
{
	ArrayType *features = PG_GETARG_ARRAYTYPE_P(0), *weights = PG_GETARG_ARRAYTYPE_P(1);
	if (array_contains_nulls(features) || array_contains_nulls(weights))
		ereport(ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("arrays of features and weights must not contain nulls")));
	const int count = ArrayGetNItems(ARR_NDIM(features), ARR_DIMS(features));
	if (count != ArrayGetNItems(ARR_NDIM(weights), ARR_DIMS(weights)))
		ereport(ERROR,
			(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR), errmsg("mismatched array dimensions"),
				errdetail("There are %d features and %d weights.", count,
					ArrayGetNItems(ARR_NDIM(weights), ARR_DIMS(weights)))));
	const auto *weight = reinterpret_cast<const float8 *>(ARR_DATA_PTR(weights));
	core::WeightedBits sums;
	ArrayIterator iterator = array_create_iterator(features, 0, nullptr);
	Datum feature;
	bool is_null, any = false;
	for (; array_iterate(iterator, &feature, &is_null); ++weight) {
		CHECK_FOR_INTERRUPTS();
		if (!std::isfinite(*weight))
			ereport(
				ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("weights must be finite, not %g", *weight)));
		any = any || *weight != 0;
		sums.add(hash_of(feature), *weight);
	}
	array_free_iterator(iterator);
	if (!any)
		PG_RETURN_NULL();
	return simhash_datum(sums.bits());
}

} // namespace txtfp::pg
