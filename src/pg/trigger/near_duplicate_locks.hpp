// What keeps two sessions from letting in near-duplicates of each other: advisory locks until the end of the transaction.
//
// Two values within the threshold have a key in common (core/trigger/lock_keys.hpp). A transaction writes a row in one of two ways:
//
//   by keys   It locks the keys of the row exclusively. While it takes them, and no longer, it holds the gate of the table in
//             share mode, and it waits for nothing: if another has a key, it gives back what it took for this row, waits, and
//             begins again. Beside the keys it holds the mark of the table in share mode.
//   alone     It holds the gate exclusively: nobody else can take keys. Those that others took before still count, so it waits
//             for the keys of its row without keeping them, until it gets the mark exclusively: then there are no others.
//
// A transaction writes alone where it is told to, and where it would hold more than max_locks_per_transaction keys: so the keys of
// all sessions fit into the lock table of the server.
//
// In pg_locks: locktype advisory; gate: classid = OID of the table, objid = 0, objsubid = 21762; mark: the same with objid = 1;
// key: objsubid = 21761.
#pragma once

#include <cstdint>
#include <span>

#include "pg/base/pg.hpp"

namespace txtfp::pg {

// No keys: nothing but the gate is locked, exclusively.
void lock_near_duplicates(Oid table, std::span<const std::uint64_t> keys, bool alone);

// Does the client's statement write several rows? As far as the planner knows; COPY always does.
bool statement_writes_many_rows();

} // namespace txtfp::pg
