// Search within a Hamming distance: simhash_similar, %, the probe type behind them, and what the planner needs to know.
// Text form of a probe: <simhash>/<max_distance>. Binary form: the simhash, then the max_distance as int4.
#include <algorithm>
#include <charconv>

#include "core/simhash/hamming_index.hpp"
#include "pg/base/settings.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/index/search_kind.hpp"
#include "pg/simhash/simhash64.hpp"
#include "pg/simhash/simhash64_gin.hpp"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_am.h"
#include "libpq/pqformat.h"
}

using namespace txtfp;

TXTFP_DECLARE(txtfp_simhash_probe_in);
TXTFP_DECLARE(txtfp_to_simhash_probe);
TXTFP_DECLARE(txtfp_exactly_simhash_similar);

namespace txtfp::pg {

int check_max_distance(int value)
{
	if (value < 0 || value > 64)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("max_distance must be between 0 and 64, not %d", value)));
	return value;
}

} // namespace txtfp::pg

namespace {

constexpr std::size_t distances = 65;
constexpr std::size_t compared_rows = 10000; // comparing all pairs takes some 0.05 s

// profile[d]: the fraction of pairs within distance d.
double fraction(std::span<const float4> profile, double threshold)
{
	return profile[static_cast<std::size_t>(std::clamp(threshold, 0.0, 64.0))];
}

// The probe is not folded to a constant. PostgreSQL assumes that each of the hundreds of partial matches of a search
// reads a hundred pages, and would scan the table. can_use_index() chooses between index and scan instead.
constexpr pg::ProbeOperator probe_operator{"_to_simhash_probe", txtfp_to_simhash_probe, pg::strategy_hamming_probe, false};

void compute_profile(std::span<const Datum> sample, std::span<float4> numbers)
{
	std::uint64_t counts[distances] = {};
	const double pairs = pg::for_each_pair(sample, compared_rows,
		[&](Datum a, Datum b) { ++counts[core::hamming(DatumGetUInt64(a), DatumGetUInt64(b))]; });
	double within = 0;
	for (std::size_t d = 0; d < distances; ++d) {
		within += static_cast<double>(counts[d]);
		numbers[d] = static_cast<float4>(within / pairs);
	}
}

pg::SimhashProbe *make_probe(std::uint64_t bits, int max_distance)
{
	auto *probe = static_cast<pg::SimhashProbe *>(palloc(sizeof(pg::SimhashProbe)));
	*probe = {bits, max_distance, 0};
	return probe;
}

// True if a search through the index is cheaper than a scan. Measured: looking up one block value takes as long as
// comparing some 40 rows of the table. In the compact layout each row with the block value is fetched, which takes as
// long as comparing 180.
bool can_use_index(const SupportRequestIndexCondition &request, double limit, bool)
{
	constexpr double rows_per_key = 40, rows_per_candidate = 180, block_values = 1 << core::hamming_block_bits;
	if (request.index->relam != GIN_AM_OID)
		return true;
	if (limit < 0 || limit > core::max_indexed_distance)
		return false;
	const double rows = std::max(request.index->rel->tuples, 1.0);
	bytea **options = request.index->opclassoptions;
	const auto *own = options == nullptr ? nullptr : (const pg::HammingOptions *) options[request.indexcol];
	const double candidates = own != nullptr && own->compact ? rows / block_values : 0;
	const std::size_t keys = core::probe_key_count(static_cast<int>(limit));
	return static_cast<double>(keys) * (rows_per_key + candidates * rows_per_candidate) <= rows;
}

constexpr pg::SearchKind search_kind{
	.profile = {pg::statistics_simhash64, distances, fraction},
	.compute = compute_profile,
	.setting = [] { return static_cast<double>(pg::hamming_threshold); },
	.probe_input = txtfp_simhash_probe_in,
	.probe_limit =
		[](Datum probe) {
			return static_cast<double>(((const pg::SimhashProbe *) DatumGetPointer(probe))->max_distance);
		},
	.check = [](double limit) { pg::check_max_distance(static_cast<int>(limit)); },
	.zero_is_equality = true,
	.exact = txtfp_exactly_simhash_similar,
	.operator_too = false,
	.probe = &probe_operator,
	.can_use_index = can_use_index,
};

} // namespace

