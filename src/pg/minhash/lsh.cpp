// lsh_params, lsh_probability, lsh_keys, _first_common_band: banding for users who plan, join or shard in SQL.
#include "pg/minhash/lsh.hpp"

#include "pg/base/guard.hpp"
#include "pg/base/ranges.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/minhash/minhash.hpp"
#include "pg/text/options.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
}

using namespace txtfp;

namespace txtfp::pg {

static Datum *as_datums(const std::uint64_t *keys, int count)
{
	auto *datums = static_cast<Datum *>(palloc(sizeof(Datum) * static_cast<std::size_t>(count)));
	for (int band = 0; band < count; ++band)
		datums[band] = Int64GetDatum(static_cast<int64>(keys[band]));
	return datums;
}

Datum *band_key_datums(core::ConstSlots slots, core::Banding banding, bool of_crate)
{
	std::uint64_t keys[core::minhash_max_slots];
	if (of_crate)
		core::crate_band_keys(slots, banding, keys);
	else
		core::band_keys(slots, banding, keys);
	return as_datums(keys, banding.bands);
}

Datum *band_key_datums(core::ConstCompactSlots slots, core::Banding banding)
{
	std::uint64_t keys[core::minhash_max_slots];
	core::band_keys(slots, banding, keys);
	return as_datums(keys, banding.bands);
}

core::Banding check_banding(core::Banding banding, int slots, const char *type)
{
	at_least_one("bands", banding.bands);
	at_least_one("rows", banding.rows);
	if (banding.bands > slots || banding.rows > slots || banding.bands * banding.rows > slots)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg(
					"bands * rows must be at most %d for %s, not %d * %d", slots, type, banding.bands, banding.rows)));
	return banding;
}

core::Banding banding_with_recall(double threshold, double recall, int slots)
{
	positive_unit_option("threshold", threshold, Upper::closed);
	positive_unit_option("recall", recall, Upper::open);
	const core::Banding banding = core::banding_for_recall(threshold, recall, slots);
	if (banding.bands == 0)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("no banding of %d slots finds pairs of similarity %s with recall %s", slots, shortest(threshold),
					shortest(recall)),
				errhint("Raise the threshold, lower the recall, or use a type with more slots.")));
	return banding;
}

} // namespace txtfp::pg

namespace {

// Arguments i and i + 1 of a function on sketches of `slots` slots.
template <class Slot> core::Banding banding_args(FunctionCallInfo fcinfo, int i, std::size_t slots)
{
	return pg::check_banding(
		{PG_GETARG_INT32(i), PG_GETARG_INT32(i + 1)}, static_cast<int>(slots), pg::minhash_type<Slot>(slots));
}

Datum array_of(Datum *keys, int count)
{
	PG_RETURN_ARRAYTYPE_P(construct_array(keys, count, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

template <class Slot> Datum first_common_band(FunctionCallInfo fcinfo)
{
	const pg::SketchView a = pg::sketch_arg<Slot>(fcinfo, 0), b = pg::sketch_arg<Slot>(fcinfo, 1);
	const core::Banding banding = banding_args<Slot>(fcinfo, 2, a.slots.size());
	pg::check_comparable(a, b);
	const int band = core::first_common_band(a.slots, b.slots, banding);
	if (band < 0)
		PG_RETURN_NULL();
	PG_RETURN_INT32(band + 1);
}

// The rule computes in single precision, so the threshold must also be less than 1 as a float.
core::Banding least_error_banding(double threshold, int slots)
{
	pg::positive_unit_option("threshold", threshold, pg::Upper::open);
	const auto single = static_cast<float>(threshold);
	pg::positive_unit_option("threshold", static_cast<double>(single), pg::Upper::open);
	return core::banding_for_threshold(single, slots);
}

} // namespace

TXTFP_FUNCTION(txtfp_lsh_params)
{
	constexpr int max_slots = 4096; // the search is quadratic in this number
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	const double threshold = PG_GETARG_FLOAT8(0);
	const int slots = PG_GETARG_INT32(1);
	pg::at_least_one("num_slots", slots);
	if (slots > max_slots)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("num_slots must be at most %d, not %d", max_slots, slots)));
	const core::Banding banding = PG_ARGISNULL(2) ? least_error_banding(threshold, slots)
												  : pg::banding_with_recall(threshold, PG_GETARG_FLOAT8(2), slots);
	TupleDesc row;
	if (get_call_result_type(fcinfo, nullptr, &row) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	Datum values[2] = {Int32GetDatum(banding.bands), Int32GetDatum(banding.rows)};
	bool nulls[2] = {false, false};
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(row), values, nulls)));
}

TXTFP_FUNCTION(txtfp_lsh_probability)
{
	const double similarity = pg::unit_interval_option("similarity", PG_GETARG_FLOAT8(0));
	const core::Banding banding{PG_GETARG_INT32(1), PG_GETARG_INT32(2)};
	pg::at_least_one("bands", banding.bands);
	pg::at_least_one("rows", banding.rows);
	PG_RETURN_FLOAT8(core::match_probability(similarity, banding));
}

TXTFP_FUNCTION(txtfp_lsh_keys)
{
	const pg::Minhash *value = pg::minhash_arg(fcinfo, 0);
	const core::Banding banding = banding_args<std::uint64_t>(fcinfo, 1, value->slot_count());
	return array_of(pg::band_key_datums(value->view(), banding, PG_GETARG_BOOL(3)), banding.bands);
}

TXTFP_FUNCTION(txtfp_compact_lsh_keys)
{
	const pg::SketchView value = pg::sketch_arg<std::uint8_t>(fcinfo, 0);
	const core::Banding banding = banding_args<std::uint8_t>(fcinfo, 1, value.slots.size());
	return array_of(pg::band_key_datums(value.slots, banding), banding.bands);
}

TXTFP_FUNCTION(txtfp_first_common_band) { return first_common_band<std::uint64_t>(fcinfo); }
TXTFP_FUNCTION(txtfp_compact_first_common_band) { return first_common_band<std::uint8_t>(fcinfo); }
