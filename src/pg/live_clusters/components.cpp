// Clusters as connected components, held together by a spanning tree of links for each.
//
// To enter, a row is linked to one row of each cluster that it is similar to, and the members of the smaller clusters get the
// number of the largest. To leave, its links are cut. The tree falls into as many parts as there were links. All parts but
// one, which is the largest, are walked through side by side. Their members are searched for until each part is known to be similar
// to another, or to be a cluster of its own. Parts that are similar are a group; the largest group keeps the number.
#include <algorithm>
#include <functional>
#include <numeric>

#include "pg/live_clusters/operation.hpp"

extern "C" {
#include "miscadmin.h"
#include "utils/memutils.h"
}

namespace txtfp::pg {

namespace {

template <class T> T *array(Size n)
{
	return static_cast<T *>(palloc_extended(sizeof(T) * std::max<Size>(1, n), MCXT_ALLOC_HUGE));
}

// As many as there are numbers, in any order.
Set *read_sets(Clusters &clusters, const int64 *numbers, int n)
{
	const Datum values = number_array(numbers, n);
	const Rows rows = read(clusters, Statement::sets, &values);
	if (rows.count != static_cast<uint64>(n))
		report_contradiction(clusters);
	auto *sets = array<Set>(rows.count);
	for (uint64 i = 0; i < rows.count; ++i)
		sets[i] = {DatumGetInt64(rows.value(i, 1)), DatumGetInt64(rows.value(i, 4)),
			{copy_key(clusters.key, rows.value(i, 2)), DatumGetFloat8(rows.value(i, 3))}};
	rows.done();
	return sets;
}

int64 create_set(Clusters &clusters, const Rank &first, int64 size)
{
	const Datum values[] = {first.id, Float8GetDatum(first.priority), Int64GetDatum(size)};
	const Rows rows = write(clusters, Statement::new_set, values);
	const int64 cluster = DatumGetInt64(rows.value(0, 1));
	rows.done();
	return cluster;
}

void update_set(Clusters &clusters, const Set &set)
{
	const Datum values[] = {
		Int64GetDatum(set.cluster), set.first.id, Float8GetDatum(set.first.priority), Int64GetDatum(set.size)};
	(void) write(clusters, Statement::update_set, values);
}

void drop_sets(Clusters &clusters, const int64 *numbers, int n)
{
	const Datum values = number_array(numbers, n);
	(void) write(clusters, Statement::drop_sets, &values);
}

void drop_members(Clusters &clusters, const Datum *ids, int n)
{
	const Datum values = key_array(clusters.key, ids, n);
	(void) write(clusters, Statement::drop_members, &values);
}

Rank first_member(Clusters &clusters, int64 cluster)
{
	const Datum value = Int64GetDatum(cluster);
	const Rows rows = read(clusters, Statement::first_member, &value);
	const Rank first{copy_key(clusters.key, rows.value(0, 1)), DatumGetFloat8(rows.value(0, 2))};
	rows.done();
	return first;
}

void store_links(Clusters &clusters, const Links &links)
{
	if (links.count == 0)
		return;
	const Datum values[] = {
		key_array(clusters.key, links.a, links.count), key_array(clusters.key, links.b, links.count)};
	(void) write(clusters, Statement::add_links, values);
}

// In components, the row that a cluster is named after is kept for it.
std::optional<Datum> kept_of_set(const Clusters &clusters, Datum first)
{
	return clusters.star ? std::nullopt : std::optional<Datum>(first);
}

void note_left(Clusters &clusters, Datum id, int64 cluster, const Label &label)
{
	note(clusters, {What::left, cluster, id, 0, {}, clusters.star ? std::optional<Datum>(label.kept) : std::nullopt});
}

void note_first(Clusters &clusters, int64 cluster, Datum before, Datum first)
{
	if (!clusters.star && compare_keys(clusters.key, before, first) != 0)
		note(clusters, {What::kept_row_changed, cluster, {}, 0, first, before});
}

// ---- entering

// The numbers of the clusters of the rows, that of the first row first if it has one.
struct Numbers {
	int64 *numbers;
	int count;
};

// Links the first row to the most similar one of each other cluster, and to each row that is in none.
Numbers link_clusters(const Neighbours &rows, Links &links)
{
	const Neighbour &self = rows.rows[0];
	const int n = rows.count - 1;
	auto *order = array<const Neighbour *>(static_cast<Size>(n));
	for (int i = 0; i < n; ++i)
		order[i] = &rows.rows[i + 1];
	std::sort(order, order + n, [](const Neighbour *x, const Neighbour *y) {
		return x->label.cluster != y->label.cluster ? x->label.cluster < y->label.cluster
													: x->similarity > y->similarity;
	});
	Numbers clusters{array<int64>(static_cast<Size>(rows.count)), 0};
	if (self.label.cluster != 0)
		clusters.numbers[clusters.count++] = self.label.cluster;
	int64 last = 0;
	for (int i = 0; i < n; ++i) {
		const int64 cluster = order[i]->label.cluster;
		const bool is_other = cluster != 0 && cluster != last && cluster != self.label.cluster;
		if (is_other)
			clusters.numbers[clusters.count++] = cluster;
		if (is_other || cluster == 0)
			links.add(self.id, order[i]->id);
		last = cluster;
	}
	return clusters;
}

// Makes one cluster of several: the smaller ones get the number of the largest.
Set merge(Clusters &clusters, const int64 *numbers, int n, Datum &first_before)
{
	Set *sets = read_sets(clusters, numbers, n);
	std::sort(sets, sets + n,
		[](const Set &a, const Set &b) { return a.size != b.size ? a.size > b.size : a.cluster < b.cluster; });
	Set merged = sets[0];
	first_before = merged.first.id;
	auto *others = array<int64>(static_cast<Size>(n));
	for (int i = 1; i < n; ++i) {
		const Set &other = sets[i];
		others[i - 1] = other.cluster;
		note(clusters, {What::merged_into, other.cluster, {}, merged.cluster});
		merged.size += other.size;
		if (is_before(clusters.key, other.first, merged.first))
			merged.first = other.first;
	}
	if (n > 1) {
		const Datum values[] = {Int64GetDatum(merged.cluster), number_array(others, n - 1)};
		(void) write(clusters, Statement::move_clusters, values);
		drop_sets(clusters, others, n - 1);
	}
	return merged;
}

// ---- leaving

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
	void open(Clusters &clusters, int64 cluster, const Neighbours &roots)
	{
		clusters_ = &clusters;
		cluster_ = cluster;
		count_ = groups_ = roots.count;
		parts_ = array<Part>(static_cast<Size>(count_));
		nodes_.open(clusters.key, sizeof(LinkedRow), count_);
		links_.open(count_);
		for (int i = 0; i < count_; ++i) {
			parts_[i] = {nullptr, nullptr, nullptr, 0, i};
			add(i, roots.rows[i].id);
		}
	}

