// Search within a TLSH distance: tlsh_similar, %, the probe type behind them, and what the planner needs to know.
// Text form of a probe: <tlsh>/<distance>. Binary form: the tlsh, then the distance as int4.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "pg/base/settings.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/index/search_kind.hpp"
#include "pg/tlsh/tlsh.hpp"

extern "C" {
#include "libpq/pqformat.h"
}

using namespace txtfp;

TXTFP_DECLARE(txtfp_tlsh_probe_in);
TXTFP_DECLARE(txtfp_to_tlsh_probe);
TXTFP_DECLARE(txtfp_exactly_tlsh_similar);

namespace {

// The profile holds the fraction of pairs within distance i²/8 for i = 0 … 141.
constexpr std::size_t points = 142;
constexpr std::size_t compared_rows = 4000; // comparing all pairs takes about 0.1 s

double fraction(std::span<const float4> numbers, double distance)
{
	const double x = std::sqrt(8 * std::clamp(distance, 0.0, static_cast<double>(pg::tlsh_max_distance)));
	const auto i = static_cast<std::size_t>(x);
	const double below = numbers[i];
	return below + (x - static_cast<double>(i)) * (numbers[i + 1] - below);
}

constexpr pg::ProbeOperator probe_operator{"_to_tlsh_probe", txtfp_to_tlsh_probe, pg::strategy_tlsh_probe, true};

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
	auto *counts = static_cast<Counts *>(palloc0(sizeof(Counts)));
	const double pairs = pg::for_each_pair(sample, compared_rows,
		[&](Datum x, Datum y) { ++counts->of_distance[core::tlsh_distance(pg::to_tlsh(x), pg::to_tlsh(y), true)]; });
	cumulate(*counts, pairs, numbers);
}

int check_max_distance(int value)
{
	if (value < 0 || value > pg::tlsh_max_distance)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("max_distance must be between 0 and %d, not %d", pg::tlsh_max_distance, value)));
	return value;
}

pg::TlshProbe *make_probe(const core::Tlsh &digest, int max_distance)
{
	auto *probe = static_cast<pg::TlshProbe *>(palloc(sizeof(pg::TlshProbe)));
	*probe = {max_distance, digest, 0};
	return probe;
}

constexpr pg::SearchKind search_kind{
	.profile = {pg::statistics_tlsh, points, fraction},
	.compute = compute_profile,
	.setting = [] { return static_cast<double>(pg::tlsh_threshold); },
	.probe_input = txtfp_tlsh_probe_in,
	.probe_limit = [](Datum probe) { return static_cast<double>(pg::to_tlsh_probe(probe).max_distance); },
	.check = [](double limit) { check_max_distance(static_cast<int>(limit)); },
	.zero_is_equality = true,
	.exact = txtfp_exactly_tlsh_similar,
	.operator_too = true,
	.probe = &probe_operator,
	.can_use_index = [](const SupportRequestIndexCondition &, double, bool) { return true; },
};

} // namespace

const pg::SearchKind pg::tlsh_search = search_kind;

TXTFP_FUNCTION(txtfp_tlsh_probe_in)
{
	const char *in = PG_GETARG_CSTRING(0);
	const std::string_view text = in;
	const std::size_t slash = text.rfind('/');
	core::Tlsh digest;
	int max_distance = -1;
	if (slash != text.npos && core::parse_tlsh(text.substr(0, slash), digest)) {
		const auto [end, error] = std::from_chars(in + slash + 1, in + text.size(), max_distance);
		if (error != std::errc() || end != in + text.size())
			max_distance = -1;
	}
	if (max_distance < 0 || max_distance > pg::tlsh_max_distance)
		ereturn(fcinfo->context, (Datum) 0,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				errmsg("invalid input syntax for type tlsh_probe: \"%s\"", pg::abbreviated(in)),
				errdetail("The text form is \"<tlsh>/<distance: 0 to %d>\".", pg::tlsh_max_distance)));
	PG_RETURN_POINTER(make_probe(digest, max_distance));
}

TXTFP_FUNCTION(txtfp_tlsh_probe_out)
{
	const pg::TlshProbe &probe = pg::tlsh_probe_arg(fcinfo, 0);
	char digest[core::tlsh_text_size];
	core::format_tlsh(probe.digest, digest);
	PG_RETURN_CSTRING(psprintf("%.*s/%d", static_cast<int>(sizeof digest), digest, probe.max_distance));
}

TXTFP_FUNCTION(txtfp_tlsh_probe_recv)
{
	StringInfo message = (StringInfo) PG_GETARG_POINTER(0);
	core::Tlsh digest;
	pq_copymsgbytes(message, (char *) digest.bytes, core::tlsh_bytes);
	const auto max_distance = static_cast<std::int32_t>(pq_getmsgint(message, 4));
	if (max_distance < 0 || max_distance > pg::tlsh_max_distance)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION), errmsg("invalid binary representation of tlsh_probe")));
	PG_RETURN_POINTER(make_probe(digest, max_distance));
}

TXTFP_FUNCTION(txtfp_tlsh_probe_send)
{
	const pg::TlshProbe &probe = pg::tlsh_probe_arg(fcinfo, 0);
	StringInfoData out;
	pq_begintypsend(&out);
	pq_sendbytes(&out, (const char *) probe.digest.bytes, core::tlsh_bytes);
	pq_sendint32(&out, static_cast<uint32>(probe.max_distance));
	PG_RETURN_BYTEA_P(pq_endtypsend(&out));
}

TXTFP_FUNCTION(txtfp_to_tlsh_probe)
{
	const int max_distance = PG_NARGS() < 2 ? pg::tlsh_threshold : check_max_distance(PG_GETARG_INT32(1));
	PG_RETURN_POINTER(make_probe(pg::tlsh_arg(fcinfo, 0), max_distance));
}

TXTFP_FUNCTION(txtfp_tlsh_similar)
{
	const int max_distance = PG_GETARG_INT32(2);
	if (!(max_distance >= 0 && max_distance <= pg::tlsh_max_distance) && pg::may_raise(fcinfo))
		check_max_distance(max_distance);
	PG_RETURN_BOOL(core::tlsh_within(pg::tlsh_arg(fcinfo, 0), pg::tlsh_arg(fcinfo, 1), max_distance));
}
TXTFP_FUNCTION(txtfp_exactly_tlsh_similar) { return txtfp_tlsh_similar(fcinfo); }

TXTFP_FUNCTION(txtfp_tlsh_similar_op)
{
	PG_RETURN_BOOL(core::tlsh_within(pg::tlsh_arg(fcinfo, 0), pg::tlsh_arg(fcinfo, 1), pg::tlsh_threshold));
}

TXTFP_FUNCTION(txtfp_tlsh_matches_probe)
{
	const pg::TlshProbe &probe = pg::tlsh_probe_arg(fcinfo, 1);
	PG_RETURN_BOOL(core::tlsh_within(pg::tlsh_arg(fcinfo, 0), probe.digest, probe.max_distance));
}

// Support function of tlsh_similar, and of % without a probe.
TXTFP_FUNCTION(txtfp_tlsh_similar_support) { return pg::search_support(fcinfo, search_kind); }
TXTFP_SEARCH_ESTIMATORS(tlsh, tlsh_probe, search_kind);
