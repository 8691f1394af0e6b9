// Clusters that follow the rows of a table: what a live_clusters_trigger knows, read from its arguments once per session.
//
// The state stands in ordinary tables of the table's owner, so that MVCC, crash recovery, replicas and dumps need nothing of
// their own. With NAME from the arguments, in the schema of the table:
//
//   NAME_members  a row for each row of the table that has a near-duplicate: its cluster, a number, and in stars the row kept
//   NAME_sets     a row for each cluster: the member that it is named after, and its size
//   NAME_links    pairs of similar members that hold a cluster together: a spanning tree, one link less than members
//   NAME_history  stars: who was kept for whom until when
//   NAME          a view of it all, with the columns of near_duplicate_clusters
#pragma once

#include "pg/live_clusters/row_key.hpp"
#include "pg/trigger/search_options.hpp"

extern "C" {
#include "executor/spi.h"
}

namespace txtfp::pg {

constexpr const char *live_clusters_trigger_name = "live_clusters_trigger";

// The statements that an operation runs (statements.cpp).
enum class Statement {
	neighbours,
	row,
	labels,
	sets,
	lock_sets,
	new_set,
	update_set,
	drop_sets,
	enter_new,
	enter,
	drop_members,
	move_clusters,
	move_members,
	first_member,
	links_of,
	add_links,
	drop_links,
	dependents,
	centres,
	assign,
	clear,
	count,
};

// All strings live in the cache's memory.
struct Clusters {
	Oid definition; // the trigger as the user created it; clones in partitions have OIDs of their own
	Oid table;      // where it was created: the table that is searched
	Oid owner;      // of `table`
	Oid schema;     // of the extension
	Oid members;    // NAME_members: the locks are named after it
	KeyType key;
	Oid fingerprint_type;
	int16 fingerprint_length; // -1: it varies
	const FingerprintKind *kind;
	double limit; // least similarity or greatest distance
	bool star;
	const char *name;                            // of the state, without a schema
	const char *key_column, *fingerprint_column; // of `table`
	const char *priority_column, *text_column;   // nullptr: there is none
	const char *table_text, *state_schema, *key_text,
		*function_text; // quoted: table, schema, key type, schema of functions
	RowLocks locks;
	SPIPlanPtr plans[static_cast<int>(Statement::count)];
};

// The clusters of a trigger. Raises an error (22023, 42703, 42804, 42P01 …) if its arguments are wrong. Valid until the next call.
Clusters &clusters_of(Relation fired, const Trigger &trigger, Oid schema);

// The trigger of a table that keeps clusters, of this name or, where that is nullptr, the only one. Raises an error (42704, 42725) if
// there is none, or more than one. The result is in the current memory context.
const Trigger &find_clusters_trigger(Relation table, const char *name, Oid function);

// "schema.name_suffix", quoted
const char *state_text(const Clusters &clusters, const char *suffix);

} // namespace txtfp::pg
