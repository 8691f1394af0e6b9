// What the error of a near-duplicate check tells of the row that was found.
#pragma once

#include "pg/trigger/near_duplicate_search.hpp"

namespace txtfp::pg {

// errdetail: which row it is, how similar it is, and what the texts say. For writers who may know the row.
int row_detail(const NearDuplicateCheck &check, const SimilarRow &similar);

} // namespace txtfp::pg
