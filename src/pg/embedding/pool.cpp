// embedding_pool(): combines a model's token vectors into one vector per text.
#include "core/embedding/pooling.hpp"

#include "pg/base/text_arg.hpp"
#include "pg/embedding/real_array.hpp"

extern "C" {
#include "catalog/pg_type.h"
}

using namespace txtfp;

namespace {

core::Pooling pooling_option(std::string_view text)
{
	core::Pooling pooling = core::Pooling::mean;
	if (!core::parse_pooling(text, pooling))
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("unrecognized pooling: \"%s\"", pg::abbreviated(text)),
				errhint("Valid poolings are \"cls\", \"mean\", \"mean-no-norm\", \"max\" and \"last\".")));
	return pooling;
}

core::TokenMask mask_arg(FunctionCallInfo fcinfo, int i)
{
	if (PG_ARGISNULL(i))
		return std::nullopt;
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(i);
	pg::check_no_nulls(array, "mask");
	return std::span(reinterpret_cast<const std::int32_t *>(ARR_DATA_PTR(array)),
		static_cast<std::size_t>(ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array))));
}

} // namespace

// Not strict, because the mask may be NULL.
TXTFP_FUNCTION(txtfp_embedding_pool)
{
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(3))
		PG_RETURN_NULL();
	const core::Vector hidden = pg::real_array_arg(fcinfo, 0, true);
	const int dim = PG_GETARG_INT32(1);
	const core::TokenMask mask = mask_arg(fcinfo, 2);
	const core::Pooling pooling = pooling_option(pg::text_arg(fcinfo, 3));
	if (dim < 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("dim must not be negative, is %d", dim)));
	if (dim == 0 || hidden.empty())
		PG_RETURN_ARRAYTYPE_P(construct_empty_array(FLOAT4OID));
	if (hidden.size() < static_cast<std::size_t>(dim))
		ereport(ERROR,
			(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				errmsg("hidden has %zu values, which is less than one row of %d", hidden.size(), dim)));
	ArrayType *out = pg::allocate_real_array(static_cast<std::size_t>(dim));
	core::pool(hidden, mask, pooling, {reinterpret_cast<float *>(ARR_DATA_PTR(out)), static_cast<std::size_t>(dim)});
	PG_RETURN_ARRAYTYPE_P(out);
}
