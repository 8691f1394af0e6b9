// Search within a TLSH distance: tlsh_similar, %, the probe type behind them, and what the planner needs to know.
// Text form of a probe: <tlsh>/<distance>. Binary form: the tlsh, then the distance as int4.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/tlsh/tlsh_index.hpp"
#include "pg/base/settings.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/index/planner.hpp"
#include "pg/tlsh/tlsh.hpp"
#include "pg/tlsh/tlsh_gin.hpp"

extern "C" {
#include "catalog/pg_am.h"
#include "libpq/pqformat.h"
}

using namespace txtfp;

namespace {

// The profile has the fraction of pairs within a distance at i²/8 for i = 0 … 141, twice: of the whole distance, and of the
// header's, which tells how much of a tlsh_ops index a search visits.
constexpr std::size_t points = 142;
constexpr std::size_t compared_rows = 4000; // of the sample, evenly; all pairs of them: some 0.1 s

double fraction(std::span<const float4> numbers, double distance)
{
	const double x = std::sqrt(8 * std::clamp(distance, 0.0, static_cast<double>(pg::tlsh_max_distance)));
	const auto i = static_cast<std::size_t>(x);
	const double below = numbers[i];
	return below + (x - static_cast<double>(i)) * (numbers[i + 1] - below);
}

double similar_fraction(std::span<const float4> profile, double distance) { return fraction(profile, distance); }

double visited_fraction(std::span<const float4> profile, double distance)
{
	return fraction(profile.subspan(points), distance);
}

constexpr pg::Profile profile{21751, 2 * points, similar_fraction};
constexpr pg::Profile visited_profile{profile.kind, profile.size, visited_fraction};
constexpr pg::ProbeOperator probe_operator{"to_tlsh_probe", pg::strategy_tlsh_probe, true};

struct Counts {
	std::uint64_t of_distance[pg::tlsh_max_distance + 1];
};

void cumulate(const Counts &counts, double pairs, std::span<float4> numbers)
{
	std::size_t distance = 0;
	double within = 0;
	for (std::size_t i = 0; i < points; ++i) {
		for (; distance <= std::min<std::size_t>(i * i / 8, pg::tlsh_max_distance); ++distance)
			within += static_cast<double>(counts.of_distance[distance]);
		numbers[i] = static_cast<float4>(within / pairs);
	}
}

void compute_profile(std::span<const Datum> sample, std::span<float4> numbers)
{
	const std::size_t n = std::min(sample.size(), compared_rows);
	auto *whole = static_cast<Counts *>(palloc0(sizeof(Counts)));
	auto *header = static_cast<Counts *>(palloc0(sizeof(Counts)));
	const auto value = [&](std::size_t i) -> const core::Tlsh & { // the sample is in the order of the table
		return pg::to_tlsh(sample[i * sample.size() / n]);
	};
	for (std::size_t i = 0; i < n; ++i) {
		CHECK_FOR_INTERRUPTS();
		for (std::size_t j = i + 1; j < n; ++j) {
			const int of_header = core::tlsh_header_distance(value(i), value(j), true);
			++header->of_distance[of_header];
			++whole->of_distance[of_header + core::tlsh_body_distance(value(i), value(j))];
		}
	}
	const double pairs = static_cast<double>(n) * static_cast<double>(n - 1) / 2;
	cumulate(*whole, pairs, numbers.first(points));
	cumulate(*header, pairs, numbers.subspan(points));
}

int distance_option(int value)
{
	if (value < 0 || value > pg::tlsh_max_distance)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("distance must be between 0 and %d, not %d", pg::tlsh_max_distance, value)));
	return value;
}

pg::TlshProbe *make_probe(const core::Tlsh &digest, int radius)
{
	auto *probe = static_cast<pg::TlshProbe *>(palloc(sizeof(pg::TlshProbe)));
	*probe = {radius, digest, 0};
	return probe;
}

