// GIN operator class simhash64_ops: exact within any distance. In the wide layout (default) a key holds the whole hash
// except for two bits, and the Hamming test runs inside comparePartial, so almost only true matches leave the index. In
// the compact layout a key is a block alone: the index is smaller and more rows are rechecked.
#include <span>

#include "core/simhash/hamming_index.hpp"
#include "pg/base/guard.hpp"
#include "pg/base/owned.hpp"
#include "pg/base/settings.hpp"
#include "pg/index/gin.hpp"
#include "pg/simhash/simhash64.hpp"
#include "pg/simhash/simhash64_gin.hpp"

extern "C" {
#include "access/reloptions.h"
}

using namespace txtfp;

namespace {

// The search that a partial match belongs to.
struct PartialMatch {
	std::uint64_t bits;
	int max_distance;
};

bool is_compact(FunctionCallInfo fcinfo)
{
	return PG_HAS_OPCLASS_OPTIONS() && ((const pg::HammingOptions *) PG_GET_OPCLASS_OPTIONS())->compact;
}

Datum key_of(std::uint64_t bits, int block, bool compact)
{
	return pg::simhash_datum(compact ? core::compact_key(bits, block) : core::wide_key(bits, block));
}

Datum *one_key(std::uint64_t bits, bool compact)
{
	auto *key = static_cast<Datum *>(palloc(sizeof(Datum)));
	*key = key_of(bits, 0, compact);
	return key;
}

int block_of(std::uint64_t wide_key) { return static_cast<int>(wide_key >> 62); }

PartialMatch search_of(FunctionCallInfo fcinfo, StrategyNumber strategy)
{
	switch (strategy) {
	case pg::strategy_hamming:
		return {pg::simhash_arg(fcinfo, 0), pg::hamming_threshold};
	case pg::strategy_hamming_probe: {
		const pg::SimhashProbe *probe = pg::simhash_probe_arg(fcinfo, 0);
		return {probe->bits, probe->max_distance};
	}
	case pg::strategy_hamming_equal:
		return {pg::simhash_arg(fcinfo, 0), 0};
	default:
		elog(ERROR, "unrecognized strategy number: %d", strategy);
	}
	pg_unreachable();
}

std::span<const std::uint32_t> probe_keys(const PartialMatch &search)
{
	auto *keys = pg::make_owned<std::vector<std::uint32_t>>(CurrentMemoryContext); // make_owned guards itself
	pg::guarded([&] { *keys = core::probe_keys(search.bits, search.max_distance); });
	return *keys;
}

} // namespace

TXTFP_FUNCTION(txtfp_simhash64_gin_options)
{
	auto *relopts = (local_relopts *) PG_GETARG_POINTER(0);
	init_local_reloptions(relopts, sizeof(pg::HammingOptions));
	add_local_bool_reloption(
		relopts, "compact", "keys are 16-bit blocks alone", false, offsetof(pg::HammingOptions, compact));
	PG_RETURN_VOID();
}

TXTFP_FUNCTION(txtfp_simhash64_gin_extract_value)
{
	const std::uint64_t bits = pg::simhash_arg(fcinfo, 0);
	const bool compact = is_compact(fcinfo);
	auto *keys = static_cast<Datum *>(palloc(sizeof(Datum) * core::hamming_blocks));
	for (int block = 0; block < core::hamming_blocks; ++block)
		keys[block] = key_of(bits, block, compact);
	*(int32 *) PG_GETARG_POINTER(1) = core::hamming_blocks;
	PG_RETURN_POINTER(keys);
}

TXTFP_FUNCTION(txtfp_simhash64_gin_extract_query)
{
	auto *count = (int32 *) PG_GETARG_POINTER(1);
	auto **partial = (bool **) PG_GETARG_POINTER(3);
	auto **extra_data = (Pointer **) PG_GETARG_POINTER(4);
	auto *search_mode = (int32 *) PG_GETARG_POINTER(6);
	auto *search = static_cast<PartialMatch *>(palloc(sizeof(PartialMatch)));
	*search = search_of(fcinfo, PG_GETARG_UINT16(2));
	*count = 0;
	if (search->max_distance > core::max_indexed_distance) {
		*search_mode = GIN_SEARCH_MODE_ALL;
		return pg::null_pointer;
	}
	const bool compact = is_compact(fcinfo);
	if (search->max_distance == 0) { // a single key matches, so no partial match is needed
		*count = 1;
		PG_RETURN_POINTER(one_key(search->bits, compact));
	}
	const std::span<const std::uint32_t> values = probe_keys(*search);
	auto *keys = static_cast<Datum *>(palloc(sizeof(Datum) * values.size()));
	if (!compact) {
		*partial = static_cast<bool *>(palloc(sizeof(bool) * values.size()));
		*extra_data = static_cast<Pointer *>(palloc(sizeof(Pointer) * values.size()));
	}
	for (const std::uint32_t value : values) {
		keys[*count] = pg::simhash_datum(compact ? value : std::uint64_t{value} << core::prefix_shift);
		if (!compact) {
			(*partial)[*count] = true;
			(*extra_data)[*count] = reinterpret_cast<Pointer>(search);
		}
		++*count;
	}
	PG_RETURN_POINTER(keys);
}

// Called for the keys from `from` on. Returns 0 for a match, −1 to skip the key, 1 once keys no longer share the
// prefix.
TXTFP_FUNCTION(txtfp_simhash64_gin_compare_partial)
{
	const std::uint64_t from = pg::simhash_arg(fcinfo, 0), key = pg::simhash_arg(fcinfo, 1);
	const auto *search = (const PartialMatch *) PG_GETARG_POINTER(3);
	if ((from ^ key) >> core::prefix_shift != 0)
		PG_RETURN_INT32(1);
	const std::uint64_t wanted = core::wide_key(search->bits, block_of(from));
	PG_RETURN_INT32(core::wide_key_distance(wanted, key) <= search->max_distance ? 0 : -1);
}

TXTFP_FUNCTION(txtfp_simhash64_gin_consistent)
{
	*(bool *) PG_GETARG_POINTER(5) = true; // recheck, because two bits are not in the key
	PG_RETURN_BOOL(pg::any_present((const GinTernaryValue *) PG_GETARG_POINTER(0), PG_GETARG_INT32(3)));
}

TXTFP_FUNCTION(txtfp_simhash64_gin_triconsistent)
{
	const bool possible = pg::any_present((const GinTernaryValue *) PG_GETARG_POINTER(0), PG_GETARG_INT32(3));
	PG_RETURN_GIN_TERNARY_VALUE(possible ? GIN_MAYBE : GIN_FALSE);
}
