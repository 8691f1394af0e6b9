#include "pg/bulk/exceptions.hpp"

#include <algorithm>
#include <new>

#include "core/base/apart_sets.hpp"
#include "pg/base/large_array.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/bulk/id_pairs.hpp"
#include "pg/bulk/memory_budget.hpp"

extern "C" {
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
}

namespace txtfp::pg {

namespace {

constexpr std::uint32_t no_row = core::no_element;

class PairList final : public IdPairReader {
public:
	using IdPairReader::IdPairReader;

	std::span<RankPair> all() const { return {pairs_, count_}; }
	void open(MemoryContext memory) { memory_ = memory; }

private:
	void pair(std::uint32_t a, std::uint32_t b) override
	{
		reserve_next(memory_, pairs_, count_, capacity_);
		pairs_[count_++] = {a, b};
	}

	MemoryContext memory_ = nullptr;
	RankPair *pairs_ = nullptr;
	std::size_t count_ = 0, capacity_ = 0;
};

static_assert(std::is_trivially_destructible_v<PairList>);

// The pairs of a query, by the numbers of ids, and then by ranks.
std::span<RankPair> read_pairs(const char *query, const JoinContext &context, Oid id_type)
{
	RowIds ids;
	ids.open(context.memory, id_type, share_of(context.limit, Share::exception_ids));
	auto *list =
		new (MemoryContextAlloc(context.memory, sizeof(PairList))) PairList(context.memory, ids, id_type, nullptr);
	list->open(context.memory);
	run_query(query, *list);
	auto *ranks = allocate<std::uint32_t>(context.memory, ids.count());
	std::fill_n(ranks, ids.count(), no_row);
	for (std::uint32_t number = 0; ids.count() > 0 && number < context.ids->count(); ++number) {
		CHECK_FOR_INTERRUPTS();
		if (const std::uint32_t found = list->numbers().find(context.ids->bytes(number)); found != no_row)
			ranks[found] = context.ids->rank_of(number);
	}
	ids.close();
	const std::span<RankPair> pairs = list->all();
	for (RankPair &pair : pairs)
		pair = {ranks[pair.a], ranks[pair.b]};
	pfree(ranks);
	return pairs.first(static_cast<std::size_t>(std::remove_if(pairs.begin(), pairs.end(), [](const RankPair &pair) {
		return pair.a == no_row || pair.b == no_row;
	}) - pairs.begin()));
}

const char *id_text(const JoinContext &context, Oid id_type, std::uint32_t rank)
{
	Oid output;
	bool is_varlena;
	getTypeOutputInfo(id_type, &output, &is_varlena);
	return abbreviated(OidOutputFunctionCall(output, context.ids->id(rank)));
}

// Otherwise rows of different groups would be compared.
void check_groups(const Exceptions &exceptions, const JoinContext &context, Oid id_type)
{
	const std::uint32_t *groups = context.groups->all();
	for (const RankPair &pair : exceptions.together)
		if (groups[context.ids->number_of(pair.a)] != groups[context.ids->number_of(pair.b)])
			ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("rows %s and %s are to be together, but are of different groups",
						id_text(context, id_type, pair.a), id_text(context, id_type, pair.b)),
					errhint("Leave this pair out.")));
}

void check_contradictions(const Exceptions &exceptions, const JoinContext &context, Oid id_type)
{
	const std::uint32_t rows = context.ids->count();
	auto *parent = allocate<std::uint32_t>(context.memory, rows);
	core::UnionFind units(parent);
	for (std::uint32_t row = 0; row < rows; ++row)
		units.add(row);
	for (const RankPair &pair : exceptions.together)
		units.unite(pair.a, pair.b);
	for (const RankPair &pair : exceptions.apart) {
		if (!units.connected(pair.a, pair.b))
			continue;
		const char *a = id_text(context, id_type, pair.a), *b = id_text(context, id_type, pair.b);
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("rows %s and %s are to be apart and together", a, b),
				pair.a == pair.b ? errdetail("They are the same row.")
								 : errdetail("The pairs of \"together\" connect them, directly or through other rows."),
				errhint("Remove one of these pairs.")));
	}
	pfree(parent);
}

// ---- the components that have exceptions

struct Link {
	double similarity;
	std::uint32_t a, b;
};

// One component, whose rows are numbered from 0 in the order of ranks.
class Divider {
public:
	Divider(FingerprintJoin &join, const JoinContext &context, std::span<const std::uint32_t> rows,
		const core::ApartSets::Memory &memory)
		: join_(join), context_(context), rows_(rows), sets_(memory, static_cast<std::uint32_t>(rows.size()))
	{
	}

	void unite(const RankPair &pair) { sets_.unite(place(pair.a), place(pair.b)); }
	void keep_apart(const RankPair &pair) { sets_.keep_apart(place(pair.a), place(pair.b)); }

	void follow_links(MemoryContext memory)
	{
		collect_links(memory);
		std::sort(links_, links_ + link_count_, [](const Link &x, const Link &y) {
			return x.similarity != y.similarity ? x.similarity > y.similarity : x.a != y.a ? x.a < y.a : x.b < y.b;
		});
		for (const Link &link : std::span(links_, link_count_))
			if (sets_.find(link.a) != sets_.find(link.b) && sets_.may_unite(link.a, link.b))
				sets_.unite(link.a, link.b);
	}

