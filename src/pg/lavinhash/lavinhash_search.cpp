// Search for LavinHash values of a least score: lavinhash_similar, %, the probe type behind them, and what the planner
// needs to know. Text form of a probe: <score>/<lavinhash>. Binary form: the score as int4, then the serialized form.
#include <algorithm>
#include <charconv>

#include "core/base/bytes.hpp"
#include "pg/base/settings.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/index/planner.hpp"
#include "pg/lavinhash/lavinhash.hpp"
#include "pg/lavinhash/lavinhash_gin.hpp"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_am.h"
#include "catalog/pg_type.h"
#include "libpq/pqformat.h"
}

using namespace txtfp;

namespace txtfp::pg {

int score_option(int value)
{
	if (value < 0 || value > 100)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("score must be between 0 and 100, not %d", value)));
	return value;
}

} // namespace txtfp::pg

namespace {

constexpr std::size_t scores = 101;
constexpr std::size_t compared_rows = 512; // of the sample, evenly; all pairs of them: some 0.15 s

// profile[s]: the fraction of pairs with a score of at least s.
double fraction(std::span<const float4> profile, double threshold)
{
	return profile[static_cast<std::size_t>(std::clamp(threshold, 0.0, 100.0))];
}

constexpr pg::Profile profile{21752, scores, fraction};
constexpr pg::ProbeOperator probe_operator{"to_lavinhash_probe", pg::strategy_lavinhash_probe, true};

void compute_profile(std::span<const Datum> sample, std::span<float4> numbers)
{
	const std::size_t n = std::min(sample.size(), compared_rows);
	const auto form = [&](std::size_t i) { // the sample is in the order of the table
		return pg::lavinhash_view((const struct varlena *) DatumGetPointer(sample[i * sample.size() / n]));
	};
	std::uint64_t counts[scores] = {};
	for (std::size_t i = 0; i < n; ++i) {
		CHECK_FOR_INTERRUPTS();
		for (std::size_t j = i + 1; j < n; ++j)
			++counts[core::lavinhash_similarity(form(i), form(j))];
	}
	double reached = 0;
	for (std::size_t score = scores; score-- > 0;) {
		reached += static_cast<double>(counts[score]);
		numbers[score] = static_cast<float4>(reached / (static_cast<double>(n) * static_cast<double>(n - 1) / 2));
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

// The score argument of lavinhash_similar; the parameter's value where the plan does not know it yet.
int min_score_of(List *args)
{
	const Const *constant = pg::known((Node *) lthird(args));
	return constant != nullptr ? DatumGetInt32(constant->constvalue) : pg::lavinhash_threshold;
}

// Can the index keep its recall at this score? Otherwise a scan of the table is the better plan.
bool serves(const SupportRequestIndexCondition &request)
{
	List *args = ((const FuncExpr *) request.node)->args;
	const auto *options = request.index->opclassoptions != nullptr
		? (const pg::LavinhashLshOptions *) request.index->opclassoptions[request.indexcol]
		: nullptr;
	return request.index->relam != GIN_AM_OID || pg::known((Node *) lthird(args)) == nullptr ||
		pg::min_matches(options != nullptr ? *options : pg::default_lavinhash_options, min_score_of(args)) > 0;
}

} // namespace

TXTFP_FUNCTION(txtfp_lavinhash_probe_in)
{
	const char *in = PG_GETARG_CSTRING(0);
	const pg::LavinhashProbe *probe = parse_probe(in);
	if (probe == nullptr)
		ereturn(fcinfo->context, (Datum) 0,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				errmsg("invalid input syntax for type lavinhash_probe: \"%s\"", pg::beginning(in)),
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
	PG_RETURN_POINTER(make_probe(pg::lavinhash_arg(fcinfo, 0), pg::score_option(PG_GETARG_INT32(1))));
}

TXTFP_FUNCTION(txtfp_lavinhash_similar)
{
	const int min_score = PG_GETARG_INT32(2);
	if (!(min_score >= 0 && min_score <= 100)) {
		if (pg::raises(fcinfo))
			pg::score_option(min_score);
		PG_RETURN_BOOL(min_score < 0);
	}
	PG_RETURN_BOOL(core::lavinhash_similar(pg::lavinhash_arg(fcinfo, 0), pg::lavinhash_arg(fcinfo, 1), min_score));
}

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

TXTFP_FUNCTION(txtfp_lavinhash_similar_support)
{
	Node *node = (Node *) PG_GETARG_POINTER(0);
	if (IsA(node, SupportRequestCost))
		PG_RETURN_POINTER(pg::cost_with_parameter((SupportRequestCost *) node));
	if (IsA(node, SupportRequestSimplify)) {
		if (const Const *min_score = pg::threshold_to_check(*(const SupportRequestSimplify *) node))
			pg::score_option(DatumGetInt32(min_score->constvalue));
		PG_RETURN_POINTER(nullptr);
	}
	if (IsA(node, SupportRequestSelectivity)) {
		auto *request = (SupportRequestSelectivity *) node;
		request->selectivity = pg::request_selectivity(profile, *request, min_score_of(request->args));
		PG_RETURN_POINTER(request);
	}
	if (IsA(node, SupportRequestIndexCondition)) {
		auto *request = (SupportRequestIndexCondition *) node;
		if (!IsA(request->node, FuncExpr) || request->indexarg > 1 || !serves(*request))
			PG_RETURN_POINTER(nullptr);
		request->lossy = false; // the operator is the function in other words
		PG_RETURN_POINTER(pg::probe_condition(probe_operator, *request));
	}
	PG_RETURN_POINTER(nullptr);
}

TXTFP_FUNCTION(txtfp_lavinhash_typanalyze) { return pg::analyze_with_profile(fcinfo, profile, compute_profile); }

TXTFP_FUNCTION(txtfp_lavinhash_sel)
{
	PG_RETURN_FLOAT8(pg::restriction_selectivity(profile, (PlannerInfo *) PG_GETARG_POINTER(0),
		(List *) PG_GETARG_POINTER(2), PG_GETARG_INT32(3), pg::lavinhash_threshold));
}

// For lavinhash % lavinhash_probe: the probe brings its score.
TXTFP_FUNCTION(txtfp_lavinhash_probe_sel)
{
	List *args = (List *) PG_GETARG_POINTER(2);
	int min_score = pg::lavinhash_threshold;
	if (const Const *probe = pg::known((Node *) lsecond(args)))
		min_score = ((const pg::LavinhashProbe *) PG_DETOAST_DATUM(probe->constvalue))->min_score;
	PG_RETURN_FLOAT8(pg::restriction_selectivity(
		profile, (PlannerInfo *) PG_GETARG_POINTER(0), args, PG_GETARG_INT32(3), min_score));
}

TXTFP_FUNCTION(txtfp_lavinhash_joinsel)
{
	PG_RETURN_FLOAT8(pg::join_selectivity(profile, (PlannerInfo *) PG_GETARG_POINTER(0), (List *) PG_GETARG_POINTER(2),
		(SpecialJoinInfo *) PG_GETARG_POINTER(4), pg::lavinhash_threshold));
}
