// Search for LavinHash values above a score: lavinhash_similar, %, the probe type behind them, and what the planner
// needs to know. Text form of a probe: <score>/<lavinhash>. Binary form: the score as int4, then the serialized form.
#include <algorithm>
#include <charconv>

#include "core/base/bytes.hpp"
#include "pg/base/settings.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/index/search_kind.hpp"
#include "pg/lavinhash/lavinhash.hpp"
#include "pg/lavinhash/lavinhash_gin.hpp"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_am.h"
#include "catalog/pg_type.h"
#include "libpq/pqformat.h"
}

using namespace txtfp;

TXTFP_DECLARE(txtfp_lavinhash_probe_in);
TXTFP_DECLARE(txtfp_to_lavinhash_probe);
TXTFP_DECLARE(txtfp_exactly_lavinhash_similar);

namespace txtfp::pg {

int check_min_score(int value)
{
	if (value < 0 || value > 100)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("min_score must be between 0 and 100, not %d", value)));
	return value;
}

} // namespace txtfp::pg

namespace {

constexpr std::size_t scores = 101;
constexpr std::size_t compared_rows = 512; // comparing all pairs takes about 0.15 s

// profile[s]: the fraction of pairs with a score of at least s.
double fraction(std::span<const float4> profile, double threshold)
{
	return profile[static_cast<std::size_t>(std::clamp(threshold, 0.0, 100.0))];
}

constexpr pg::ProbeOperator probe_operator{"_to_lavinhash_probe", txtfp_to_lavinhash_probe, pg::strategy_lavinhash_probe, true};

void compute_profile(std::span<const Datum> sample, std::span<float4> numbers)
{
	const auto form = [](Datum value) { return pg::lavinhash_view((const struct varlena *) DatumGetPointer(value)); };
	std::uint64_t counts[scores] = {};
	const double pairs = pg::for_each_pair(
		sample, compared_rows, [&](Datum a, Datum b) { ++counts[core::lavinhash_similarity(form(a), form(b))]; });
	double reached = 0;
	for (std::size_t score = scores; score-- > 0;) {
		reached += static_cast<double>(counts[score]);
		numbers[score] = static_cast<float4>(reached / pairs);
	}
}

pg::LavinhashProbe *make_probe(core::LavinhashBytes form, int min_score)
{
	const std::size_t size = offsetof(pg::LavinhashProbe, form) + form.size();
	auto *probe = static_cast<pg::LavinhashProbe *>(palloc(size));
	SET_VARSIZE(probe, size);
	probe->min_score = min_score;
	memcpy(probe->form, form.data(), form.size());
	return probe;
}

bool is_valid(core::LavinhashBytes form, int min_score)
{
	return min_score >= 0 && min_score <= 100 && core::lavinhash_check(form) == core::LavinhashError::none;
}

// nullptr if the text is malformed.
pg::LavinhashProbe *parse_probe(std::string_view in)
{
	int min_score = -1;
	const char *end = in.data() + in.size();
	const auto [slash, error] = std::from_chars(in.data(), end, min_score);
	if (error != std::errc() || slash == end || *slash != '/')
		return nullptr;
	std::uint8_t form[core::lavinhash_max_size];
	std::size_t size = 0;
	if (!pg::lavinhash_from_hex(slash + 1, static_cast<std::size_t>(end - slash - 1), form, size) ||
		!is_valid({form, size}, min_score))
		return nullptr;
	return make_probe({form, size}, min_score);
}

// True if the index keeps its recall at this score. Otherwise a scan of the table is the better plan.
bool can_use_index(const SupportRequestIndexCondition &request, double limit, bool known)
{
	const auto *options = request.index->opclassoptions != nullptr
		? (const pg::LavinhashLshOptions *) request.index->opclassoptions[request.indexcol]
		: nullptr;
	return request.index->relam != GIN_AM_OID || !known ||
		pg::min_matches(options != nullptr ? *options : pg::default_lavinhash_options, static_cast<int>(limit)) > 0;
}

constexpr pg::SearchKind search_kind{
	.profile = {pg::statistics_lavinhash, scores, fraction},
	.compute = compute_profile,
	.setting = [] { return static_cast<double>(pg::lavinhash_threshold); },
	.probe_input = txtfp_lavinhash_probe_in,
	.probe_limit =
		[](Datum probe) {
			return static_cast<double>(((const pg::LavinhashProbe *) PG_DETOAST_DATUM(probe))->min_score);
		},
	.check = [](double limit) { pg::check_min_score(static_cast<int>(limit)); },
	.zero_is_equality = false,
	.exact = txtfp_exactly_lavinhash_similar,
	.operator_too = false,
	.probe = &probe_operator,
	.can_use_index = can_use_index,
};

} // namespace

