#include "pg/index/planner.hpp"

#include <algorithm>
#include <cmath>

#include "pg/base/given_value.hpp"
#include "pg/base/identity.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"
#include "utils/typcache.h"
}

namespace txtfp::pg {

namespace {

constexpr double default_fraction = 1e-6; // of all pairs, where ANALYZE has not run

// Statistics may have been restored from anywhere, so what is computed of them may be no share.
double share(double computed) { return computed >= 0 ? std::min(computed, 1.0) : 0; }

// Calls fn(numbers) with the profile of the variable's column. Returns false if there is none.
template <typename Fn> bool with_profile(const Profile &profile, const VariableStatData &variable, Fn fn)
{
	AttStatsSlot slot;
	if (!HeapTupleIsValid(variable.statsTuple) ||
		!get_attstatsslot(&slot, variable.statsTuple, profile.kind, InvalidOid, ATTSTATSSLOT_NUMBERS))
		return false;
	const std::span<const float4> numbers{slot.numbers, static_cast<std::size_t>(slot.nnumbers)};
	const bool fits = numbers.size() == profile.size;
	if (fits)
		fn(numbers);
	free_attstatsslot(&slot);
	return fits;
}

// The fraction of rows that are similar to a random row of the variable's column, without that row itself.
double similar_fraction(const Profile &profile, const VariableStatData &variable, double threshold)
{
	double fraction = default_fraction;
	(void) with_profile(
		profile, variable, [&](std::span<const float4> numbers) { fraction = profile.fraction(numbers, threshold); });
	return share(fraction);
}

double not_null(const VariableStatData &variable)
{
	if (!HeapTupleIsValid(variable.statsTuple))
		return 1;
	return share(1 - ((Form_pg_statistic) GETSTRUCT(variable.statsTuple))->stanullfrac);
}

// The profile describes the rows that are not null.
double selectivity_of(const Profile &profile, const VariableStatData &variable, double threshold)
{
	const double rows = variable.rel != nullptr ? std::max(variable.rel->tuples, 1.0) : 1000.0;
	return std::min(1.0, not_null(variable) * similar_fraction(profile, variable, threshold) + 1 / rows);
}

// The share of one side's rows that have a match on the other side, for EXISTS and NOT EXISTS. Assumes rows like those
// of the other side; the restrictions leave a certain number of them. Clusters differ in size, so more rows than the
// mean suggests have no match. But with an estimate near zero the planner chooses a loop over everything, while one
// that is too high costs little; so it has a lower limit.
double semi_join_selectivity(const Profile &profile, const VariableStatData &inner, double threshold)
{
	constexpr double least = 0.1;
	const double rows = inner.rel != nullptr ? std::max(inner.rel->rows, 1.0) : 1000.0;
	const double matches = rows * similar_fraction(profile, inner, threshold);
	return std::clamp(1 - std::exp(-matches), least, 1.0);
}

// The function of the library with these argument types, in the schema of `sibling`: the extension is relocatable.
Oid find_constructor(const ProbeOperator &probe, Oid sibling, List *args)
{
	Oid types[2];
	const int count = list_length(args);
	if (count > static_cast<int>(lengthof(types)))
		return InvalidOid;
	for (int i = 0; i < count; ++i)
		types[i] = exprType((Node *) list_nth(args, i));
	const Oid found = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(probe.constructor),
		PointerGetDatum(buildoidvector(types, count)), ObjectIdGetDatum(get_func_namespace(sibling)));
	return are_of_one_library(found, sibling) ? found : InvalidOid;
}

// The state of std_typanalyze, and our additions.
struct Analyze {
	AnalyzeAttrComputeStatsFunc standard;
	void *standard_data;
	const Profile *profile;
	ComputeProfile compute;
};

// The non-null values of the sample, detoasted.
std::span<const Datum> fetch_values(VacAttrStatsP stats, AnalyzeAttrFetchFunc fetch, int sample_rows)
{
	auto *values = static_cast<Datum *>(palloc(sizeof(Datum) * static_cast<std::size_t>(sample_rows)));
	std::size_t n = 0;
	for (int row = 0; row < sample_rows; ++row) {
		bool is_null;
		const Datum value = fetch(stats, row, &is_null);
#if PG_VERSION_NUM >= 180000
		vacuum_delay_point(true);
#else
		vacuum_delay_point();
#endif
		if (!is_null)
			values[n++] = stats->attrtype->typlen == -1 ? PointerGetDatum(PG_DETOAST_DATUM(value)) : value;
	}
	return {values, n};
}

void store_profile(VacAttrStatsP stats, const Profile &profile, float4 *numbers)
{
	for (int slot = 0; slot < STATISTIC_NUM_SLOTS; ++slot)
		if (stats->stakind[slot] == 0) {
			stats->stakind[slot] = profile.kind;
			stats->staop[slot] = InvalidOid;
			stats->stacoll[slot] = InvalidOid;
			stats->stanumbers[slot] = numbers;
			stats->numnumbers[slot] = static_cast<int>(profile.size);
			return;
		}
}

void compute_statistics(VacAttrStatsP stats, AnalyzeAttrFetchFunc fetch, int sample_rows, double total_rows)
{
	auto *analyze = static_cast<Analyze *>(stats->extra_data);
	stats->extra_data = analyze->standard_data;
	analyze->standard(stats, fetch, sample_rows, total_rows);
	stats->extra_data = analyze;
	if (!stats->stats_valid)
		return;
	const std::span<const Datum> sample = fetch_values(stats, fetch, sample_rows);
	if (sample.size() < 2)
		return;
	auto *numbers =
		static_cast<float4 *>(MemoryContextAlloc(stats->anl_context, sizeof(float4) * analyze->profile->size));
	analyze->compute(sample, {numbers, analyze->profile->size});
	store_profile(stats, *analyze->profile, numbers);
}

} // namespace