	void cut_into_stars()
	{
		const auto n = static_cast<std::uint32_t>(rows_.size());
		for (std::uint32_t centre = 0; centre < n; ++centre) {
			if (sets_.find(centre) != centre)
				continue;
			for (std::uint32_t row = centre + 1; row < n; ++row) {
				CHECK_FOR_INTERRUPTS();
				if (sets_.find(row) > centre && is_link(centre, row) && sets_.may_unite(centre, row))
					sets_.unite(centre, row);
			}
		}
	}

	void cut_into_complete(MemoryContext memory)
	{
		const auto n = static_cast<std::uint32_t>(rows_.size());
		auto *next = allocate<std::uint32_t>(memory, n), *last = allocate<std::uint32_t>(memory, n),
			 *clusters = allocate<std::uint32_t>(memory, n);
		for (std::uint32_t row = 0; row < n; ++row) { // the rows of each unit, in order
			next[row] = no_row;
			last[row] = row;
			if (const std::uint32_t unit = sets_.find(row); unit != row)
				last[unit] = next[last[unit]] = row;
		}
		std::uint32_t count = 0;
		for (std::uint32_t unit = 0; unit < n; ++unit) {
			if (sets_.find(unit) != unit)
				continue;
			std::uint32_t at = 0;
			while (at < count && !(sets_.may_unite(clusters[at], unit) && are_similar(clusters[at], unit, next)))
				++at;
			if (at == count) {
				clusters[count++] = unit;
				continue;
			}
			const std::uint32_t cluster = clusters[at];
			sets_.unite(cluster, unit);
			next[last[cluster]] = unit;
			last[cluster] = last[unit];
		}
	}

	void store(std::span<std::uint32_t> labels)
	{
		for (std::uint32_t i = 0; i < rows_.size(); ++i)
			labels[rows_[i]] = rows_[sets_.find(i)];
	}

private:
	std::uint32_t place(std::uint32_t rank) const
	{
		return static_cast<std::uint32_t>(std::lower_bound(rows_.begin(), rows_.end(), rank) - rows_.begin());
	}

	bool is_link(std::uint32_t i, std::uint32_t j) { return join_.similar(rows_[i], rows_[j]); }

	// Every row of the one set to every row of the other?
	bool are_similar(std::uint32_t cluster, std::uint32_t unit, const std::uint32_t *next)
	{
		for (std::uint32_t i = cluster; i != no_row; i = next[i])
			for (std::uint32_t j = unit; j != no_row; j = next[j]) {
				CHECK_FOR_INTERRUPTS();
				if (!is_link(i, j))
					return false;
			}
		return true;
	}

	void collect_links(MemoryContext memory)
	{
		const std::size_t most = context_.limit / 2 / sizeof(Link);
		for (std::uint32_t i = 0; i < rows_.size(); ++i)
			for (std::uint32_t j = i + 1; j < rows_.size(); ++j) {
				CHECK_FOR_INTERRUPTS();
				if (sets_.find(i) == sets_.find(j) || !is_link(i, j))
					continue;
				if (link_count_ == most)
					ereport(ERROR,
						(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
							errmsg("a cluster of %zu rows with rows to be kept apart has more than %zu pairs",
								rows_.size(), most),
							errhint("Increase maintenance_work_mem, raise the threshold, or use the mode \"star\".")));
				reserve_next(memory, links_, link_count_, capacity_);
				links_[link_count_++] = {join_.similarity(rows_[i], rows_[j]), i, j};
			}
	}

	FingerprintJoin &join_;
	const JoinContext &context_;
	std::span<const std::uint32_t> rows_;
	core::ApartSets sets_;
	Link *links_ = nullptr;
	std::size_t link_count_ = 0, capacity_ = 0;
};

// Sorts pairs by the component that both belong to, and calls fn for those of a component.
void sort_by_component(std::span<RankPair> pairs, std::span<const std::uint32_t> labels)
{
	std::sort(pairs.begin(), pairs.end(), [&](const RankPair &x, const RankPair &y) {
		return labels[x.a] != labels[y.a] ? labels[x.a] < labels[y.a] : x.a != y.a ? x.a < y.a : x.b < y.b;
	});
}

// The pairs at the beginning that are of this component; they are taken away.
std::span<RankPair> split_component(
	std::span<RankPair> &pairs, std::span<const std::uint32_t> labels, std::uint32_t root)
{
	std::size_t n = 0;
	while (n < pairs.size() && labels[pairs[n].a] == root)
		++n;
	const std::span<RankPair> taken = pairs.first(n);
	pairs = pairs.subspan(n);
	return taken;
}

struct Component {
	std::uint32_t root;
	const std::uint32_t *next; // of all rows
	std::span<const RankPair> apart, together;
};

