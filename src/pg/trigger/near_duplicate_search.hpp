// The search of a near-duplicate check, and whether the writer may learn which row it found.
#pragma once

#include "pg/trigger/near_duplicate_check.hpp"

extern "C" {
#include "storage/itemptr.h"
}

namespace txtfp::pg {

struct SimilarRow {
	bool found, key_is_null;
	Datum key;         // in the caller's memory context
	double similarity; // in the unit of the kind
};

// The values of the new row. The search looks for a row that is similar to `fingerprint` and has the same value in the column
// `within`, if the check has one. The new row itself and rows with its key do not count. In a protected table every row counts, and
// only `fingerprint` is used.
struct SearchValues {
	Datum fingerprint, key, within;
	// Where the row is stored: the old version of a row to be updated, the row itself in an AFTER trigger.
	Oid stored_in; // 0: it is not stored yet
	ItemPointerData stored_at;
};

enum class Sight { transaction, latest }; // the snapshot of the transaction, or one of everything that is committed

// Runs with the rights of the table's owner and without row security.
SimilarRow find_similar_row(const NearDuplicateCheck &check, const SearchValues &values, Sight sight);

// True if the current user may read the table and row security shows the row. False for a row whose key is NULL, because row
// security cannot be asked about it.
bool is_visible_to_writer(const NearDuplicateCheck &check, const SimilarRow &row);

} // namespace txtfp::pg
