// Planner support: selectivity of % and minhash_similar, and the index condition behind minhash_similar.
#include "pg/minhash_planner.hpp"

#include <algorithm>

#include "pg/guard.hpp"
#include "pg/minhash.hpp"
#include "pg/minhash_gin.hpp"
#include "pg/settings.hpp"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"
}

using namespace txtfp;

namespace {

constexpr double default_fraction = 1e-6; // of all pairs, where ANALYZE has not run

// The fraction of rows that are similar to a random row of the variable's column, without that row itself.
double similar_fraction(const VariableStatData &variable, double threshold)
{
	AttStatsSlot slot;
	if (!HeapTupleIsValid(variable.statsTuple) ||
		!get_attstatsslot(&slot, variable.statsTuple, pg::profile_statistic_kind, InvalidOid, ATTSTATSSLOT_NUMBERS))
		return default_fraction;
	double fraction = default_fraction;
	if (slot.nnumbers == static_cast<int>(core::profile_points)) {
		core::SimilarityProfile profile;
		std::copy_n(slot.numbers, core::profile_points, profile.begin());
		fraction = core::fraction_at(profile, threshold);
	}
	free_attstatsslot(&slot);
	return fraction;
}

// A probe is taken to be a row of the table or very like one: it finds itself and its near-duplicates.
double selectivity_of(const VariableStatData &variable, double threshold)
{
	const double rows = variable.rel != nullptr ? std::max(variable.rel->tuples, 1.0) : 1000.0;
	return std::min(1.0, similar_fraction(variable, threshold) + 1 / rows);
}

double restriction_selectivity(PlannerInfo *root, List *args, int rel_id, double threshold)
{
	VariableStatData variable;
	Node *other;
	bool on_left;
	if (!get_restriction_variable(root, args, rel_id, &variable, &other, &on_left))
		return default_fraction;
	double selectivity = 0;
	if (!(IsA(other, Const) && ((Const *) other)->constisnull)) // NULL finds nothing
		selectivity = selectivity_of(variable, threshold);
	ReleaseVariableStats(variable);
	return selectivity;
}

double join_selectivity(PlannerInfo *root, List *args, SpecialJoinInfo *join, double threshold)
{
	VariableStatData a, b;
	bool reversed;
	get_join_variables(root, args, join, &a, &b, &reversed);
	const double selectivity = std::min(selectivity_of(a, threshold), selectivity_of(b, threshold));
	ReleaseVariableStats(a);
	ReleaseVariableStats(b);
	return selectivity;
}

// The threshold argument as a number; the parameter's value where the plan does not know it yet.
double known_threshold(Node *argument)
{
	if (!IsA(argument, Const) || ((Const *) argument)->constisnull)
		return pg::jaccard_threshold;
	return DatumGetFloat8(((Const *) argument)->constvalue);
}

Selectivity estimate_similar(SupportRequestSelectivity *request)
{
	const double threshold = known_threshold((Node *) lthird(request->args));
	List *operands = list_make2(linitial(request->args), lsecond(request->args));
	return request->is_join ? join_selectivity(request->root, operands, request->sjinfo, threshold)
							: restriction_selectivity(request->root, operands, request->varRelid, threshold);
}

// Can the index keep its recall at this threshold? Otherwise a scan of the table is the better plan.
bool serves(IndexOptInfo *index, int column, int slots, double threshold)
{
	const auto *options =
		index->opclassoptions != nullptr ? (const pg::LshOptions *) index->opclassoptions[column] : nullptr;
	return pg::resolve_options(options, slots).min_matches(threshold) > 0;
}

// to_minhash_probe(type, float8), found beside the function that is being planned: the extension is relocatable.
Oid probe_constructor(Oid sibling, Oid type)
{
	const Oid arguments[] = {type, FLOAT8OID};
	oidvector *types = buildoidvector(arguments, 2);
	return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum("to_minhash_probe"),
		PointerGetDatum(types), ObjectIdGetDatum(get_func_namespace(sibling)));
}

