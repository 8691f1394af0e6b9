// Stars: in the order of priority, equal ones by id, a row is a centre unless a centre before it is similar to it; then
// the first such centre is the row that is kept for it. So what a row is follows from the rows before it alone.
//
// A change is carried on in this order. A row is looked at anew when the row kept for it has left or is no centre any
// more.
// A row that has become a centre takes over the similar rows after it whose centre comes later. Each row is therefore
// decided at most once. For the decision a row needs its similar rows: a search for each. Where a centre with many rows
// has left, and there are fewer other centres in its cluster than these rows, it is the centres that are searched for.
#include <algorithm>

#include "pg/live_clusters/numbers.hpp"
#include "pg/live_clusters/sets.hpp"

extern "C" {
#include "miscadmin.h"
#include "utils/memutils.h"
}

namespace txtfp::pg {

namespace {

struct Star { // of a row; an entry of a KeyTable
	Datum id;
	double priority;
	int64 cluster, number; // as they are stored
	Rank kept, stored_kept;
	double similarity, stored_similarity;
	bool is_new;   // it is not in the state yet
	bool waits;    // for its decision
	bool informed; // all centres that were there at the beginning have been compared with it
	bool has_candidate;
	Rank candidate;
	double candidate_similarity;
	Star *next; // of all rows that were looked at
};

// The order of a heap whose top is the first row.
struct ComesLater {
	const KeyType &key;
	bool operator()(const Star *a, const Star *b) const
	{
		return is_before(key, {b->id, b->priority}, {a->id, a->priority});
	}
};

class Stars {
public:
	explicit Stars(Clusters &clusters)
		: clusters_(clusters), memory_(CurrentMemoryContext),
		  row_memory_(AllocSetContextCreate(CurrentMemoryContext, "a row", ALLOCSET_DEFAULT_SIZES))
	{
		rows_.open(clusters.key, sizeof(Star), 64);
		room_ = 64;
		queue_ = static_cast<Star **>(palloc(sizeof(Star *) * room_));
	}

	// Rows whose centre `id` was.
	void add_dependents(Datum id)
	{
		const Rows dependents = read(clusters_, Statement::dependents, &id);
		for (uint64 i = 0; i < dependents.count; ++i) {
			bool found;
			auto *row = static_cast<Star *>(rows_.enter(dependents.key(i, 1), found));
			if (!found)
				start(*row, dependents.real(i, 2), dependents.number(i, 3), {id, 0}, dependents.real(i, 4),
					dependents.number_if_any(i, 5));
			if (compare_keys(clusters_.key, row->kept.id, id) == 0)
				wait(*row);
		}
		dependents.done();
	}

	void wait(Star &row)
	{
		if (row.waits)
			return;
		row.waits = true;
		row.informed = row.has_candidate = false;
		if (count_ == room_) {
			room_ *= 2;
			queue_ = static_cast<Star **>(repalloc_huge(queue_, sizeof(Star *) * room_));
		}
		queue_[count_++] = &row;
		std::push_heap(queue_, queue_ + count_, ComesLater{clusters_.key});
	}

	Star &load(const Neighbour &member)
	{
		bool found;
		auto *row = static_cast<Star *>(rows_.enter(member.id, found));
		if (!found)
			start(*row, member.label.priority, member.label.cluster, {member.label.kept, member.label.kept_priority},
				member.label.similarity, member.label.number);
		return *row;
	}

	// The rows that enter, each as a centre. They are stored when all is decided.
	void add_new(const Entry &entry)
	{
		for (int i = 0; i < entry.count; ++i) {
			const Member &member = entry.members[i];
			bool found;
			auto *row = static_cast<Star *>(rows_.enter(member.id, found));
			start(*row, member.priority, entry.set.cluster, {member.id, member.priority}, 1, 0);
			row->is_new = true;
		}
	}

	// Compares the centres with the rows that wait, if that takes fewer searches.
	void inform(const Entry &entry)
	{
		constexpr std::size_t few = 8;
		if (count_ < few)
			return;
		auto *numbers = static_cast<int64 *>(palloc(sizeof(int64) * count_));
		std::transform(queue_, queue_ + count_, numbers, [](const Star *row) { return row->cluster; });
		std::sort(numbers, numbers + count_);
		const auto n = static_cast<int>(std::unique(numbers, numbers + count_) - numbers);
		const Datum array = number_array(numbers, n);
		const Rows centres = read(clusters_, Statement::centres, &array);
		const bool informed = centres.count < count_;
		for (uint64 i = 0; informed && i < centres.count; ++i)
			inform_of({centres.key(i, 1), centres.real(i, 2)});
		for (int i = 0; informed && i < entry.count; ++i)
			inform_of({entry.members[i].id, entry.members[i].priority});
		for (std::size_t i = 0; i < count_; ++i)
			queue_[i]->informed = informed;
		centres.done();
	}

