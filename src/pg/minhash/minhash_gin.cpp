// GIN operator classes minhash64_lsh_ops, minhash128_lsh_ops, minhash256_lsh_ops: the keys of a row are its band keys. A row is
// a candidate if it shares at least m bands with the probe. m is the largest number that pairs at the probe's threshold reach
// with a probability of at least the index's recall. Every candidate is rechecked against the stored sketch. Where the banding
// cannot promise the recall, the scan visits all rows instead: slow, and right.
#include "pg/minhash/minhash_gin.hpp"

#include "pg/base/guard.hpp"
#include "pg/base/settings.hpp"
#include "pg/index/gin.hpp"
#include "pg/minhash/lsh.hpp"
#include "pg/minhash/minhash.hpp"

extern "C" {
#include "access/reloptions.h"
#include "access/stratnum.h"
}

using namespace txtfp;

namespace txtfp::pg {

namespace {

constexpr core::Banding default_banding{16, 4};
constexpr double default_recall = 0.99;

void check_options(const LshOptions &options, int slots)
{
	if (options.threshold > 0 && (options.bands > 0 || options.rows > 0))
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("operator class option \"threshold\" cannot be combined with \"bands\" or \"rows\""),
				errhint("Give the banding, or the threshold that it shall serve.")));
	if (options.threshold > 0)
		banding_with_recall(options.threshold, options.recall, slots); // raises an error if there is none
	check_banding(resolve_options(&options, slots).banding, slots, minhash_type(static_cast<std::size_t>(slots)));
}

template <int H> void validate_options(void *parsed, relopt_value *, int)
{
	check_options(*static_cast<const LshOptions *>(parsed), H);
}

template <int H> Datum define_options(FunctionCallInfo fcinfo)
{
	auto *relopts = (local_relopts *) PG_GETARG_POINTER(0);
	init_local_reloptions(relopts, sizeof(LshOptions));
	add_local_int_reloption(
		relopts, "bands", "number of bands, and of keys per row", 0, 1, H, offsetof(LshOptions, bands));
	add_local_int_reloption(relopts, "rows", "slots per band", 0, 1, H, offsetof(LshOptions, rows));
	add_local_real_reloption(relopts, "threshold", "similarity for which the banding is chosen", 0, 0.01, 1,
		offsetof(LshOptions, threshold));
	add_local_real_reloption(relopts, "recall", "share of the similar pairs that a search must find", default_recall,
		0.01, 0.999999, offsetof(LshOptions, recall));
	register_reloptions_validator(relopts, validate_options<H>);
	PG_RETURN_VOID();
}

// Choosing a banding searches all of them, which takes some 100 us; so the last ones are remembered.
core::Banding banding_for(double threshold, double recall, int slots)
{
	struct Known {
		double threshold, recall;
		int slots;
		core::Banding banding;
	};
	static Known known[16];
	static std::size_t next = 0;
	for (const Known &one : known)
		if (one.slots == slots && one.threshold == threshold && one.recall == recall)
			return one.banding;
	Known &place = known[next++ % lengthof(known)];
	place = {threshold, recall, slots, core::banding_for_recall(threshold, recall, slots)};
	return place.banding;
}

// Resolved once per scan or insertion.
const LshIndex &index_options(FunctionCallInfo fcinfo, std::size_t slots)
{
	FmgrInfo *flinfo = fcinfo->flinfo;
	if (flinfo->fn_extra == nullptr) {
		const auto *options = PG_HAS_OPCLASS_OPTIONS() ? (const LshOptions *) PG_GET_OPCLASS_OPTIONS() : nullptr;
		auto *index = static_cast<LshIndex *>(MemoryContextAlloc(flinfo->fn_mcxt, sizeof(LshIndex)));
		*index = resolve_options(options, static_cast<int>(slots));
		flinfo->fn_extra = index;
	}
	return *static_cast<const LshIndex *>(flinfo->fn_extra);
}