// minhash_similar(column, q, t) or minhash_similar(q, column, t) as `column % to_minhash_probe(q, t)`.
List *index_condition(SupportRequestIndexCondition *request, int slots)
{
	if (!IsA(request->node, FuncExpr) || request->indexarg > 1)
		return NIL;
	const auto *call = (const FuncExpr *) request->node;
	auto *column = (Expr *) list_nth(call->args, request->indexarg);
	Node *other = (Node *) list_nth(call->args, 1 - request->indexarg);
	Node *threshold = (Node *) lthird(call->args);
	if (!is_pseudo_constant_for_index(request->root, other, request->index) ||
		!is_pseudo_constant_for_index(request->root, threshold, request->index))
		return NIL;
	if (IsA(threshold, Const) && !((Const *) threshold)->constisnull &&
		!serves(request->index, request->indexcol, slots, DatumGetFloat8(((Const *) threshold)->constvalue)))
		return NIL;
	const Oid type = request->index->opcintype[request->indexcol];
	const Oid constructor = probe_constructor(request->funcid, type);
	if (!OidIsValid(constructor))
		return NIL;
	const Oid probe_type = get_func_rettype(constructor);
	const Oid operator_oid = get_opfamily_member(request->opfamily, type, probe_type, pg::strategy_probe);
	if (!OidIsValid(operator_oid))
		return NIL;
	auto *probe = (Node *) makeFuncExpr(
		constructor, probe_type, list_make2(other, threshold), InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	auto *operand = (Expr *) eval_const_expressions(request->root, probe);
	request->lossy = false; // the operator is the function in other words
	return list_make1(make_opclause(operator_oid, BOOLOID, false, column, operand, InvalidOid, InvalidOid));
}

Datum support(FunctionCallInfo fcinfo, int slots)
{
	Node *request = (Node *) PG_GETARG_POINTER(0);
	if (IsA(request, SupportRequestSelectivity)) {
		auto *selectivity = (SupportRequestSelectivity *) request;
		selectivity->selectivity = estimate_similar(selectivity);
		PG_RETURN_POINTER(request);
	}
	if (IsA(request, SupportRequestIndexCondition))
		PG_RETURN_POINTER(index_condition((SupportRequestIndexCondition *) request, slots));
	PG_RETURN_POINTER(nullptr);
}

} // namespace

TXTFP_FUNCTION(txtfp_minhash64_similar_support) { return support(fcinfo, 64); }
TXTFP_FUNCTION(txtfp_minhash128_similar_support) { return support(fcinfo, 128); }
TXTFP_FUNCTION(txtfp_minhash256_similar_support) { return support(fcinfo, 256); }

TXTFP_FUNCTION(txtfp_minhash_sel)
{
	PG_RETURN_FLOAT8(restriction_selectivity((PlannerInfo *) PG_GETARG_POINTER(0), (List *) PG_GETARG_POINTER(2),
		PG_GETARG_INT32(3), pg::jaccard_threshold));
}

// For minhash % minhash_probe: the probe brings its threshold.
TXTFP_FUNCTION(txtfp_minhash_probe_sel)
{
	List *args = (List *) PG_GETARG_POINTER(2);
	const auto *probe = (const Const *) lsecond(args);
	double threshold = pg::jaccard_threshold;
	if (IsA(probe, Const) && !probe->constisnull)
		threshold = reinterpret_cast<const pg::MinhashProbe *>(PG_DETOAST_DATUM(probe->constvalue))->threshold;
	PG_RETURN_FLOAT8(
		restriction_selectivity((PlannerInfo *) PG_GETARG_POINTER(0), args, PG_GETARG_INT32(3), threshold));
}

TXTFP_FUNCTION(txtfp_minhash_joinsel)
{
	PG_RETURN_FLOAT8(join_selectivity((PlannerInfo *) PG_GETARG_POINTER(0), (List *) PG_GETARG_POINTER(2),
		(SpecialJoinInfo *) PG_GETARG_POINTER(4), pg::jaccard_threshold));
}
