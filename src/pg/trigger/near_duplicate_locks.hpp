// What keeps two sessions from letting in near-duplicates of each other: advisory locks until the end of the transaction.
// Every check holds the lock of the table in share mode and the keys of its value exclusively; two values within the
// threshold have a key in common (core/trigger/lock_keys.hpp). A transaction that would hold too many keys takes the lock of the
// table exclusively instead.
// In pg_locks: locktype advisory; of a table: classid = its OID, objid = 0, objsubid = 21752; of a key: objsubid = 21751.
#pragma once

#include <cstdint>
#include <span>

#include "pg/base/pg.hpp"

namespace txtfp::pg {

// `keys` ascending, so that no two checks wait for each other; whole_table: lock that and no keys.
void lock_near_duplicates(Oid table, std::span<const std::uint64_t> keys, bool whole_table);

} // namespace txtfp::pg
