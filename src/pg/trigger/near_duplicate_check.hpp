// What a near_duplicate_trigger checks: read from its arguments once per session and trigger.
#pragma once

#include "core/trigger/lock_keys.hpp"
#include "pg/fingerprint/fingerprint_kinds.hpp"
#include "pg/trigger/trigger.hpp"

namespace txtfp::pg {

constexpr const char *near_duplicate_trigger_name = "near_duplicate_trigger";

enum class Action { reject, skip, flag };

struct NearDuplicateCheck {
	Oid definition; // the trigger that was created; its clones in partitions have OIDs of their own
	Oid fired;      // the table, or the partition, whose row it is
	Oid table;      // that is searched and locked: where the trigger was created, or with scope=partition the same
	Oid owner;      // of that table
	Oid schema;     // of the extension
	AttrNumber key, fingerprint;
	AttrNumber flag, similarity, within; // 0: none
	Action action;
	const FingerprintKind *kind;
	double limit; // least similarity or greatest distance

	// of the locks
	bool lock_table;       // always, whatever the row
	core::Banding banding; // of sketches
	int blocks;            // of SimHashes; neither: there are no keys
};

// What a session has checked so far, also in transactions that were rolled back.
struct CheckCounts {
	std::int64_t checked; // rows that were looked for
	std::int64_t found;   // of them: rows for which a similar one was found, and so rejected, skipped or flagged
};

struct CachedCheck {
	Oid trigger;
	bool valid;
	NearDuplicateCheck check;
	CheckCounts counts;
};

// May raise an error for wrong arguments. Valid until the next call.
CachedCheck &near_duplicate_check(const TriggerData &call, Oid schema);

// The type of a column, without domains.
Oid base_type_of(Oid table, AttrNumber number);

} // namespace txtfp::pg
