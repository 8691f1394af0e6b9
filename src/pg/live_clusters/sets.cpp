#include "pg/live_clusters/sets.hpp"

#include "pg/live_clusters/numbers.hpp"

namespace txtfp::pg {

Set *read_sets(Clusters &clusters, const int64 *numbers, int n)
{
	const Datum values = number_array(numbers, n);
	const Rows rows = read(clusters, Statement::sets, &values);
	if (rows.count != static_cast<uint64>(n))
		report_contradiction(clusters);
	auto *sets = array_of<Set>(rows.count);
	for (uint64 i = 0; i < rows.count; ++i)
		sets[i] = {DatumGetInt64(rows.value(i, 1)), DatumGetInt64(rows.value(i, 4)),
			{copy_key(clusters.key, rows.value(i, 2)), DatumGetFloat8(rows.value(i, 3))},
			DatumGetInt64(rows.value(i, 5))};
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
	const Rows gone = write(clusters, Statement::drop_members, &values);
	if (!clusters.star)
		return;
	for (uint64 i = 0; i < gone.count; ++i)
		clusters.numbers->was(copy_key(clusters.key, gone.value(i, 1)), copy_key(clusters.key, gone.value(i, 2)),
			DatumGetInt64(gone.value(i, 3)));
	gone.done();
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

void note_first(Clusters &clusters, int64 number, Datum before, Datum first)
{
	if (compare_keys(clusters.key, before, first) != 0)
		note(clusters, {What::kept_row_changed, number, {}, 0, first, before});
}

} // namespace txtfp::pg