const pg::SearchKind pg::lavinhash_search = search_kind;

TXTFP_FUNCTION(txtfp_lavinhash_probe_in)
{
	const char *in = PG_GETARG_CSTRING(0);
	const pg::LavinhashProbe *probe = parse_probe(in);
	if (probe == nullptr)
		ereturn(fcinfo->context, (Datum) 0,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				errmsg("invalid input syntax for type lavinhash_probe: \"%s\"", pg::abbreviated(in)),
				errdetail("The text form is \"<score: 0 to 100>/<text form of a lavinhash value>\".")));
	PG_RETURN_POINTER(probe);
}

TXTFP_FUNCTION(txtfp_lavinhash_probe_out)
{
	const pg::LavinhashProbe *probe = pg::lavinhash_probe_arg(fcinfo, 0);
	const core::LavinhashBytes form = probe->view();
	char *digits = static_cast<char *>(palloc(2 * form.size() + 1));
	core::hex_encode(form.data(), form.size(), digits);
	digits[2 * form.size()] = '\0';
	PG_RETURN_CSTRING(psprintf("%d/%s", probe->min_score, digits));
}

TXTFP_FUNCTION(txtfp_lavinhash_probe_recv)
{
	StringInfo message = (StringInfo) PG_GETARG_POINTER(0);
	const auto min_score = static_cast<std::int32_t>(pq_getmsgint(message, 4));
	const int size = message->len - message->cursor;
	const core::LavinhashBytes form{
		reinterpret_cast<const std::uint8_t *>(pq_getmsgbytes(message, size)), static_cast<std::size_t>(size)};
	if (!is_valid(form, min_score))
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				errmsg("invalid binary representation of lavinhash_probe")));
	PG_RETURN_POINTER(make_probe(form, min_score));
}

TXTFP_FUNCTION(txtfp_lavinhash_probe_send)
{
	const pg::LavinhashProbe *probe = pg::lavinhash_probe_arg(fcinfo, 0);
	StringInfoData out;
	pq_begintypsend(&out);
	pq_sendint32(&out, static_cast<uint32>(probe->min_score));
	pq_sendbytes(&out, (const char *) probe->form, static_cast<int>(probe->view().size()));
	PG_RETURN_BYTEA_P(pq_endtypsend(&out));
}

TXTFP_FUNCTION(txtfp_to_lavinhash_probe)
{
	PG_RETURN_POINTER(make_probe(pg::lavinhash_arg(fcinfo, 0), pg::check_min_score(PG_GETARG_INT32(1))));
}

TXTFP_FUNCTION(txtfp_lavinhash_similar)
{
	const int min_score = PG_GETARG_INT32(2);
	if (!(min_score >= 0 && min_score <= 100)) {
		if (pg::may_raise(fcinfo))
			pg::check_min_score(min_score);
		PG_RETURN_BOOL(min_score < 0);
	}
	PG_RETURN_BOOL(core::lavinhash_similar(pg::lavinhash_arg(fcinfo, 0), pg::lavinhash_arg(fcinfo, 1), min_score));
}
TXTFP_FUNCTION(txtfp_exactly_lavinhash_similar) { return txtfp_lavinhash_similar(fcinfo); }

TXTFP_FUNCTION(txtfp_lavinhash_similar_op)
{
	PG_RETURN_BOOL(
		core::lavinhash_similar(pg::lavinhash_arg(fcinfo, 0), pg::lavinhash_arg(fcinfo, 1), pg::lavinhash_threshold));
}

TXTFP_FUNCTION(txtfp_lavinhash_matches_probe)
{
	const pg::LavinhashProbe *probe = pg::lavinhash_probe_arg(fcinfo, 1);
	PG_RETURN_BOOL(core::lavinhash_similar(pg::lavinhash_arg(fcinfo, 0), probe->view(), probe->min_score));
}

TXTFP_FUNCTION(txtfp_lavinhash_similar_support) { return pg::search_support(fcinfo, search_kind); }
TXTFP_SEARCH_ESTIMATORS(lavinhash, lavinhash_probe, search_kind);
