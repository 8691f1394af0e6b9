#include "pg/compare/signals.hpp"

#include <algorithm>

#include "pg/base/given_value.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

namespace txtfp::pg {

namespace {

bool has_signal_columns(TupleDesc columns)
{
	if (columns->natts != static_cast<int>(core::signal_count) + 1 ||
		strcmp(NameStr(TupleDescAttr(columns, 0)->attname), "version") != 0 ||
		TupleDescAttr(columns, 0)->atttypid != INT4OID)
		return false;
	for (int i = 1; i < columns->natts; ++i)
		if (TupleDescAttr(columns, i)->atttypid != FLOAT8OID)
			return false;
	return true;
}

} // namespace

Datum signals_datum(const core::Signals &signals, TupleDesc columns)
{
	if (!has_signal_columns(columns))
		ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				errmsg("type difference_signals is of another version of the extension than the library"),
				errhint("Run ALTER EXTENSION txtfp UPDATE, or connect again.")));
	Datum values[core::signal_count + 1];
	bool nulls[core::signal_count + 1] = {};
	values[0] = Int32GetDatum(core::signals_version);
	for (std::size_t i = 0; i < core::signal_count; ++i) {
		values[i + 1] = Float8GetDatum(signals[i]);
		nulls[i + 1] = signals[i] < 0;
	}
	return HeapTupleGetDatum(heap_form_tuple(columns, values, nulls));
}

bool is_signals(Oid type)
{
	type = getBaseType(type);
	TupleDesc columns = type_is_rowtype(type) && type != RECORDOID ? lookup_rowtype_tupdesc(type, -1) : nullptr;
	const bool fits = columns != nullptr && has_signal_columns(columns);
	if (columns != nullptr)
		ReleaseTupleDesc(columns);
	return fits;
}

core::Signals read_signals(Datum value)
{
	Oid types[core::signal_count + 1];
	std::fill(std::begin(types), std::end(types), FLOAT8OID);
	types[0] = INT4OID;
	NullableDatum values[core::signal_count + 1];
	record_values(value, types, values);
	const int version = values[0].isnull ? 0 : DatumGetInt32(values[0].value);
	if (version != core::signals_version)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("signals are of version %d, not %d", version, core::signals_version),
				errhint("Compute them again with difference_signals.")));
	core::Signals signals;
	for (std::size_t i = 0; i < core::signal_count; ++i) {
		const bool optional = core::is_optional(static_cast<core::Signal>(i));
		const auto [given, is_null] = values[i + 1];
		const double signal = is_null ? -1 : DatumGetFloat8(given);
		if ((is_null && !optional) || !(signal >= (is_null ? -1 : 0)) || signal > 1e12)
			ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("signal \"%s\" is not a number of difference_signals", name_of(i)),
					errhint("Compute the signals with difference_signals.")));
		signals[i] = signal;
	}
	return signals;
}

const char *name_of(std::size_t signal) { return core::name(static_cast<core::Signal>(signal)).data(); } // of a literal

} // namespace txtfp::pg
