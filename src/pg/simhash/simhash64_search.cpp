// Search within a Hamming distance: simhash_similar, %, the probe type behind them, and what the planner needs to know.
// Text form of a probe: <simhash>/<radius>. Binary form: the simhash, then the radius as int4.
#include <algorithm>
#include <charconv>

#include "core/simhash/hamming_index.hpp"
#include "pg/base/settings.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/index/planner.hpp"
#include "pg/simhash/simhash64.hpp"
#include "pg/simhash/simhash64_gin.hpp"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_am.h"
#include "libpq/pqformat.h"
}

using namespace txtfp;

namespace txtfp::pg {

int radius_option(int value)
{
	if (value < 0 || value > 64)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("distance must be between 0 and 64, not %d", value)));
	return value;
}

} // namespace txtfp::pg

namespace {

constexpr std::size_t distances = 65;
constexpr std::size_t compared_rows = 10000; // of the sample, evenly; all pairs of them: some 0.05 s

// profile[d]: the fraction of pairs within distance d.
double fraction(std::span<const float4> profile, double threshold)
{
	return profile[static_cast<std::size_t>(std::clamp(threshold, 0.0, 64.0))];
}

constexpr pg::Profile profile{21750, distances, fraction};
// Not folded: PostgreSQL takes each of the hundreds of partial matches of a search to read a hundred pages, and would scan
// the table instead. serves() decides between the two.
constexpr pg::ProbeOperator probe_operator{"to_simhash_probe", pg::strategy_hamming_probe, false};

void compute_profile(std::span<const Datum> sample, std::span<float4> numbers)
{
	const std::size_t n = std::min(sample.size(), compared_rows);
	auto *values = static_cast<std::uint64_t *>(palloc(sizeof(std::uint64_t) * n));
	for (std::size_t i = 0; i < n; ++i) // the sample is in the order of the table
		values[i] = DatumGetUInt64(sample[i * sample.size() / n]);
	std::uint64_t counts[distances] = {};
	for (std::size_t i = 0; i < n; ++i) {
		CHECK_FOR_INTERRUPTS();
		for (std::size_t j = i + 1; j < n; ++j)
			++counts[core::hamming(values[i], values[j])];
	}
	double within = 0;
	for (std::size_t d = 0; d < distances; ++d) {
		within += static_cast<double>(counts[d]);
		numbers[d] = static_cast<float4>(within / (static_cast<double>(n) * static_cast<double>(n - 1) / 2));
	}
}

pg::SimhashProbe *make_probe(std::uint64_t bits, int radius)
{
	auto *probe = static_cast<pg::SimhashProbe *>(palloc(sizeof(pg::SimhashProbe)));
	*probe = {bits, radius, 0};
	return probe;
}

// The distance argument of simhash_similar; the parameter's value where the plan does not know it yet.
int radius_of(List *args)
{
	const Const *constant = pg::known((Node *) lthird(args));
	return constant != nullptr ? DatumGetInt32(constant->constvalue) : pg::hamming_threshold;
}

// Is a search through the index cheaper than a scan? Measured: looking up one block value takes as long as looking at
// some 40 rows of the table; in the compact layout each row that has the block value is fetched, which takes as long as 180.
bool serves(const SupportRequestIndexCondition &request)
{
	constexpr double rows_per_key = 40, rows_per_candidate = 180, block_values = 1 << core::hamming_block_bits;
	const int radius = radius_of(((const FuncExpr *) request.node)->args);
	if (request.index->relam != GIN_AM_OID)
		return true;
	if (radius < 0 || radius > core::max_indexed_radius)
		return false;
	const double rows = std::max(request.index->rel->tuples, 1.0);
	bytea **options = request.index->opclassoptions;
	const auto *own = options == nullptr ? nullptr : (const pg::HammingOptions *) options[request.indexcol];
	const double candidates = own != nullptr && own->compact ? rows / block_values : 0;
	return static_cast<double>(core::probe_key_count(radius)) * (rows_per_key + candidates * rows_per_candidate) <=
		rows;
}

} // namespace

TXTFP_FUNCTION(txtfp_simhash_probe_in)
{
	const char *in = PG_GETARG_CSTRING(0);
	const std::size_t size = strlen(in);
	std::uint64_t bits = 0;
	int radius = -1;
	if (size > 17 && in[16] == '/' && core::hex_decode_u64(in, bits)) {
		const auto [end, error] = std::from_chars(in + 17, in + size, radius);
		if (error != std::errc() || end != in + size)
			radius = -1;
	}
	if (radius < 0 || radius > 64)
		ereturn(fcinfo->context, (Datum) 0,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				errmsg("invalid input syntax for type simhash_probe: \"%s\"", pg::beginning(in)),
				errdetail("The text form is \"<simhash: 16 hex digits>/<distance: 0 to 64>\".")));
	PG_RETURN_POINTER(make_probe(bits, radius));
}

TXTFP_FUNCTION(txtfp_simhash_probe_out)
{
	const pg::SimhashProbe *probe = pg::simhash_probe_arg(fcinfo, 0);
	PG_RETURN_CSTRING(psprintf("%016llx/%d", static_cast<unsigned long long>(probe->bits), probe->radius));
}

