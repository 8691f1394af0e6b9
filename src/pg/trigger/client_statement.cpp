#include "pg/trigger/client_statement.hpp"

extern "C" {
#include "access/genam.h"
#include "catalog/index.h"
#include "catalog/partition.h"
#include "nodes/plannodes.h"
#include "parser/parsetree.h"
#include "tcop/pquery.h"
#include "utils/lsyscache.h"
}

namespace txtfp::pg {

namespace {

// Calls fn(plan, statement) for what the statement does and what its parts do, WITH x AS (INSERT …), until it returns
// true.
template <typename Fn> bool any_plan(const Fn &fn)
{
	if (ActivePortal == nullptr)
		return false;
	ListCell *cell, *part;
	foreach (cell, ActivePortal->stmts) {
		const auto *statement = lfirst_node(PlannedStmt, cell);
		if (statement->utilityStmt != nullptr)
			continue;
		if (fn(statement->planTree, *statement))
			return true;
		foreach (part, statement->subplans)
			if (fn(static_cast<const Plan *>(lfirst(part)), *statement))
				return true;
	}
	return false;
}

bool is_copy()
{
	ListCell *cell;
	if (ActivePortal != nullptr)
		foreach (cell, ActivePortal->stmts)
			if (const Node *utility = lfirst_node(PlannedStmt, cell)->utilityStmt;
				utility != nullptr && IsA(utility, CopyStmt))
				return true;
	return false;
}

bool is_partition_of(Relation table, Oid whole)
{
	if (RelationGetRelid(table) == whole)
		return true;
	return table->rd_rel->relispartition && list_member_oid(get_partition_ancestors(RelationGetRelid(table)), whole);
}

bool has_column(Oid index_oid, const char *column)
{
	Relation index = index_open(index_oid, AccessShareLock);
	bool has = false;
	for (int i = 0; i < index->rd_index->indnkeyatts; ++i)
		if (const AttrNumber number = index->rd_index->indkey.values[i]; number > 0)
			has |= strcmp(get_attname(index->rd_index->indrelid, number, false), column) == 0;
	index_close(index, AccessShareLock);
	return has;
}

} // namespace

bool statement_writes_many_rows()
{
	constexpr double many = 1.5; // between one row and two: the planner's estimates are whole numbers
	return is_copy() || any_plan([](const Plan *plan, const PlannedStmt &) {
		return plan != nullptr && IsA(plan, ModifyTable) && outerPlan(plan) != nullptr &&
			outerPlan(plan)->plan_rows > many;
	});
}

Oid conflict_index_without(Relation table, const char *column)
{
	Oid without = InvalidOid;
	(void) any_plan([&](const Plan *plan, const PlannedStmt &statement) {
		if (plan == nullptr || !IsA(plan, ModifyTable))
			return false;
		const auto &write = *(const ModifyTable *) plan;
		if (write.onConflictAction != ONCONFLICT_UPDATE ||
			!is_partition_of(table, rt_fetch(linitial_int(write.resultRelations), statement.rtable)->relid))
			return false;
		ListCell *cell;
		foreach (cell, write.arbiterIndexes)
			if (!has_column(lfirst_oid(cell), column))
				without = lfirst_oid(cell);
		return OidIsValid(without);
	});
	return without;
}

} // namespace txtfp::pg
