// What PostgreSQL estimates for a GiST index that could serve the same scan.
//
// It assumes that a GiST index is read in the share of rows that are found. For a search by similarity it reads most of its pages, so the estimate is a
// hundredth of what it takes, and a cost that is right loses against it. Such a scan must not be estimated as more than the slower one.
#pragma once

#include "pg/base/guard.hpp"

extern "C" {
#include "nodes/pathnodes.h"
}

namespace txtfp::pg {

// Of the cheapest GiST index that has the last column of the path's index, with the path's conditions on it, and its ordering. False if there is none.
bool estimate_gist(PlannerInfo *root, const IndexPath &path, double loops, Cost *startup, Cost *total);

} // namespace txtfp::pg
