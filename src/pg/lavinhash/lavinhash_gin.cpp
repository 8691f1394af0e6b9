// GIN operator class lavinhash_lsh_ops: the keys of a row are the band keys of a MinHash sketch of its filter. A score
// implies a least content similarity. A row is a candidate if it shares as many bands with the probe as rows of that
// similarity usually do; every candidate is rechecked. For scores so low that the banding cannot promise its recall,
// the search visits all rows. The operator class uses the consistent functions of the MinHash types.
#include "pg/lavinhash/lavinhash_gin.hpp"

#include "pg/base/settings.hpp"
#include "pg/index/gin.hpp"
#include "pg/lavinhash/lavinhash.hpp"
#include "pg/minhash/lsh.hpp"
#include "pg/minhash/minhash_gin.hpp"

extern "C" {
#include "access/gin.h"
#include "access/reloptions.h"
#include "access/stratnum.h"
}

using namespace txtfp;

namespace {

static_assert(pg::max_lavinhash_slots <= static_cast<int>(core::minhash_max_slots));

void validate_options(void *parsed, relopt_value *, int)
{
	const auto *options = static_cast<const pg::LavinhashLshOptions *>(parsed);
	pg::check_banding({options->bands, options->rows}, pg::max_lavinhash_slots, "lavinhash");
}

const pg::LavinhashLshOptions &index_options(FunctionCallInfo fcinfo)
{
	return PG_HAS_OPCLASS_OPTIONS() ? *(const pg::LavinhashLshOptions *) PG_GET_OPCLASS_OPTIONS()
									: pg::default_lavinhash_options;
}

Datum *keys_of(core::LavinhashBytes form, const pg::LavinhashLshOptions &options)
{
	std::uint64_t slots[pg::max_lavinhash_slots];
	const core::Slots used{slots, static_cast<std::size_t>(options.bands * options.rows)};
	core::lavinhash_slots(form, used);
	return pg::band_key_datums(used, {options.bands, options.rows});
}

} // namespace

TXTFP_FUNCTION(txtfp_lavinhash_gin_options)
{
	constexpr pg::LavinhashLshOptions defaults = pg::default_lavinhash_options;
	auto *relopts = (local_relopts *) PG_GETARG_POINTER(0);
	init_local_reloptions(relopts, sizeof(pg::LavinhashLshOptions));
	add_local_int_reloption(relopts, "bands", "number of bands, and of keys per row", defaults.bands, 1,
		pg::max_lavinhash_slots, offsetof(pg::LavinhashLshOptions, bands));
	add_local_int_reloption(relopts, "rows", "slots per band", defaults.rows, 1, pg::max_lavinhash_slots,
		offsetof(pg::LavinhashLshOptions, rows));
	add_local_real_reloption(relopts, "recall", "share of the similar pairs that a search must find", defaults.recall,
		0.01, 0.999999, offsetof(pg::LavinhashLshOptions, recall));
	register_reloptions_validator(relopts, validate_options);
	PG_RETURN_VOID();
}

TXTFP_FUNCTION(txtfp_lavinhash_gin_extract_value)
{
	const pg::LavinhashLshOptions &options = index_options(fcinfo);
	*(int32 *) PG_GETARG_POINTER(1) = options.bands;
	PG_RETURN_POINTER(keys_of(pg::lavinhash_arg(fcinfo, 0), options));
}

TXTFP_FUNCTION(txtfp_lavinhash_gin_extract_query)
{
	auto *count = (int32 *) PG_GETARG_POINTER(1);
	const StrategyNumber strategy = PG_GETARG_UINT16(2);
	auto **extra_data = (Pointer **) PG_GETARG_POINTER(4);
	auto *search_mode = (int32 *) PG_GETARG_POINTER(6);
	const pg::LavinhashLshOptions &options = index_options(fcinfo);
	core::LavinhashBytes form;
	int min_score = pg::lavinhash_threshold;
	switch (strategy) {
	case pg::strategy_lavinhash:
		form = pg::lavinhash_arg(fcinfo, 0);
		break;
	case pg::strategy_lavinhash_probe:
		form = pg::lavinhash_probe_arg(fcinfo, 0)->view();
		min_score = pg::lavinhash_probe_arg(fcinfo, 0)->min_score;
		break;
	default:
		elog(ERROR, "unrecognized strategy number: %d", strategy);
	}
	const int least = pg::min_matches(options, min_score);
	if (least == 0) {
		*search_mode = GIN_SEARCH_MODE_ALL;
		*count = 0;
		return pg::null_pointer;
	}
	*count = options.bands;
	*extra_data = pg::search_requirements(*count, {least, false, 0});
	PG_RETURN_POINTER(keys_of(form, options));
}