	// Follows the links, a node of each part at a time, until all nodes of all parts but one are known.
	void walk()
	{
		auto *ids = array<Datum>(static_cast<Size>(count_));
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

	// The largest group of the cluster of this size keeps its number; of equal ones the group that has the smallest id. The others become clusters, or rows in no
	// cluster. Returns how many members went.
	int64 split(int64 size)
	{
		if (groups_ == 1)
			return 0;
		auto *sizes = array<int64>(static_cast<Size>(count_));
		const int keeper = choose_keeper(sizes, size);
		int single = 0;
		auto *singles = array<Datum>(static_cast<Size>(count_));
		for (int i = 0; i < count_; ++i) {
			if (root(i) != i || i == keeper)
				continue;
			if (sizes[i] == 1)
				singles[single++] = parts_[i].first->id;
			else
				move(i, sizes[i]);
		}
		if (single > 0) {
			note_singles(singles, single);
			drop_members(*clusters_, singles, single);
		}
		return size - sizes[keeper];
	}

private:
	LinkedRow *add(int part, Datum id)
	{
		bool found;
		auto *node = static_cast<LinkedRow *>(nodes_.enter(id, found));
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
			const auto *from = static_cast<const LinkedRow *>(nodes_.find(copy_key(clusters_->key, rows.value(i, 1))));
			if (from == nullptr)
				report_contradiction(*clusters_);
			(void) add(from->part, copy_key(clusters_->key, rows.value(i, 2)));
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
		Neighbours found = find_neighbours(*clusters_, row.fingerprint, node.id);
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

	// The sizes of the groups, each at its root; all together have this size. The rest may not have been walked through, but its size follows.
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
		if (keeper != rest || !is_only)
			walk_rest();
		if (!is_only)
			keeper = with_smallest_id(sizes, sizes[keeper]);
		return keeper;
	}

	// It is no larger than what has been walked through.
	void walk_rest()
	{
		Part &rest = parts_[rest_];
		while (rest.unexpanded != nullptr) {
			auto *ids = array<Datum>(static_cast<Size>(rest.size));
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
		if (clusters_->log == nullptr)
			return;
		Neighbours rows{array<Neighbour>(static_cast<Size>(n)), n};
		for (int i = 0; i < n; ++i)
			rows.rows[i] = {ids[i], 0, 0, {}};
		read_labels(*clusters_, rows);
		for (int i = 0; i < n; ++i)
			note_left(*clusters_, ids[i], cluster_, rows.rows[i].label);
	}

	void move(int group, int64 size)
	{
		auto *ids = array<Datum>(static_cast<Size>(size));
		int n = 0;
		for (int i = 0; i < count_; ++i)
			if (root(i) == group)
				for (const LinkedRow *node = parts_[i].first; node != nullptr; node = node->next)
					ids[n++] = node->id;
		const int64 cluster = create_set(*clusters_, {ids[0], 0}, size); // its first member follows
		const Datum values[] = {Int64GetDatum(cluster), key_array(clusters_->key, ids, n)};
		(void) write(*clusters_, Statement::move_members, values);
		const Rank first = first_member(*clusters_, cluster);
		update_set(*clusters_, {cluster, size, first});
		note(*clusters_, {What::split_from, cluster, {}, cluster_, kept_of_set(*clusters_, first.id)});
		for (int i = 0; i < n; ++i)
			note(*clusters_, {What::joined, cluster, ids[i]});
	}

	Clusters *clusters_;
	int64 cluster_;
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
	Neighbours linked{array<Neighbour>(rows.count), static_cast<int>(rows.count)};
	for (uint64 i = 0; i < rows.count; ++i)
		linked.rows[i] = {copy_key(clusters.key, rows.value(i, 2)), 0, 0, {}};
	rows.done();
	return linked;
}

// `cluster`: its number, which the entry does not know if it is new.
void note_entry(Clusters &clusters, const Entry &entry, int64 cluster)
{
	if (entry.set.cluster == Entry::new_cluster)
		note(clusters, {What::created, cluster, {}, 0, kept_of_set(clusters, entry.set.first.id)});
	for (int i = 0; i < entry.count; ++i) {
		const Member &member = entry.members[i];
		note(clusters,
			{What::joined, cluster, member.id, 0, clusters.star ? std::optional<Datum>(member.kept) : std::nullopt});
	}
	if (entry.set.cluster != Entry::new_cluster)
		note_first(clusters, cluster, entry.first_before, entry.set.first.id);
}

} // namespace

void Links::open(int room)
{
	const auto size = static_cast<Size>(room);
	*this = {array<Datum>(size), array<Datum>(size), 0};
}

void Links::add(Datum from, Datum to)
{
	a[count] = from;
	b[count++] = to;
}

Entry enter_clusters(Clusters &clusters, Neighbours &rows)
{
	const Neighbour &self = rows.rows[0];
	Entry entry{};
	entry.links.open(rows.count);
	const Numbers found = link_clusters(rows, entry.links);
	// Nothing new. In stars another row may be kept now, and then the set has to be written: see check_snapshot.
	if (entry.links.count == 0 && !clusters.star)
		return entry;
	entry.set = found.count == 0 ? Set{Entry::new_cluster, 0, {self.id, self.priority}}
								 : merge(clusters, found.numbers, found.count, entry.first_before);
	entry.members = array<Member>(static_cast<Size>(rows.count));
	for (int i = 0; i < rows.count; ++i) {
		Neighbour &row = rows.rows[i];
		if (row.label.cluster == 0) {
			row.label = {0, row.priority, row.id, row.priority, 1};
			entry.members[entry.count++] = {row.id, row.priority, row.id, 1};
			++entry.set.size;
			if (is_before(clusters.key, {row.id, row.priority}, entry.set.first))
				entry.set.first = {row.id, row.priority};
		}
		row.label.cluster = entry.set.cluster;
	}
	return entry;
}

void store(Clusters &clusters, const Entry &entry)
{
	if (entry.set.cluster == 0)
		return;
	const auto count = static_cast<Size>(entry.count);
	auto *ids = array<Datum>(count), *kept = array<Datum>(count);
	auto *priorities = array<double>(count), *similarities = array<double>(count);
	for (int i = 0; i < entry.count; ++i) {
		ids[i] = entry.members[i].id;
		priorities[i] = entry.members[i].priority;
		kept[i] = entry.members[i].kept;
		similarities[i] = entry.members[i].similarity;
	}
	const KeyType &key = clusters.key;
	const Datum values[] = {Int64GetDatum(entry.set.cluster), entry.set.first.id,
		Float8GetDatum(entry.set.first.priority), Int64GetDatum(entry.set.size), key_array(key, ids, entry.count),
		float_array(priorities, entry.count), key_array(key, kept, entry.count), float_array(similarities, entry.count),
		key_array(key, entry.links.a, entry.links.count), key_array(key, entry.links.b, entry.links.count)};
	const bool is_new = entry.set.cluster == Entry::new_cluster;
	const Rows rows = write(clusters, is_new ? Statement::enter_new : Statement::enter, values);
	if (clusters.log != nullptr)
		note_entry(clusters, entry, is_new ? DatumGetInt64(rows.value(0, 1)) : entry.set.cluster);
}

void dissolve_single(Clusters &clusters, int64 cluster)
{
	const Datum value = number_array(&cluster, 1);
	const Rows rows = read(clusters, Statement::sets, &value);
	const bool is_single = rows.count == 1 && DatumGetInt64(rows.value(0, 4)) == 1;
	rows.done();
	if (!is_single)
		return;
	const Rank last = first_member(clusters, cluster);
	drop_members(clusters, &last.id, 1);
	drop_sets(clusters, &cluster, 1);
	note(clusters, {What::dissolved, cluster});
}

void leave_cluster(Clusters &clusters, Datum id, const Label &label, bool enters)
{
	const Neighbours linked = linked_rows(clusters, id);
	(void) write(clusters, Statement::drop_links, &id);
	drop_members(clusters, &id, 1);
	note_left(clusters, id, label.cluster, label);
	Set set = *read_sets(clusters, &label.cluster, 1);
	--set.size;
	if (set.size > 1 && linked.count > 1) {
		Parts parts;
		parts.open(clusters, label.cluster, linked);
		parts.walk();
		parts.reconnect();
		set.size -= parts.split(set.size);
	}
	if (set.size < 1 || (set.size == 1 && !enters)) {
		if (set.size == 1) {
			const Rank last = first_member(clusters, set.cluster);
			drop_members(clusters, &last.id, 1);
		}
		drop_sets(clusters, &set.cluster, 1);
		note(clusters, {What::dissolved, set.cluster});
		return;
	}
	const Datum before = set.first.id;
	set.first = first_member(clusters, set.cluster);
	update_set(clusters, set);
	note_first(clusters, set.cluster, before, set.first.id);
}

} // namespace txtfp::pg
