// `FROM docs, to_minhash128(b.body) AS q ORDER BY docs.fp <%> q LIMIT 5`: where the text is no constant of the statement,
// PostgreSQL computes q as a table of one row, and an index can order by an expression only, not by a column of another
// table. So the hook of the planner (conditions.cpp) puts the expression in the place of q, in ORDER BY alone: it is
// computed once for the search, and once more for each row of the result.
//
// An expression that costs much more than a fingerprint, such as an embedding by a service, is computed once, as written.
// A query whose conditions name q stays as it is: their index searches for the rows, which are few then.
#include "pg/index/planner.hpp"
#include "pg/sketch/sketch.hpp"

extern "C" {
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
}

namespace txtfp::pg {

namespace {

// What the joins of a query say about a table: does it stand among inner joins only, and does a condition name it?
struct Mentions {
	bool is_inner, in_condition;
};

void find_mentions(PlannerInfo *root, Node *node, int table, bool inner, Mentions &found)
{
	check_stack_depth();
	const auto conditions = [&](Node *quals) {
		found.in_condition = found.in_condition || bms_is_member(table, pull_varnos(root, quals));
	};
	if (IsA(node, RangeTblRef)) {
		found.is_inner = found.is_inner || (inner && ((RangeTblRef *) node)->rtindex == table);
	} else if (IsA(node, FromExpr)) {
		ListCell *cell;
		foreach (cell, ((FromExpr *) node)->fromlist)
			find_mentions(root, (Node *) lfirst(cell), table, inner, found);
		conditions(((FromExpr *) node)->quals);
	} else if (IsA(node, JoinExpr)) {
		const auto *join = (JoinExpr *) node;
		const bool both = inner && join->jointype == JOIN_INNER;
		find_mentions(root, join->larg, table, both, found);
		find_mentions(root, join->rarg, table, both, found);
		conditions(join->quals);
	}
}

// Ten times what the fingerprint of a text costs by the catalog; an embedding costs a hundred times as much.
bool is_cheap(PlannerInfo *root, Node *expression)
{
	QualCost cost;
	cost_qual_eval_node(&cost, expression, root);
	return cost.startup + cost.per_tuple <= 10'000 * cpu_operator_cost;
}

// The expression whose only value the column is; nullptr if it is another column.
Node *expression_of(PlannerInfo *root, Node *operand)
{
	if (!IsA(operand, Var))
		return nullptr;
	const auto *column = (Var *) operand;
	if (column->varlevelsup != 0 || column->varattno != 1)
		return nullptr;
	const RangeTblEntry *entry = root->simple_rte_array[column->varno];
	if (entry->rtekind != RTE_FUNCTION || entry->funcordinality || list_length(entry->functions) != 1)
		return nullptr;
	Node *expression = ((RangeTblFunction *) linitial(entry->functions))->funcexpr;
	Mentions found{};
	find_mentions(root, (Node *) root->parse->jointree, static_cast<int>(column->varno), true, found);
	const bool replaces = found.is_inner && !found.in_condition && exprType(expression) == column->vartype &&
		is_cheap(root, expression) && !expression_returns_set(expression) && !contain_volatile_functions(expression) &&
		!contain_var_clause(expression);
	return replaces ? expression : nullptr;
}

// Can an index of the table order by its value?
bool can_order(const RelOptInfo *rel, Node *value)
{
	ListCell *cell;
	foreach (cell, rel->indexlist) {
		const auto *index = (const IndexOptInfo *) lfirst(cell);
		if (!index->amcanorderbyop)
			continue;
		for (int i = 0; i < index->nkeycolumns; ++i)
			if (index->indexkeys[i] != 0 && IsA(value, Var) && ((Var *) value)->varattno == index->indexkeys[i])
				return true;
		if (list_member(index->indexprs, value))
			return true;
	}
	return false;
}

bool is_plain(const Query &query)
{
	return query.sortClause != NIL && query.limitCount != nullptr && query.groupClause == NIL &&
		query.groupingSets == NIL && query.distinctClause == NIL && query.setOperations == nullptr && !query.hasAggs &&
		!query.hasWindowFuncs && !query.hasTargetSRFs;
}

} // namespace

void replace_order_probe(PlannerInfo *root, const RelOptInfo *rel)
{
	if (!is_plain(*root->parse))
		return;
	TargetEntry *entry =
		get_sortgroupclause_tle((SortGroupClause *) linitial(root->parse->sortClause), root->processed_tlist);
	if (!IsA(entry->expr, OpExpr) || list_length(((OpExpr *) entry->expr)->args) != 2)
		return;
	List *operands = ((OpExpr *) entry->expr)->args;
	for (int i = 0; i < 2; ++i) {
		auto *value = (Node *) list_nth(operands, i);
		const Bitmapset *tables = pull_varnos(root, value);
		if (bms_membership(tables) != BMS_SINGLETON || bms_singleton_member(tables) != static_cast<int>(rel->relid) ||
			!can_order(rel, value))
			continue;
		Node *expression = expression_of(root, (Node *) list_nth(operands, 1 - i));
		if (expression == nullptr)
			continue;
		auto *ordered = (OpExpr *) copyObjectImpl(entry->expr);
		list_nth_cell(ordered->args, 1 - i)->ptr_value = copyObjectImpl(expression);
		entry->expr = (Expr *) ordered;
		return;
	}
}

} // namespace txtfp::pg
