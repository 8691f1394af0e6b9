#include "pg/trigger/near_duplicate_locks.hpp"

#include "core/base/siphash.hpp"
#include "pg/base/local_setting.hpp"
#include "pg/base/reserved_numbers.hpp"

extern "C" {
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/pg_control.h"
#include "common/cryptohash.h"
#include "common/sha2.h"
#include "storage/lock.h"
#include "storage/proc.h"
#include "utils/guc.h"
}

namespace txtfp::pg {

namespace {

// Deadlock timeout of a wait that may be part of a deadlock, in milliseconds: as a number and as the GUC's text.
constexpr int short_deadlock_timeout = 10;
constexpr const char *short_deadlock_timeout_text = "10";

LOCKTAG tag_of(uint32 field2, uint32 field3, uint16 lock_class)
{
	LOCKTAG tag;
	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, field2, field3, lock_class);
	return tag;
}
LOCKTAG gate_of(Oid table) { return tag_of(table, 0, lock_class_table); }
LOCKTAG mark_of(Oid table) { return tag_of(table, 1, lock_class_table); }

// pg_locks shows the locks to everybody. With the keys themselves one could test guesses of a text that has not even
// been committed, so what it shows depends on a secret of the server, which no SQL function tells, and on the database:
// the nonce that SCRAM authentication uses. It is the same on all sessions, needs no storage, and a restored dump has
// another one.
core::SipHash24 make_lock_hash()
{
	constexpr char purpose[] = "txtfp lock keys";
	std::uint8_t digest[PG_SHA256_DIGEST_LENGTH];
	pg_cryptohash_ctx *sha256 = pg_cryptohash_create(PG_SHA256);
	const bool done = sha256 != nullptr && pg_cryptohash_init(sha256) >= 0 &&
		pg_cryptohash_update(
			sha256, reinterpret_cast<const uint8 *>(GetMockAuthenticationNonce()), MOCK_AUTH_NONCE_LEN) >= 0 &&
		pg_cryptohash_update(sha256, reinterpret_cast<const uint8 *>(&MyDatabaseId), sizeof MyDatabaseId) >= 0 &&
		pg_cryptohash_update(sha256, reinterpret_cast<const uint8 *>(purpose), sizeof purpose) >= 0 &&
		pg_cryptohash_final(sha256, digest, sizeof digest) >= 0;
	if (!done)
		elog(ERROR, "could not compute SHA-256: %s", pg_cryptohash_error(sha256));
	pg_cryptohash_free(sha256);
	return {core::load_le64(digest), core::load_le64(digest + 8)};
}

// The table is part of it, or a value of a column `within` could be chosen so that two tables share their locks.
LOCKTAG tag_of(Oid table, std::uint64_t key)
{
	static bool is_made = false;
	static core::SipHash24 empty;
	if (!is_made) // no initializer with a guard, because an error in it would leave the guard locked
		empty = make_lock_hash();
	is_made = true;
	core::SipHash24 hash = empty;
	hash.add(key);
	hash.add(table);
	const std::uint64_t shown = hash.finish();
	return tag_of(static_cast<uint32>(shown >> 32), static_cast<uint32>(shown), lock_class_key);
}

LockAcquireResult acquire(const LOCKTAG &tag, LOCKMODE mode) { return LockAcquire(&tag, mode, false, false); }
LockAcquireResult try_to_acquire(const LOCKTAG &tag, LOCKMODE mode) { return LockAcquire(&tag, mode, false, true); }
void release(const LOCKTAG &tag, LOCKMODE mode) { (void) LockRelease(&tag, mode, false); }

// Acquires a lock while the transaction may hold locks that others wait for. In a deadlock all writers of the table
// would stand still until it is detected, by default for a second; so the timeout is lowered for this wait.
LockAcquireResult acquire_with_short_timeout(const LOCKTAG &tag, LOCKMODE mode)
{
	LockAcquireResult result = try_to_acquire(tag, mode);
	if (result == LOCKACQUIRE_NOT_AVAIL)
		wait_with_locks([&] { result = acquire(tag, mode); });
	return result;
}

LocalTransactionId this_transaction()
{
#if PG_VERSION_NUM >= 170000
	return MyProc->vxid.lxid;
#else
	return MyProc->lxid;
#endif
}

// The number of keys that the transaction has locked. It is an upper bound: rolling back to a savepoint does not lower
// it.
struct HeldKeys {
	LocalTransactionId transaction;
	int keys;
};
HeldKeys held_keys{};

int &keys_held()
{
	if (held_keys.transaction != this_transaction())
		held_keys = {this_transaction(), 0};
	return held_keys.keys;
}

// The server's lock table has room for this many locks per possible session.
int max_keys() { return max_locks_per_xact; }

struct Alone {
	bool has_gate, has_mark; // which the transaction did not have before
};

Alone lock_alone(Oid table, std::span<const std::uint64_t> keys)
{
	const bool has_gate = acquire_with_short_timeout(gate_of(table), ExclusiveLock) == LOCKACQUIRE_OK;
	if (keys.empty())
		return {has_gate, false};
	const LockAcquireResult mark = try_to_acquire(mark_of(table), ExclusiveLock);
	if (mark != LOCKACQUIRE_NOT_AVAIL)
		return {has_gate, mark == LOCKACQUIRE_OK};
	for (const std::uint64_t key : keys) {
		const LOCKTAG tag = tag_of(table, key);
		(void) acquire_with_short_timeout(tag, ExclusiveLock);
		release(tag, ExclusiveLock);
	}
	return {has_gate, false};
}

// Locks all keys and returns nullptr; or locks none and returns a key that another transaction holds.
const std::uint64_t *try_keys(Oid table, std::span<const std::uint64_t> keys, int &count)
{
	int locked = 0;
	for (const std::uint64_t &key : keys) {
		const LockAcquireResult result = try_to_acquire(tag_of(table, key), ExclusiveLock);
		if (result == LOCKACQUIRE_NOT_AVAIL) {
			for (const std::uint64_t &taken : keys.first(static_cast<std::size_t>(&key - keys.data())))
				release(tag_of(table, taken), ExclusiveLock);
			return &key;
		}
		locked += result == LOCKACQUIRE_OK;
	}
	count += locked;
	return nullptr;
}

// Waits for a key. The transaction then holds it, and keeps it while it tries to lock the others. If it released the
// key first, the next process in the queue would get it at once, although still asleep. Several processes that wait for
// a key would then pass it on forever without progress.
void wait_for(Oid table, std::uint64_t key, bool holds_no_keys)
{
	const LOCKTAG tag = tag_of(table, key);
	(void) (holds_no_keys ? acquire(tag, ExclusiveLock) : acquire_with_short_timeout(tag, ExclusiveLock));
}

// Does the same as try_keys for a transaction that has waited for one of the keys (nullptr: for none). If another key
// is contended, it holds none of the keys afterwards.
const std::uint64_t *try_keys(Oid table, std::span<const std::uint64_t> keys, const std::uint64_t *awaited, int &count)
{
	const std::uint64_t *contended = try_keys(table, keys, count);
	if (awaited != nullptr) {
		release(tag_of(table, *awaited), ExclusiveLock); // it was locked twice, or is to be released
		count += contended == nullptr;
	}
	return contended;
}

// Locks all keys. Afterwards the transaction still holds the gate in share mode. It does not wait for the gate while it
// holds a key, because a transaction that writes alone may wait for that key.
void lock_keys(Oid table, std::span<const std::uint64_t> keys, int &count)
{
	for (const std::uint64_t *awaited = nullptr;;) {
		if (awaited != nullptr && try_to_acquire(gate_of(table), ShareLock) == LOCKACQUIRE_NOT_AVAIL) {
			release(tag_of(table, *awaited), ExclusiveLock);
			awaited = nullptr;
		}
		if (awaited == nullptr)
			acquire(gate_of(table), ShareLock);
		acquire(mark_of(table), ShareLock);
		awaited = try_keys(table, keys, awaited, count);
		if (awaited == nullptr)
			return;
		release(gate_of(table), ShareLock);
		wait_for(table, *awaited, count == 0);
	}
}

bool can_write_by_keys(std::span<const std::uint64_t> keys, bool alone)
{
	return !alone && !keys.empty() && keys_held() + static_cast<int>(keys.size()) <= max_keys();
}

} // namespace

