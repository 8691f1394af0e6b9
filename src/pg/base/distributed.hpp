// Tables that Citus distributes. Their rows are in shards: tables of other names, mostly on other servers. The table
// that has the name is empty.
#pragma once

#include "pg/base/pg.hpp"

extern "C" {
#include "utils/rel.h"
}

namespace txtfp::pg {

enum class Placement {
	here,   // Citus does not know the table, or is not there
	shard,  // one shard on this server
	copies, // a reference table: a copy on each server
	shards  // on several servers, or on another one
};
Placement placement_of(Oid table);

// Raises an error (0A000) if the rows of the index's table are in shards, which have indexes of their own.
void check_has_rows(Relation index);

} // namespace txtfp::pg
