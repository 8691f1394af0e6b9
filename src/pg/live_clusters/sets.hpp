// The rows of _sets, _members and _links, and what is told of their changes. What is stored is compared with what is
// read: an error (XX001) is raised where a row is missing, or there are more than there should be.
#pragma once

#include <algorithm>

#include "pg/live_clusters/operation.hpp"

extern "C" {
#include "utils/memutils.h"
}

namespace txtfp::pg {

template <class T> T *array_of(Size n)
{
	return static_cast<T *>(palloc_extended(sizeof(T) * std::max<Size>(1, n), MCXT_ALLOC_HUGE));
}

Set *read_sets(Clusters &clusters, const int64 *numbers, int n); // as many as there are numbers, in any order
int64 create_set(Clusters &clusters, const Rank &first, int64 size);
void update_set(Clusters &clusters, const Set &set);
void drop_sets(Clusters &clusters, const int64 *numbers, int n);
void drop_members(Clusters &clusters, const Datum *ids, int n);
Rank first_member(Clusters &clusters, int64 cluster);
std::optional<Rank> only_member(Clusters &clusters, int64 cluster, int64 size); // size: 0 or 1
int64 sum_of_sizes(const Clusters &clusters, int64 a, int64 b);
void store_links(Clusters &clusters, const Links &links);

void note_first(Clusters &clusters, int64 number, Datum before, Datum first);

} // namespace txtfp::pg
