// Warnings about searches that get slow as the table grows.
#pragma once

#include "pg/trigger/near_duplicate_check.hpp"

extern "C" {
#include "executor/spi.h"
}

namespace txtfp::pg {

// Examines the plan of one of a check's searches, which must have been kept by SPI_keepplan. If it scans a table of
// more than a megabyte, or uses a GIN index with a pending list on such a table, raises a WARNING with a remedy and
// returns true.
bool advise_on_index(SPIPlanPtr plan, const NearDuplicateCheck &check, int search);

} // namespace txtfp::pg
