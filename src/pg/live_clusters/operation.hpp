// What a change of a row does to the clusters.
//
// Concurrency. A transaction that changes a row holds the row's keys, as near_duplicate_trigger takes them: two values
// within the limit share a key, so nobody else changes a row that is similar to this one, and what the search finds
// stays true until the end of the transaction. Then it locks the clusters of the rows that it has found; where such a
// row is in no cluster, the row. It reads again which clusters these are. If that has changed, it gives those locks
// back and begins again. While a cluster is locked, nobody else changes it or searches among its rows.
//
// Order. An operation takes a row from the state (`leave`) and puts it in as the table says it is now. AFTER triggers
// run when all rows of a statement are written. So a search may find rows whose own change comes later, or may not find
// rows whose removal comes later. For that reason
//
//   links are read from the state; nothing is searched for by what a row was before;
//   a row found that is in no cluster yet becomes a member, and is looked at again when its turn comes;
//   a row found in another cluster than the one that is looked at is left alone: its own change will connect it.
#pragma once

#include "pg/live_clusters/events.hpp"
#include "pg/live_clusters/statements.hpp"
#include "pg/trigger/near_duplicate_locks.hpp"

namespace txtfp::pg {

// A row as the table has it.
struct StoredRow {
	bool exists;       // with a fingerprint
	Datum fingerprint; // detoasted
	double priority;
	NullableDatum text; // detoasted; NULL where texts do not decide
};

// What the state says of a row.
struct Label {
	int64 cluster; // 0: it is in none
	double priority;
	// stars only
	int64 number; // of the star; 0: it is alone
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

// A component, and the member that it is named after. Its number as a cluster may be another, if pairs had cut it once.
struct Set {
	int64 cluster, size;
	Rank first;
	int64 number;
};

// Links to be stored.
struct Links {
	Datum *a, *b;
	int count;

	void open(int room);
	void add(Datum from, Datum to);
};

struct Member {
	Datum id;
	double priority;
	Datum kept; // stars: which row is kept for it; a row that is kept itself has its own id
	double similarity;
	int64 number; // stars: 0: it is alone; Entry::new_cluster: the component's
};

// What is to be stored when rows enter a cluster.
struct Entry {
	static constexpr int64 new_cluster = -1; // stands for the number that the cluster will get

	Set set;            // with the rows that enter
	Datum first_before; // components: the row that the cluster was named after
	Member *members;
	int count;
	Links links;
};

StoredRow read_row(Clusters &clusters, Datum id);
// The rows that it is linked to: similar ones, whose texts say the same if they decide, and those that are together with
// it.
Neighbours find_neighbours(
	Clusters &clusters, Datum id, const StoredRow &row, Snapshot snapshot = Snapshot::transaction);

// After use_tokens_of for one of the fingerprints, which all have the same configuration. Is one of these rows, the later one in the order of priority, near-duplicate of the other? For clusters with a decision.
struct ComparedRow {
	Rank rank;
	NullableDatum text;
};
bool is_linked(const Clusters &clusters, const ComparedRow &a, const ComparedRow &b, double similarity);
// Raises an error if two of the rows have the same key (23505, or 40001 where the snapshot may be the reason).
void read_labels(Clusters &clusters, Neighbours &rows, Snapshot snapshot = Snapshot::transaction);

// Takes the row that the label belongs to out of its cluster; what it alone held together falls apart (parts.cpp). The
// largest part keeps the number of the cluster. A single row is in no cluster, but where the row that leaves `enters`
// again, the last one keeps the number until dissolve_single.
void leave_cluster(Clusters &clusters, Datum id, const Label &label, bool enters);
void dissolve_single(Clusters &clusters, int64 cluster); // if it has one row

// The clusters of a row and of its neighbours become one, and rows that are in none enter it. The row comes
// first in `rows`, whose labels are true afterwards. The caller stores the entry, whose `kept` says that each row is
// kept itself.
Entry enter_clusters(Clusters &clusters, Neighbours &rows);
int64 store(Clusters &clusters, const Entry &entry); // returns the number of the cluster, 0: there is nothing to store

uint64 row_lock(const Clusters &clusters, Datum id); // the number of the lock for a row, as if it were a cluster
void touch(Clusters &clusters, int64 cluster);       // this operation has changed it: its decided pairs count

// Finds anew who is kept for whom, when the first of `rows` has left its cluster, or enters one with its neighbours,
// which are the others, or both (stars.cpp). Completes the entry.
void update_stars(Clusters &clusters, const Neighbours &rows, bool left, Entry &entry);

// The whole operation. `given`: the row, where the caller has it; otherwise it is read. Without `leave` the row is new.
// Runs in a search scope; `locks` has the keys of the row.
// `changed`: somebody has written the row.
void refresh_row(Clusters &clusters, Datum id, const StoredRow *given, bool leave, bool changed, KeyLocks &locks);

// The same for a row that nobody has just written, with locks of its own.
void go_over_row(Clusters &clusters, Datum id, bool leave, bool alone);

// Locks the keys of a row: of one fingerprint, or of two, its old and its new one. The caller ends with
// KeyLocks::finish.
KeyLocks lock_row(const Clusters &clusters, const Datum *fingerprints, int n, bool alone);

} // namespace txtfp::pg
