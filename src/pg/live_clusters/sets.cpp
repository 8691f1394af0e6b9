#include "pg/live_clusters/sets.hpp"

#include "pg/live_clusters/numbers.hpp"

extern "C" {
#include "common/int.h"
}

namespace txtfp::pg {

Set *read_sets(Clusters &clusters, const int64 *numbers, int n)
{
	const Datum values = number_array(numbers, n);
	const Rows rows = read(clusters, Statement::sets, &values);
	rows.check_count(static_cast<uint64>(n));
	auto *sets = array_of<Set>(rows.count);
	for (uint64 i = 0; i < rows.count; ++i)
		sets[i] = {rows.number(i, 1), rows.number(i, 4), {rows.key(i, 2), rows.real(i, 3)}, rows.number(i, 5)};
	rows.done();
	return sets;
}

int64 create_set(Clusters &clusters, const Rank &first, int64 size)
{
	const Datum values[] = {first.id, Float8GetDatum(first.priority), Int64GetDatum(size)};
	const Rows rows = write(clusters, Statement::new_set, values);
	const int64 cluster = rows.number(0, 1);
	rows.done();
	return cluster;
}

void update_set(Clusters &clusters, const Set &set)
{
	const Datum values[] = {
		Int64GetDatum(set.cluster), set.first.id, Float8GetDatum(set.first.priority), Int64GetDatum(set.size)};
	write(clusters, Statement::update_set, values).check_count(1);
}

void drop_sets(Clusters &clusters, const int64 *numbers, int n)
{
	const Datum values = number_array(numbers, n);
	write(clusters, Statement::drop_sets, &values).check_count(static_cast<uint64>(n));
}

void drop_members(Clusters &clusters, const Datum *ids, int n)
{
	const Datum values = key_array(clusters.key, ids, n);
	const Rows gone = write(clusters, Statement::drop_members, &values);
	gone.check_count(static_cast<uint64>(n));
	if (!clusters.star)
		return;
	for (uint64 i = 0; i < gone.count; ++i)
		clusters.numbers->was(gone.key(i, 1), gone.key(i, 2), gone.number_if_any(i, 3));
	gone.done();
}

namespace {

// For the two first members, or the only one.
Rank first_of(const Rows &rows)
{
	const Rank first{rows.key(0, 1), rows.real(0, 2)};
	rows.done();
	return first;
}

} // namespace

Rank first_member(Clusters &clusters, int64 cluster)
{
	const Datum value = Int64GetDatum(cluster);
	return first_of(read(clusters, Statement::first_member, &value));
}

std::optional<Rank> only_member(Clusters &clusters, int64 cluster, int64 size)
{
	const Datum value = Int64GetDatum(cluster);
	const Rows rows = read(clusters, Statement::first_member, &value);
	rows.check_count(static_cast<uint64>(size));
	return size == 0 ? std::nullopt : std::optional<Rank>(first_of(rows));
}

int64 sum_of_sizes(const Clusters &clusters, int64 a, int64 b)
{
	int64 sum;
	if (pg_add_s64_overflow(a, b, &sum))
		report_contradiction(clusters, State::sets);
	return sum;
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
