#include "pg/trigger/near_duplicate_locks.hpp"

extern "C" {
#include "access/xact.h"
#include "storage/lock.h"
}

namespace txtfp::pg {

namespace {

// The fourth field of an advisory lock's tag: PostgreSQL's own functions use 1 and 2.
constexpr uint16 key_class = 21751, table_class = 21752;

// The lock table of the server has room for max_locks_per_transaction of each possible session; most hold few.
int most_keys() { return 16 * max_locks_per_xact; }

// How many keys this transaction has locked; more than it holds if savepoints were rolled back, or if it is the second
// of one message of the client.
struct Held {
	TimestampTz transaction;
	int keys;
};
Held held{};

int &keys_held()
{
	const TimestampTz transaction = GetCurrentTransactionStartTimestamp();
	if (held.transaction != transaction)
		held = {transaction, 0};
	return held.keys;
}

bool acquire(uint32 field2, uint32 field3, uint16 lock_class, LOCKMODE mode)
{
	LOCKTAG tag;
	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, field2, field3, lock_class);
	return LockAcquire(&tag, mode, false, false) == LOCKACQUIRE_OK;
}

} // namespace

void lock_near_duplicates(Oid table, std::span<const std::uint64_t> keys, bool whole_table)
{
	int &count = keys_held();
	if (whole_table || count + static_cast<int>(keys.size()) > most_keys()) {
		acquire(table, 0, table_class, ExclusiveLock);
		return;
	}
	acquire(table, 0, table_class, ShareLock);
	for (const std::uint64_t key : keys)
		count += acquire(static_cast<uint32>(key >> 32), static_cast<uint32>(key), key_class, ExclusiveLock);
}

} // namespace txtfp::pg
