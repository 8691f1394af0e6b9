// Counts of objects of the database over all sessions, in PostgreSQL's cumulative statistics. It keeps those of a
// library from 18 on, if the library is in shared_preload_libraries.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "pg/base/pg.hpp"

namespace txtfp::pg {

using ObjectCounts = std::array<std::int64_t, 6>;

inline void add(ObjectCounts &sum, const ObjectCounts &counts)
{
	for (std::size_t i = 0; i < sum.size(); ++i)
		sum[i] += counts[i];
}

void keep_server_counts(); // when the library is loaded
// Adds to the counts of an object, if the server keeps any. Other sessions see them later, as all statistics.
void add_to_server(Oid object, const ObjectCounts &counts);
ObjectCounts server_counts(Oid object); // raises 55000 if the server keeps none

} // namespace txtfp::pg
