// `jaccard(fp, q) >= 0.8` and `fp <%> q < 0.2` compare numbers, with operators of PostgreSQL, which does not ask the
// extension whether an index could serve them. So a hook of the planner replaces such a condition by a function that
// means the same, `_exactly_similar(fp, q, 0.8)`, before PostgreSQL distributes the conditions to the tables of a query;
// conditions of joins and within OR are replaced, too.
//
// The answer does not change, whatever indexes there are and become: only an operator of this access method serves the
// function, and a search by that operator finds every row, also where the recall of the index or of the session is below
// 1. A condition stays as it is if an index on the number itself, or a partial one, needs it as it was written.
#include <bit>
#include <cmath>
#include <limits>

#include "pg/base/given_value.hpp"
#include "pg/base/identity.hpp"
#include "pg/fingerprint/fingerprint_kinds.hpp"
#include "pg/index/search_kind.hpp"
#include "pg/sketch/sketch.hpp"

extern "C" {
#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/plancat.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
}

TXTFP_DECLARE(txtfp_jaccard);
TXTFP_DECLARE(txtfp_jaccard_distance);
TXTFP_DECLARE(txtfp_compact_jaccard);
TXTFP_DECLARE(txtfp_compact_jaccard_distance);
TXTFP_DECLARE(txtfp_hamming);
TXTFP_DECLARE(txtfp_tlsh_distance);
TXTFP_DECLARE(txtfp_lavinhash_similarity);
TXTFP_DECLARE(txtfp_lavinhash_distance);

