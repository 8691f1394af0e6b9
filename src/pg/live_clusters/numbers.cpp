#include "pg/live_clusters/numbers.hpp"

#include <algorithm>
#include <functional>
#include <new>

#include "pg/live_clusters/sets.hpp"

namespace txtfp::pg {

Numbers::Numbers(Clusters &clusters, Datum self, bool counts)
	: clusters_(clusters), memory_(CurrentMemoryContext), self_(copy_key(clusters.key, self)), self_counts_(counts)
{
	rows_.open(clusters.key, sizeof(Row), 16);
	groups_.open(clusters.key, sizeof(Group), 16);
	created_ = array_of<int64>(static_cast<Size>(created_room_));
}

Numbers::Row &Numbers::row(Datum id)
{
	bool found;
	auto *row = static_cast<Row *>(rows_.enter(id, found));
	if (found)
		return *row;
	const MemoryContext caller = MemoryContextSwitchTo(memory_);
	*row = {};
	row->id = copy_key(clusters_.key, id);
	row->counts = self_counts_ || !same(id, self_);
	row->next = all_;
	all_ = row;
	++row_count_;
	MemoryContextSwitchTo(caller);
	return *row;
}

Numbers::Group &Numbers::group(Datum kept)
{
	bool found;
	auto *group = static_cast<Group *>(groups_.enter(kept, found));
	if (found)
		return *group;
	const MemoryContext caller = MemoryContextSwitchTo(memory_);
	*group = {};
	group->kept = copy_key(clusters_.key, kept);
	group->next = all_groups_;
	all_groups_ = group;
	++group_count_;
	MemoryContextSwitchTo(caller);
	return *group;
}

void Numbers::was(Datum id, Datum kept, int64 number)
{
	Row &row = this->row(id);
	if (row.was_there)
		return;
	row.was_there = true;
	row.before = number;
	const MemoryContext caller = MemoryContextSwitchTo(memory_);
	row.kept_before = copy_key(clusters_.key, kept);
	MemoryContextSwitchTo(caller);
}

void Numbers::is(Datum id, Datum kept, int64 component)
{
	Row &row = this->row(id);
	row.is_there = true;
	row.group = &group(kept);
	row.group->component = component;
}

void Numbers::has_rest(Datum kept, int64 number)
{
	Group &group = this->group(kept);
	if (group.known)
		return;
	group.known = true;
	group.rest_number = number;
	group.rest = number == 0 ? 1 : 2;
	group.rest_ids = &group.kept;
	group.rest_room = 1;
}

void Numbers::has_no_rest(Datum kept) { group(kept).known = true; }

void Numbers::created(int64 component)
{
	if (created_count_ == created_room_) {
		created_room_ *= 2;
		created_ = static_cast<int64 *>(repalloc_huge(created_, sizeof(int64) * static_cast<Size>(created_room_)));
	}
	created_[created_count_++] = component;
}

void Numbers::find_groups()
{
	for (Row *row = all_; row != nullptr; row = row->next) {
		const bool stays = row->is_there && row->was_there && same(row->kept_before, row->group->kept);
		if (row->is_there) {
			++row->group->named;
			row->group->gains |= !stays && row->before != 0;
		}
		if (row->before != 0 && !stays)
			++group(row->kept_before).lost;
	}
}

// Reads the rows that are not named, as many as may matter: that many more than are named decide for themselves.
void Numbers::look_at_rest()
{
	if (all_named_)
		return;
	auto *kept = array_of<Datum>(group_count_);
	auto *limits = array_of<int64>(group_count_);
	int n = 0;
	for (Group *group = all_groups_; group != nullptr; group = group->next) {
		const bool is_alone = group->known && group->rest_number == 0;
		if (is_alone || (group->known && group->lost == 0 && !group->gains))
			continue;
		group->rest = group->rest_number = 0;
		kept[n] = group->kept;
		limits[n++] = 2 * (group->named + group->lost) + 2;
	}
	if (n == 0)
		return;
	const Datum values[] = {key_array(clusters_.key, kept, n), number_array(limits, n)};
	const Rows found = read(clusters_, Statement::kept_for, values);
	for (int i = 0; i < n; ++i) {
		Group &group = this->group(kept[i]);
		group.rest_ids = array_of<Datum>(static_cast<Size>(limits[i]));
		group.rest_room = limits[i];
	}
	for (uint64 i = 0; i < found.count; ++i) {
		const Datum id = found.key(i, 2);
		if (rows_.find(id) != nullptr)
			continue;
		Group &group = this->group(found.key(i, 1));
		if (group.rest == group.rest_room)
			report_contradiction(clusters_, State::members);
		group.rest_number = found.number_if_any(i, 3);
		group.rest_ids[group.rest++] = id;
	}
	found.done();
}

void Numbers::find_olds()
{
	olds_ = array_of<Old>(row_count_ + group_count_);
	for (Row *row = all_; row != nullptr; row = row->next)
		if (row->before != 0)
			olds_[old_count_++] = {row->before, row->kept_before, nullptr, nullptr, nullptr};
	for (Group *group = all_groups_; group != nullptr; group = group->next)
		if (group->rest > 0 && group->rest_number != 0)
			olds_[old_count_++] = {group->rest_number, group->kept, nullptr, nullptr, nullptr};
	std::sort(olds_, olds_ + old_count_, [](const Old &a, const Old &b) { return a.number < b.number; });
	const Old *end =
		std::unique(olds_, olds_ + old_count_, [](const Old &a, const Old &b) { return a.number == b.number; });
	old_count_ = static_cast<Size>(end - olds_);
}

Numbers::Old &Numbers::old(int64 number) const
{
	Old *end = olds_ + old_count_,
		*found = std::lower_bound(olds_, end, number, [](const Old &old, int64 wanted) { return old.number < wanted; });
	if (found == end || found->number != number)
		report_contradiction(clusters_, State::members);
	return *found;
}

// How many rows each cluster of before has in common with each of now.
Numbers::Overlap *Numbers::overlaps(Size &count) const
{
	auto *found = array_of<Overlap>(row_count_ + group_count_);
	Size n = 0;
	for (const Row *row = all_; row != nullptr; row = row->next)
		if (row->counts && row->before != 0 && row->is_there && row->group->is_cluster())
			found[n++] = {row->before, 1, row->group, row->id};
	const auto less = [&](Datum a, Datum b) { return compare_keys(clusters_.key, a, b) < 0; };
	for (Group *group = all_groups_; group != nullptr; group = group->next)
		if (group->rest > 0 && group->rest_number != 0 && group->is_cluster())
			found[n++] = {group->rest_number, group->rest, group,
				group->known ? group->kept : *std::min_element(group->rest_ids, group->rest_ids + group->rest, less)};
	std::sort(found, found + n, [](const Overlap &a, const Overlap &b) {
		return a.number != b.number ? a.number < b.number : std::less<const Group *>()(a.group, b.group);
	});
	count = 0;
	for (Size i = 0; i < n; ++i) {
		Overlap *last = count > 0 ? &found[count - 1] : nullptr;
		if (last == nullptr || last->number != found[i].number || last->group != found[i].group) {
			found[count++] = found[i];
			continue;
		}
		last->count += found[i].count;
		if (less(found[i].smallest, last->smallest))
			last->smallest = found[i].smallest;
	}
	return found;
}

void Numbers::choose()
{
	Size n;
	Overlap *found = overlaps(n);
	std::sort(found, found + n, [&](const Overlap &a, const Overlap &b) {
		if (a.count != b.count)
			return a.count > b.count;
		return a.number != b.number ? a.number < b.number : compare_keys(clusters_.key, a.smallest, b.smallest) < 0;
	});
	for (Overlap *overlap = found; overlap != found + n; ++overlap) {
		Old &old = this->old(overlap->number);
		Group &group = *overlap->group;
		if (old.target == nullptr)
			old.target = &group;
		if (group.from == 0)
			group.from = old.number;
		if (old.same != nullptr || group.number != 0)
			continue;
		old.same = &group;
		group.number = old.number;
	}
}

bool Numbers::takes_number_of_component(const Group &group)
{
	int64 *end = created_ + created_count_, *component = std::find(created_, end, group.component);
	if (component == end || (group.component == Entry::new_cluster && group.rest > 0))
		return false;
	*component = *--end;
	--created_count_;
	return true;
}

void Numbers::number_new_groups()
{
	auto *groups = array_of<Group *>(group_count_);
	Size n = 0;
	for (Group *group = all_groups_; group != nullptr; group = group->next)
		if (group->is_cluster() && group->number == 0)
			groups[n++] = group;
	std::sort(groups, groups + n,
		[&](const Group *a, const Group *b) { return compare_keys(clusters_.key, a->kept, b->kept) < 0; });
	Size without = 0;
	for (Size i = 0; i < n; ++i) {
		groups[i]->is_new = true;
		if (takes_number_of_component(*groups[i]))
			groups[i]->number = groups[i]->component;
		else
			groups[without++] = groups[i];
	}
	if (without == 0)
		return;
	const Datum count = Int64GetDatum(without);
	const Rows numbers = write(clusters_, Statement::new_numbers, &count);
	for (Size i = 0; i < without; ++i)
		groups[i]->number = numbers.number(i, 1);
	numbers.done();
}

// Rows whose number changes though they were not named.
void Numbers::name_rest()
{
	for (Group *group = all_groups_; group != nullptr; group = group->next) {
		if (group->rest == 0 || group->rest_number == (group->is_cluster() ? group->number : 0))
			continue;
		if (group->rest > group->rest_room) // they keep their number, or not all have the same
			report_contradiction(clusters_, State::members);
		for (int64 i = 0; i < group->rest; ++i) {
			Row &row = this->row(group->rest_ids[i]);
			row.was_there = row.is_there = row.of_rest = true;
			row.before = group->rest_number;
			row.kept_before = group->kept;
			row.group = group;
		}
		group->named += group->rest;
		group->rest = 0;
	}
}

void Numbers::decide()
{
	const MemoryContext caller = MemoryContextSwitchTo(memory_);
	find_groups();
	look_at_rest();
	find_olds();
	choose();
	number_new_groups();
	name_rest();
	MemoryContextSwitchTo(caller);
}

int64 Numbers::of(Datum id) const
{
	const auto *row = static_cast<const Row *>(rows_.find(id));
	return row != nullptr ? row->now() : 0;
}

void Numbers::store_rest()
{
	auto *ids = array_of<Datum>(row_count_);
	auto *numbers = array_of<int64>(row_count_);
	int n = 0;
	for (const Row *row = all_; row != nullptr; row = row->next)
		if (row->of_rest) {
			ids[n] = row->id;
			numbers[n++] = row->now();
		}
	if (n == 0)
		return;
	const Datum values[] = {key_array(clusters_.key, ids, n), number_array(numbers, n)};
	(void) write(clusters_, Statement::number, values);
}

// Is the change of this row told by one event of its cluster: "merged into", or "split from" ?
bool Numbers::is_told_by_cluster(const Row &row) const
{
	const Old &old = this->old(row.before);
	if (old.same == nullptr && old.target != nullptr)
		return row.is_there && row.group == old.target;
	return old.same != nullptr && row.now() != 0 && row.group->is_new && row.group->from == row.before;
}

void Numbers::tell_left(Row **rows, Size n)
{
	for (Size i = 0; i < n; ++i) {
		Row &row = *rows[i];
		const int64 now = row.now();
		if (row.before == 0 || row.before == now || is_told_by_cluster(row))
			continue;
		Old &old = this->old(row.before);
		if (old.same == nullptr && old.target == nullptr && old.last == nullptr && now == 0 && row.counts)
			old.last = &row; // its cluster is dissolved
		else
			note(clusters_, {What::left, row.before, row.id});
	}
}

void Numbers::tell_groups(Row **rows, Size n)
{
	// rows in the order of the clusters that are new
	auto *sorted = array_of<Row *>(n);
	Row **end =
		std::copy_if(rows, rows + n, sorted, [](const Row *row) { return row->now() != 0 && row->group->is_new; });
	std::stable_sort(sorted, end, [](const Row *a, const Row *b) { return a->group->number < b->group->number; });
	for (Row **at = sorted; at != end; ++at) {
		const Group &group = *(*at)->group;
		if (at == sorted || at[-1]->group != &group) {
			const bool is_part = group.from != 0;
			note(clusters_, {is_part ? What::split_from : What::created, group.number, {}, group.from, group.kept});
		}
		note(clusters_, {What::joined, group.number, (*at)->id});
	}
	for (const Old *old = olds_; old != olds_ + old_count_; ++old)
		if (old->same == nullptr && old->target != nullptr)
			note(clusters_, {What::merged_into, old->number, {}, old->target->number});
	for (Size i = 0; i < n; ++i) {
		const Row &row = *rows[i];
		const int64 now = row.now();
		if (now != 0 && now != row.before && !row.group->is_new && (row.before == 0 || !is_told_by_cluster(row)))
			note(clusters_, {What::joined, now, row.id});
	}
	for (const Old *old = olds_; old != olds_ + old_count_; ++old)
		if (old->same == nullptr && old->target == nullptr)
			note(clusters_, {What::dissolved, old->number});
	for (const Old *old = olds_; old != olds_ + old_count_; ++old)
		if (old->same != nullptr && !same(old->kept, old->same->kept))
			note(clusters_, {What::kept_row_changed, old->number, {}, 0, old->same->kept, old->kept});
}

void Numbers::tell(int64 entered)
{
	clusters_.numbers = nullptr; // from here on events count
	if (clusters_.log == nullptr)
		return;
	for (Group *group = all_groups_; group != nullptr; group = group->next)
		if (group->number == Entry::new_cluster)
			group->number = entered;
	auto *rows = array_of<Row *>(row_count_);
	Size n = 0;
	for (Row *row = all_; row != nullptr; row = row->next)
		rows[n++] = row;
	std::sort(
		rows, rows + n, [&](const Row *a, const Row *b) { return compare_keys(clusters_.key, a->id, b->id) < 0; });
	tell_left(rows, n);
	tell_groups(rows, n);
}

void begin_numbers(Clusters &clusters, Datum self, bool counts)
{
	clusters.numbers = new (palloc(sizeof(Numbers))) Numbers(clusters, self, counts);
}

} // namespace txtfp::pg
