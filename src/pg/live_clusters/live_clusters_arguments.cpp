#include "pg/live_clusters/live_clusters_arguments.hpp"

extern "C" {
#include "catalog/pg_class.h"
#include "parser/parse_func.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
}

namespace txtfp::pg {

const char *name_argument(FunctionCallInfo fcinfo, int i)
{
	return PG_ARGISNULL(i) ? nullptr : pstrdup(NameStr(*PG_GETARG_NAME(i)));
}

const char *needed_name(FunctionCallInfo fcinfo, int i, const char *argument)
{
	if (PG_ARGISNULL(i))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not be null", argument)));
	return name_argument(fcinfo, i);
}

Oid relation_argument(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(0))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("relation must not be null")));
	return PG_GETARG_OID(0);
}

void check_owner(Relation table)
{
	const Oid oid = RelationGetRelid(table);
#if PG_VERSION_NUM >= 160000
	const bool owns = object_ownercheck(RelationRelationId, oid, GetUserId());
#else
	const bool owns = pg_class_ownercheck(oid, GetUserId());
#endif
	if (!owns)
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(table->rd_rel->relkind), RelationGetRelationName(table));
}

Oid trigger_function(FunctionCallInfo fcinfo)
{
	return LookupFuncName(list_make2(makeString(get_namespace_name(get_func_namespace(fcinfo->flinfo->fn_oid))),
							  makeString(pstrdup(live_clusters_trigger_name))),
		0, nullptr, false);
}

Clusters &clusters_argument(FunctionCallInfo fcinfo, Relation table, int i)
{
	const Trigger &trigger = find_clusters_trigger(table, name_argument(fcinfo, i), trigger_function(fcinfo));
	return clusters_of(table, trigger, get_func_namespace(fcinfo->flinfo->fn_oid));
}

} // namespace txtfp::pg
