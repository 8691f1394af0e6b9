// The arguments of the functions and procedures on clusters, of which the first is the clustered table.
#pragma once

#include "pg/live_clusters/live_clusters.hpp"

namespace txtfp::pg {

Oid relation_argument(FunctionCallInfo fcinfo);                                // the first; raises 22004 for NULL
const char *name_argument(FunctionCallInfo fcinfo, int i);                     // nullptr: it is NULL
const char *needed_name(FunctionCallInfo fcinfo, int i, const char *argument); // raises 22004 for NULL

void check_owner(Relation table); // raises 42501 unless the current user owns the table

// The trigger function that belongs to the function that is called.
Oid trigger_function(FunctionCallInfo fcinfo);

// The clusters that the first argument has, of the name in argument i or, where that is NULL, the only ones.
Clusters &clusters_argument(FunctionCallInfo fcinfo, Relation table, int i);

} // namespace txtfp::pg
