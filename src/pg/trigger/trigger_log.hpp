// The option `log` of near_duplicate_trigger: a table of the user's, in which stands what the trigger did not write, and
// why, so that it can be taken back.
#pragma once

#include "pg/base/table_shape.hpp"

namespace txtfp::pg {

struct LogTable {
	static constexpr int column_count = 9;

	Oid table; // 0: there is none
	TableShape shape;
};

// Raises an error if the table does not exist (42P01), is named without its schema (22023), is no table (42809), is the
// guarded one itself (22023), does not belong to the owner of the guarded table (42501), or has not the columns (42703)
// of the types (42804) that are needed.
LogTable log_table(Oid guarded, Oid key_type, const char *name);

struct NearDuplicateCheck;
struct SimilarRow;

// Stores a line. `row`: the row that is not written, of type new_row_type(check). Runs with the rights of the owner.
void log_row(const NearDuplicateCheck &check, const SimilarRow &similar, const char *action, Datum row);

} // namespace txtfp::pg
