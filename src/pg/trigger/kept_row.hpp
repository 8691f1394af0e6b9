// What the actions "count" and "merge" do: they change the row that is kept, and an UPDATE that makes two rows similar
// deletes one of them.
//
// The row is locked before it is changed, as UPDATE does. Nobody waits for it while it holds the locks of
// near_duplicate_locks.hpp, if it can give them back: a transaction that has the row may be waiting for these. So an
// INSERT of a near-duplicate and an UPDATE of the row that is kept do not deadlock.
#pragma once

#include "pg/trigger/near_duplicate_search.hpp"

namespace txtfp::pg {

enum class RowState {
	locked, // by this transaction, and it is still what the search found
	busy,   // another transaction has locked it
	changed // it has been updated or deleted since: search again
};

// `wait`: until the other transaction ends; `busy` is not returned then. Where the row is locked, `row` is a copy of it
// for the function of "merge", of kept_row_type. Raises 40001 if the isolation level does not let the transaction
// search again, and 0A000 for a row of a foreign partition.
RowState lock_kept_row(const NearDuplicateCheck &check, const SimilarRow &similar, bool wait, Datum *row);

// With the row locked. The UPDATE runs with the rights of the table's owner, the function of "merge" with the rights of the
// owner of the guarded table; neither with row security.
void change_kept_row(const TriggerData &call, const NearDuplicateCheck &check, const SimilarRow &similar, Datum row);

// A row of `table` as one of `type`, the row type of a table above it or its own.
Datum row_as(Relation table, HeapTuple row, Oid type);

// Deletes the row that the trigger was fired for, with the rights of its owner; the caller returns no row, so that the
// UPDATE goes on with the next.
void delete_updated_row(const TriggerData &call, const NearDuplicateCheck &check);

} // namespace txtfp::pg