	// Decides about all rows that wait. The similar rows of one of them, if it is among them, are known.
	void decide(Datum known, const Neighbours &neighbours)
	{
		while (count_ > 0) {
			CHECK_FOR_INTERRUPTS();
			std::pop_heap(queue_, queue_ + count_, ComesLater{clusters_.key});
			Star &row = *queue_[--count_];
			row.waits = false;
			const MemoryContext caller = MemoryContextSwitchTo(row_memory_);
			decide(row, compare_keys(clusters_.key, row.id, known) == 0 ? &neighbours : nullptr);
			MemoryContextSwitchTo(caller);
			MemoryContextReset(row_memory_);
		}
	}

	// The rows that enter are stored with the entry.
	void store(Entry &entry)
	{
		Numbers &numbers = *clusters_.numbers;
		if (entry.set.cluster == Entry::new_cluster)
			numbers.created(Entry::new_cluster);
		for (const Star *row = all_; row != nullptr; row = row->next)
			if (row->is_new || has_moved(*row))
				name(numbers, *row);
		numbers.decide();
		for (int i = 0; i < entry.count; ++i) {
			Member &member = entry.members[i];
			const auto *row = static_cast<const Star *>(rows_.find(member.id));
			member.kept = row->kept.id;
			member.similarity = row->similarity;
			member.number = numbers.of(member.id);
		}
		store_changes(numbers);
		numbers.store_rest();
	}

private:
	bool before(const Rank &a, const Rank &b) const { return is_before(clusters_.key, a, b); }
	static Rank rank(const Star &row) { return {row.id, row.priority}; }
	bool is_centre(const Star &row) const { return compare_keys(clusters_.key, row.kept.id, row.id) == 0; }
	bool has_moved(const Star &row) const { return compare_keys(clusters_.key, row.kept.id, row.stored_kept.id) != 0; }
	bool is_changed(const Star &row) const
	{
		return !row.is_new && (row.similarity != row.stored_similarity || has_moved(row));
	}

	// And what is known of the other rows of its star.
	void name(Numbers &numbers, const Star &row)
	{
		if (!row.is_new)
			numbers.was(row.id, row.stored_kept.id, row.number);
		numbers.is(row.id, row.kept.id, row.cluster);
		const auto *centre = static_cast<const Star *>(rows_.find(row.kept.id));
		if (centre == nullptr || !is_centre(*centre))
			return;
		if (!centre->is_new && !has_moved(*centre))
			numbers.has_rest(centre->id, centre->number);
		else if (centre->is_new && centre->cluster == Entry::new_cluster)
			numbers.has_no_rest(centre->id);
	}

	void store_changes(const Numbers &numbers)
	{
		int n = 0;
		for (const Star *row = all_; row != nullptr; row = row->next)
			n += is_changed(*row);
		if (n == 0)
			return;
		const auto size = static_cast<Size>(n);
		auto *ids = array_of<Datum>(size), *kept = array_of<Datum>(size);
		auto *similarities = array_of<double>(size);
		auto *stored_numbers = array_of<int64>(size);
		n = 0;
		for (const Star *row = all_; row != nullptr; row = row->next)
			if (is_changed(*row)) {
				ids[n] = row->id;
				kept[n] = row->kept.id;
				similarities[n] = row->similarity;
				stored_numbers[n++] = has_moved(*row) ? numbers.of(row->id) : row->number;
			}
		const Datum values[] = {key_array(clusters_.key, ids, n), key_array(clusters_.key, kept, n),
			float_array(similarities, n), number_array(stored_numbers, n)};
		(void) write(clusters_, Statement::assign, values);
	}

	// `row` is a new entry. Its centre's rank does not matter to a row that waits.
	void start(Star &row, double priority, int64 cluster, const Rank &kept, double similarity, int64 number)
	{
		const MemoryContext caller = MemoryContextSwitchTo(memory_);
		const Datum id = copy_key(clusters_.key, row.id);
		row = {};
		row.id = id;
		row.priority = priority;
		row.cluster = cluster;
		row.number = number;
		row.kept = row.stored_kept = {copy_key(clusters_.key, kept.id), kept.priority};
		row.similarity = row.stored_similarity = similarity;
		row.next = all_;
		all_ = &row;
		MemoryContextSwitchTo(caller);
	}