void shorten_deadlock_timeout()
{
	if (DeadlockTimeout > short_deadlock_timeout)
		set_locally("deadlock_timeout", short_deadlock_timeout_text, PGC_SUSET);
}

NearDuplicateLocks lock_near_duplicates(Oid table, std::span<const std::uint64_t> keys, bool alone)
{
	KeyLocks locks(table, keys, alone);
	locks.finish();
	return locks.first(keys);
}

// A mark in share mode stays: whoever writes alone meanwhile waits for single keys instead.
void release_near_duplicates(const NearDuplicateLocks &locks)
{
	Assert(locks.can_release);
	if (locks.has_mark)
		release(mark_of(locks.table), ExclusiveLock);
	if (!locks.by_keys)
		return release(gate_of(locks.table), ExclusiveLock);
	for (const std::uint64_t key : locks.keys)
		release(tag_of(locks.table, key), ExclusiveLock);
	keys_held() = 0;
}

NearDuplicateLocks KeyLocks::first(std::span<const std::uint64_t> keys) const
{
	return {table_, keys, by_keys_, has_mark_, had_none_ && (by_keys_ || has_gate_)};
}

KeyLocks::KeyLocks(Oid table, std::span<const std::uint64_t> keys, bool alone)
	: table_(table), had_none_(keys_held() == 0), by_keys_(can_write_by_keys(keys, alone)), has_gate_(false),
	  has_mark_(false), added_(false)
{
	if (by_keys_) {
		lock_keys(table, keys, keys_held());
		return;
	}
	const Alone taken = lock_alone(table, keys);
	has_gate_ = taken.has_gate;
	has_mark_ = taken.has_mark;
}

void KeyLocks::add(std::span<const std::uint64_t> keys)
{
	if (by_keys_ && !can_write_by_keys(keys, keys.empty())) {
		finish(); // two transactions that hold the gate in share mode and both want it exclusively would deadlock
		by_keys_ = false;
	}
	added_ = by_keys_;
	if (!by_keys_)
		return (void) lock_alone(table_, keys);
	for (const std::uint64_t *awaited = nullptr; (awaited = try_keys(table_, keys, awaited, keys_held())) != nullptr;)
		wait_for(table_, *awaited, false);
}

void KeyLocks::release(std::span<const std::uint64_t> keys)
{
	if (!added_)
		return;
	added_ = false;
	for (const std::uint64_t key : keys)
		pg::release(tag_of(table_, key), ExclusiveLock);
}

void KeyLocks::finish()
{
	if (by_keys_)
		pg::release(gate_of(table_), ShareLock);
}

} // namespace txtfp::pg
