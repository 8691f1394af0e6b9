// Clusters as connected components: leaving.
//
// To leave, its links are cut. The tree falls into as many parts as there were links. All parts but
// one, which is the largest, are walked through side by side. Their members are searched for until each part is known
// to be similar to another, or to be a cluster of its own. Parts that are similar are a group; the largest group keeps
// the number.
#include <algorithm>
#include <functional>
#include <numeric>

#include "pg/live_clusters/numbers.hpp"
#include "pg/live_clusters/sets.hpp"

extern "C" {
#include "miscadmin.h"
#include "utils/memutils.h"
}

namespace txtfp::pg {

namespace {

struct LinkedRow { // an entry of a KeyTable
	Datum id;
	int part;
	LinkedRow *next; // of the same part, in the order in which they were found
};

struct Part {
	LinkedRow *first, *last, *unexpanded; // unexpanded: the first node whose links have not been followed
	int64 size;
	int parent; // of a union-find over parts
};

class Parts {
public:
	void open(Clusters &clusters, const Set &set, Datum left, const Neighbours &roots)
	{
		clusters_ = &clusters;
		cluster_ = set.cluster;
		number_ = set.number;
		count_ = groups_ = roots.count;
		parts_ = array_of<Part>(static_cast<Size>(count_));
		nodes_.open(clusters.key, sizeof(LinkedRow), count_);
		links_.open(count_);
		for (int i = 0; i < count_; ++i) {
			parts_[i] = {nullptr, nullptr, nullptr, 0, i};
			if (compare_keys(clusters.key, roots.rows[i].id, left) == 0 || add(i, roots.rows[i].id) == nullptr)
				report_contradiction(clusters, State::links);
		}
	}

	// Follows the links, a node of each part at a time, until all nodes of all parts but one are known.
	void walk()
	{
		auto *ids = array_of<Datum>(static_cast<Size>(count_));
		for (;;) {
			int n = 0;
			for (int i = 0; i < count_; ++i)
				if (parts_[i].unexpanded != nullptr)
					ids[n++] = parts_[i].unexpanded->id;
			if (n <= 1)
				break;
			follow(ids, n);
		}
		rest_ = 0;
		for (int i = 0; i < count_; ++i)
			if (is_better_rest(parts_[i], parts_[rest_]))
				rest_ = i;
	}

	// Searches for similar rows among the parts, and links the parts that are similar.
	void reconnect()
	{
		const MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "searches", ALLOCSET_DEFAULT_SIZES);
		const MemoryContext caller = MemoryContextSwitchTo(scratch);
		for (int i = 0; i < count_ && groups_ > 1; ++i)
			for (const LinkedRow *node = parts_[i].first; node != nullptr && groups_ > 1 && root(i) != root(rest_);
				 node = node->next) {
				CHECK_FOR_INTERRUPTS();
				search(*node, i);
				MemoryContextReset(scratch);
			}
		MemoryContextSwitchTo(caller);
		MemoryContextDelete(scratch);
		store_links(*clusters_, links_);
	}

	// The largest group of the cluster of this size keeps its number; of equal ones the group that has the smallest id.
	// The others become clusters, or rows in no cluster. Returns how many members went.
	int64 split(int64 size)
	{
		check_size(size);
		if (groups_ == 1)
			return 0;
		auto *sizes = array_of<int64>(static_cast<Size>(count_));
		const int keeper = choose_keeper(sizes, size);
		int single = 0;
		auto *singles = array_of<Datum>(static_cast<Size>(count_));
		for (int i = 0; i < count_; ++i) {
			if (root(i) != i || i == keeper)
				continue;
			if (sizes[i] == 1)
				singles[single++] = parts_[i].first->id;
			else
				move(i);
		}
		if (single > 0) {
			note_singles(singles, single);
			drop_members(*clusters_, singles, single);
		}
		return size - sizes[keeper];
	}

private:
	// nullptr: it was known, as a row of this part. In a tree no link leads to another part.
	LinkedRow *add(int part, Datum id)
	{
		bool found;
		auto *node = static_cast<LinkedRow *>(nodes_.enter(id, found));
		if (found && node->part != part)
			report_contradiction(*clusters_, State::links);
		if (found)
			return nullptr;
		node->part = part;
		node->next = nullptr;
		Part &to = parts_[part];
		if (to.last != nullptr)
			to.last->next = node;
		else
			to.first = node;
		to.last = node;
		if (to.unexpanded == nullptr)
			to.unexpanded = node;
		++to.size;
		return node;
	}

