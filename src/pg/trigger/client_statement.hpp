// What the statement writes that the client has sent, and that has fired a trigger. Statements within functions do not
// count.
#pragma once

#include "pg/base/pg.hpp"

extern "C" {
#include "utils/rel.h"
}

namespace txtfp::pg {

// True if the planner expects it to write more than one row. COPY always counts as such.
bool statement_writes_many_rows();

// INSERT … ON CONFLICT DO UPDATE into this table, or into one that it is a partition of: an index by which the statement
// finds conflicting rows, and which has not the column. Otherwise 0.
Oid conflict_index_without(Relation table, const char *column);

} // namespace txtfp::pg