double restriction_selectivity(const Profile &profile, PlannerInfo *root, List *args, int rel_id, double threshold)
{
	VariableStatData variable;
	Node *other;
	bool on_left;
	if (!get_restriction_variable(root, args, rel_id, &variable, &other, &on_left))
		return default_fraction;
	double selectivity = 0;
	if (!is_null_constant(other)) // NULL finds nothing
		selectivity = selectivity_of(profile, variable, threshold);
	ReleaseVariableStats(variable);
	return selectivity;
}

bool read_profile(const Profile &profile, PlannerInfo *root, List *args, int rel_id, float4 *numbers)
{
	VariableStatData variable;
	Node *other;
	bool on_left;
	if (!get_restriction_variable(root, args, rel_id, &variable, &other, &on_left))
		return false;
	const bool found = with_profile(
		profile, variable, [&](std::span<const float4> stored) { std::copy(stored.begin(), stored.end(), numbers); });
	ReleaseVariableStats(variable);
	return found;
}

double join_selectivity(const Profile &profile, PlannerInfo *root, List *args, SpecialJoinInfo *join, double threshold)
{
	VariableStatData a, b;
	bool reversed;
	get_join_variables(root, args, join, &a, &b, &reversed);
	double selectivity;
	if (join != nullptr && (join->jointype == JOIN_SEMI || join->jointype == JOIN_ANTI))
		selectivity = semi_join_selectivity(profile, reversed ? a : b, threshold) * not_null(reversed ? b : a);
	else
		selectivity = std::min(
			selectivity_of(profile, a, threshold) * not_null(b), selectivity_of(profile, b, threshold) * not_null(a));
	ReleaseVariableStats(a);
	ReleaseVariableStats(b);
	return selectivity;
}

double request_selectivity(const Profile &profile, const SupportRequestSelectivity &request, double threshold)
{
	if (list_length(request.args) < 2)
		return default_fraction;
	List *operands = list_make2(linitial(request.args), lsecond(request.args));
	return request.is_join ? join_selectivity(profile, request.root, operands, request.sjinfo, threshold)
						   : restriction_selectivity(profile, request.root, operands, request.varRelid, threshold);
}

List *arguments(Node *condition)
{
	return IsA(condition, OpExpr) ? ((OpExpr *) condition)->args : ((FuncExpr *) condition)->args;
}