	void follow(const Datum *ids, int n)
	{
		for (int i = 0; i < count_; ++i)
			if (parts_[i].unexpanded != nullptr)
				parts_[i].unexpanded = parts_[i].unexpanded->next;
		expand(ids, n);
	}

	void expand(const Datum *ids, int n)
	{
		CHECK_FOR_INTERRUPTS();
		const Datum array = key_array(clusters_->key, ids, n);
		const Rows rows = read(*clusters_, Statement::links_of, &array);
		for (uint64 i = 0; i < rows.count; ++i) {
			const auto *from = static_cast<const LinkedRow *>(nodes_.find(rows.key(i, 1)));
			if (from == nullptr)
				report_contradiction(*clusters_, State::links);
			(void) add(from->part, rows.key(i, 2));
		}
		rows.done();
		pfree(DatumGetPointer(array));
	}

	static bool is_better_rest(const Part &a, const Part &b)
	{
		if ((a.unexpanded != nullptr) != (b.unexpanded != nullptr))
			return a.unexpanded != nullptr;
		return a.size > b.size;
	}

	int root(int part)
	{
		for (; parts_[part].parent != part; part = parts_[part].parent)
			parts_[part].parent = parts_[parts_[part].parent].parent;
		return part;
	}

	void search(const LinkedRow &node, int part)
	{
		const StoredRow row = read_row(*clusters_, node.id);
		if (!row.exists)
			return; // its own change comes later
		Neighbours found = find_neighbours(*clusters_, node.id, row);
		if (found.count == 0)
			return;
		read_labels(*clusters_, found);
		for (int i = 0; i < found.count && groups_ > 1; ++i) {
			const Neighbour &other = found.rows[i];
			if (other.label.cluster != cluster_)
				continue;
			const auto *known = static_cast<const LinkedRow *>(nodes_.find(other.id));
			const int theirs = root(known != nullptr ? known->part : rest_), ours = root(part);
			if (theirs == ours)
				continue;
			parts_[theirs].parent = ours;
			--groups_;
			const MemoryContext scratch = MemoryContextSwitchTo(MemoryContextGetParent(CurrentMemoryContext));
			links_.add(node.id, copy_key(clusters_->key, other.id));
			MemoryContextSwitchTo(scratch);
		}
	}

	int64 known_size() const
	{
		return std::accumulate(
			parts_, parts_ + count_, int64{0}, [](int64 sum, const Part &part) { return sum + part.size; });
	}

	// All parts together have this size. Only the rest may have rows that are not known.
	void check_size(int64 size)
	{
		const int64 known = known_size();
		if (known > size || (known < size && parts_[rest_].unexpanded == nullptr))
			report_contradiction(*clusters_, State::sets);
	}

	// The sizes of the groups, each at its root; all together have this size. The rest may not have been walked
	// through, but its size follows.
	int choose_keeper(int64 *sizes, int64 size)
	{
		const int rest = root(rest_);
		std::fill_n(sizes, count_, 0);
		for (int i = 0; i < count_; ++i)
			if (root(i) != rest)
				sizes[root(i)] += parts_[i].size;
		sizes[rest] = std::accumulate(sizes, sizes + count_, size, std::minus<>());
		int keeper = rest;
		for (int i = 0; i < count_; ++i)
			if (sizes[i] > sizes[keeper])
				keeper = i;
		const bool is_only = std::count(sizes, sizes + count_, sizes[keeper]) == 1;
		if (keeper != rest || !is_only) {
			walk_rest();
			check_size(size);
		}
		if (!is_only)
			keeper = with_smallest_id(sizes, sizes[keeper]);
		return keeper;
	}

	// It is no larger than what has been walked through.
	void walk_rest()
	{
		Part &rest = parts_[rest_];
		while (rest.unexpanded != nullptr) {
			auto *ids = array_of<Datum>(static_cast<Size>(rest.size));
			int n = 0;
			for (; rest.unexpanded != nullptr; rest.unexpanded = rest.unexpanded->next)
				ids[n++] = rest.unexpanded->id;
			expand(ids, n);
			pfree(ids);
		}
	}