const pg::SearchKind pg::simhash_search = search_kind;

TXTFP_FUNCTION(txtfp_simhash_probe_in)
{
	const char *in = PG_GETARG_CSTRING(0);
	const std::size_t size = strlen(in);
	std::uint64_t bits = 0;
	int max_distance = -1;
	if (size > 17 && in[16] == '/' && core::hex_decode_u64(in, bits)) {
		const auto [end, error] = std::from_chars(in + 17, in + size, max_distance);
		if (error != std::errc() || end != in + size)
			max_distance = -1;
	}
	if (max_distance < 0 || max_distance > 64)
		ereturn(fcinfo->context, (Datum) 0,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				errmsg("invalid input syntax for type simhash_probe: \"%s\"", pg::abbreviated(in)),
				errdetail("The text form is \"<simhash: 16 hex digits>/<distance: 0 to 64>\".")));
	PG_RETURN_POINTER(make_probe(bits, max_distance));
}

TXTFP_FUNCTION(txtfp_simhash_probe_out)
{
	const pg::SimhashProbe *probe = pg::simhash_probe_arg(fcinfo, 0);
	PG_RETURN_CSTRING(psprintf("%016llx/%d", static_cast<unsigned long long>(probe->bits), probe->max_distance));
}

TXTFP_FUNCTION(txtfp_simhash_probe_recv)
{
	StringInfo message = (StringInfo) PG_GETARG_POINTER(0);
	const auto bits = static_cast<std::uint64_t>(pq_getmsgint64(message));
	const auto max_distance = static_cast<std::int32_t>(pq_getmsgint(message, 4));
	if (max_distance < 0 || max_distance > 64)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION), errmsg("invalid binary representation of simhash_probe")));
	PG_RETURN_POINTER(make_probe(bits, max_distance));
}

TXTFP_FUNCTION(txtfp_simhash_probe_send)
{
	const pg::SimhashProbe *probe = pg::simhash_probe_arg(fcinfo, 0);
	StringInfoData out;
	pq_begintypsend(&out);
	pq_sendint64(&out, probe->bits);
	pq_sendint32(&out, static_cast<uint32>(probe->max_distance));
	PG_RETURN_BYTEA_P(pq_endtypsend(&out));
}

TXTFP_FUNCTION(txtfp_to_simhash_probe)
{
	PG_RETURN_POINTER(make_probe(pg::simhash_arg(fcinfo, 0), pg::check_max_distance(PG_GETARG_INT32(1))));
}

TXTFP_FUNCTION(txtfp_simhash_similar)
{
	const int distance = core::hamming(pg::simhash_arg(fcinfo, 0), pg::simhash_arg(fcinfo, 1));
	const int max_distance = PG_GETARG_INT32(2);
	if (!(max_distance >= 0 && max_distance <= 64) && pg::may_raise(fcinfo))
		pg::check_max_distance(max_distance);
	PG_RETURN_BOOL(distance <= max_distance);
}
TXTFP_FUNCTION(txtfp_exactly_simhash_similar) { return txtfp_simhash_similar(fcinfo); }

TXTFP_FUNCTION(txtfp_simhash64_similar_op)
{
	PG_RETURN_BOOL(core::hamming(pg::simhash_arg(fcinfo, 0), pg::simhash_arg(fcinfo, 1)) <= pg::hamming_threshold);
}

TXTFP_FUNCTION(txtfp_simhash64_matches_probe)
{
	const pg::SimhashProbe *probe = pg::simhash_probe_arg(fcinfo, 1);
	PG_RETURN_BOOL(core::hamming(pg::simhash_arg(fcinfo, 0), probe->bits) <= probe->max_distance);
}

TXTFP_FUNCTION(txtfp_simhash_similar_support) { return pg::search_support(fcinfo, search_kind); }
TXTFP_SEARCH_ESTIMATORS(simhash64, simhash_probe, search_kind);
