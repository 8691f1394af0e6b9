// The search of a near-duplicate check, and whether the writer may learn which row it found.
#pragma once

#include "pg/base/table_query.hpp"
#include "pg/trigger/near_duplicate_check.hpp"

extern "C" {
#include "storage/itemptr.h"
}

namespace txtfp::pg {

// What a compared column says of the row that was found.
struct Evidence {
	bool decides;      // it is within the limit
	double similarity; // in the unit of its kind, if it decides
};

// Where texts decide, this many similar rows are compared with the new one. Beyond them, only texts that are equal
// byte by byte are found.
constexpr int most_decisions = 256;

struct SimilarRow {
	bool found, key_is_null;
	Datum key; // in the caller's memory context
	Evidence evidence[max_compared_columns];
	core::PairDecision pair; // of the texts, if they decide: remove or review
	bool is_one_of_many;     // there are more than most_decisions, and none of them decided: review
	// Where the version is that was found, if the check's action changes it.
	Oid stored_in;
	ItemPointerData stored_at;

	// Without texts, whatever is similar is a near-duplicate.
	core::removal::Outcome outcome() const { return is_one_of_many ? core::removal::review : pair.outcome; }
	bool is_review() const { return outcome() == core::removal::review; }
	std::string_view reason() const { return is_one_of_many ? "many_candidates" : pair.reason_name(); }
};

// The values of the new row. The search looks for a row that is similar to it, in any or in all fingerprints, and has
// the same value in the column `within`, if the check has one. A fingerprint that is NULL is similar to nothing. The
// new row itself and rows with its key do not count. In a protected table every row counts, and only the fingerprints
// are used.
struct SearchValues {
	NullableDatum fingerprints[max_compared_columns];
	Datum key, within;
	Datum text; // if texts decide
	// Where the row is stored: the old version of a row to be updated, the row itself in an AFTER trigger.
	Oid stored_in; // 0: it is not stored yet
	ItemPointerData stored_at;
};

// One whose decision is `remove`, if there are several; if there is none, the first one to be reviewed. Rows that the texts
// say nothing about are as if they were not similar.
// Runs with the rights of the owner of the searched table and without row security. The table stays locked until the
// end of the transaction. Raises an error (42501, 42809) unless the owner of the guarded table may read all rows of a
// protected one.
SimilarRow find_similar_row(const NearDuplicateCheck &check, const SearchValues &values, Snapshot snapshot);

// True if the current user may read key and fingerprints of the table and row security does not hide the row. False for
// a row whose key is NULL, because the query that tests this identifies the row by its key.
bool is_visible_to_writer(const NearDuplicateCheck &check, const SimilarRow &row);

} // namespace txtfp::pg
