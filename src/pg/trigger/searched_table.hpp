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

// `guarded` in the columns named like those of `fired`, the table or partition that the row is written to.
SearchedTable own_table(Oid guarded, Relation fired, AttrNumber key, AttrNumber fingerprint);

// The protected table, whose columns have the names of `key` and `fingerprint` unless options name others. Raises an error
// unless the owner of `guarded` may look the table up (42501), it exists (42P01), is named with its schema and is not `guarded` (22023), has the columns (42703), and its
// fingerprints are of this kind (42804).
SearchedTable protected_table(Oid guarded, Relation fired, AttrNumber key, AttrNumber fingerprint,
	const FingerprintKind &kind, const AgainstOptions &options);

// The type of a column, without domains.
Oid base_type_of(Oid table, AttrNumber number);

} // namespace txtfp::pg
