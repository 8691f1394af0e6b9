#include "pg/live_clusters/decided_pairs.hpp"

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>
#include <utility>

#include "core/base/apart_sets.hpp"
#include "core/dedup/stars.hpp"
#include "pg/live_clusters/numbers.hpp"
#include "pg/live_clusters/sets.hpp"

extern "C" {
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
}

namespace txtfp::pg {

namespace {

enum class Kind { applied, apart, together }; // applied: pairs were applied to the cluster, no pair

struct Pair {
	Kind kind;
	Datum a, b;
};

struct Pairs {
	Pair *pairs;
	int count;
};

// The pairs among the rows of components.
Pairs pairs_of(Clusters &clusters, const int64 *components, int n)
{
	const Datum value = number_array(components, n);
	const Rows rows = read(clusters, Statement::pairs, &value);
	Pairs found{array_of<Pair>(rows.count), static_cast<int>(rows.count)};
	for (uint64 i = 0; i < rows.count; ++i)
		found.pairs[i] = {static_cast<Kind>(rows.number_if_any(i, 3)), rows.key(i, 1), rows.key(i, 2)};
	rows.done();
	return found;
}

const char *id_text(const Clusters &clusters, Datum id)
{
	Oid output;
	bool is_varlena;
	getTypeOutputInfo(clusters.key.type, &output, &is_varlena);
	return OidOutputFunctionCall(output, id);
}

struct MemberRow { // of the cluster, in the order of ranks
	Datum id;
	std::optional<Datum> stored_kept;
	double stored_similarity;
	int64 stored_number; // 0: none
};

struct MemberIndex { // an entry of a KeyTable
	Datum id;
	std::uint32_t index;
};

struct Edge {
	double similarity;
	std::uint32_t a, b; // a < b

	bool operator<(const Edge &other) const { return a != other.a ? a < other.a : b < other.b; }
};

// The members of a component, and which clusters or stars the pairs leave of it: as in core/dedup/decided_pairs.hpp.
class Cut {
public:
	Cut(Clusters &clusters, int64 cluster, const Pairs &pairs) : clusters_(clusters), cluster_(cluster), pairs_(pairs)
	{
		read_members();
		is_cut_ = std::any_of(
			pairs.pairs, pairs.pairs + pairs.count, [](const Pair &pair) { return pair.kind != Kind::applied; });
		if (!is_cut_ && !clusters.star)
			return; // one cluster, named after the first row
		read_edges();
		prepare_sets();
		if (clusters.star)
			cut_into_stars();
		else
			follow_links();
	}

	std::uint32_t count() const { return count_; }
	Datum id(std::uint32_t row) const { return rows_[row].id; }
	Datum kept(std::uint32_t row) { return rows_[sets_ != nullptr ? sets_->find(row) : 0].id; }

	void name(Numbers &numbers)
	{
		for (std::uint32_t row = 0; row < count_; ++row)
			numbers.is(rows_[row].id, kept(row), cluster_);
	}

	// Stores what has changed. Without pairs no row of a component has a name or a number of its own.
	void store(const Numbers &numbers)
	{
		auto *ids = array_of<Datum>(count_), *kept_rows = array_of<Datum>(count_);
		auto *nulls = array_of<bool>(count_);
		auto *similarities = array_of<double>(count_);
		auto *of_rows = array_of<int64>(count_);
		int n = 0;
		const bool has_kept = is_cut_ || clusters_.star;
		for (std::uint32_t row = 0; row < count_; ++row) {
			const double similarity = clusters_.star ? similarity_to(row, sets_->find(row)) : 0;
			const int64 number = has_kept ? numbers.of(rows_[row].id) : 0;
			if (is_stored(row, has_kept, similarity) && (clusters_.star || number == rows_[row].stored_number))
				continue;
			ids[n] = rows_[row].id;
			kept_rows[n] = has_kept ? kept(row) : Datum(0);
			nulls[n] = !has_kept;
			of_rows[n] = number;
			similarities[n++] = similarity;
		}
		if (n > 0)
			write_members(n, ids, kept_rows, nulls, similarities, of_rows);
		if (clusters_.star)
			write_numbers(numbers);
		const Datum mark[] = {Int64GetDatum(cluster_), Int64GetDatum(is_cut_)};
		(void) write(clusters_, Statement::mark, mark);
		if (clusters_.star)
			return;
		const Datum number[] = {Int64GetDatum(cluster_), Int64GetDatum(is_cut_ ? cluster_ : numbers.of(rows_[0].id))};
		(void) write(clusters_, Statement::number_set, number);
	}

private:
	void read_members()
	{
		const Datum value = Int64GetDatum(cluster_);
		const Rows rows = read(clusters_, Statement::members_of, &value);
		count_ = static_cast<std::uint32_t>(rows.count);
		rows_ = array_of<MemberRow>(count_);
		index_.open(clusters_.key, sizeof(MemberIndex), static_cast<long>(count_));
		for (std::uint32_t i = 0; i < count_; ++i) {
			const double similarity = rows.value(i, 3).isnull ? 0 : rows.real(i, 3);
			rows_[i] = {rows.key(i, 1), rows.key_if_any(i, 2), similarity, rows.number_if_any(i, 4)};
			bool found;
			static_cast<MemberIndex *>(index_.enter(rows_[i].id, found))->index = i;
			if (found)
				report_contradiction(clusters_, State::members);
		}
		rows.done();
	}

