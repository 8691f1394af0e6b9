// What a change of a row does to the clusters.
//
// Concurrency. A transaction that changes a row holds the row's keys, as near_duplicate_trigger takes them: two values within the
// limit share a key, so nobody else changes a row that is similar to this one, and what the search finds stays true until the
// end of the transaction. Then it locks the clusters of the rows found, and those of them that are in no cluster by
// themselves, and looks again whether they are still what it has read; if they are not, it gives those locks back and begins again.
// Whoever holds the lock of a cluster is the only one to change it or a search among its rows.
//
// Order. An operation takes a row from the state (`leave`) and puts it in as the table says it is now. AFTER triggers run when all rows
// of a statement are written, so a search may find rows whose own change comes later, or may not find rows whose removal comes
// later. So links are found in the state, never by searching for what a row was; a row found that is in no
// cluster yet becomes a member and is gone over again when its turn comes; and a member that is found in another cluster than the
// one that is looked at is left alone, since its own change will connect it.
#pragma once

#include "pg/clusters/statements.hpp"
#include "pg/trigger/near_duplicate_locks.hpp"

namespace txtfp::pg {

// A row as the table has it.
struct StoredRow {
	bool exists;       // with a fingerprint
	Datum fingerprint; // detoasted
	double priority;
};

// What the state says of a row.
struct Label {
	int64 cluster; // 0: it is in none
	double priority;
	// stars only
	Datum kept;
	double kept_priority, similarity; // to `kept`
};

struct Neighbour {
	Datum id;
	double similarity, priority; // of the row as the table has it
	Label label;
};

struct Neighbours {
	Neighbour *rows;
	int count;
};

StoredRow read_row(Clusters &clusters, Datum id);
Neighbours find_neighbours(Clusters &clusters, Datum fingerprint, Datum id, Snapshot snapshot = Snapshot::transaction);
void read_labels(Clusters &clusters, Neighbours &rows, Snapshot snapshot = Snapshot::transaction);

// Takes the row that the label belongs to out of its cluster; what it alone held together falls apart (components.cpp).
void leave_cluster(Clusters &clusters, Datum id, const Label &label);

// Puts a row into the clusters of its neighbours, which become one; `own`: its label if it is a member already.
void enter_clusters(Clusters &clusters, Datum id, double priority, const Label &own, const Neighbours &neighbours);

// Finds anew who is kept for whom, after `id` has left its cluster or entered one, or both; `neighbours` are those of a row that
// has entered (stars.cpp).
void update_stars(Clusters &clusters, Datum id, bool entered, bool left, const Neighbours &neighbours);

// The whole operation. `given`: the row, where the caller has it; otherwise it is read. Without `leave` the row is new. Runs in a
// search scope; `locks` has the keys of the row.
void refresh_row(Clusters &clusters, Datum id, const StoredRow *given, bool leave, KeyLocks &locks);

// Locks the keys of a row: of one fingerprint, or of two, its old and its new one. The caller ends with KeyLocks::finish.
KeyLocks lock_row(const Clusters &clusters, const Datum *fingerprints, int n, bool alone);

} // namespace txtfp::pg
