// The table that a near-duplicate check searches: the guarded table itself, or a protected one.
#pragma once

#include "pg/fingerprint/fingerprint_kinds.hpp"
#include "pg/trigger/trigger.hpp"

namespace txtfp::pg {

struct SearchedTable {
	Oid table;
	AttrNumber key, fingerprint;

	bool operator==(const SearchedTable &) const = default;
};

// The options against, against_key and against_column of near_duplicate_trigger; nullptr where one is not given.
struct AgainstOptions {
	const char *table, *key, *column;
};

// The guarded table itself. Its columns are those with the names of the columns `key` and `fingerprint` of `fired`, the table or partition
// that the row is written to.
SearchedTable own_table(Oid guarded, Relation fired, AttrNumber key, AttrNumber fingerprint);

// The protected table. Its columns have the names of `key` and `fingerprint`, unless options name others. Raises an error
// if the owner of `guarded` may not use its schema (42501), if it does not exist (42P01), if it is named without its schema or is `guarded` itself (22023), if it
// does not have the columns (42703), or if its fingerprints are of another kind (42804).
SearchedTable protected_table(Oid guarded, Relation fired, AttrNumber key, AttrNumber fingerprint,
	const FingerprintKind &kind, const AgainstOptions &options);

// The type of a column, without domains.
Oid base_type_of(Oid table, AttrNumber number);

} // namespace txtfp::pg
