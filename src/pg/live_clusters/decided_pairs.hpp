// Pairs of rows that somebody has decided about, in two tables of the user's: rows of `apart` are never in one cluster,
// rows of `together` always are.
//
// Rows that are together are neighbours, as similar rows are: so they are in one component. A component with such pairs
// is gone over as a whole, as the bulk functions do, whenever a row of it changes: each member has the name of its
// cluster in `kept`, and the column `excepted` says that it was decided so.
#pragma once

#include "pg/live_clusters/operation.hpp"

namespace txtfp::pg {

// Two sessions that write the two rows of a pair that is together, or a row and the pair, wait for each other.
void lock_partners(Clusters &clusters, Datum id, KeyLocks &locks);

// Are there pairs among the members of the components of these rows, where the first row changes, and the rows that are
// in none? Then the members say where they are before the change, and apply_decided_pairs takes the place of update_stars.
bool has_pairs(Clusters &clusters, const Neighbours &rows);
void name_members(Clusters &clusters, const Neighbours &rows);
void apply_decided_pairs(Clusters &clusters,
	int64 entered); // to the components that the operation has touched, and to the one that was entered, 0: none

// What the members of a cluster with pairs should have, for live_clusters_check.
struct Expected {
	Datum *ids, *kept;
	int count;
};
Expected expected_members(Clusters &clusters, int64 cluster);

} // namespace txtfp::pg