	int with_smallest_id(const int64 *sizes, int64 size)
	{
		const LinkedRow *smallest = nullptr;
		for (int i = 0; i < count_; ++i)
			for (const LinkedRow *node = parts_[i].first; node != nullptr && sizes[root(i)] == size; node = node->next)
				if (smallest == nullptr || compare_keys(clusters_->key, node->id, smallest->id) < 0)
					smallest = node;
		return root(smallest->part);
	}

	void note_singles(const Datum *ids, int n)
	{
		for (int i = 0; i < n; ++i)
			note(*clusters_, {What::left, number_, ids[i]});
	}

	// All rows of the group are known.
	void move(int group)
	{
		auto *ids = array_of<Datum>(static_cast<Size>(known_size()));
		int n = 0;
		for (int i = 0; i < count_; ++i)
			if (root(i) == group)
				for (const LinkedRow *node = parts_[i].first; node != nullptr; node = node->next)
					ids[n++] = node->id;
		const int64 cluster = create_set(*clusters_, {ids[0], 0}, n); // its first member follows
		const Datum values[] = {
			Int64GetDatum(cluster), key_array(clusters_->key, ids, n), Int64GetDatum(cluster_)};
		write(*clusters_, Statement::move_members, values).check_count(static_cast<uint64>(n));
		touch(*clusters_, cluster);
		const Rank first = first_member(*clusters_, cluster);
		update_set(*clusters_, {cluster, n, first, cluster});
		if (clusters_->numbers != nullptr)
			clusters_->numbers->created(cluster);
		note(*clusters_, {What::split_from, cluster, {}, number_, first.id});
		for (int i = 0; i < n; ++i)
			note(*clusters_, {What::joined, cluster, ids[i]});
	}

	Clusters *clusters_;
	int64 cluster_, number_;
	Part *parts_;
	int count_, groups_, rest_;
	KeyTable nodes_;
	Links links_;
};

// The ids at the other ends of the row's links.
Neighbours linked_rows(Clusters &clusters, Datum id)
{
	const Datum array_of_one = key_array(clusters.key, &id, 1);
	const Rows rows = read(clusters, Statement::links_of, &array_of_one);
	Neighbours linked{array_of<Neighbour>(rows.count), static_cast<int>(rows.count)};
	for (uint64 i = 0; i < rows.count; ++i)
		linked.rows[i] = {rows.key(i, 2), 0, 0, {}};
	rows.done();
	return linked;
}

} // namespace

void dissolve_single(Clusters &clusters, int64 cluster)
{
	const Datum value = number_array(&cluster, 1);
	const Rows rows = read(clusters, Statement::sets, &value);
	const bool is_single = rows.count > 0 && rows.number(0, 4) == 1; // it may be part of another by now
	const int64 number = is_single ? rows.number(0, 5) : 0;
	rows.done();
	if (!is_single)
		return;
	const Rank last = *only_member(clusters, cluster, 1);
	drop_members(clusters, &last.id, 1);
	drop_sets(clusters, &cluster, 1);
	note(clusters, {What::dissolved, number});
}

void leave_cluster(Clusters &clusters, Datum id, const Label &label, bool enters)
{
	const Neighbours linked = linked_rows(clusters, id);
	Set set = *read_sets(clusters, &label.cluster, 1);
	note(clusters, {What::left, set.number, id});
	write(clusters, Statement::drop_links, &id).check_count(static_cast<uint64>(linked.count));
	drop_members(clusters, &id, 1);
	touch(clusters, label.cluster);
	--set.size;
	if (set.size > 1 && linked.count > 1) {
		Parts parts;
		parts.open(clusters, set, id, linked);
		parts.walk();
		parts.reconnect();
		set.size -= parts.split(set.size);
	}
	if (set.size < 1 || (set.size == 1 && !enters)) {
		if (const std::optional<Rank> last = only_member(clusters, set.cluster, set.size))
			drop_members(clusters, &last->id, 1);
		drop_sets(clusters, &set.cluster, 1);
		note(clusters, {What::dissolved, set.number});
		return;
	}
	const Datum before = set.first.id;
	set.first = first_member(clusters, set.cluster);
	update_set(clusters, set);
	note_first(clusters, set.number, before, set.first.id);
}

} // namespace txtfp::pg
