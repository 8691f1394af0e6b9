#include "pg/base/owner_rights.hpp"

extern "C" {
#include "miscadmin.h"
#include "utils/guc.h"
}

namespace txtfp::pg {

OwnerRights assume_owner(Oid owner)
{
	OwnerRights rights{};
	GetUserIdAndSecContext(&rights.user, &rights.security);
	SetUserIdAndSecContext(owner, rights.security | SECURITY_RESTRICTED_OPERATION);
	rights.settings = NewGUCNestLevel();
#if PG_VERSION_NUM >= 170000
	RestrictSearchPath();
#endif
	return rights;
}

void restore_caller(const OwnerRights &rights)
{
	AtEOXact_GUC(false, rights.settings);
	SetUserIdAndSecContext(rights.user, rights.security);
}

} // namespace txtfp::pg
