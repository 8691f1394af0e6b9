// What an operation has done to the clusters: told in the table NAME_events and by NOTIFY, when it is complete.
//
// A reader who follows the events in their order knows at each time which row is in which cluster: `joined` says where
// a row is now, wherever it was before; `merged into`, that all rows of the cluster are in the other one; `dissolved`,
// that none is in it. What an operation has undone itself is not told: an update takes a row from its cluster and puts
// it in again.
#pragma once

#include <optional>

#include "pg/live_clusters/live_clusters.hpp"

namespace txtfp::pg {

enum class What { created, joined, left, merged_into, split_from, dissolved, kept_row_changed };

struct Event {
	What what;
	int64 cluster;
	std::optional<Datum> id = {};     // the row
	int64 other = 0;                  // merged into it, or split from it
	std::optional<Datum> kept = {};   // the row that the cluster is named after
	std::optional<Datum> before = {}; // kept until then
};

// Remembers an event of the operation that runs, if somebody wants to know. Where clusters are parts of components, what
// happens to these is not told: clusters.numbers tells at the end what happened to the parts.
void note(Clusters &clusters, const Event &event);

void begin_events(Clusters &clusters); // what an earlier operation has noted before it failed is forgotten
void tell_events(Clusters &clusters);  // at the end of the operation
void notify(const Clusters &clusters); // if there is a channel

} // namespace txtfp::pg
