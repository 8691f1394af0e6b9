// The search of a near-duplicate check, and what a writer may be told of its result.
#pragma once

#include "pg/trigger/near_duplicate_check.hpp"

extern "C" {
#include "storage/itemptr.h"
}

namespace txtfp::pg {

struct SimilarRow {
	bool found, key_is_null;
	Datum key;         // in the caller's memory context
	double similarity; // of sketches; of SimHashes the distance
};

// What is looked for: a row similar to the fingerprint, with the same value in the column `within`, if there is one, that is
// neither the row itself nor one with its key.
struct SearchValues {
	Datum fingerprint, key, within;
	// where the row is stored, if it is: a row to be inserted is not, a row to be updated is there in its old version
	Oid stored_in; // 0: nowhere
	ItemPointerData stored_at;
};

enum class Sight { transaction, latest }; // the snapshot: what the transaction sees, or whatever has been committed

// With the rights of the table's owner, without row security.
SimilarRow find_similar_row(const NearDuplicateCheck &check, const SearchValues &values, Sight sight);

// Does the current user see the row: may it read the table, and does row security show the row? Of a row without a key
// row security cannot be asked.
bool is_visible_to_writer(const NearDuplicateCheck &check, const SimilarRow &row);

} // namespace txtfp::pg
