// The environment of a trigger's searches: an SPI connection, the rights of the table's owner without row security, and
// planner settings, so that the result does not depend on the settings and rights of the writing session.
#pragma once

#include "pg/base/owner_rights.hpp"

namespace txtfp::pg {

// From enter_search_scope to leave_search_scope the table is open and locked, the current user is its owner, and the
// current memory context is SPI's, which leave_search_scope frees. An error between the two needs no call: the end of
// the transaction or subtransaction restores all.
using SearchScope = OwnedTable;
SearchScope enter_search_scope(Oid table);
void leave_search_scope(const SearchScope &scope);

// The planner settings alone, for a function that keeps its caller's rights. Returns the nest level for
// AtEOXact_GUC(true, …).
int enter_search_settings();

} // namespace txtfp::pg
