// The table that a near-duplicate check searches: the guarded table itself, or a protected one.
#pragma once

#include "pg/trigger/compared_columns.hpp"
#include "pg/trigger/pairs_table.hpp"

namespace txtfp::pg {

struct SearchedTable {
	Oid table;
	AttrNumber key;
	Oid key_type;                                  // without domains
	AttrNumber fingerprints[max_compared_columns]; // in the order of the compared columns; 0: there are no more
	AttrNumber text;                               // 0: no texts are compared
	TableShape shape;                              // of these columns and the others that the check uses

	bool operator==(const SearchedTable &) const = default;
};

// A table that an option names. Raises an error (22023) for a name without a schema, which would depend on the
// search_path of the writing session. It is opened as the owner, so that the writer needs no privilege on the schema.
RangeVar *qualified_name(const char *option, const char *name);
Relation open_as_owner(Oid owner, const RangeVar *name);

// The table of pairs that do not count as similar, which the option `apart` names. Raises an error if pairs_table does,
// if it does not exist (42P01), or if it is named without its schema (22023).
PairsTable apart_table(Oid guarded, Relation fired, AttrNumber key, const char *name);

// Locks the table until the end of the transaction. Raises an error if pairs_table or check_shape does.
void lock_apart(const PairsTable &apart, Oid guarded, Oid key_type);

// The options against, against_key, against_column and against_text of near_duplicate_trigger; nullptr where one is not
// given.
struct AgainstOptions {
	const char *table, *key, *column, *text;
};

// What is compared of a row of `fired`, the table or partition that it is written to.
struct RowColumns {
	AttrNumber key;
	const ComparedColumns &compared;
	AttrNumber text; // 0: no texts
};

// The guarded table itself. Its columns are those with the same names.
SearchedTable own_table(Oid guarded, Relation fired, const RowColumns &columns);

// True if the role may read the key, all fingerprints, and the text if it is compared.
bool may_read(const SearchedTable &searched, Oid role);

// Raises an error unless the owner of `guarded` may read (42501) all rows (42501) of `table`, which is a table (42809),
// and a temporary one only if `guarded` is temporary, too (42P16). The table must be locked: it may have changed since
// the trigger's arguments were read.
void check_may_guard(Relation table, const SearchedTable &searched, Oid guarded);

// The protected table. Its columns have the same names as the row's, unless options name others. Raises
// an error if check_may_guard or columns_of_option does, if the owner of `guarded` may not use its schema (42501), if
// it does not exist (42P01), if it is named without its schema or is `guarded` itself (22023), if it does not have the
// columns (42703), or if its fingerprints or texts are of another kind (42804).
SearchedTable protected_table(Oid guarded, Relation fired, const RowColumns &columns, const AgainstOptions &options);

// The type of a column, without domains.
Oid base_type_of(Oid table, AttrNumber number);

} // namespace txtfp::pg