// The distance argument of tlsh_similar; the parameter's value where there is none or the plan does not know it yet.
int radius_of(List *args)
{
	const Const *constant = list_length(args) < 3 ? nullptr : pg::known((Node *) lthird(args));
	return constant != nullptr ? DatumGetInt32(constant->constvalue) : pg::tlsh_threshold;
}

// Is a search through the index cheaper than a scan of the table? A `sketch` index tells the planner its cost. In tlsh_ops it is as long as the headers rule out most
// rows: a row of the index takes as long as two and a half of the table. tlsh_lsh_ops has its reach.
bool serves(const SupportRequestIndexCondition &request)
{
	constexpr double rows_per_entry = 2.5;
	List *args = pg::arguments(request.node);
	const int radius = radius_of(args);
	if (request.index->relam == GIN_AM_OID)
		return radius >= 0 && radius <= pg::tlsh_lsh_reach;
	if (request.index->relam != SPGIST_AM_OID)
		return true;
	List *operands = list_make2(linitial(args), lsecond(args));
	const double visited = pg::restriction_selectivity(
		visited_profile, request.root, operands, static_cast<int>(request.index->rel->relid), radius);
	return visited * rows_per_entry < 1;
}

} // namespace

TXTFP_FUNCTION(txtfp_tlsh_probe_in)
{
	const char *in = PG_GETARG_CSTRING(0);
	const std::string_view text = in;
	const std::size_t slash = text.rfind('/');
	core::Tlsh digest;
	int radius = -1;
	if (slash != text.npos && core::parse_tlsh(text.substr(0, slash), digest)) {
		const auto [end, error] = std::from_chars(in + slash + 1, in + text.size(), radius);
		if (error != std::errc() || end != in + text.size())
			radius = -1;
	}
	if (radius < 0 || radius > pg::tlsh_max_distance)
		ereturn(fcinfo->context, (Datum) 0,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				errmsg("invalid input syntax for type tlsh_probe: \"%s\"", pg::beginning(in)),
				errdetail("The text form is \"<tlsh>/<distance: 0 to %d>\".", pg::tlsh_max_distance)));
	PG_RETURN_POINTER(make_probe(digest, radius));
}

TXTFP_FUNCTION(txtfp_tlsh_probe_out)
{
	const pg::TlshProbe &probe = pg::tlsh_probe_arg(fcinfo, 0);
	char digest[core::tlsh_text_size];
	core::format_tlsh(probe.digest, digest);
	PG_RETURN_CSTRING(psprintf("%.*s/%d", static_cast<int>(sizeof digest), digest, probe.radius));
}

TXTFP_FUNCTION(txtfp_tlsh_probe_recv)
{
	StringInfo message = (StringInfo) PG_GETARG_POINTER(0);
	core::Tlsh digest;
	pq_copymsgbytes(message, (char *) digest.bytes, core::tlsh_bytes);
	const auto radius = static_cast<std::int32_t>(pq_getmsgint(message, 4));
	if (radius < 0 || radius > pg::tlsh_max_distance)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION), errmsg("invalid binary representation of tlsh_probe")));
	PG_RETURN_POINTER(make_probe(digest, radius));
}

TXTFP_FUNCTION(txtfp_tlsh_probe_send)
{
	const pg::TlshProbe &probe = pg::tlsh_probe_arg(fcinfo, 0);
	StringInfoData out;
	pq_begintypsend(&out);
	pq_sendbytes(&out, (const char *) probe.digest.bytes, core::tlsh_bytes);
	pq_sendint32(&out, static_cast<uint32>(probe.radius));
	PG_RETURN_BYTEA_P(pq_endtypsend(&out));
}

TXTFP_FUNCTION(txtfp_to_tlsh_probe)
{
	const int radius = PG_NARGS() < 2 ? pg::tlsh_threshold : distance_option(PG_GETARG_INT32(1));
	PG_RETURN_POINTER(make_probe(pg::tlsh_arg(fcinfo, 0), radius));
}

