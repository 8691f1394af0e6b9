// Switches to the rights of a table's owner while expressions of its indexes are evaluated: the owner chose their functions, and
// these must not run with the rights of the user who inspects the index. REINDEX and amcheck do the same.
#pragma once

#include "pg/base/pg.hpp"

namespace txtfp::pg {

struct OwnerRights {
	Oid user; // the caller
	int security, settings;
};

// Switches to the owner, in a security-restricted operation. After an error PostgreSQL restores the caller's rights itself.
OwnerRights assume_owner(Oid owner);
void restore_caller(const OwnerRights &rights); // and the settings that the owner's functions have changed

} // namespace txtfp::pg
