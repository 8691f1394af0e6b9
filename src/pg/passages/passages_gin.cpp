// GIN operator class passages_ops: the keys of a row are the leading bits of its fingerprints. A row is a candidate if
// it has as many of the probe's keys as the probe requires; every candidate is rechecked against the stored
// fingerprints. With short keys, unrelated rows share keys by chance: that costs candidates to recheck, but keeps the
// index small, because each key lists many rows. One more key of each row is made from its configuration
// (pg/index/gin.hpp); no other keys are negative. The MinHash types have the same consistent functions.
#include <limits>

#include "pg/index/gin.hpp"
#include "pg/passages/passages.hpp"

extern "C" {
#include "access/reloptions.h"
#include "access/stratnum.h"
}

using namespace txtfp;

namespace {

constexpr int default_bits = 21, max_bits = 31;
constexpr std::int32_t first_config_key = std::numeric_limits<std::int32_t>::min();

std::int32_t config_key(std::uint64_t config)
{
	return first_config_key + static_cast<std::int32_t>((config ^ config >> 31) & 0x7FFFFFFF);
}

struct PassagesOptions {
	std::int32_t header;
	int bits;
};

struct Keys {
	Datum *keys;
	std::size_t count;
};

// The keys, ascending and distinct. There is room for one more.
Keys keys_of(FunctionCallInfo fcinfo, const pg::Passages &value)
{
	const int bits =
		PG_HAS_OPCLASS_OPTIONS() ? ((const PassagesOptions *) PG_GET_OPCLASS_OPTIONS())->bits : default_bits;
	const auto fingerprints = value.view();
	auto *keys =
		static_cast<Datum *>(MemoryContextAllocHuge(CurrentMemoryContext, sizeof(Datum) * (fingerprints.size() + 1)));
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
	add_local_int_reloption(relopts, "bits", "leading bits of a fingerprint that are its key", default_bits, 8,
		max_bits, offsetof(PassagesOptions, bits));
	PG_RETURN_VOID();
}

TXTFP_FUNCTION(txtfp_passages_gin_extract_value)
{
	const pg::Passages *value = pg::passages_arg(fcinfo, 0);
	Keys keys = keys_of(fcinfo, *value);
	if (value->config != 0)
		keys.keys[keys.count++] = Int32GetDatum(config_key(value->config));
	*(int32 *) PG_GETARG_POINTER(1) = static_cast<int32>(keys.count);
	PG_RETURN_POINTER(keys.keys);
}

// Several fingerprints of the probe may have the same key, so fewer keys are required than fingerprints. A probe that
// requires more fingerprints than it has finds nothing.
TXTFP_FUNCTION(txtfp_passages_gin_extract_query)
{
	auto *count = (int32 *) PG_GETARG_POINTER(1);
	auto **partial = (bool **) PG_GETARG_POINTER(3);
	auto **extra_data = (Pointer **) PG_GETARG_POINTER(4);
	if (const StrategyNumber strategy = PG_GETARG_UINT16(2); strategy != pg::strategy_passages_probe)
		elog(ERROR, "unrecognized strategy number: %d", strategy);
	const pg::Passages *probe = pg::passages_arg(fcinfo, 0);
	const auto least = static_cast<std::size_t>(probe->least), fingerprints = probe->view().size();
	Keys keys = keys_of(fcinfo, *probe);
	const std::size_t together = fingerprints - keys.count;
	const std::size_t required =
		least > together ? least - together : 1; // more than there are keys: no row has as many
	const bool checks_config = probe->config != 0;
	if (checks_config)
		keys.keys[keys.count++] = Int32GetDatum(first_config_key);
	*count = static_cast<int32>(keys.count);
	if (*count > 0)
		*extra_data =
			pg::search_requirements(*count, {static_cast<int>(required), checks_config, config_key(probe->config)});
	if (checks_config)
		*partial = pg::partial_matches(*count);
	PG_RETURN_POINTER(keys.keys);
}

// As for the MinHash types.
TXTFP_FUNCTION(txtfp_passages_gin_compare_partial)
{
	PG_RETURN_INT32(pg::compare_config_key(PG_GETARG_INT32(1), 0, *(const pg::KeySearch *) PG_GETARG_POINTER(3)));
}
