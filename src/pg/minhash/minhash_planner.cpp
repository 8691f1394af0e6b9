// Planner support of the MinHash types: selectivity of % and minhash_similar, the index condition behind minhash_similar,
// and ANALYZE, which counts near-duplicates among the sampled rows.
#include <algorithm>

#include "core/minhash/neighbours.hpp"
#include "pg/base/guard.hpp"
#include "pg/base/settings.hpp"
#include "pg/index/planner.hpp"
#include "pg/minhash/minhash.hpp"
#include "pg/minhash/minhash_gin.hpp"
#include "pg/text/options.hpp"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_am.h"
}

using namespace txtfp;

namespace {

double fraction(std::span<const float4> numbers, double threshold)
{
	core::SimilarityProfile profile;
	std::copy(numbers.begin(), numbers.end(), profile.begin());
	return core::fraction_at(profile, threshold);
}

constexpr pg::Profile profile{21749, core::profile_points, fraction};
constexpr pg::ProbeOperator probe_operator{"to_minhash_probe", pg::strategy_probe, true};
constexpr pg::ProbeOperator leakproof_operator{"to_minhash_probe", pg::strategy_leakproof, true};

void compute_profile(std::span<const Datum> sample, std::span<float4> numbers)
{
	auto **sketches = static_cast<const std::uint64_t **>(palloc(sizeof(void *) * sample.size()));
	for (std::size_t i = 0; i < sample.size(); ++i)
		sketches[i] = ((const pg::Minhash *) DatumGetPointer(sample[i]))->slots;
	const std::size_t slots = ((const pg::Minhash *) DatumGetPointer(sample[0]))->slot_count();
	core::SimilarityProfile found;
	pg::guarded([&] { found = core::similarity_profile({sketches, sample.size()}, slots, pg::stop_token); });
	std::copy(found.begin(), found.end(), numbers.begin());
}

// The threshold argument of minhash_similar; the parameter's value where the plan does not know it yet.
double threshold_of(List *args)
{
	const Const *constant = pg::known((Node *) lthird(args));
	return constant != nullptr ? DatumGetFloat8(constant->constvalue) : pg::jaccard_threshold;
}

// Can the index keep its recall at this threshold? Otherwise a scan of the table is the better plan.
bool serves(const SupportRequestIndexCondition &request, int slots)
{
	List *args = ((const FuncExpr *) request.node)->args;
	const auto *options = request.index->opclassoptions != nullptr
		? (const pg::LshOptions *) request.index->opclassoptions[request.indexcol]
		: nullptr;
	return request.index->relam != GIN_AM_OID || pg::known((Node *) lthird(args)) == nullptr ||
		pg::resolve_options(options, slots).min_matches(threshold_of(args)) > 0;
}

Datum support(FunctionCallInfo fcinfo, int slots, const pg::ProbeOperator &form)
{
	Node *node = (Node *) PG_GETARG_POINTER(0);
	if (IsA(node, SupportRequestCost))
		PG_RETURN_POINTER(pg::cost_with_parameter((SupportRequestCost *) node));
	if (IsA(node, SupportRequestSimplify)) {
		if (&form != &leakproof_operator)
			PG_RETURN_POINTER(nullptr);
		if (const Const *threshold = pg::threshold_to_check(*(const SupportRequestSimplify *) node))
			pg::unit_interval_option("threshold", DatumGetFloat8(threshold->constvalue));
		PG_RETURN_POINTER(nullptr);
	}
	if (IsA(node, SupportRequestSelectivity)) {
		auto *request = (SupportRequestSelectivity *) node;
		request->selectivity = pg::request_selectivity(profile, *request, threshold_of(request->args));
		PG_RETURN_POINTER(request);
	}
	if (IsA(node, SupportRequestIndexCondition)) {
		auto *request = (SupportRequestIndexCondition *) node;
		if (!IsA(request->node, FuncExpr) || request->indexarg > 1 || !serves(*request, slots))
			PG_RETURN_POINTER(nullptr);
		request->lossy = false; // the operator is the function in other words
		PG_RETURN_POINTER(pg::probe_condition(form, *request));
	}
	PG_RETURN_POINTER(nullptr);
}

} // namespace

TXTFP_FUNCTION(txtfp_minhash64_similar_support) { return support(fcinfo, 64, probe_operator); }
TXTFP_FUNCTION(txtfp_minhash128_similar_support) { return support(fcinfo, 128, probe_operator); }
TXTFP_FUNCTION(txtfp_minhash256_similar_support) { return support(fcinfo, 256, probe_operator); }
TXTFP_FUNCTION(txtfp_minhash64_leakproof_support) { return support(fcinfo, 64, leakproof_operator); }
TXTFP_FUNCTION(txtfp_minhash128_leakproof_support) { return support(fcinfo, 128, leakproof_operator); }
TXTFP_FUNCTION(txtfp_minhash256_leakproof_support) { return support(fcinfo, 256, leakproof_operator); }

TXTFP_FUNCTION(txtfp_minhash_typanalyze) { return pg::analyze_with_profile(fcinfo, profile, compute_profile); }

TXTFP_FUNCTION(txtfp_minhash_sel)
{
	PG_RETURN_FLOAT8(pg::restriction_selectivity(profile, (PlannerInfo *) PG_GETARG_POINTER(0),
		(List *) PG_GETARG_POINTER(2), PG_GETARG_INT32(3), pg::jaccard_threshold));
}

// For minhash % minhash_probe: the probe brings its threshold.
TXTFP_FUNCTION(txtfp_minhash_probe_sel)
{
	List *args = (List *) PG_GETARG_POINTER(2);
	double threshold = pg::jaccard_threshold;
	if (const Const *probe = pg::known((Node *) lsecond(args)))
		threshold = ((const pg::MinhashProbe *) PG_DETOAST_DATUM(probe->constvalue))->threshold;
	PG_RETURN_FLOAT8(pg::restriction_selectivity(
		profile, (PlannerInfo *) PG_GETARG_POINTER(0), args, PG_GETARG_INT32(3), threshold));
}

TXTFP_FUNCTION(txtfp_minhash_joinsel)
{
	PG_RETURN_FLOAT8(pg::join_selectivity(profile, (PlannerInfo *) PG_GETARG_POINTER(0), (List *) PG_GETARG_POINTER(2),
		(SpecialJoinInfo *) PG_GETARG_POINTER(4), pg::jaccard_threshold));
}