	void write_members(
		int n, const Datum *ids, Datum *kept_rows, bool *nulls, const double *similarities, const int64 *numbers)
	{
		const KeyType &key = clusters_.key;
		const Datum id_array = key_array(key, ids, n), kept_array = key_array(key, kept_rows, nulls, n),
					number_values = number_array(numbers, n);
		const Datum star_values[] = {id_array, kept_array, float_array(similarities, n), number_values},
					values[] = {id_array, kept_array, number_values};
		if (clusters_.star)
			(void) write(clusters_, Statement::assign, star_values);
		else
			(void) write(clusters_, Statement::name, values);
	}

	// Of stars whose number alone has changed: assigning would be a decision, for the history.
	void write_numbers(const Numbers &numbers)
	{
		auto *ids = array_of<Datum>(count_);
		auto *of_rows = array_of<int64>(count_);
		int n = 0;
		for (std::uint32_t row = 0; row < count_; ++row) {
			ids[n] = rows_[row].id;
			of_rows[n] = numbers.of(rows_[row].id);
			n += of_rows[n] != rows_[row].stored_number;
		}
		if (n == 0)
			return;
		const Datum values[] = {key_array(clusters_.key, ids, n), number_array(of_rows, n)};
		(void) write(clusters_, Statement::number, values);
	}

	const MemberIndex *find(Datum id) const { return static_cast<const MemberIndex *>(index_.find(id)); }

	void read_edges()
	{
		const MemoryContext caller = CurrentMemoryContext,
							scratch = AllocSetContextCreate(caller, "searches", ALLOCSET_DEFAULT_SIZES);
		edge_room_ = 64;
		edges_ = array_of<Edge>(edge_room_);
		for (std::uint32_t i = 0; i < count_; ++i) {
			CHECK_FOR_INTERRUPTS();
			MemoryContextSwitchTo(scratch);
			const StoredRow row = read_row(clusters_, rows_[i].id);
			Neighbours found{nullptr, 0};
			if (row.exists) // otherwise its own change comes later
				found = find_neighbours(clusters_, rows_[i].id, row);
			MemoryContextSwitchTo(caller);
			for (int j = 0; j < found.count; ++j)
				if (const MemberIndex *other = find(found.rows[j].id); other != nullptr && other->index > i)
					add({found.rows[j].similarity, i, other->index});
			MemoryContextReset(scratch);
		}
		MemoryContextDelete(scratch);
		std::sort(edges_, edges_ + edge_count_);
	}

	void add(const Edge &edge)
	{
		if (edge_count_ == edge_room_) {
			edge_room_ *= 2;
			edges_ = static_cast<Edge *>(repalloc_huge(edges_, sizeof(Edge) * edge_room_));
		}
		edges_[edge_count_++] = edge;
	}

	void prepare_sets()
	{
		const core::ApartSets::Memory memory{array_of<std::uint32_t>(count_), array_of<std::uint32_t>(count_),
			array_of<std::uint32_t>(count_), array_of<std::uint32_t>(count_),
			array_of<core::ApartEntry>(2 * static_cast<Size>(pairs_.count))};
		sets_ = new (palloc(sizeof(core::ApartSets))) core::ApartSets(memory, count_);
		for (const Kind kind : {Kind::together, Kind::apart})
			for (int i = 0; i < pairs_.count; ++i)
				if (pairs_.pairs[i].kind == kind)
					decide(pairs_.pairs[i]);
	}

