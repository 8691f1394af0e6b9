// Pairs between two queries by searches through an index of the access method sketch: for each row of the first query
// one search among the rows of the second, as a join in SQL, which may be parallel.
#pragma once

#include "pg/bulk/near_duplicates.hpp"

namespace txtfp::pg {

// Finds the pairs and returns true if the queries return MinHash sketches, no banding is asked for, and the planner
// expects the searches to be cheaper than reading all rows of the second query. Otherwise returns false, also for
// queries that are wrong in a way that the join of their rows will report.
bool pairs_by_index(
	FunctionCallInfo fcinfo, const JoinOptions &options, const char *first, const char *second, BulkCall &call);

} // namespace txtfp::pg