List *probe_condition(const ProbeOperator &probe, const SupportRequestIndexCondition &request)
{
	List *args = arguments(request.node);
	auto *column = (Expr *) list_nth(args, request.indexarg);
	List *others = list_delete_nth_cell(list_copy(args), request.indexarg);
	for (int i = 0; i < list_length(others); ++i)
		if (!is_pseudo_constant_for_index(request.root, (Node *) list_nth(others, i), request.index))
			return NIL;
	const Oid constructor = find_constructor(probe, request.funcid, others);
	if (!OidIsValid(constructor))
		return NIL;
	const Oid probe_type = get_func_rettype(constructor);
	const Oid operator_oid =
		get_opfamily_member(request.opfamily, request.index->opcintype[request.indexcol], probe_type, probe.strategy);
	if (!OidIsValid(operator_oid))
		return NIL;
	auto *value = (Node *) makeFuncExpr(constructor, probe_type, others, InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	auto *operand = (Expr *) (probe.fold ? eval_const_expressions(request.root, value) : value);
	return list_make1(make_opclause(operator_oid, BOOLOID, false, column, operand, InvalidOid, InvalidOid));
}

namespace {

// The cost of a scan of the largest table of the query, and the number of its rows.
struct LargestScan {
	double cost, rows;
};

LargestScan largest_scan(const PlannerInfo &root)
{
	constexpr double operators_per_row = 3; // the COST of minhash_similar of 128 slots
	LargestScan largest{0, 1};
	for (int i = 1; i < root.simple_rel_array_size; ++i) {
		const RelOptInfo *rel = root.simple_rel_array[i];
		if (rel == nullptr || rel->reloptkind != RELOPT_BASEREL || rel->rtekind != RTE_RELATION)
			continue;
		const double rows = std::max(rel->tuples, 1.0);
		const double cost =
			rel->pages * seq_page_cost + rows * (cpu_tuple_cost + operators_per_row * cpu_operator_cost);
		if (cost > largest.cost)
			largest = {cost, rows};
	}
	return largest;
}

// True if the last argument, the threshold, is a parameter of the statement.
bool has_parameter(const SupportRequestCost &request)
{
	if (request.root == nullptr || request.node == nullptr || !IsA(request.node, FuncExpr))
		return false;
	const auto *threshold = (const Param *) llast(((const FuncExpr *) request.node)->args);
	return IsA(threshold, Param) && threshold->paramkind == PARAM_EXTERN;
}

SupportRequestCost *per_call(SupportRequestCost *request, double cost)
{
	request->startup = 0;
	request->per_tuple = cost;
	return request;
}

} // namespace

SupportRequestCost *cost_with_parameter(SupportRequestCost *request)
{
	if (!has_parameter(*request))
		return nullptr;
	const LargestScan scan = largest_scan(*request->root);
	constexpr double scans = 100; // large enough that LIMIT 1 does not make the scan cheaper either
	return per_call(request, std::max(scans * scan.cost / scan.rows, cpu_operator_cost));
}

SupportRequestCost *cost_of_probe(SupportRequestCost *request)
{
	return has_parameter(*request) ? per_call(request, 1.5 * largest_scan(*request->root).cost) : nullptr;
}

std::optional<double> threshold_to_check(const SupportRequestSimplify &request)
{
	List *args = request.fcall->args;
	return list_length(args) < 3 ? std::nullopt : constant_number((const Node *) lthird(args));
}

bool may_raise(FunctionCallInfo fcinfo)
{
	for (int i = 0; i < PG_NARGS(); ++i)
		if (!get_fn_expr_arg_stable(fcinfo->flinfo, i))
			return false;
	return true;
}

Node *equality_at_zero(const SupportRequestSimplify &request)
{
	List *args = request.fcall->args;
	if (constant_number((const Node *) lthird(args)) != 0.0)
		return nullptr;
	const Oid type = exprType((Node *) linitial(args));
	const Oid equality = lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr;
	if (!OidIsValid(equality))
		return nullptr;
	return (Node *) make_opclause(
		equality, BOOLOID, false, (Expr *) linitial(args), (Expr *) lsecond(args), InvalidOid, InvalidOid);
}

Datum analyze_with_profile(FunctionCallInfo fcinfo, const Profile &profile, ComputeProfile compute)
{
	auto *stats = (VacAttrStats *) PG_GETARG_POINTER(0);
	if (!std_typanalyze(stats))
		PG_RETURN_BOOL(false);
	auto *analyze = static_cast<Analyze *>(palloc(sizeof(Analyze)));
	*analyze = {stats->compute_stats, stats->extra_data, &profile, compute};
	stats->compute_stats = compute_statistics;
	stats->extra_data = analyze;
	PG_RETURN_BOOL(true);
}

} // namespace txtfp::pg

using namespace txtfp;

// Support function of to_minhash_probe(value, threshold) and similar functions.
TXTFP_FUNCTION(txtfp_probe_support)
{
	Node *node = (Node *) PG_GETARG_POINTER(0);
	PG_RETURN_POINTER(IsA(node, SupportRequestCost) ? pg::cost_of_probe((SupportRequestCost *) node) : nullptr);
}