	void decide(const Pair &pair)
	{
		const MemberIndex *a = find(pair.a), *b = find(pair.b);
		if (a == nullptr || b == nullptr)
			return;
		if (pair.kind == Kind::together)
			sets_->unite(a->index, b->index);
		else if (sets_->find(a->index) == sets_->find(b->index))
			ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("rows %s and %s of relation \"%s\" are to be apart and together", id_text(clusters_, pair.a),
						id_text(clusters_, pair.b), get_rel_name(clusters_.table)),
					errdetail("The pairs of \"%s\" connect them, directly or through other rows.",
						OidIsValid(clusters_.relation(State::together))
							? get_rel_name(clusters_.relation(State::together))
							: ""),
					errhint("Remove one of these pairs.")));
		else
			sets_->keep_apart(a->index, b->index);
	}

	// From the most similar to the least, equal ones in the order of rows.
	void follow_links()
	{
		auto *order = array_of<Edge>(edge_count_);
		std::copy_n(edges_, edge_count_, order);
		std::stable_sort(
			order, order + edge_count_, [](const Edge &x, const Edge &y) { return x.similarity > y.similarity; });
		for (const Edge *edge = order; edge != order + edge_count_; ++edge)
			if (sets_->find(edge->a) != sets_->find(edge->b) && sets_->may_unite(edge->a, edge->b))
				sets_->unite(edge->a, edge->b);
	}

	void cut_into_stars()
	{
		const Edge *edge = edges_, *end = edges_ + edge_count_;
		core::cut_into_stars(count_, *sets_, [&](std::uint32_t centre, auto visit) {
			for (; edge != end && edge->a <= centre; ++edge)
				if (edge->a == centre)
					visit(edge->b);
		});
	}

	double similarity_to(std::uint32_t row, std::uint32_t kept_row)
	{
		if (row == kept_row)
			return 1;
		const Edge wanted{0, kept_row, row};
		const Edge *edge = std::lower_bound(edges_, edges_ + edge_count_, wanted);
		if (edge != edges_ + edge_count_ && !(wanted < *edge))
			return edge->similarity;
		const StoredRow stored = read_row(clusters_, rows_[row].id);
		if (!stored.exists)
			return 0;
		const Datum values[] = {stored.fingerprint, rows_[kept_row].id};
		const Rows rows = read(clusters_, Statement::similarity, values);
		const double similarity = rows.count > 0 ? rows.real(0, 1) : 0;
		rows.done();
		return similarity;
	}

	bool is_stored(std::uint32_t row, bool has_kept, double similarity)
	{
		const MemberRow &stored = rows_[row];
		if (!has_kept || !stored.stored_kept)
			return has_kept == stored.stored_kept.has_value();
		return compare_keys(clusters_.key, *stored.stored_kept, kept(row)) == 0 &&
			(!clusters_.star || similarity == stored.stored_similarity);
	}

	Clusters &clusters_;
	const int64 cluster_;
	const Pairs pairs_;
	MemberRow *rows_ = nullptr;
	std::uint32_t count_ = 0;
	KeyTable index_;
	bool is_cut_ = false;
	Edge *edges_ = nullptr; // in order
	Size edge_count_ = 0, edge_room_ = 0;
	core::ApartSets *sets_ = nullptr;
};

// The locks of a row and of those that are to be together with it, in order.
std::span<const std::uint64_t> partner_locks(Clusters &clusters, Datum id)
{
	const Datum ids = key_array(clusters.key, &id, 1);
	const Rows rows = read(clusters, Statement::partners_together, &ids);
	auto *keys = array_of<std::uint64_t>(rows.count + 1);
	keys[0] = row_lock(clusters, id);
	std::size_t n = 1;
	for (uint64 i = 0; i < rows.count; ++i)
		if (const std::optional<Datum> partner = rows.key_if_any(i, 1))
			keys[n++] = row_lock(clusters, *partner);
	rows.done();
	std::sort(keys, keys + n);
	return {keys, static_cast<std::size_t>(std::unique(keys, keys + n) - keys)};
}

// The components of the rows.
int64 *components_of(const Neighbours &rows, int &count)
{
	auto *components = array_of<int64>(static_cast<Size>(rows.count));
	count = 0;
	for (int i = 0; i < rows.count; ++i)
		if (rows.rows[i].label.cluster != 0)
			components[count++] = rows.rows[i].label.cluster;
	std::sort(components, components + count);
	count = static_cast<int>(std::unique(components, components + count) - components);
	return components;
}

