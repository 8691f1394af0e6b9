// The locks that keep two sessions from inserting near-duplicates of each other. They are advisory locks, held until
// the end of the transaction.
//
// Two values within the threshold share a key (core/trigger/lock_keys.hpp). A transaction writes a row in one of two
// ways:
//
//   by keys   It locks the keys of the row exclusively, and the mark of the table in share mode. While it takes the keys, and
//             only then, it holds the gate of the table in share mode, and it never waits: if another transaction has one of
//             the keys, it releases the keys of this row and leaves the gate, waits for that one, and begins again with it.
//   alone     It locks the gate exclusively, so that no other transaction can take keys. Keys that others hold already still
//             count: it waits for each key of its row and releases it at once. When it gets the mark exclusively, nobody else
//             holds keys, and it need not wait any more.
//
// A transaction writes alone if the caller says so, or if it would hold more than max_locks_per_transaction keys. The
// keys of all sessions therefore fit into the server's lock table.
//
// In pg_locks: locktype advisory; gate: classid = OID of the table, objid = 0, objsubid = 21762; mark: the same with
// objid = 1; key: objsubid = 21761, classid and objid are its keyed hash.
#pragma once

#include <cstdint>
#include <span>

#include "pg/base/pg.hpp"

extern "C" {
#include "utils/guc.h"
}

namespace txtfp::pg {

// The locks for a row, so that they can be given back before the transaction waits for something else than such a lock.
struct NearDuplicateLocks {
	Oid table;
	std::span<const std::uint64_t> keys; // of the caller's
	bool by_keys, has_mark;              // exclusively
	bool can_release;                    // the transaction held none before: giving these back uncovers no other row
};

// Takes the locks for a row with these keys. A row without keys locks the gate exclusively and nothing else.
NearDuplicateLocks lock_near_duplicates(Oid table, std::span<const std::uint64_t> keys, bool alone);
void release_near_duplicates(const NearDuplicateLocks &locks); // if can_release

// The same for a writer that needs further keys, which it knows only after its search. It holds the gate until it has
// all keys. Otherwise there could be a deadlock: a transaction that writes alone holds the gate and waits for the first
// keys, while their holder waits at the gate for more.
class KeyLocks {
public:
	KeyLocks(Oid table, std::span<const std::uint64_t> keys, bool alone);
	// Locks further keys. Waits, while it holds the first keys, until no other transaction holds these. The transaction
	// then holds them until it ends or releases them; if it writes alone, it does not hold them.
	void add(std::span<const std::uint64_t> keys);
	void release(std::span<const std::uint64_t> keys);                   // the keys of the last call of add
	void finish();                                                       // releases the gate
	NearDuplicateLocks first(std::span<const std::uint64_t> keys) const; // the keys of the constructor

private:
	Oid table_;
	bool had_none_, by_keys_, has_gate_, has_mark_, added_; // gate and mark: exclusively, since this row
};

void shorten_deadlock_timeout(); // until the nest level ends

// Calls wait() with the short timeout of deadlocks that these locks have, for waits while the transaction holds them.
template <typename Fn> void wait_with_locks(const Fn &wait)
{
	const int level = NewGUCNestLevel();
	shorten_deadlock_timeout();
	wait();
	AtEOXact_GUC(true, level);
}

} // namespace txtfp::pg