TXTFP_FUNCTION(txtfp_simhash_probe_recv)
{
	StringInfo message = (StringInfo) PG_GETARG_POINTER(0);
	const auto bits = static_cast<std::uint64_t>(pq_getmsgint64(message));
	const auto radius = static_cast<std::int32_t>(pq_getmsgint(message, 4));
	if (radius < 0 || radius > 64)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION), errmsg("invalid binary representation of simhash_probe")));
	PG_RETURN_POINTER(make_probe(bits, radius));
}

TXTFP_FUNCTION(txtfp_simhash_probe_send)
{
	const pg::SimhashProbe *probe = pg::simhash_probe_arg(fcinfo, 0);
	StringInfoData out;
	pq_begintypsend(&out);
	pq_sendint64(&out, probe->bits);
	pq_sendint32(&out, static_cast<uint32>(probe->radius));
	PG_RETURN_BYTEA_P(pq_endtypsend(&out));
}

TXTFP_FUNCTION(txtfp_to_simhash_probe)
{
	PG_RETURN_POINTER(make_probe(pg::simhash_arg(fcinfo, 0), pg::radius_option(PG_GETARG_INT32(1))));
}

TXTFP_FUNCTION(txtfp_simhash_similar)
{
	const int distance = core::hamming(pg::simhash_arg(fcinfo, 0), pg::simhash_arg(fcinfo, 1));
	const int radius = PG_GETARG_INT32(2);
	if (!(radius >= 0 && radius <= 64) && pg::raises(fcinfo))
		pg::radius_option(radius);
	PG_RETURN_BOOL(distance <= radius);
}

TXTFP_FUNCTION(txtfp_simhash64_similar_op)
{
	PG_RETURN_BOOL(core::hamming(pg::simhash_arg(fcinfo, 0), pg::simhash_arg(fcinfo, 1)) <= pg::hamming_threshold);
}

TXTFP_FUNCTION(txtfp_simhash64_matches_probe)
{
	const pg::SimhashProbe *probe = pg::simhash_probe_arg(fcinfo, 1);
	PG_RETURN_BOOL(core::hamming(pg::simhash_arg(fcinfo, 0), probe->bits) <= probe->radius);
}

TXTFP_FUNCTION(txtfp_simhash_similar_support)
{
	Node *node = (Node *) PG_GETARG_POINTER(0);
	if (IsA(node, SupportRequestCost))
		PG_RETURN_POINTER(pg::cost_with_parameter((SupportRequestCost *) node));
	if (IsA(node, SupportRequestSimplify)) {
		const auto *request = (const SupportRequestSimplify *) node;
		if (const Const *radius = pg::threshold_to_check(*request))
			pg::radius_option(DatumGetInt32(radius->constvalue));
		PG_RETURN_POINTER(pg::equality_at_zero(*request));
	}
	if (IsA(node, SupportRequestSelectivity)) {
		auto *request = (SupportRequestSelectivity *) node;
		request->selectivity = pg::request_selectivity(profile, *request, radius_of(request->args));
		PG_RETURN_POINTER(request);
	}
	if (IsA(node, SupportRequestIndexCondition)) {
		auto *request = (SupportRequestIndexCondition *) node;
		if (!IsA(request->node, FuncExpr) || request->indexarg > 1 || !serves(*request))
			PG_RETURN_POINTER(nullptr);
		request->lossy = false;
		PG_RETURN_POINTER(pg::probe_condition(probe_operator, *request));
	}
	PG_RETURN_POINTER(nullptr);
}

TXTFP_FUNCTION(txtfp_simhash64_typanalyze) { return pg::analyze_with_profile(fcinfo, profile, compute_profile); }

TXTFP_FUNCTION(txtfp_simhash64_sel)
{
	PG_RETURN_FLOAT8(pg::restriction_selectivity(profile, (PlannerInfo *) PG_GETARG_POINTER(0),
		(List *) PG_GETARG_POINTER(2), PG_GETARG_INT32(3), pg::hamming_threshold));
}

TXTFP_FUNCTION(txtfp_simhash_probe_sel)
{
	List *args = (List *) PG_GETARG_POINTER(2);
	int radius = pg::hamming_threshold;
	if (const Const *probe = pg::known((Node *) lsecond(args)))
		radius = ((const pg::SimhashProbe *) DatumGetPointer(probe->constvalue))->radius;
	PG_RETURN_FLOAT8(
		pg::restriction_selectivity(profile, (PlannerInfo *) PG_GETARG_POINTER(0), args, PG_GETARG_INT32(3), radius));
}

TXTFP_FUNCTION(txtfp_simhash64_joinsel)
{
	PG_RETURN_FLOAT8(pg::join_selectivity(profile, (PlannerInfo *) PG_GETARG_POINTER(0), (List *) PG_GETARG_POINTER(2),
		(SpecialJoinInfo *) PG_GETARG_POINTER(4), pg::hamming_threshold));
}
