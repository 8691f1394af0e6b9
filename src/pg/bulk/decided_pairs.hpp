// The pairs of rows that somebody has decided about (core/dedup/decided_pairs.hpp), from queries of two ids.
#pragma once

#include "core/dedup/decided_pairs.hpp"
#include "pg/bulk/near_duplicates.hpp"

namespace txtfp::pg {

// Reads the queries of arguments `apart` and the one after it; each may be NULL. The rows are read and ranked.
// Pairs that lack a row are left out. Raises an error (22023) for a contradiction.
core::DecidedPairs read_decided_pairs(FunctionCallInfo fcinfo, const JoinContext &context, Oid id_type, int apart);

} // namespace txtfp::pg
