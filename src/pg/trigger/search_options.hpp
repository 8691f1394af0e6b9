// What near_duplicate_trigger and live_clusters_trigger have in common: the limit of the search, and the locks of a
// row.
#pragma once

#include "core/trigger/lock_keys.hpp"
#include "pg/fingerprint/fingerprint_kinds.hpp"
#include "pg/trigger/trigger.hpp"

namespace txtfp::pg {

// The kind of locks that a row takes.
struct RowLocks {
	bool table; // each row locks the whole table
	core::LockPlan plan;
};

// All raise an error (22023) that names the trigger function, the option and its value.
[[noreturn]] void reject_option(const char *function, const TriggerOption &option, const char *hint);
double number_option(const char *function, const TriggerOption &option);
double limit_option(const char *function, const FingerprintKind &kind, const TriggerOption &option);
bool locks_option(const char *function, const TriggerOption &option); // true: the table

// Sets the plan. If there are no keys for this limit, sets locks.table.
void choose_locks(const FingerprintKind &kind, double limit, RowLocks &locks);

// Writes the lock keys of a fingerprint, at most core::max_lock_keys, and returns their number; 0 if the table is
// locked instead.
std::size_t row_keys(
	const FingerprintKind &kind, const RowLocks &locks, Datum fingerprint, std::uint64_t space, std::uint64_t *out);

} // namespace txtfp::pg