// A probe may hold a sketch of another size than the indexed type's. That is an error, as it is without the index.
template <std::size_t H> Datum extract_query(FunctionCallInfo fcinfo)
{
	auto *count = (int32 *) PG_GETARG_POINTER(1);
	const StrategyNumber strategy = PG_GETARG_UINT16(2);
	auto **extra_data = (Pointer **) PG_GETARG_POINTER(4);
	auto *search_mode = (int32 *) PG_GETARG_POINTER(6);
	core::ConstSlots slots;
	double threshold = jaccard_threshold;
	switch (strategy) {
	case strategy_similar:
		slots = minhash_arg(fcinfo, 0)->view();
		break;
	case strategy_probe:
	case strategy_leakproof:
		slots = probe_arg(fcinfo, 0)->view();
		threshold = probe_arg(fcinfo, 0)->threshold;
		break;
	default:
		elog(ERROR, "unrecognized strategy number: %d", strategy);
	}
	check_slot_counts(H, slots.size());
	const LshIndex &index = index_options(fcinfo, H);
	const int least = index.min_matches(threshold);
	if (least == 0) {
		*search_mode = GIN_SEARCH_MODE_ALL;
		*count = 0;
		return pg::null_pointer;
	}
	*count = index.banding.bands;
	*extra_data = search_requirements(*count, least);
	PG_RETURN_POINTER(band_key_datums(slots, index.banding));
}

} // namespace

LshIndex resolve_options(const LshOptions *options, int slots)
{
	LshIndex index{default_banding, default_recall};
	if (options == nullptr)
		return index;
	index.recall = options->recall;
	if (options->threshold > 0)
		index.banding = banding_for(options->threshold, options->recall, slots);
	if (options->bands > 0)
		index.banding.bands = options->bands;
	if (options->rows > 0)
		index.banding.rows = options->rows;
	return index;
}

} // namespace txtfp::pg

TXTFP_FUNCTION(txtfp_minhash64_gin_options) { return pg::define_options<64>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash128_gin_options) { return pg::define_options<128>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash256_gin_options) { return pg::define_options<256>(fcinfo); }

TXTFP_FUNCTION(txtfp_minhash_gin_extract_value)
{
	const pg::Minhash *value = pg::minhash_arg(fcinfo, 0);
	const pg::LshIndex &index = pg::index_options(fcinfo, value->slot_count());
	*(int32 *) PG_GETARG_POINTER(1) = index.banding.bands;
	PG_RETURN_POINTER(pg::band_key_datums(value->view(), index.banding));
}

TXTFP_FUNCTION(txtfp_minhash64_gin_extract_query) { return pg::extract_query<64>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash128_gin_extract_query) { return pg::extract_query<128>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash256_gin_extract_query) { return pg::extract_query<256>(fcinfo); }

TXTFP_FUNCTION(txtfp_minhash_gin_consistent)
{
	const auto *check =
		(const GinTernaryValue *) PG_GETARG_POINTER(0); // of bool here, whose values are those without "maybe"
	const int32 keys = PG_GETARG_INT32(3);
	auto *extra_data = (Pointer *) PG_GETARG_POINTER(4);
	auto *recheck = (bool *) PG_GETARG_POINTER(5);
	*recheck = true;
	PG_RETURN_BOOL(pg::count_present(check, keys, false) >= pg::required_matches(keys, extra_data));
}

TXTFP_FUNCTION(txtfp_minhash_gin_triconsistent)
{
	const auto *check = (const GinTernaryValue *) PG_GETARG_POINTER(0);
	const int32 keys = PG_GETARG_INT32(3);
	auto *extra_data = (Pointer *) PG_GETARG_POINTER(4);
	const bool possible = pg::count_present(check, keys, true) >= pg::required_matches(keys, extra_data);
	PG_RETURN_GIN_TERNARY_VALUE(possible ? GIN_MAYBE : GIN_FALSE); // never GIN_TRUE: the recheck decides
}
