#include "pg/sketch/gist_cost.hpp"

extern "C" {
#include "catalog/pg_amop.h"
#include "utils/index_selfuncs.h"
#include "utils/syscache.h"
}

namespace txtfp::pg {

namespace {

Node *expression_of(const IndexOptInfo &index, int column)
{
	return (Node *) ((TargetEntry *) list_nth(index.indextlist, column))->expr;
}

// The column of a GiST index that has the same values and the operator; −1: it has none.
int column_for(const IndexOptInfo &gist, Node *values, const Expr *use, char purpose)
{
	if (!IsA(use, OpExpr))
		return -1;
	const Oid op = ((const OpExpr *) use)->opno;
	for (int column = 0; column < gist.nkeycolumns; ++column)
		if (equal(expression_of(gist, column), values) &&
			SearchSysCacheExists3(
				AMOPOPID, ObjectIdGetDatum(op), CharGetDatum(purpose), ObjectIdGetDatum(gist.opfamily[column])))
			return column;
	return -1;
}

// The path through another index: its conditions, and its ordering. False if the index does not have them all.
bool move_path(IndexPath &path, IndexOptInfo &gist, Node *values, int last)
{
	List *clauses = NIL;
	ListCell *cell;
	foreach (cell, path.indexclauses) {
		const auto *clause = (const IndexClause *) lfirst(cell);
		if (clause->indexcol != last)
			continue;
		const int column =
			column_for(gist, values, ((const RestrictInfo *) linitial(clause->indexquals))->clause, AMOP_SEARCH);
		if (column < 0)
			return false;
		auto *moved = (IndexClause *) palloc(sizeof(IndexClause));
		*moved = *clause;
		moved->indexcol = static_cast<AttrNumber>(column);
		clauses = lappend(clauses, moved);
	}
	foreach (cell, path.indexorderbys)
		if (column_for(gist, values, (const Expr *) lfirst(cell), AMOP_ORDER) < 0)
			return false;
	path.indexinfo = &gist;
	path.indexclauses = clauses;
	return clauses != NIL || path.indexorderbys != NIL;
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
		IndexPath same = path;
		if ((void *) gist->amcostestimate != (void *) gistcostestimate || (gist->indpred != NIL && !gist->predOK) ||
			!move_path(same, *gist, values, last))
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
