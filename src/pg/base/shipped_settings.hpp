// Settings that Citus does not send with a query. It sends the operator % to the servers that have the rows, but not
// the threshold that a session has set, so the answer would be that of another threshold.
#pragma once

#include "pg/base/pg.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace txtfp::pg {

// Warns, once for each statement, if a query searches a distributed table or one to which postgres_fdw sends functions
// of the extension, and the session has changed a setting that decides what the servers that have its rows find.
void warn_of_settings(const Query &query);

// Installs a hook of the planner that warns, because Citus plans a query of one shard without asking the estimators.
void watch_shipped_settings();

} // namespace txtfp::pg
