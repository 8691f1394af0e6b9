// txtfp_version() and txtfp_info(): the data for a bug report.
#include <xxhash.h>

#include "core/base/cpu.hpp"
#include "core/text/normalize.hpp"
#include "pg/base/guard.hpp"

extern "C" {
#include "access/htup_details.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
}

using namespace txtfp;

#ifndef TXTFP_VERSION
#error "TXTFP_VERSION comes from the Makefile, which reads txtfp.control"
#endif

namespace {

constexpr int format_version = 1; // format version of the serialized forms, as in the crate txtfp

Datum text_datum(const char *value) { return CStringGetTextDatum(value); }

} // namespace

TXTFP_FUNCTION(txtfp_version) { PG_RETURN_TEXT_P(cstring_to_text(TXTFP_VERSION)); }

TXTFP_FUNCTION(txtfp_info)
{
	TupleDesc row;
	if (get_call_result_type(fcinfo, nullptr, &row) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	Datum values[] = {
		text_datum(TXTFP_VERSION),
		Int32GetDatum(format_version),
		text_datum(core::unicode_version),
		text_datum(core::icu_version()),
		text_datum(core::icu_unicode_version()),
		text_datum(psprintf("%d.%d.%d", XXH_VERSION_MAJOR, XXH_VERSION_MINOR, XXH_VERSION_RELEASE)),
		text_datum(core::name(core::simd_level())),
		text_datum(__VERSION__),
		text_datum(PG_VERSION),
		DirectFunctionCall1(pgsql_version, (Datum) 0),
		text_datum(GetDatabaseEncodingName()),
	};
	bool nulls[lengthof(values)] = {};
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(row), values, nulls)));
}
