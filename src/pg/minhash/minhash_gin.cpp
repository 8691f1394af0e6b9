// GIN operator classes minhash64_lsh_ops, minhash128_lsh_ops, minhash256_lsh_ops and, over the compact form,
// minhash64_compact_lsh_ops and so on: the keys of a row are its band keys. A row is a candidate if it shares at least
// m bands with the probe. m is the largest number that pairs at the probe's threshold reach with a probability of at
// least the index's recall. Every candidate is rechecked against the stored sketch. Where the banding cannot promise
// the recall, the scan visits all rows: that is slow but correct. One more key of each row stands for its configuration
// (pg/index/gin.hpp).
#include "pg/minhash/minhash_gin.hpp"

#include <limits>

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

void check_options(const LshOptions &options, int slots, const char *type)
{
	if (options.threshold > 0 && (options.bands > 0 || options.rows > 0))
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("operator class option \"threshold\" cannot be combined with \"bands\" or \"rows\""),
				errhint("Set either bands and rows, or the threshold to serve.")));
	if (options.threshold > 0)
		banding_with_recall(options.threshold, options.recall, slots); // raises an error if no banding fits
	check_banding(resolve_options(&options, slots).banding, slots, type);
}

template <class Slot, int H> void validate_options(void *parsed, relopt_value *, int)
{
	check_options(*static_cast<const LshOptions *>(parsed), H, minhash_type<Slot>(H));
}

template <class Slot, int H> Datum define_options(FunctionCallInfo fcinfo)
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
	register_reloptions_validator(relopts, validate_options<Slot, H>);
	PG_RETURN_VOID();
}

// Choosing a banding tries all of them, which takes about 100 us, so the results of the last choices are kept.
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

// The keys of configurations are the least numbers. A band key among them, which is one of four billion, makes a
// candidate in vain.
constexpr std::int64_t first_config_key = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t end_of_config_keys = first_config_key + (std::int64_t{1} << 32);

std::int64_t config_key(std::uint64_t config)
{
	return first_config_key + static_cast<std::int64_t>((config ^ config >> 32) & 0xFFFFFFFF);
}

// What is looked for.
template <class Slot> struct Wanted {
	SketchView<Slot> sketch;
	double threshold;
};

template <class Slot> Wanted<Slot> wanted(FunctionCallInfo fcinfo, StrategyNumber strategy)
{
	if (strategy == strategy_similar)
		return {sketch_arg<Slot>(fcinfo, 0), jaccard_threshold};
	if (strategy != strategy_probe && strategy != strategy_leakproof)
		elog(ERROR, "unrecognized strategy number: %d", strategy);
	const auto *probe = probe_arg<Slot>(fcinfo, 0);
	return {{strategy == strategy_leakproof ? 0 : probe->config, probe->view()}, probe->threshold};
}

// The band keys, and behind them `last`, unless the configuration is unknown.
template <class Slot>
Datum *keys_of(const SketchView<Slot> &sketch, core::Banding banding, std::int64_t last, int32 *count)
{
	Datum *keys = band_key_datums(sketch.slots, banding);
	*count = banding.bands;
	if (sketch.config != 0) {
		keys = static_cast<Datum *>(repalloc(keys, sizeof(Datum) * static_cast<std::size_t>(banding.bands + 1)));
		keys[(*count)++] = Int64GetDatum(last);
	}
	return keys;
}

template <class Slot> Datum extract_value(FunctionCallInfo fcinfo)
{
	const SketchView value = sketch_arg<Slot>(fcinfo, 0);
	const LshIndex &index = index_options(fcinfo, value.slots.size());
	PG_RETURN_POINTER(keys_of(value, index.banding, config_key(value.config), (int32 *) PG_GETARG_POINTER(1)));
}

// A probe may hold a sketch of another size than the indexed type's. That is an error, as it is without the index.
template <class Slot, std::size_t H> Datum extract_query(FunctionCallInfo fcinfo)
{
	auto *count = (int32 *) PG_GETARG_POINTER(1);
	auto **partial = (bool **) PG_GETARG_POINTER(3);
	auto **extra_data = (Pointer **) PG_GETARG_POINTER(4);
	auto *search_mode = (int32 *) PG_GETARG_POINTER(6);
	const auto [sketch, threshold] = wanted<Slot>(fcinfo, PG_GETARG_UINT16(2));
	check_slot_counts(H, sketch.slots.size());
	const LshIndex &index = index_options(fcinfo, H);
	const int least = index.min_matches(threshold);
	if (least == 0) {
		*search_mode = GIN_SEARCH_MODE_ALL;
		*count = 0;
		return pg::null_pointer;
	}
	Datum *keys = keys_of(sketch, index.banding, first_config_key, count);
	const bool checks_config = sketch.config != 0;
	*extra_data = search_requirements(*count, {least, checks_config, config_key(sketch.config)});
	if (checks_config)
		*partial = partial_matches(*count);
	PG_RETURN_POINTER(keys);
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

TXTFP_FUNCTION(txtfp_minhash64_gin_options) { return pg::define_options<std::uint64_t, 64>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash128_gin_options) { return pg::define_options<std::uint64_t, 128>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash256_gin_options) { return pg::define_options<std::uint64_t, 256>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash64_gin_extract_query) { return pg::extract_query<std::uint64_t, 64>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash128_gin_extract_query) { return pg::extract_query<std::uint64_t, 128>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash256_gin_extract_query) { return pg::extract_query<std::uint64_t, 256>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash_gin_extract_value) { return pg::extract_value<std::uint64_t>(fcinfo); }

TXTFP_FUNCTION(txtfp_minhash64_compact_gin_options) { return pg::define_options<std::uint8_t, 64>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash128_compact_gin_options) { return pg::define_options<std::uint8_t, 128>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash256_compact_gin_options) { return pg::define_options<std::uint8_t, 256>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash64_compact_gin_extract_query) { return pg::extract_query<std::uint8_t, 64>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash128_compact_gin_extract_query) { return pg::extract_query<std::uint8_t, 128>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash256_compact_gin_extract_query) { return pg::extract_query<std::uint8_t, 256>(fcinfo); }
TXTFP_FUNCTION(txtfp_compact_gin_extract_value) { return pg::extract_value<std::uint8_t>(fcinfo); }

// Called for the keys from the first one of a configuration on. Returns 0 for another configuration than the probe's,
// −1 for the same, 1 where there are no more.
TXTFP_FUNCTION(txtfp_minhash_gin_compare_partial)
{
	PG_RETURN_INT32(pg::compare_config_key(
		PG_GETARG_INT64(1), pg::end_of_config_keys, *(const pg::KeySearch *) PG_GETARG_POINTER(3)));
}

TXTFP_FUNCTION(txtfp_minhash_gin_consistent)
{
	const auto *check =
		(const GinTernaryValue *) PG_GETARG_POINTER(0); // of bool here, whose values are those without "maybe"
	*(bool *) PG_GETARG_POINTER(5) = true;              // recheck
	PG_RETURN_BOOL(pg::is_candidate(check, PG_GETARG_INT32(3), (Pointer *) PG_GETARG_POINTER(4), false));
}

TXTFP_FUNCTION(txtfp_minhash_gin_triconsistent)
{
	const auto *check = (const GinTernaryValue *) PG_GETARG_POINTER(0);
	const bool possible = pg::is_candidate(check, PG_GETARG_INT32(3), (Pointer *) PG_GETARG_POINTER(4), true);
	PG_RETURN_GIN_TERNARY_VALUE(possible ? GIN_MAYBE : GIN_FALSE); // never GIN_TRUE: the recheck decides
}
