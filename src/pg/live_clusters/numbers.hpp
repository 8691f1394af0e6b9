// The numbers of clusters that are parts of a component: stars, and what pairs that are apart leave of a component.
//
// An operation says of the rows that it changes where they were and where they are. Rows that it does not name stay for
// whom they are kept; they are looked at where they matter. A cluster of before and one of now are the same if they
// have the most rows in common; of equal such pairs, the one with the smaller number, then the one that has the smallest
// id in common. Then the same is asked of the clusters that are left, and clusters of now that are left at the end get new
// numbers. So the largest of the clusters that merge keeps its number, as does the largest part of one that splits, and
// a number stays while any row does that has not another one.
#pragma once

#include "pg/live_clusters/operation.hpp"

namespace txtfp::pg {

class Numbers {
public:
	// `self`: the row of the operation, which does not count if it was changed
	Numbers(Clusters &clusters, Datum self, bool counts);

	// A row was in a cluster, in which `kept` was kept; 0: it was alone. The first call counts.
	void was(Datum id, Datum kept, int64 number);
	// A row is in this component, and `kept` is kept for it.
	void is(Datum id, Datum kept, int64 component);
	// Some rows for which `kept` is kept are not named: `kept` itself alone if `number` is 0, otherwise at least one
	// in the cluster of this number.
	void has_rest(Datum kept, int64 number);
	void has_no_rest(Datum kept);
	void has_no_rest() { all_named_ = true; } // for nobody
	void created(int64 component);            // its number may become a cluster's
	void decide();                            // gives each cluster its number
	int64 of(Datum id) const;                 // of a row that is in one; 0: it is alone
	void store_rest();                        // of rows that were not named
	void tell(int64 entered);                 // the events; and what number Entry::new_cluster has become

private:
	struct Group { // of rows for which a row is kept; an entry of a KeyTable
		Datum kept;
		int64 number, component, named, rest, rest_number, lost; // rest: how many are not named
		Datum *rest_ids; // nullptr: not known, which has no room
		int64 rest_room; // of rest_ids, which may have fewer than `rest`
		bool known, gains, is_new;
		int64 from; // is_new: split from it
		Group *next;

		bool is_cluster() const { return rest + named > 1; }
	};
	struct Row { // an entry of a KeyTable
		Datum id;
		bool was_there, is_there, of_rest, counts;
		int64 before;
		Datum kept_before;
		Group *group;
		Row *next;

		int64 now() const { return is_there && group->is_cluster() ? group->number : 0; }
	};
	struct Overlap {
		int64 number, count;
		Group *group;
		Datum smallest;
	};
	struct Old { // a cluster of before
		int64 number;
		Datum kept;
		Group *same, *target; // target: most of its rows are there
		Row *last;            // that is in none, where the cluster is dissolved
	};

	Row &row(Datum id);
	Group &group(Datum kept);
	bool same(Datum a, Datum b) const { return compare_keys(clusters_.key, a, b) == 0; }
	void find_groups();
	void look_at_rest();
	void name_rest();
	void find_olds();
	Old &old(int64 number) const;
	void choose();
	Overlap *overlaps(Size &count) const;
	void number_new_groups();
	bool takes_number_of_component(const Group &group);
	bool is_told_by_cluster(const Row &row) const;
	void tell_left(Row **rows, Size n);
	void tell_groups(Row **rows, Size n);

	Clusters &clusters_;
	const MemoryContext memory_;
	Datum self_;
	bool self_counts_, all_named_ = false;
	KeyTable rows_, groups_;
	Row *all_ = nullptr;
	Group *all_groups_ = nullptr;
	Size row_count_ = 0, group_count_ = 0;
	Old *olds_ = nullptr;
	Size old_count_ = 0;
	int64 *created_;
	int created_count_ = 0, created_room_ = 8;
};

// Of the operation that runs: its clusters are parts of components.
void begin_numbers(Clusters &clusters, Datum self, bool counts);

} // namespace txtfp::pg