	// The similar row, if it is a member of this cluster or enters it; otherwise nullptr.
	Star *member_of(int64 cluster, const Neighbour &similar)
	{
		auto *row = static_cast<Star *>(rows_.find(similar.id));
		if (row == nullptr && similar.label.cluster == cluster)
			row = &load(similar);
		return row != nullptr && row->cluster == cluster ? row : nullptr;
	}

	Neighbours search(Datum id)
	{
		const StoredRow stored = read_row(clusters_, id);
		if (!stored.exists)
			return {nullptr, 0}; // its own change comes later
		Neighbours found = find_neighbours(clusters_, id, stored);
		if (found.count > 0)
			read_labels(clusters_, found);
		return found;
	}

	void inform_of(const Rank &centre)
	{
		const MemoryContext caller = MemoryContextSwitchTo(row_memory_);
		const Neighbours found = search(centre.id);
		for (int i = 0; i < found.count; ++i)
			if (auto *row = static_cast<Star *>(rows_.find(found.rows[i].id)); row != nullptr && row->waits)
				propose(*row, centre, found.rows[i].similarity);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(row_memory_);
	}

	void propose(Star &row, const Rank &centre, double similarity)
	{
		if (!before(centre, rank(row)) || (row.has_candidate && !before(centre, row.candidate)))
			return;
		row.has_candidate = true;
		row.candidate = {keep(centre.id), centre.priority};
		row.candidate_similarity = similarity;
	}

	Datum keep(Datum id)
	{
		const MemoryContext caller = MemoryContextSwitchTo(memory_);
		const Datum copy = copy_key(clusters_.key, id);
		MemoryContextSwitchTo(caller);
		return copy;
	}

	void decide(Star &row, const Neighbours *known)
	{
		const bool was_centre = is_centre(row);
		Neighbours found{};
		bool has_found = known != nullptr;
		if (has_found)
			found = *known;
		if (!row.informed || (row.has_candidate && !is_still_centre(row.candidate))) {
			if (!has_found)
				found = search(row.id);
			has_found = true;
			row.has_candidate = false;
			for (int i = 0; i < found.count; ++i)
				if (const Star *other = member_of(row.cluster, found.rows[i]); other != nullptr && is_centre(*other))
					propose(row, rank(*other), found.rows[i].similarity);
		}
		row.kept = row.has_candidate ? row.candidate : rank(row);
		row.similarity = row.has_candidate ? row.candidate_similarity : 1;
		if (row.has_candidate && was_centre)
			add_dependents(row.id);
		if (!row.has_candidate)
			take_over(row, has_found ? found : search(row.id));
	}

	bool is_still_centre(const Rank &candidate) const
	{
		const auto *row = static_cast<const Star *>(rows_.find(candidate.id));
		return row == nullptr || is_centre(*row);
	}

	// A centre takes over the similar rows after it whose centre comes later.
	void take_over(const Star &centre, const Neighbours &found)
	{
		for (int i = 0; i < found.count; ++i) {
			Star *similar = member_of(centre.cluster, found.rows[i]);
			if (similar == nullptr || !before(rank(centre), rank(*similar)))
				continue;
			Star &row = *similar;
			if (row.waits) {
				if (row.informed)
					propose(row, rank(centre), found.rows[i].similarity);
				continue;
			}
			if (!before(rank(centre), row.kept))
				continue;
			const bool was_centre = is_centre(row);
			row.kept = rank(centre);
			row.similarity = found.rows[i].similarity;
			if (was_centre)
				add_dependents(row.id);
		}
	}

	Clusters &clusters_;
	KeyTable rows_;
	MemoryContext memory_, row_memory_; // row_memory_: for the decision about one row
	Star *all_ = nullptr;
	Star **queue_; // a heap, the first row in order on top
	std::size_t count_ = 0, room_;
};

} // namespace

void update_stars(Clusters &clusters, const Neighbours &rows, bool left, Entry &entry)
{
	const Neighbour &self = rows.rows[0];
	Stars stars(clusters);
	stars.add_new(entry);
	if (left)
		stars.add_dependents(self.id);
	stars.inform(entry);
	if (rows.count > 1)
		stars.wait(stars.load(self));
	stars.decide(self.id, {rows.rows + 1, rows.count - 1});
	stars.store(entry);
}

} // namespace txtfp::pg
