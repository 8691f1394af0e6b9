/*
 * Makes the planner take indexes for ones that do not exist yet, as advisors of indexes do: to be loaded into a session.
 */
#include "postgres.h"

#include "fmgr.h"
#include "optimizer/plancat.h"

PG_MODULE_MAGIC;

void _PG_init(void);

static get_relation_info_hook_type previous;

static void pretend(PlannerInfo *root, Oid table, bool inherited, RelOptInfo *rel)
{
	ListCell *cell;

	if (previous != NULL)
		previous(root, table, inherited, rel);
	foreach(cell, rel->indexlist)
		((IndexOptInfo *) lfirst(cell))->hypothetical = true;
}

void _PG_init(void)
{
	previous = get_relation_info_hook;
	get_relation_info_hook = pretend;
}
