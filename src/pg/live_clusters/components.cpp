// Clusters as connected components, held together by a spanning tree of links for each: entering. The other half is in
// parts.cpp.
//
// To enter, a row is linked to one row of each cluster that it is similar to, and the members of the smaller clusters
// get the number of the largest.
#include <algorithm>

#include "pg/live_clusters/sets.hpp"

namespace txtfp::pg {

namespace {

// The numbers of the clusters of the rows; first the first row's, if it has one.
struct Components {
	int64 *numbers;
	int count;
};

// Links the first row to the most similar one of each other cluster, and to each row that is in none.
Components link_clusters(const Neighbours &rows, Links &links)
{
	const Neighbour &self = rows.rows[0];
	const int n = rows.count - 1;
	auto *order = array_of<const Neighbour *>(static_cast<Size>(n));
	for (int i = 0; i < n; ++i)
		order[i] = &rows.rows[i + 1];
	std::sort(order, order + n, [](const Neighbour *x, const Neighbour *y) {
		return x->label.cluster != y->label.cluster ? x->label.cluster < y->label.cluster
													: x->similarity > y->similarity;
	});
	Components clusters{array_of<int64>(static_cast<Size>(rows.count)), 0};
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
	touch(clusters, merged.cluster);
	first_before = merged.first.id;
	auto *others = array_of<int64>(static_cast<Size>(n));
	for (int i = 1; i < n; ++i) {
		const Set &other = sets[i];
		others[i - 1] = other.cluster;
		note(clusters, {What::merged_into, other.number, {}, merged.number});
		merged.size = sum_of_sizes(clusters, merged.size, other.size);
		if (is_before(clusters.key, other.first, merged.first))
			merged.first = other.first;
	}
	if (n > 1) {
		const Datum values[] = {Int64GetDatum(merged.cluster), number_array(others, n - 1)};
		write(clusters, Statement::move_clusters, values).check_count(static_cast<uint64>(merged.size - sets[0].size));
		drop_sets(clusters, others, n - 1);
	}
	return merged;
}

// `number`: of the cluster, which the entry does not know if it is new.
void note_entry(Clusters &clusters, const Entry &entry, int64 number)
{
	if (clusters.log == nullptr)
		return;
	if (entry.set.cluster == Entry::new_cluster)
		note(clusters, {What::created, number, {}, 0, entry.set.first.id});
	for (int i = 0; i < entry.count; ++i)
		note(clusters, {What::joined, number, entry.members[i].id});
	if (entry.set.cluster != Entry::new_cluster)
		note_first(clusters, number, entry.first_before, entry.set.first.id);
}

} // namespace

void Links::open(int room)
{
	const auto size = static_cast<Size>(room);
	*this = {array_of<Datum>(size), array_of<Datum>(size), 0};
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
	const Components found = link_clusters(rows, entry.links);
	// Nothing new. In stars another row may be kept now, and then the set has to be written: see check_snapshot.
	if (entry.links.count == 0 && !clusters.star)
		return entry;
	entry.set = found.count == 0 ? Set{Entry::new_cluster, 0, {self.id, self.priority}, 0}
								 : merge(clusters, found.numbers, found.count, entry.first_before);
	entry.members = array_of<Member>(static_cast<Size>(rows.count));
	for (int i = 0; i < rows.count; ++i) {
		Neighbour &row = rows.rows[i];
		if (row.label.cluster == 0) {
			row.label = {0, row.priority, 0, row.id, row.priority, 1};
			entry.members[entry.count++] = {row.id, row.priority, row.id, 1, 0};
			entry.set.size = sum_of_sizes(clusters, entry.set.size, 1);
			if (is_before(clusters.key, {row.id, row.priority}, entry.set.first))
				entry.set.first = {row.id, row.priority};
		}
		row.label.cluster = entry.set.cluster;
	}
	return entry;
}

int64 store(Clusters &clusters, const Entry &entry)
{
	if (entry.set.cluster == 0)
		return 0;
	const auto count = static_cast<Size>(entry.count);
	auto *ids = array_of<Datum>(count), *kept = array_of<Datum>(count);
	auto *priorities = array_of<double>(count), *similarities = array_of<double>(count);
	auto *numbers = array_of<int64>(count);
	for (int i = 0; i < entry.count; ++i) {
		ids[i] = entry.members[i].id;
		priorities[i] = entry.members[i].priority;
		kept[i] = entry.members[i].kept;
		similarities[i] = entry.members[i].similarity;
		numbers[i] = entry.members[i].number;
	}
	const KeyType &key = clusters.key;
	const Datum values[] = {Int64GetDatum(entry.set.cluster), entry.set.first.id,
		Float8GetDatum(entry.set.first.priority), Int64GetDatum(entry.set.size), key_array(key, ids, entry.count),
		float_array(priorities, entry.count), key_array(key, kept, entry.count), float_array(similarities, entry.count),
		key_array(key, entry.links.a, entry.links.count), key_array(key, entry.links.b, entry.links.count),
		number_array(numbers, entry.count)};
	const bool is_new = entry.set.cluster == Entry::new_cluster;
	const Rows rows = write(clusters, is_new ? Statement::enter_new : Statement::enter, values);
	rows.check_count(count);
	const int64 cluster = is_new ? rows.number(0, 1) : entry.set.cluster;
	note_entry(clusters, entry, is_new ? cluster : entry.set.number);
	return cluster;
}

} // namespace txtfp::pg