TXTFP_FUNCTION(txtfp_tlsh_similar)
{
	const int radius = PG_GETARG_INT32(2);
	if (!(radius >= 0 && radius <= pg::tlsh_max_distance) && pg::raises(fcinfo))
		distance_option(radius);
	PG_RETURN_BOOL(core::tlsh_within(pg::tlsh_arg(fcinfo, 0), pg::tlsh_arg(fcinfo, 1), radius));
}

TXTFP_FUNCTION(txtfp_tlsh_similar_op)
{
	PG_RETURN_BOOL(core::tlsh_within(pg::tlsh_arg(fcinfo, 0), pg::tlsh_arg(fcinfo, 1), pg::tlsh_threshold));
}

TXTFP_FUNCTION(txtfp_tlsh_matches_probe)
{
	const pg::TlshProbe &probe = pg::tlsh_probe_arg(fcinfo, 1);
	PG_RETURN_BOOL(core::tlsh_within(pg::tlsh_arg(fcinfo, 0), probe.digest, probe.radius));
}

// Of tlsh_similar, and of % without a probe.
TXTFP_FUNCTION(txtfp_tlsh_similar_support)
{
	Node *node = (Node *) PG_GETARG_POINTER(0);
	if (IsA(node, SupportRequestCost))
		PG_RETURN_POINTER(pg::cost_with_parameter((SupportRequestCost *) node));
	if (IsA(node, SupportRequestSimplify)) {
		const auto *request = (const SupportRequestSimplify *) node;
		if (const Const *radius = pg::threshold_to_check(*request))
			distance_option(DatumGetInt32(radius->constvalue));
		PG_RETURN_POINTER(list_length(request->fcall->args) == 3 ? pg::equality_at_zero(*request) : nullptr);
	}
	if (IsA(node, SupportRequestSelectivity)) {
		auto *request = (SupportRequestSelectivity *) node;
		request->selectivity = pg::request_selectivity(profile, *request, radius_of(request->args));
		PG_RETURN_POINTER(request);
	}
	if (IsA(node, SupportRequestIndexCondition)) {
		auto *request = (SupportRequestIndexCondition *) node;
		if (!(IsA(request->node, FuncExpr) || IsA(request->node, OpExpr)) || request->indexarg > 1 || !serves(*request))
			PG_RETURN_POINTER(nullptr);
		request->lossy = false;
		PG_RETURN_POINTER(pg::probe_condition(probe_operator, *request));
	}
	PG_RETURN_POINTER(nullptr);
}

TXTFP_FUNCTION(txtfp_tlsh_typanalyze) { return pg::analyze_with_profile(fcinfo, profile, compute_profile); }

TXTFP_FUNCTION(txtfp_tlsh_sel)
{
	PG_RETURN_FLOAT8(pg::restriction_selectivity(profile, (PlannerInfo *) PG_GETARG_POINTER(0),
		(List *) PG_GETARG_POINTER(2), PG_GETARG_INT32(3), pg::tlsh_threshold));
}

TXTFP_FUNCTION(txtfp_tlsh_probe_sel)
{
	List *args = (List *) PG_GETARG_POINTER(2);
	int radius = pg::tlsh_threshold;
	if (const Const *probe = pg::known((Node *) lsecond(args)))
		radius = pg::to_tlsh_probe(probe->constvalue).radius;
	PG_RETURN_FLOAT8(
		pg::restriction_selectivity(profile, (PlannerInfo *) PG_GETARG_POINTER(0), args, PG_GETARG_INT32(3), radius));
}

TXTFP_FUNCTION(txtfp_tlsh_joinsel)
{
	PG_RETURN_FLOAT8(pg::join_selectivity(profile, (PlannerInfo *) PG_GETARG_POINTER(0), (List *) PG_GETARG_POINTER(2),
		(SpecialJoinInfo *) PG_GETARG_POINTER(4), pg::tlsh_threshold));
}