void divide(FingerprintJoin &join, const JoinContext &context, ClusterMode mode, const Component &component,
	std::span<std::uint32_t> labels, bool *is_done)
{
	std::size_t n = 0;
	for (std::uint32_t row = component.root; row != no_row; row = component.next[row])
		++n;
	const MemoryContext memory = AllocSetContextCreate(context.memory, "a component", ALLOCSET_DEFAULT_SIZES);
	auto *rows = allocate<std::uint32_t>(memory, n);
	n = 0;
	for (std::uint32_t row = component.root; row != no_row; row = component.next[row])
		rows[n++] = row;
	Divider divider(join, context, {rows, n},
		{allocate<std::uint32_t>(memory, n), allocate<std::uint32_t>(memory, n), allocate<std::uint32_t>(memory, n),
			allocate<std::uint32_t>(memory, n), allocate<core::ApartEntry>(memory, 2 * component.apart.size())});
	for (const RankPair &pair : component.together)
		divider.unite(pair);
	for (const RankPair &pair : component.apart)
		divider.keep_apart(pair);
	if (mode == ClusterMode::components)
		divider.follow_links(memory);
	else if (mode == ClusterMode::star)
		divider.cut_into_stars();
	else
		divider.cut_into_complete(memory);
	divider.store(labels);
	for (std::size_t i = 0; i < n; ++i)
		is_done[labels[rows[i]]] = true;
	MemoryContextDelete(memory);
}

} // namespace

Exceptions read_exceptions(FunctionCallInfo fcinfo, const JoinContext &context, Oid id_type, int apart)
{
	Exceptions exceptions{};
	if (!PG_ARGISNULL(apart))
		exceptions.apart = read_pairs(text_to_cstring(PG_GETARG_TEXT_PP(apart)), context, id_type);
	if (!PG_ARGISNULL(apart + 1))
		exceptions.together = read_pairs(text_to_cstring(PG_GETARG_TEXT_PP(apart + 1)), context, id_type);
	if (context.groups != nullptr)
		check_groups(exceptions, context, id_type);
	if (!exceptions.apart.empty())
		check_contradictions(exceptions, context, id_type);
	return exceptions;
}

void unite_together(const Exceptions &exceptions, std::span<std::uint32_t> labels)
{
	core::UnionFind components(labels.data());
	for (const RankPair &pair : exceptions.together)
		components.unite(pair.a, pair.b);
	for (std::uint32_t row = 0; row < labels.size(); ++row)
		labels[row] = components.find(row);
}

void apply_exceptions(FingerprintJoin &join, const JoinContext &context, const Exceptions &exceptions,
	std::span<std::uint32_t> labels, ClusterMode mode, bool *is_done)
{
	unite_together(exceptions, labels);
	// Pairs in different components are apart anyway.
	std::span<RankPair> apart = exceptions.apart, together = exceptions.together;
	apart = apart.first(static_cast<std::size_t>(std::remove_if(apart.begin(), apart.end(), [&](const RankPair &pair) {
		return labels[pair.a] != labels[pair.b];
	}) - apart.begin()));
	sort_by_component(apart, labels);
	sort_by_component(together, labels);

	auto *next = allocate<std::uint32_t>(context.memory, labels.size());
	core::chain_groups(labels, next);
	for (std::uint32_t root = 0; root < labels.size(); ++root) {
		if (labels[root] != root || next[root] == no_row || is_done[root])
			continue;
		const std::span<RankPair> enemies = split_component(apart, labels, root),
								  friends = split_component(together, labels, root);
		if (mode == ClusterMode::complete || !enemies.empty() || (mode == ClusterMode::star && !friends.empty()))
			divide(join, context, mode, {root, next, enemies, friends}, labels, is_done);
	}
	pfree(next);
}

void DecidedRows::open(const Exceptions &exceptions, std::uint32_t rows, MemoryContext memory)
{
	if (exceptions.empty())
		return;
	unit_ = allocate<std::uint32_t>(memory, rows);
	for (std::uint32_t row = 0; row < rows; ++row)
		unit_[row] = row;
	unite_together(exceptions, {unit_, rows});
	kept_of_ = allocate<std::uint32_t>(memory, rows);
	std::fill_n(kept_of_, rows, no_row);
	apart_ = {allocate<RankPair>(memory, 2 * exceptions.apart.size()), 2 * exceptions.apart.size()};
	std::size_t n = 0;
	for (const RankPair &pair : exceptions.apart) {
		apart_[n++] = {unit_[pair.a], unit_[pair.b]};
		apart_[n++] = {unit_[pair.b], unit_[pair.a]};
	}
	std::sort(apart_.begin(), apart_.end(), [](const RankPair &x, const RankPair &y) { return x.a < y.a; });
}

bool DecidedRows::may_join(std::uint32_t unit, std::uint32_t kept) const
{
	const auto of = std::lower_bound(
		apart_.begin(), apart_.end(), unit, [](const RankPair &pair, std::uint32_t x) { return pair.a < x; });
	for (auto pair = of; pair != apart_.end() && pair->a == unit; ++pair)
		if (kept_of(pair->b) == kept)
			return false;
	return true;
}

} // namespace txtfp::pg
