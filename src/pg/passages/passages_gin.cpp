// GIN operator class passages_ops: the keys of a row are the leading bits of its fingerprints. A row is a candidate if it has as many of
// the probe's keys as the probe requires; every candidate is rechecked against the stored fingerprints. With short keys, unrelated
// rows share keys by chance: that costs candidates to recheck, but keeps the index small, because each key lists many rows.
#include "pg/index/gin.hpp"
#include "pg/passages/passages.hpp"

extern "C" {
#include "access/reloptions.h"
#include "access/stratnum.h"
}

using namespace txtfp;

namespace {

constexpr int default_bits = 21;

struct PassagesOptions {
	std::int32_t header;
	int bits;
};

struct Keys {
	Datum *keys;
	std::size_t count;
};

// Ascending, each once.
Keys keys_of(FunctionCallInfo fcinfo, const pg::Passages &value)
{
	const int bits =
		PG_HAS_OPCLASS_OPTIONS() ? ((const PassagesOptions *) PG_GET_OPCLASS_OPTIONS())->bits : default_bits;
	const auto fingerprints = value.view();
	auto *keys = static_cast<Datum *>(
		MemoryContextAllocHuge(CurrentMemoryContext, sizeof(Datum) * std::max<std::size_t>(1, fingerprints.size())));
	std::size_t count = 0;
	for (std::size_t i = 0; i < fingerprints.size(); ++i)
		if (const int shift = 64 - bits; i == 0 || fingerprints[i] >> shift != fingerprints[i - 1] >> shift)
			keys[count++] =
				Int32GetDatum(static_cast<std::int32_t>(static_cast<std::uint32_t>(fingerprints[i] >> shift)));
	return {keys, count};
}

} // namespace

TXTFP_FUNCTION(txtfp_passages_gin_options)
{
	auto *relopts = (local_relopts *) PG_GETARG_POINTER(0);
	init_local_reloptions(relopts, sizeof(PassagesOptions));
	add_local_int_reloption(relopts, "bits", "leading bits of a fingerprint that are its key", default_bits, 8, 32,
		offsetof(PassagesOptions, bits));
	PG_RETURN_VOID();
}

TXTFP_FUNCTION(txtfp_passages_gin_extract_value)
{
	const Keys keys = keys_of(fcinfo, *pg::passages_arg(fcinfo, 0));
	*(int32 *) PG_GETARG_POINTER(1) = static_cast<int32>(keys.count);
	PG_RETURN_POINTER(keys.keys);
}

// Several fingerprints of the probe may have the same key, so fewer keys are required than fingerprints. A probe that requires more
// fingerprints than it has finds nothing.
TXTFP_FUNCTION(txtfp_passages_gin_extract_query)
{
	auto *count = (int32 *) PG_GETARG_POINTER(1);
	auto **extra_data = (Pointer **) PG_GETARG_POINTER(4);
	if (const StrategyNumber strategy = PG_GETARG_UINT16(2); strategy != pg::strategy_passages_probe)
		elog(ERROR, "unrecognized strategy number: %d", strategy);
	const pg::Passages *probe = pg::passages_arg(fcinfo, 0);
	const auto least = static_cast<std::size_t>(probe->least), fingerprints = probe->view().size();
	*count = 0;
	if (least > fingerprints)
		return pg::null_pointer;
	const Keys keys = keys_of(fcinfo, *probe);
	const std::size_t together = fingerprints - keys.count;
	*count = static_cast<int32>(keys.count);
	*extra_data = pg::search_requirements(*count, least > together ? static_cast<int>(least - together) : 1);
	PG_RETURN_POINTER(keys.keys);
}

TXTFP_FUNCTION(txtfp_passages_gin_consistent)
{
	const auto *check = (const GinTernaryValue *) PG_GETARG_POINTER(0); // bool here: the same values without maybe
	const int32 keys = PG_GETARG_INT32(3);
	auto *extra_data = (Pointer *) PG_GETARG_POINTER(4);
	*(bool *) PG_GETARG_POINTER(5) = true;
	PG_RETURN_BOOL(keys > 0 && pg::count_present(check, keys, false) >= pg::required_matches(keys, extra_data));
}

TXTFP_FUNCTION(txtfp_passages_gin_triconsistent)
{
	const auto *check = (const GinTernaryValue *) PG_GETARG_POINTER(0);
	const int32 keys = PG_GETARG_INT32(3);
	auto *extra_data = (Pointer *) PG_GETARG_POINTER(4);
	const bool possible = keys > 0 && pg::count_present(check, keys, true) >= pg::required_matches(keys, extra_data);
	PG_RETURN_GIN_TERNARY_VALUE(possible ? GIN_MAYBE : GIN_FALSE); // never sure: the fingerprints decide
}
