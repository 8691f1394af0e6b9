// What is done on a table for somebody else runs with the rights of the table's owner: the owner chose the functions
// that it calls, in expressions of indexes, constraints and triggers, and these must not run with the rights of whoever
// happens to cause the call. REINDEX and the checks of foreign keys do the same.
#pragma once

#include "pg/base/pg.hpp"

extern "C" {
#include "utils/rel.h"
}

namespace txtfp::pg {

struct OwnerRights {
	Oid user; // the caller
	int security, settings;
};

// Switches to the owner, in a security-restricted operation: what runs cannot leave the role, nor leave anything behind
// that runs later. The search path has pg_catalog alone, so the caller cannot substitute functions that the owner's
// code calls. `security`: further flags of the security context. After an error PostgreSQL restores the caller's rights
// itself.
OwnerRights assume_owner(Oid owner, int security = 0);
void restore_caller(const OwnerRights &rights); // and the settings that were changed meanwhile

// Opens and locks a table, and then assumes the rights of its owner. From here to leave_owned_table nobody can replace
// the table by something else or give it to another owner. Raises an error (42809) if it is neither a table nor a
// partitioned table.
struct OwnedTable {
	Relation table;
	OwnerRights rights;
};
OwnedTable enter_owned_table(Oid table, int security = 0);
void leave_owned_table(const OwnedTable &owned); // the lock stays until the end of the transaction

} // namespace txtfp::pg
