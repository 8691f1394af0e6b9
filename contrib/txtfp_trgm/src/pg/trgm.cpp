// What the access method `sketch` asks of an operator class of sets of terms: the trigrams of a text, and the
// thresholds of pg_trgm's operators.
// The trigrams are those of the installed pg_trgm, by the support function of its GIN class.
#include "pg/base/guard.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/memutils.h"
}

#include <cstdint>

#include "pg/base/module_magic.hpp"
#include "pg/trgm_functions.hpp"

using namespace txtfp;

namespace {

// The function's call information is looked up once for each use of a support function.
FmgrInfo *cached_trigrams(FmgrInfo *caller)
{
	if (caller->fn_extra == nullptr) {
		auto *info = static_cast<FmgrInfo *>(MemoryContextAllocZero(caller->fn_mcxt, sizeof(FmgrInfo)));
		fmgr_info_cxt(trgm::trigrams_function(), info, caller->fn_mcxt);
		caller->fn_extra = info;
	}
	return static_cast<FmgrInfo *>(caller->fn_extra);
}

} // namespace

void _PG_init(void) { txtfp::pg::throw_once(); }

TXTFP_FUNCTION(txtfp_trgm_sketch_terms)
{
	int32 n = 0;
	const auto *trigrams = (const Datum *) DatumGetPointer(FunctionCall2Coll(
		cached_trigrams(fcinfo->flinfo), PG_GET_COLLATION(), PG_GETARG_DATUM(0), PointerGetDatum(&n)));
	if (n == 0)
		PG_RETURN_ARRAYTYPE_P(construct_empty_array(INT4OID));
	const Size size = ARR_OVERHEAD_NONULLS(1) + sizeof(std::int32_t) * static_cast<std::size_t>(n);
	auto *result = static_cast<ArrayType *>(palloc(size));
	SET_VARSIZE(result, size);
	result->ndim = 1;
	result->dataoffset = 0; // without NULLs
	result->elemtype = INT4OID;
	ARR_DIMS(result)[0] = n;
	ARR_LBOUND(result)[0] = 1;
	auto *terms = (std::int32_t *) ARR_DATA_PTR(result);
	for (int i = 0; i < n; ++i)
		terms[i] = DatumGetInt32(trigrams[i]);
	PG_RETURN_ARRAYTYPE_P(result);
}

TXTFP_FUNCTION(txtfp_trgm_sketch_threshold)
{
	const char *setting;
	switch (PG_GETARG_INT16(0)) {
	case 1:
		setting = "pg_trgm.similarity_threshold";
		break;
	case 2:
	case 5:
		setting = "pg_trgm.word_similarity_threshold";
		break;
	case 4:
	case 6:
		setting = "pg_trgm.strict_word_similarity_threshold";
		break;
	default:
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("no operator of sketch_trgm_ops with a threshold has strategy %d", PG_GETARG_INT16(0))));
	}
	cached_trigrams(fcinfo->flinfo); // loads pg_trgm's library, which defines the settings
	// PostgreSQL writes it with six digits; the index searches a little below it
	PG_RETURN_FLOAT8(trgm::trgm_setting(setting) - 1e-5);
}
