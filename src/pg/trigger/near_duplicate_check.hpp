// What a near_duplicate_trigger checks: read from its arguments once per session, and the saved plan of its search.
#pragma once

#include "core/trigger/lock_keys.hpp"
#include "pg/trigger/trigger.hpp"

extern "C" {
#include "executor/spi.h"
#include "utils/snapshot.h"
}

namespace txtfp::pg {

constexpr const char *near_duplicate_trigger_name = "near_duplicate_trigger";

enum class Action { reject, skip, flag };

// A type of fingerprints: the function that says whether two are similar, and the option that says how similar.
struct FingerprintKind {
	const char *type, *function, *option;
	int slots; // of a MinHash sketch; 0: SimHash
};

struct NearDuplicateCheck {
	// of the trigger
	Oid fired;  // the table, or the partition, whose row it is
	Oid table;  // that is searched and locked: where the trigger was created, or with scope=partition the same
	Oid owner;  // of that table
	Oid schema; // of the extension
	AttrNumber key, fingerprint;
	AttrNumber flag, within; // 0: none
	Action action;
	const FingerprintKind *kind;
	bool has_limit; // otherwise it is a configuration parameter
	double limit;   // least similarity or greatest distance

	// of the locks
	bool lock_table;
	double locked_limit;   // what the keys are made for
	core::Banding banding; // of sketches
	int blocks;            // of SimHashes; neither: there are no keys

	// of the search
	SPIPlanPtr plan;
	double planned_limit;
};

// The limit that holds now.
double current_limit(const NearDuplicateCheck &check);

// May raise an error for wrong arguments. Valid until the next call.
NearDuplicateCheck &near_duplicate_check(const TriggerData &call, Oid schema);

struct SimilarRow {
	bool found, key_is_null;
	Datum key; // in the caller's memory context
};

// What is looked for: a row similar to the fingerprint, with the same value in the column `within`, if there is one, and
// with neither of the keys.
struct SearchValues {
	Datum fingerprint, key, old_key, within;
};

// InvalidSnapshot: what the transaction sees now.
SimilarRow find_similar_row(NearDuplicateCheck &check, const SearchValues &values, Snapshot snapshot);

} // namespace txtfp::pg
