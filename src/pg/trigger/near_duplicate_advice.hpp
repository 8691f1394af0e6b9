// Warnings of a search that will get slow.
#pragma once

#include "pg/trigger/near_duplicate_check.hpp"

extern "C" {
#include "executor/spi.h"
}

namespace txtfp::pg {

// If the plan of a check's search, which must be a kept one, reads a whole table of more than a megabyte, or a GIN index with a list of
// pending keys on such a table: a WARNING with what to do, and true.
bool advise_on_index(SPIPlanPtr plan, const NearDuplicateCheck &check);

} // namespace txtfp::pg
