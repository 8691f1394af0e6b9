// What the access method `sketch` asks of an operator class of sets of terms: the trigrams of a text, and the
// thresholds of pg_trgm's operators.
// The trigrams are those of the installed pg_trgm, by its function show_trgm.
#include "pg/base/guard.hpp"

extern "C" {
#include "access/tupmacs.h"
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
FmgrInfo *cached_show_trgm(FmgrInfo *caller)
{
	if (caller->fn_extra == nullptr) {
		auto *info = static_cast<FmgrInfo *>(MemoryContextAllocZero(caller->fn_mcxt, sizeof(FmgrInfo)));
		fmgr_info_cxt(trgm::trgm_function("show_trgm", {TEXTOID}, TEXTARRAYOID), info, caller->fn_mcxt);
		caller->fn_extra = info;
	}
	return static_cast<FmgrInfo *>(caller->fn_extra);
}

// A hash of a trigram as show_trgm writes it: three bytes, or 0x and six digits. Stored in indexes.
std::int32_t hash_of(const char *bytes, std::size_t size)
{
	std::uint64_t hash = 0;
	for (std::size_t i = 0; i < size; ++i)
		hash = hash << 8 | static_cast<std::uint8_t>(bytes[i]);
	hash = hash * 0x9E3779B97F4A7C15u ^ size;
	hash = (hash ^ hash >> 32) * 0xD6E8FEB86659FD93u;
	return static_cast<std::int32_t>(hash >> 32);
}

} // namespace

void _PG_init(void) { txtfp::pg::throw_once(); }

TXTFP_FUNCTION(txtfp_trgm_sketch_terms)
{
	ArrayType *trigrams =
		DatumGetArrayTypeP(FunctionCall1Coll(cached_show_trgm(fcinfo->flinfo), PG_GET_COLLATION(), PG_GETARG_DATUM(0)));
	const int n = ArrayGetNItems(ARR_NDIM(trigrams), ARR_DIMS(trigrams));
	if (n == 0)
		PG_RETURN_ARRAYTYPE_P(construct_empty_array(INT4OID));
	const Size size = ARR_OVERHEAD_NONULLS(1) + sizeof(std::int32_t) * static_cast<std::size_t>(n);
	auto *result = static_cast<ArrayType *>(palloc0(size));
	SET_VARSIZE(result, size);
	result->ndim = 1;
	result->elemtype = INT4OID;
	ARR_DIMS(result)[0] = n;
	ARR_LBOUND(result)[0] = 1;
	auto *hashes = (std::int32_t *) ARR_DATA_PTR(result);
	const char *at = ARR_DATA_PTR(trigrams); // without NULLs
	for (int i = 0; i < n; ++i) {
		at = (const char *) att_align_pointer((std::uintptr_t) at, TYPALIGN_INT, -1, at);
		hashes[i] = hash_of(VARDATA_ANY(at), VARSIZE_ANY_EXHDR(at));
		at += VARSIZE_ANY(at);
	}
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
	cached_show_trgm(fcinfo->flinfo); // loads pg_trgm's library, which defines the settings
	// PostgreSQL writes it with six digits; the index searches a little below it
	PG_RETURN_FLOAT8(trgm::trgm_setting(setting) - 1e-5);
}
