// What the searches of a trigger run in: SPI, the rights of the table's owner without row security, and planner settings of their
// own, so that what they find does not depend on the session that writes.
#pragma once

extern "C" {
#include "postgres.h"
}

namespace txtfp::pg {

// From enter_search_scope to leave_search_scope the current user is `owner` and the current memory context is SPI's, which
// leave_search_scope frees. An error between the two needs no call: the end of the transaction or subtransaction restores all.
struct SearchScope {
	Oid user;               // of the caller
	int security, settings; // the caller's security context; the nest level of the settings
};
SearchScope enter_search_scope(Oid owner);
void leave_search_scope(const SearchScope &scope);

// The planner settings alone, for a function that keeps its caller's rights. Returns the nest level for AtEOXact_GUC(true, …).
int enter_search_settings();

} // namespace txtfp::pg
