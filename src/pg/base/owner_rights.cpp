#include "pg/base/owner_rights.hpp"

#include "pg/base/local_setting.hpp"
#include "pg/base/table_shape.hpp"

extern "C" {
#include "access/table.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/rel.h"
}

namespace txtfp::pg {

OwnerRights assume_owner(Oid owner, int security)
{
	OwnerRights rights{};
	GetUserIdAndSecContext(&rights.user, &rights.security);
	SetUserIdAndSecContext(owner, rights.security | SECURITY_RESTRICTED_OPERATION | security);
	rights.settings = NewGUCNestLevel();
	set_locally("search_path", "pg_catalog, pg_temp");
	return rights;
}

void restore_caller(const OwnerRights &rights)
{
	AtEOXact_GUC(false, rights.settings);
	SetUserIdAndSecContext(rights.user, rights.security);
}

OwnedTable enter_owned_table(Oid oid, int security)
{
	Relation table = open_known_table(oid, AccessShareLock);
	const char kind = table->rd_rel->relkind;
	if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE)
		ereport(ERROR,
			(errcode(ERRCODE_WRONG_OBJECT_TYPE), errmsg("\"%s\" is not a table", RelationGetRelationName(table)),
				errdetail_relkind_not_supported(kind)));
	return {table, assume_owner(table->rd_rel->relowner, security)};
}

void leave_owned_table(const OwnedTable &owned)
{
	restore_caller(owned.rights);
	table_close(owned.table, NoLock);
}

} // namespace txtfp::pg
