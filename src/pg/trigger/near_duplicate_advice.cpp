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

// A search is a scan of one table, or of its partitions below an Append, under a LIMIT.
void examine(const Plan *plan, Finding &finding)
{
	if (plan == nullptr || OidIsValid(finding.table) || OidIsValid(finding.pending))
		return;
	if (IsA(plan, SeqScan)) {
		const Oid table = scanned_table(finding, *(const Scan *) plan);
		if (!is_small(table))
			finding.table = table;
	} else if (IsA(plan, BitmapHeapScan) && IsA(plan->lefttree, BitmapIndexScan)) {
		const Oid index = ((const BitmapIndexScan *) plan->lefttree)->indexid;
		if (!is_small(scanned_table(finding, *(const Scan *) plan)) && has_pending_list(index))
			finding.pending = index;
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

} // namespace

bool advise_on_index(SPIPlanPtr plan, const NearDuplicateCheck &check)
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
				errhint("Create one: CREATE INDEX ON %s USING %s (%s).", name_of(check.searched.table),
					check.kind->unit == MeasureUnit::passages ? "gin" : "sketch",
					quote_identifier(get_attname(check.searched.table, check.searched.fingerprint, false)))));
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
