// Clusters that follow the rows of a table: what a live_clusters_trigger knows, read from its arguments once per
// session.
//
// The state stands in ordinary tables of the table's owner, so that MVCC, crash recovery, replicas and dumps need
// nothing of their own. With NAME from the arguments, they are created in the schema of the table as
//
//   NAME_members  a row for each row of the table that is in a cluster: the component, a number, and in stars the row
//                 kept. Where clusters are parts of components (numbers.hpp), the number of the cluster is there, too
//   NAME_sets     a row for each component: its number, which stays, the member that it is named after, and its size
//   NAME_links    pairs of similar members that hold a cluster together: a spanning tree, one link less than members
//   NAME_history  stars: who was kept for whom until when
//   NAME_events   on request: what has happened to the clusters (events.hpp)
//   two tables of the user's, with pairs of rows that are apart, and of rows that are together (decided_pairs.hpp)
//   NAME          a view of it all, with the columns of near_duplicate_clusters
//
// The condition of the trigger AFTER TRUNCATE, which is always true, names these relations in this order; '-' stands
// for one that does not exist, and the last ones of these are left out:
//
//   WHEN (ARRAY['NAME'::regclass, 'NAME_members'::regclass, …] IS NOT NULL)
//
// A trigger on each table of pairs has the name of the clusters as its argument, and its condition names the clustered
// table.
//
// PostgreSQL stores their OIDs, so they may be renamed; it does not let them be dropped while the trigger is there; and
// a dump has their names.
#pragma once

#include "pg/base/table_query.hpp"
#include "pg/live_clusters/row_key.hpp"
#include "pg/trigger/pairs_table.hpp"
#include "pg/trigger/search_options.hpp"
#include "pg/trigger/search_scope.hpp"
#include "pg/trigger/text_decision.hpp"

namespace txtfp::pg {

constexpr const char *live_clusters_trigger_name = "live_clusters_trigger";

// The relations of the state, as the trigger names them.
enum class State { view, members, sets, links, history, events, apart, together, count };
constexpr int state_count = static_cast<int>(State::count);
constexpr int least_state_count = static_cast<int>(State::history); // there are always this many

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
	tell,
	pairs,
	partners_apart,
	partners_together,
	members_of,
	similarity,
	name,
	mark,
	numbered,
	kept_for,
	new_numbers,
	number,
	number_set,
	count,
};

// of the operation that runs
struct EventLog; // events.cpp
class Numbers;

// All strings live in its memory.
struct Clusters {
	MemoryContext memory;
	Oid definition;         // the trigger as the user created it; clones in partitions have OIDs of their own
	Oid table;              // where it was created: the table that is searched
	Oid schema;             // of the extension
	Oid state[state_count]; // InvalidOid: there is none
	TableShape shape;       // of its columns: key, fingerprint, and the columns that options name
	KeyType key;
	bool key_needs_bytes; // equal keys may have other bytes: the column's collation is nondeterministic
	Oid fingerprint_type;
	int16 fingerprint_length; // -1: it varies
	const FingerprintKind *kind;
	double limit; // least similarity or greatest distance
	bool star;
	const char *name;                            // of the clusters
	const char *key_column, *fingerprint_column; // of `table`
	const char *priority_column, *text_column;   // nullptr: there is none
	const char *channel;                         // to notify; nullptr: nobody wants to know
	// Similar rows are linked only if the later one in the order of priority may go because of the earlier one; nullptr:
	// all are.
	TextDecision *decision;
	RowLocks locks;
	bool state_is_locked; // by the operation that runs
	EventLog *log;        // nullptr: nobody wants to know
	Numbers *numbers;     // nullptr: clusters are components
	int64 *touched;       // clusters that the operation has changed, if there are decided pairs
	int touched_count, touched_room;
	bool in_one_snapshot; // the snapshot of the caller's statement
	TableQuery *queries[static_cast<int>(Statement::count)];

	Oid relation(State which) const { return state[static_cast<int>(which)]; }
	Oid members() const { return relation(State::members); } // the locks are named after it
	bool has_decided_pairs() const { return OidIsValid(relation(State::apart)) || OidIsValid(relation(State::together)); }
	bool has_events() const { return OidIsValid(relation(State::events)); }
	bool has_parts() const { return star || has_decided_pairs(); } // clusters may be parts of components
};

// The clusters of a trigger. Raises an error (22023, 42703, 42804, 42P01 …) if its arguments are wrong. They belong to
// the caller until it gives them back: an operation may fire the same trigger again, after changes that make all of
// this invalid, and then that call reads its own.
Clusters *acquire_clusters(Relation fired, const Trigger &trigger, Oid schema);
void give_back(Clusters *clusters, Oid trigger);

// Calls run(clusters), and gives them back after an error, too.
template <class Fn> void with_clusters(Relation fired, const Trigger &trigger, Oid schema, const Fn &run)
{
	const Oid oid = trigger.tgoid;
	Clusters *clusters = acquire_clusters(fired, trigger, schema);
	PG_TRY();
	{
		run(*clusters);
	}
	PG_FINALLY();
	{
		give_back(clusters, oid);
	}
	PG_END_TRY();
}

// The triggers of a table that keep clusters, of this name or, where that is nullptr, of the only one: the first that
// is fired for each row. Raises an error (42704, 42725) if there is none, or more than one name. The result is in the
// current memory context.
const Trigger &find_clusters_trigger(Relation table, const char *name, Oid function);

// The relations that the trigger AFTER TRUNCATE of these clusters names; returns this trigger. Raises an error (42P01)
// if there is none.
const Trigger &read_state(Relation table, const char *name, Oid function, Oid (&state)[state_count]);
// Raises an error (55000) unless both triggers have the same arguments, and these the version of decisions that this
// library makes: the links that are stored were decided so.
void check_decision_of_state(const Clusters &clusters, const Trigger &trigger, const Trigger &of_state, int version);
// The clustered table that a trigger on a table of pairs names: WHEN ('…'::regclass IS NOT NULL). Raises an error
// (22023) for another condition.
Oid clustered_table(const Trigger &trigger);
[[noreturn]] void report_missing_state(const char *table, const char *name);

// The search scope of the clustered table, and its lock alone. Raise an error (55000) if it is not what it was when the
// trigger's arguments were read.
SearchScope enter_scope(const Clusters &clusters);
void lock_clustered_table(const Clusters &clusters);

// Locks the tables of the state until the end of the transaction. Raises an error unless they are tables (42809) of the
// owner of the clustered table (42501), so that nobody else's functions run with the rights of the owner, and the
// owner's not with the rights of somebody else; and if pairs_table does.
void lock_state(const Clusters &clusters, LOCKMODE mode);

} // namespace txtfp::pg
