// GIN operator class tlsh_lsh_ops: approximate. The keys of a row are the bands of the high bits of its codes. A search
// looks up the keys of its digest and, above a certain distance, also the keys with one bit flipped. Rows that share a
// key are rechecked against the stored digest. Beyond the reach of the index the search visits every row: that is slow
// but correct.
#include "pg/tlsh/tlsh_gin.hpp"

#include "core/tlsh/tlsh_index.hpp"
#include "pg/index/gin.hpp"
#include "pg/tlsh/tlsh.hpp"

extern "C" {
#include "access/reloptions.h"
#include "access/stratnum.h"
}

using namespace txtfp;

namespace {

constexpr core::TlshBanding default_banding{pg::default_tlsh_options.bands, pg::default_tlsh_options.bits};

core::TlshBanding banding_of(FunctionCallInfo fcinfo)
{
	if (!PG_HAS_OPCLASS_OPTIONS())
		return default_banding;
	const auto *options = (const pg::TlshLshOptions *) PG_GET_OPCLASS_OPTIONS();
	return {options->bands, options->bits};
}

// If the codes differ in fewer steps than there are disjoint bands, at least one of these bands is unchanged.
int flips_of(int max_distance, core::TlshBanding banding) { return max_distance < banding.disjoint() ? 0 : 1; }

Datum *as_datums(const std::int64_t *keys, std::size_t n)
{
	auto *datums = static_cast<Datum *>(palloc(sizeof(Datum) * n));
	for (std::size_t i = 0; i < n; ++i)
		datums[i] = Int64GetDatum(keys[i]);
	return datums;
}

} // namespace

TXTFP_FUNCTION(txtfp_tlsh_gin_options)
{
	auto *relopts = (local_relopts *) PG_GETARG_POINTER(0);
	init_local_reloptions(relopts, sizeof(pg::TlshLshOptions));
	add_local_int_reloption(relopts, "bands", "number of bands, and of keys per row", default_banding.bands, 1,
		core::tlsh_max_bands, offsetof(pg::TlshLshOptions, bands));
	add_local_int_reloption(relopts, "bits", "high bits per band", default_banding.bits, 8, core::tlsh_max_band_bits,
		offsetof(pg::TlshLshOptions, bits));
	PG_RETURN_VOID();
}

TXTFP_FUNCTION(txtfp_tlsh_gin_extract_value)
{
	const core::TlshBanding banding = banding_of(fcinfo);
	std::int64_t keys[core::tlsh_max_bands];
	core::tlsh_band_keys(pg::tlsh_arg(fcinfo, 0), banding, keys);
	*(int32 *) PG_GETARG_POINTER(1) = banding.bands;
	PG_RETURN_POINTER(as_datums(keys, static_cast<std::size_t>(banding.bands)));
}

TXTFP_FUNCTION(txtfp_tlsh_gin_extract_query)
{
	const StrategyNumber strategy = PG_GETARG_UINT16(2);
	auto *count = (int32 *) PG_GETARG_POINTER(1);
	auto *search_mode = (int32 *) PG_GETARG_POINTER(6);
	if (strategy == pg::strategy_tlsh_equal) { // equal digests share every band, so one is enough
		std::int64_t keys[core::tlsh_max_bands];
		core::tlsh_band_keys(pg::tlsh_arg(fcinfo, 0), banding_of(fcinfo), keys);
		*count = 1;
		PG_RETURN_POINTER(as_datums(keys, 1));
	}
	if (strategy != pg::strategy_tlsh_probe)
		elog(ERROR, "unrecognized strategy number: %d", strategy);
	const pg::TlshProbe &probe = pg::tlsh_probe_arg(fcinfo, 0);
	if (probe.max_distance > pg::tlsh_lsh_reach) {
		*search_mode = GIN_SEARCH_MODE_ALL;
		*count = 0;
		return pg::null_pointer;
	}
	const core::TlshBanding banding = banding_of(fcinfo);
	const int flips = flips_of(probe.max_distance, banding);
	const std::size_t n = core::tlsh_probe_key_count(banding, flips);
	std::int64_t keys[core::tlsh_probe_key_count({core::tlsh_max_bands, core::tlsh_max_band_bits}, 1)];
	core::tlsh_probe_keys(probe.digest, banding, flips, keys);
	*count = static_cast<int32>(n);
	PG_RETURN_POINTER(as_datums(keys, n));
}

TXTFP_FUNCTION(txtfp_tlsh_gin_consistent)
{
	*(bool *) PG_GETARG_POINTER(5) = true; // recheck against the digest
	PG_RETURN_BOOL(pg::any_present((const GinTernaryValue *) PG_GETARG_POINTER(0), PG_GETARG_INT32(3)));
}

TXTFP_FUNCTION(txtfp_tlsh_gin_triconsistent)
{
	const bool possible = pg::any_present((const GinTernaryValue *) PG_GETARG_POINTER(0), PG_GETARG_INT32(3));
	PG_RETURN_GIN_TERNARY_VALUE(possible ? GIN_MAYBE : GIN_FALSE);
}
