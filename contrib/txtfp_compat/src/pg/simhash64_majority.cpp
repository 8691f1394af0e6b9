// simhash64_majority and simhash64_majority_agg: the bits that more than half of some 64-bit values have.
// simhash64_concat: the low bits of several values side by side. Both bigint and simhash64 are 8 bytes, so the
// functions serve both types.
#include "pg/base/owned.hpp"
#include "pg/base/ranges.hpp"
#include "pg/simhash/simhash64.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "libpq/pqformat.h"
#include "utils/array.h"
}

using namespace txtfp;

namespace {

using MajorityState = core::BitCounter;
static_assert(std::is_trivially_copyable_v<MajorityState>); // its bytes are sent between processes as they are

MajorityState *new_state(FunctionCallInfo fcinfo)
{
	return new (MemoryContextAlloc(pg::aggregate_context(fcinfo), sizeof(MajorityState))) MajorityState();
}

MajorityState *state_arg(FunctionCallInfo fcinfo, int i) { return (MajorityState *) PG_GETARG_POINTER(i); }

// An array of 8-byte values without nulls.
std::span<const std::uint64_t> values_arg(FunctionCallInfo fcinfo, int i, const char *what)
{
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(i);
	if (array_contains_nulls(array))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("array of %s must not contain nulls", what)));
	const int count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	return {reinterpret_cast<const std::uint64_t *>(ARR_DATA_PTR(array)), static_cast<std::size_t>(count)};
}

} // namespace

TXTFP_FUNCTION(txtfp_simhash64_majority)
{
	const std::span<const std::uint64_t> values = values_arg(fcinfo, 0, "hashes");
	core::BitCounter counter;
	counter.add(values);
	return pg::simhash_datum(counter.majority());
}

// NULL values do not count.
TXTFP_FUNCTION(txtfp_simhash64_majority_agg_step)
{
	if (PG_ARGISNULL(1)) {
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_POINTER(state_arg(fcinfo, 0));
	}
	MajorityState *state = PG_ARGISNULL(0) ? new_state(fcinfo) : state_arg(fcinfo, 0);
	state->add(pg::simhash_arg(fcinfo, 1));
	PG_RETURN_POINTER(state);
}

TXTFP_FUNCTION(txtfp_simhash64_majority_agg_combine)
{
	if (PG_ARGISNULL(1)) {
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_POINTER(state_arg(fcinfo, 0));
	}
	MajorityState *state = PG_ARGISNULL(0) ? new_state(fcinfo) : state_arg(fcinfo, 0);
	state->merge(*state_arg(fcinfo, 1));
	PG_RETURN_POINTER(state);
}

TXTFP_FUNCTION(txtfp_simhash64_majority_agg_serialize)
{
	auto *out = static_cast<bytea *>(palloc(VARHDRSZ + sizeof(MajorityState)));
	SET_VARSIZE(out, VARHDRSZ + sizeof(MajorityState));
	memcpy(VARDATA(out), state_arg(fcinfo, 0), sizeof(MajorityState));
	PG_RETURN_BYTEA_P(out);
}

TXTFP_FUNCTION(txtfp_simhash64_majority_agg_deserialize)
{
	const bytea *in = PG_GETARG_BYTEA_PP(0);
	if (VARSIZE_ANY_EXHDR(in) != sizeof(MajorityState))
		elog(ERROR, "invalid state of simhash64_majority_agg");
	auto *state = static_cast<MajorityState *>(palloc(sizeof(MajorityState)));
	memcpy(static_cast<void *>(state), VARDATA_ANY(in), sizeof(MajorityState));
	PG_RETURN_POINTER(state);
}

TXTFP_FUNCTION(txtfp_simhash64_majority_agg_final)
{
	MajorityState counted =
		*state_arg(fcinfo, 0); // a copy, because the final function may be called again on this state
	return pg::simhash_datum(counted.majority());
}

// The first part takes the highest bits.
TXTFP_FUNCTION(txtfp_simhash64_concat)
{
	const std::span<const std::uint64_t> parts = values_arg(fcinfo, 0, "parts");
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(1);
	if (array_contains_nulls(array))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("array of widths must not contain nulls")));
	const int count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	if (static_cast<std::size_t>(count) != parts.size())
		ereport(ERROR,
			(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR), errmsg("mismatched array dimensions"),
				errdetail("There are %zu parts and %d widths.", parts.size(), count)));
	const auto *widths = reinterpret_cast<const int32 *>(ARR_DATA_PTR(array));
	std::int64_t sum = 0;
	for (int i = 0; i < count; ++i)
		sum += pg::within("a width", widths[i], 1, 64);
	if (sum != 64)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("the widths must add up to 64, not %lld", static_cast<long long>(sum))));
	std::uint64_t bits = 0;
	for (int i = 0; i < count; ++i) {
		bits = widths[i] == 64 ? 0 : bits << widths[i];
		bits |= parts[static_cast<std::size_t>(i)] & (~std::uint64_t{0} >> (64 - widths[i]));
	}
	return pg::simhash_datum(bits);
}
