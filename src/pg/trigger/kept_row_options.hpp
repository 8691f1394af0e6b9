// The options of the actions that change the row that is kept, instead of storing another one: counter, last, merge and
// on_update.
#pragma once

#include "pg/trigger/near_duplicate_check.hpp"

namespace txtfp::pg {

struct KeptRowOptions {
	const char *counter, *last, *on_update; // nullptr: not given
	TriggerOption merge;
	int merge_argument; // of the trigger
};

// False if the option is another one, or not one of the action.
bool read_kept_row_option(Action action, const TriggerOption &option, int argument, KeptRowOptions &options);

// Sets columns, function and on_update of the check, whose searched table is known. Raises an error if the options are
// not complete (22023), if a column does not exist (42703), is generated (428C9), is key or `within` (22023) or of
// another type (42804), and if check_may_change or find_merge_function does.
void choose_kept_row(NearDuplicateCheck &check, const KeptRowOptions &options);

// Raises an error (42501) unless the owner of the guarded table may change a protected one as the check does.
void check_may_change(const NearDuplicateCheck &check);

// The function schema.name(kept row, new row, double precision), or double precision[] if several columns are compared,
// that returns a row like the first, as the current user, who is the owner of the guarded table, finds it. Raises an
// error if there is none (42883), if it returns something else (42804), if its own owner has not the rights of the
// current user (42501), or if this one may not execute it (42501).
//
// The function runs with the rights of the owner of the guarded table. Whoever has the privilege TRIGGER on this table
// may name any function, so only such a function is taken whose owner has those rights anyway.
Oid find_merge_function(const NearDuplicateCheck &check, const TriggerOption &option);

// The types of the rows that a merge function gets. Rows of partitions are converted to them.
Oid kept_row_type(const NearDuplicateCheck &check);
Oid new_row_type(const NearDuplicateCheck &check);

} // namespace txtfp::pg