// Is one of the rows that enter, the first one and those in no component, in a pair with another one, or with a member
// of the components?
bool has_partner(
	Clusters &clusters, Statement statement, const Neighbours &rows, const int64 *components, int component_count)
{
	KeyTable entering;
	entering.open(clusters.key, sizeof(MemberIndex), rows.count);
	auto *ids = array_of<Datum>(static_cast<Size>(rows.count));
	int n = 0;
	for (int i = 0; i < rows.count; ++i) {
		bool found;
		if (i > 0 && rows.rows[i].label.cluster != 0)
			continue;
		ids[n++] = rows.rows[i].id;
		(void) entering.enter(rows.rows[i].id, found);
	}
	const Datum array = key_array(clusters.key, ids, n);
	const Rows pairs = read(clusters, statement, &array);
	Neighbours partners{array_of<Neighbour>(pairs.count), 0};
	bool has = false, found;
	KeyTable known;
	known.open(clusters.key, sizeof(MemberIndex), static_cast<long>(pairs.count));
	for (uint64 i = 0; i < pairs.count && !has; ++i) {
		const std::optional<Datum> id = pairs.key_if_any(i, 1);
		if (!id)
			continue;
		(void) known.enter(*id, found);
		if (found)
			continue;
		has = entering.find(*id) != nullptr;
		partners.rows[partners.count++] = {*id, 0, 0, {}};
	}
	pairs.done();
	known.close();
	entering.close();
	if (has || partners.count == 0 || component_count == 0)
		return has;
	read_labels(clusters, partners);
	return std::any_of(partners.rows, partners.rows + partners.count, [&](const Neighbour &partner) {
		return std::binary_search(components, components + component_count, partner.label.cluster);
	});
}

} // namespace

void lock_partners(Clusters &clusters, Datum id, KeyLocks &locks)
{
	if (!OidIsValid(clusters.relation(State::together)))
		return;
	std::span<const std::uint64_t> locked = {};
	for (;;) {
		const std::span<const std::uint64_t> wanted = partner_locks(clusters, id);
		if (std::equal(wanted.begin(), wanted.end(), locked.begin(), locked.end()))
			return;
		locks.release(locked);
		locks.add(wanted);
		locked = wanted;
	}
}

bool has_pairs(Clusters &clusters, const Neighbours &rows)
{
	int n;
	const int64 *components = components_of(rows, n);
	// Pairs that no longer are count, too: what they did is undone.
	if (n > 0 && pairs_of(clusters, components, n).count > 0)
		return true;
	for (const auto &[table, statement] :
		{std::pair(State::together, Statement::partners_together), std::pair(State::apart, Statement::partners_apart)})
		if (OidIsValid(clusters.relation(table)) && has_partner(clusters, statement, rows, components, n))
			return true;
	return false;
}

void name_members(Clusters &clusters, const Neighbours &rows)
{
	int n;
	const int64 *components = components_of(rows, n);
	const Datum value = number_array(components, n);
	const Rows members = read(clusters, Statement::numbered, &value);
	for (uint64 i = 0; i < members.count; ++i)
		clusters.numbers->was(members.key(i, 1), members.key(i, 2), members.number_if_any(i, 3));
	members.done();
	for (int i = 0; i < n; ++i)
		touch(clusters, components[i]);
}

void apply_decided_pairs(Clusters &clusters, int64 entered)
{
	if (entered != 0)
		touch(clusters, entered);
	std::sort(clusters.touched, clusters.touched + clusters.touched_count);
	const auto count = std::unique(clusters.touched, clusters.touched + clusters.touched_count) - clusters.touched;
	Numbers &numbers = *clusters.numbers;
	auto *cuts = array_of<Cut *>(static_cast<Size>(count));
	for (std::ptrdiff_t i = 0; i < count; ++i) {
		const int64 component = clusters.touched[i];
		cuts[i] = new (palloc(sizeof(Cut))) Cut(clusters, component, pairs_of(clusters, &component, 1));
		cuts[i]->name(numbers);
	}
	numbers.has_no_rest();
	numbers.decide();
	for (std::ptrdiff_t i = 0; i < count; ++i)
		if (cuts[i]->count() > 0) // otherwise it is part of another
			cuts[i]->store(numbers);
}

Expected expected_members(Clusters &clusters, int64 cluster)
{
	Cut cut(clusters, cluster, pairs_of(clusters, &cluster, 1));
	Expected expected{array_of<Datum>(cut.count()), array_of<Datum>(cut.count()), static_cast<int>(cut.count())};
	for (std::uint32_t row = 0; row < cut.count(); ++row) {
		expected.ids[row] = cut.id(row);
		expected.kept[row] = cut.kept(row);
	}
	return expected;
}

} // namespace txtfp::pg
