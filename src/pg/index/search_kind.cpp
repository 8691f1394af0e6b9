#include "pg/index/search_kind.hpp"

#include <cmath>

#include "pg/base/given_value.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/lsyscache.h"
}

namespace txtfp::pg {

namespace {

// The limit of a condition as far as it is known while planning: the third argument, or the configuration parameter.
struct Limit {
	double value;
	bool known;
};

Limit limit_of(List *args, const SearchKind &kind)
{
	const auto constant = list_length(args) < 3 ? std::nullopt : constant_number((const Node *) lthird(args));
	return constant && !std::isnan(*constant) ? Limit{*constant, true} : Limit{kind.setting(), false};
}

Node *simplify(const SupportRequestSimplify &request, const SearchKind &kind)
{
	const std::optional<double> limit = threshold_to_check(request);
	if (limit && kind.check != nullptr)
		kind.check(*limit);
	return kind.zero_is_equality && list_length(request.fcall->args) == 3 ? equality_at_zero(request) : nullptr;
}

List *index_condition(SupportRequestIndexCondition &request, const SearchKind &kind)
{
	if (kind.probe == nullptr || !(IsA(request.node, FuncExpr) || (kind.operator_too && IsA(request.node, OpExpr))) ||
		request.indexarg > 1)
		return NIL;
	request.lossy = false; // the operator is the function in other words
	if (kind.exact != nullptr && runs(request.funcid, kind.exact))
		return probe_condition({kind.probe->constructor, kind.probe->code, strategy_exact, kind.probe->fold}, request);
	const Limit limit = limit_of(arguments(request.node), kind);
	return kind.can_use_index(request, limit.value, limit.known) ? probe_condition(*kind.probe, request) : NIL;
}

} // namespace

Datum search_support(FunctionCallInfo fcinfo, const SearchKind &kind)
{
	Node *node = (Node *) PG_GETARG_POINTER(0);
	if (IsA(node, SupportRequestCost))
		PG_RETURN_POINTER(cost_with_parameter((SupportRequestCost *) node));
	if (IsA(node, SupportRequestSimplify))
		PG_RETURN_POINTER(simplify(*(const SupportRequestSimplify *) node, kind));
	if (IsA(node, SupportRequestSelectivity)) {
		auto *request = (SupportRequestSelectivity *) node;
		request->selectivity = request_selectivity(kind.profile, *request, limit_of(request->args, kind).value);
		PG_RETURN_POINTER(request);
	}
	if (IsA(node, SupportRequestIndexCondition))
		PG_RETURN_POINTER(index_condition(*(SupportRequestIndexCondition *) node, kind));
	return pg::null_pointer;
}

Datum search_restriction(FunctionCallInfo fcinfo, const SearchKind &kind)
{
	PG_RETURN_FLOAT8(restriction_selectivity(kind.profile, (PlannerInfo *) PG_GETARG_POINTER(0),
		(List *) PG_GETARG_POINTER(2), PG_GETARG_INT32(3), kind.setting()));
}

Datum search_probe_restriction(FunctionCallInfo fcinfo, const SearchKind &kind)
{
	List *args = (List *) PG_GETARG_POINTER(2);
	const auto probe =
		list_length(args) < 2 ? std::nullopt : constant_value((const Node *) lsecond(args), kind.probe_input);
	const double limit = probe ? kind.probe_limit(*probe) : kind.setting();
	PG_RETURN_FLOAT8(
		restriction_selectivity(kind.profile, (PlannerInfo *) PG_GETARG_POINTER(0), args, PG_GETARG_INT32(3), limit));
}

Datum search_join(FunctionCallInfo fcinfo, const SearchKind &kind)
{
	PG_RETURN_FLOAT8(join_selectivity(kind.profile, (PlannerInfo *) PG_GETARG_POINTER(0), (List *) PG_GETARG_POINTER(2),
		(SpecialJoinInfo *) PG_GETARG_POINTER(4), kind.setting()));
}

} // namespace txtfp::pg
