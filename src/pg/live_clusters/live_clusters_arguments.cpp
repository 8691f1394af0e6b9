#include "pg/live_clusters/live_clusters_arguments.hpp"

extern "C" {
#include "access/table.h"
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
	const Oid relation = PG_GETARG_OID(0);
	if (get_rel_relkind(relation) == '\0')
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE), errmsg("relation with OID %u does not exist", relation)));
	return relation;
}

namespace {

void check_owner(Oid table)
{
	const char *name = get_rel_name(table);
	if (name == nullptr)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE), errmsg("relation with OID %u does not exist", table)));
#if PG_VERSION_NUM >= 160000
	const bool owns = object_ownercheck(RelationRelationId, table, GetUserId());
#else
	const bool owns = pg_class_ownercheck(table, GetUserId());
#endif
	if (!owns)
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(get_rel_relkind(table)), name);
}

} // namespace

Relation open_own_table(Oid oid, LOCKMODE mode)
{
	check_owner(oid);
	Relation table = open_known_table(oid, mode);
	check_owner(oid); // it may have been given to somebody else meanwhile
	return table;
}

Oid trigger_function(FunctionCallInfo fcinfo)
{
	return LookupFuncName(list_make2(makeString(get_namespace_name(get_func_namespace(fcinfo->flinfo->fn_oid))),
							  makeString(pstrdup(live_clusters_trigger_name))),
		0, nullptr, false);
}

} // namespace txtfp::pg
