#include "pg/trigger/near_duplicate_advice.hpp"

extern "C" {
#include "access/gin_private.h"
#include "access/relation.h"
#include "catalog/pg_am.h"
#include "nodes/plannodes.h"
#include "parser/parsetree.h"
#include "storage/bufmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/rel.h"
}

namespace txtfp::pg {

namespace {

constexpr BlockNumber small_table_blocks = 1024 * 1024 / BLCKSZ;

// A reason for a warning that has been found in a plan.
struct Finding {
	const PlannedStmt *statement;
	Oid table;   // a large table that is scanned
	Oid pending; // or a GIN index with a pending list
};

bool is_small(Oid oid)
{
	Relation table = relation_open(oid, AccessShareLock);
	const bool result = RelationGetNumberOfBlocks(table) < small_table_blocks;
	relation_close(table, AccessShareLock);
	return result;
}

bool has_pending_list(Oid oid)
{
	Relation index = relation_open(oid, AccessShareLock);
	const bool result = index->rd_rel->relam == GIN_AM_OID && GinGetUseFastUpdate(index);
	relation_close(index, AccessShareLock);
	return result;
}

Oid scanned_table(const Finding &finding, const Scan &scan)
{
	return rt_fetch(scan.scanrelid, finding.statement->rtable)->relid;
}

// A bitmap of one index, or of several.
void examine_bitmap(const Plan *plan, Oid table, Finding &finding)
{
	if (IsA(plan, BitmapIndexScan)) {
		const Oid index = ((const BitmapIndexScan *) plan)->indexid;
		if (!is_small(table) && has_pending_list(index))
			finding.pending = index;
	} else if (IsA(plan, BitmapAnd)) {
		const ListCell *cell;
		foreach (cell, ((const BitmapAnd *) plan)->bitmapplans)
			examine_bitmap((const Plan *) lfirst(cell), table, finding);
	}
}

// A search is a scan of one table, or of its partitions below an Append, under a LIMIT.
void examine(const Plan *plan, Finding &finding)
{
	if (plan == nullptr || OidIsValid(finding.table) || OidIsValid(finding.pending))
		return;
	if (IsA(plan, SeqScan)) {
		const Oid table = scanned_table(finding, *(const Scan *) plan);
		if (!is_small(table))
			finding.table = table;
	} else if (IsA(plan, BitmapHeapScan)) {
		examine_bitmap(plan->lefttree, scanned_table(finding, *(const Scan *) plan), finding);
	} else if (IsA(plan, Append)) {
		const ListCell *cell;
		foreach (cell, ((const Append *) plan)->appendplans)
			examine((const Plan *) lfirst(cell), finding);
	} else {
		examine(plan->lefttree, finding);
	}
}

const char *name_of(Oid relation)
{
	return quote_qualified_identifier(get_namespace_name(get_rel_namespace(relation)), get_rel_name(relation));
}

// The column by which a search should use an index: its own, or of several the first one that an index serves.
int indexed_column(const NearDuplicateCheck &check, int search)
{
	int column = search;
	if (check.columns.match == Match::all)
		while (column + 1 < check.columns.count && check.columns.list[column].kind->similar == nullptr)
			++column;
	return column;
}

int index_hint(const NearDuplicateCheck &check, int column)
{
	const FingerprintKind &kind = *check.columns.list[column].kind;
	const char *table = name_of(check.searched.table),
			   *name = quote_identifier(get_attname(check.searched.table, check.searched.fingerprints[column], false));
	if (kind.similar == nullptr)
		return errhint("No index serves columns of type %s. Compare a column GENERATED ALWAYS AS (to_simhash64(%s)) "
					   "STORED instead, or use match=all with a column that has an index.",
			kind.type, name);
	return errhint("Create one: CREATE INDEX ON %s USING %s (%s).", table,
		kind.unit == MeasureUnit::passages ? "gin" : "sketch", name);
}

} // namespace

bool advise_on_index(SPIPlanPtr plan, const NearDuplicateCheck &check, int search)
{
	CachedPlan *cached = SPI_plan_get_cached_plan(plan);
	if (cached == nullptr)
		return false;
	Finding finding{linitial_node(PlannedStmt, cached->stmt_list), InvalidOid, InvalidOid};
	examine(finding.statement->planTree, finding);
	if (OidIsValid(finding.table))
		ereport(WARNING,
			(errmsg("each check for near-duplicates reads the whole of relation \"%s\"", get_rel_name(finding.table)),
				errdetail("No index serves this trigger's threshold."),
				index_hint(check, indexed_column(check, search))));
	if (OidIsValid(finding.pending))
		ereport(WARNING,
			(errmsg("each check for near-duplicates reads the pending list of index \"%s\"",
				 get_rel_name(finding.pending)),
				errhint("Switch it off with ALTER INDEX %s SET (fastupdate = off), then VACUUM the table; or create an "
						"index USING sketch instead.",
					name_of(finding.pending))));
	ReleaseCachedPlan(cached, CurrentResourceOwner);
	return OidIsValid(finding.table) || OidIsValid(finding.pending);
}

} // namespace txtfp::pg
