#include "pg/sketch/gist_cost.hpp"

extern "C" {
#include "utils/index_selfuncs.h"
#include "utils/lsyscache.h"
}

namespace txtfp::pg {

namespace {

Node *expression_of(const IndexOptInfo &index, int column)
{
	return (Node *) ((TargetEntry *) list_nth(index.indextlist, column))->expr;
}

// The column of a GiST index that has the same values and can be searched by the operator; −1: it has none.
int column_for(const IndexOptInfo &gist, Node *values, Oid op)
{
	for (int column = 0; column < gist.nkeycolumns; ++column)
		if (equal(expression_of(gist, column), values) && op_in_opfamily(op, gist.opfamily[column]))
			return column;
	return -1;
}

} // namespace

bool estimate_gist(PlannerInfo *root, const IndexPath &path, double loops, Cost *startup, Cost *total)
{
	const IndexOptInfo &own = *path.indexinfo;
	const int last = own.nkeycolumns - 1;
	Node *values = expression_of(own, last);
	bool found = false;
	ListCell *cell;
	foreach (cell, own.rel->indexlist) {
		auto *gist = (IndexOptInfo *) lfirst(cell);
		if ((void *) gist->amcostestimate != (void *) gistcostestimate || (gist->indpred != NIL && !gist->predOK))
			continue;
		IndexPath same = path;
		same.indexinfo = gist;
		same.indexclauses = NIL;
		ListCell *clause_cell;
		foreach (clause_cell, path.indexclauses) {
			const auto *clause = (const IndexClause *) lfirst(clause_cell);
			const auto *condition = (const OpExpr *) ((const RestrictInfo *) linitial(clause->indexquals))->clause;
			if (clause->indexcol != last || !IsA(condition, OpExpr))
				continue;
			const int column = column_for(*gist, values, condition->opno);
			if (column < 0)
				continue;
			auto *moved = (IndexClause *) palloc(sizeof(IndexClause));
			*moved = *clause;
			moved->indexcol = static_cast<AttrNumber>(column);
			same.indexclauses = lappend(same.indexclauses, moved);
		}
		if (same.indexclauses == NIL)
			continue;
		Cost its_startup, its_total;
		Selectivity selectivity;
		double correlation, pages;
		gistcostestimate(root, &same, loops, &its_startup, &its_total, &selectivity, &correlation, &pages);
		if (found && its_total >= *total)
			continue;
		*startup = its_startup;
		*total = its_total;
		found = true;
	}
	return found;
}

} // namespace txtfp::pg