namespace txtfp::pg {

namespace {

// `number < limit`; `is_less` is false for `>`, `or_equal` true for `<=` and `>=`.
struct Comparison {
	Node *number;
	double limit;
	bool is_less, or_equal;
};

// A function of two values that a condition may compare.
struct Measure {
	PGFunction code;
	bool is_similarity;
	double third = 0; // the value that its third argument, if it has one, must have
};

constexpr Measure measures[] = {{txtfp_jaccard, true}, {txtfp_jaccard_distance, false}, {txtfp_compact_jaccard, true},
	{txtfp_compact_jaccard_distance, false}, {txtfp_hamming, false}, {txtfp_tlsh_distance, false, 1},
	{txtfp_lavinhash_similarity, true, 0.3}, {txtfp_lavinhash_distance, false}};

// ---- reading a condition

bool read_constant(Node *node, double *value)
{
	if (const auto truth = constant_value(node, ValueType{BOOLOID}))
		*value = DatumGetBool(*truth) ? 1 : 0;
	else if (const auto number = constant_number(node); number && !std::isnan(*number))
		*value = *number;
	else
		return false;
	return true;
}

bool read_operator(Oid function, Comparison *comparison)
{
	switch (function) {
	case F_FLOAT8LT:
	case F_INT4LT:
		comparison->is_less = true, comparison->or_equal = false;
		return true;
	case F_FLOAT8LE:
	case F_INT4LE:
		comparison->is_less = comparison->or_equal = true;
		return true;
	case F_FLOAT8GT:
	case F_INT4GT:
		comparison->is_less = comparison->or_equal = false;
		return true;
	case F_FLOAT8GE:
	case F_INT4GE:
		comparison->is_less = false, comparison->or_equal = true;
		return true;
	default:
		return false;
	}
}

List *arguments_of(Node *number)
{
	return IsA(number, FuncExpr) ? ((FuncExpr *) number)->args : IsA(number, OpExpr) ? ((OpExpr *) number)->args : NIL;
}

Oid function_of(Node *number)
{
	return IsA(number, FuncExpr) ? ((const FuncExpr *) number)->funcid : get_opcode(((const OpExpr *) number)->opno);
}

// A number is a function of two values of one type, which is not one of PostgreSQL's.
bool read_comparison(Node *node, Comparison *comparison)
{
	auto *condition = (OpExpr *) node;
	if (!IsA(node, OpExpr) || list_length(condition->args) != 2 ||
		!read_operator(get_opcode(condition->opno), comparison))
		return false;
	auto *left = (Node *) linitial(condition->args), *right = (Node *) lsecond(condition->args);
	if (IsA(left, Const)) {
		std::swap(left, right);
		comparison->is_less = !comparison->is_less;
	}
	comparison->number = left;
	List *args = arguments_of(left);
	return read_constant(right, &comparison->limit) && list_length(args) >= 2 &&
		exprType((Node *) linitial(args)) >= FirstNormalObjectId &&
		exprType((Node *) linitial(args)) == exprType((Node *) lsecond(args));
}

// ---- the limit of a search

// The least similarity whose distance, 1 − similarity, fulfils the comparison; above 1 if there is none. Rounding makes
// the distance of different similarities equal, so it is searched for. Positive numbers are in the order of their bits.
double least_similarity(double distance, bool or_equal)
{
	std::uint64_t low = 0, high = std::bit_cast<std::uint64_t>(std::nextafter(1.0, 2.0));
	while (low < high) {
		const std::uint64_t middle = low + (high - low) / 2;
		const double found = 1 - std::bit_cast<double>(middle);
		if (or_equal ? found <= distance : found < distance)
			high = middle;
		else
			low = middle + 1;
	}
	return std::bit_cast<double>(low);
}

// The limit of the kind's search that finds the same rows. False if none does: `distance > 3`, or a limit out of range.
bool search_limit(const core::Kind &kind, const Measure &measure, const Comparison &comparison, double *limit)
{
	if (measure.is_similarity == comparison.is_less)
		return false;
	if (kind.unit == core::MeasureUnit::similarity) {
		if (!measure.is_similarity)
			*limit = least_similarity(comparison.limit, comparison.or_equal);
		else
			*limit = comparison.or_equal ? comparison.limit : std::nextafter(comparison.limit, 2.0);
	} else {
		*limit = comparison.limit + (comparison.or_equal ? 0 : measure.is_similarity ? 1 : -1);
		if (measure.is_similarity == kind.has_distance())
			*limit = kind.max_limit - *limit;
	}
	return *limit >= 0 && *limit <= kind.max_limit;
}

// ---- replacing

const Measure *measure_of(Node *number)
{
	const PGFunction code = code_of(function_of(number));
	List *args = arguments_of(number);
	for (const Measure &measure : measures)
		if (measure.code == code) {
			double third;
			return list_length(args) == 2 || (read_constant((Node *) lthird(args), &third) && third == measure.third)
				? &measure
				: nullptr;
		}
	return nullptr;
}

Node *make_limit(Oid type, double limit)
{
	if (type == FLOAT8OID)
		return (Node *) makeConst(type, -1, InvalidOid, 8, Float8GetDatum(limit), false, FLOAT8PASSBYVAL);
	return (Node *) makeConst(type, -1, InvalidOid, 4, Int32GetDatum(static_cast<int>(limit)), false, true);
}

// The condition as a search, or nullptr.
Node *as_search(PlannerInfo *root, const Comparison &comparison)
{
	const Measure *measure = measure_of(comparison.number);
	if (measure == nullptr)
		return nullptr;
	const Oid type = exprType((Node *) linitial(arguments_of(comparison.number)));
	const FingerprintKind *kind = find_kind(type, use_pairs);
	double limit;
	if (kind == nullptr || kind->search == nullptr || !search_limit(*kind, *measure, comparison, &limit))
		return nullptr;
	const Oid limit_type = kind->unit == core::MeasureUnit::similarity ? FLOAT8OID : INT4OID;
	const Oid types[] = {type, type, limit_type};
	const Oid function = find_function(exact_search_function, types, kind->search->exact);
	if (!OidIsValid(function))
		return nullptr;
	List *args = list_copy_head(arguments_of(comparison.number), 2);
	args = lappend(args, make_limit(limit_type, limit));
	return eval_const_expressions(
		root, (Node *) makeFuncExpr(function, BOOLOID, args, InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL));
}

// Is there an index of the table on the number, or one whose predicate is the condition?
bool is_needed(const RelOptInfo *rel, Node *condition, Node *number)
{
	ListCell *cell;
	foreach (cell, rel->indexlist) {
		const auto *index = (const IndexOptInfo *) lfirst(cell);
		if (list_member(index->indexprs, number) || list_member(index->indpred, condition))
			return true;
	}
	return false;
}

Node *replacement(PlannerInfo *root, const RelOptInfo *rel, Node *condition)
{
	Comparison comparison;
	if (!read_comparison(condition, &comparison) ||
		!bms_is_member(static_cast<int>(rel->relid), pull_varnos(root, comparison.number)) ||
		is_needed(rel, condition, comparison.number))
		return nullptr;
	return as_search(root, comparison);
}

void replace_in_list(PlannerInfo *root, const RelOptInfo *rel, List *conditions)
{
	check_stack_depth();
	ListCell *cell;
	foreach (cell, conditions) {
		auto *condition = (Node *) lfirst(cell);
		if (IsA(condition, BoolExpr))
			replace_in_list(root, rel, ((BoolExpr *) condition)->args);
		else if (Node *search = replacement(root, rel, condition))
			lfirst(cell) = search;
	}
}

void replace_in_joins(PlannerInfo *root, const RelOptInfo *rel, Node *node)
{
	check_stack_depth();
	if (IsA(node, FromExpr)) {
		ListCell *cell;
		foreach (cell, ((FromExpr *) node)->fromlist)
			replace_in_joins(root, rel, (Node *) lfirst(cell));
		replace_in_list(root, rel, (List *) ((FromExpr *) node)->quals);
	} else if (IsA(node, JoinExpr)) {
		replace_in_joins(root, rel, ((JoinExpr *) node)->larg);
		replace_in_joins(root, rel, ((JoinExpr *) node)->rarg);
		replace_in_list(root, rel, (List *) ((JoinExpr *) node)->quals);
	}
}

// PostgreSQL has prepared the conditions, as lists, and not yet distributed them to the tables.
void replace_conditions(PlannerInfo *root, const RelOptInfo *rel, const RangeTblEntry *entry)
{
	if (rel->reloptkind != RELOPT_BASEREL || entry->rtekind != RTE_RELATION || root->parse->jointree == nullptr ||
		(entry->relkind != RELKIND_RELATION && entry->relkind != RELKIND_PARTITIONED_TABLE &&
			entry->relkind != RELKIND_MATVIEW))
		return;
	replace_in_joins(root, rel, (Node *) root->parse->jointree);
	replace_order_probe(root, rel);
}

#if PG_VERSION_NUM >= 190000
build_simple_rel_hook_type hook_before;

void consider_table(PlannerInfo *root, RelOptInfo *rel, RangeTblEntry *entry)
{
	if (hook_before != nullptr)
		hook_before(root, rel, entry);
	replace_conditions(root, rel, entry);
}
#else
get_relation_info_hook_type hook_before;

void consider_table(PlannerInfo *root, Oid table, bool is_parent, RelOptInfo *rel)
{
	if (hook_before != nullptr)
		hook_before(root, table, is_parent, rel);
	replace_conditions(root, rel, root->simple_rte_array[rel->relid]);
}
#endif

} // namespace

void plan_conditions()
{
	static bool is_installed = false;
	if (is_installed)
		return;
	is_installed = true;
#if PG_VERSION_NUM >= 190000
	hook_before = build_simple_rel_hook;
	build_simple_rel_hook = consider_table;
#else
	hook_before = get_relation_info_hook;
	get_relation_info_hook = consider_table;
#endif
}

} // namespace txtfp::pg
