// The arguments of the functions and procedures on clusters; the first is the clustered table.
#pragma once

#include "pg/live_clusters/live_clusters.hpp"

extern "C" {
#include "utils/lsyscache.h"
}

namespace txtfp::pg {

Oid relation_argument(FunctionCallInfo fcinfo);                                // the first; raises 22004 for NULL, 42P01
const char *name_argument(FunctionCallInfo fcinfo, int i);                     // nullptr: it is NULL
const char *needed_name(FunctionCallInfo fcinfo, int i, const char *argument); // raises 22004 for NULL

// Opens and locks a table that the current user owns (otherwise 42501). A lock is requested only then, so that nobody
// else can make the table's users wait.
Relation open_own_table(Oid oid, LOCKMODE mode);

// The trigger function that belongs to the function that is called.
Oid trigger_function(FunctionCallInfo fcinfo);

// Calls run(clusters) with the clusters of the table whose name is in argument i or, where that is NULL, with the only
// ones.
template <class Fn> void with_clusters_argument(FunctionCallInfo fcinfo, Relation table, int i, const Fn &run)
{
	const Trigger &trigger = find_clusters_trigger(table, name_argument(fcinfo, i), trigger_function(fcinfo));
	with_clusters(table, trigger, get_func_namespace(fcinfo->flinfo->fn_oid), run);
}

} // namespace txtfp::pg
