// connected_components: the components of the graph whose edges are the query's pairs of ids. Pairs are processed as they arrive
// and not kept. Ids are numbered in order of first appearance, by a hash table with linear probing.
#include <algorithm>
#include <new>

#include "core/base/table_hash.hpp"
#include "core/base/union_find.hpp"
#include "pg/base/large_array.hpp"
#include "pg/bulk/memory_budget.hpp"
#include "pg/bulk/near_duplicates.hpp"
#include "pg/bulk/row_query.hpp"
#include "pg/bulk/row_result.hpp"

extern "C" {
#include "utils/lsyscache.h"
#include "utils/memutils.h"
}

using namespace txtfp;

namespace {

class PairReader final : public pg::RowReader {
public:
	PairReader(const pg::JoinContext &context, Oid id_type)
		: context_(context), id_type_(id_type),
		  scratch_(AllocSetContextCreate(context.memory, "a row", ALLOCSET_DEFAULT_SIZES))
	{
		resize(1024);
	}

	void columns(TupleDesc columns) override
	{
		pg::check_two_columns(columns, "two ids");
		for (int i = 0; i < 2; ++i) {
			const Oid type = TupleDescAttr(columns, i)->atttypid;
			pg::check_id_column(type, id_type_);
			column_types_[i] = getBaseType(type);
		}
		context_.progress->begin("reading pairs", 0);
	}

	void row(TupleTableSlot *row) override
	{
		context_.progress->add(1);
		const MemoryContext caller = MemoryContextSwitchTo(scratch_);
		slot_getallattrs(row);
		std::uint32_t ends[2];
		for (int i = 0; i < 2; ++i)
			ends[i] = number_of(context_.ids->bytes_of(row->tts_values[i], row->tts_isnull[i], column_types_[i]));
		components_.unite(ends[0], ends[1]);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(scratch_);
	}

	// labels[rank] is the smallest rank of its component. The union-find works on ids' numbers, whose order means nothing.
	std::span<const std::uint32_t> labels()
	{
		const pg::RowIds &ids = *context_.ids;
		auto *labels = pg::allocate<std::uint32_t>(context_.memory, ids.count());
		auto *least = pg::allocate<std::uint32_t>(context_.memory, ids.count()); // rank, by number of the root
		std::fill_n(least, ids.count(), none);
		for (std::uint32_t rank = 0; rank < ids.count(); ++rank) {
			std::uint32_t &label = least[components_.find(ids.number_of(rank))];
			label = std::min(label, rank);
			labels[rank] = label;
		}
		pfree(least);
		return {labels, ids.count()};
	}

private:
	struct Place {
		std::uint32_t number, hash;
	};
	static constexpr std::uint32_t none = core::no_element;

	Place &find(std::uint32_t hash, std::string_view id)
	{
		for (std::size_t i = hash;; ++i) {
			Place &place = places_[i & (size_ - 1)];
			if (place.number == none || (place.hash == hash && context_.ids->bytes(place.number) == id))
				return place;
		}
	}

	std::uint32_t number_of(std::string_view id)
	{
		const auto hash = static_cast<std::uint32_t>(core::table_hash(id));
		Place &place = find(hash, id);
		if (place.number != none)
			return place.number;
		const std::uint32_t number = context_.ids->add(id);
		place = {number, hash};
		components_.add(number);
		if (context_.ids->count() == size_ / 2)
			resize(2 * size_);
		return number;
	}

	// The size is a power of two; at most half of the entries are used.
	void resize(std::size_t size)
	{
		CHECK_FOR_INTERRUPTS();
		const std::span<Place> old(places_, size_);
		places_ = pg::allocate<Place>(context_.memory, size);
		size_ = size;
		std::fill_n(places_, size, Place{none, 0});
		for (const Place &place : old)
			if (place.number != none) {
				std::size_t i = place.hash;
				while (places_[i & (size - 1)].number != none)
					++i;
				places_[i & (size - 1)] = place;
			}
		auto *parents = pg::allocate<std::uint32_t>(context_.memory, size / 2 + 1);
		std::copy_n(parents_, old.size() / 2, parents);
		if (parents_ != nullptr) {
			pfree(parents_);
			pfree(old.data());
		}
		parents_ = parents;
		components_ = core::UnionFind(parents);
	}

	pg::JoinContext context_;
	Oid id_type_, column_types_[2] = {};
	MemoryContext scratch_;
	Place *places_ = nullptr;
	std::size_t size_ = 0;
	std::uint32_t *parents_ = nullptr;
	core::UnionFind components_{nullptr};
};

static_assert(std::is_trivially_destructible_v<PairReader>);

} // namespace

TXTFP_FUNCTION(txtfp_connected_components)
{
	const char *query = pg::query_argument(fcinfo, PG_NARGS() - 1); // the type of the ids may come first
	pg::RowResult result(fcinfo);
	pg::RowIds ids;
	pg::Progress progress("connected_components");
	const pg::JoinContext context = pg::join_context(ids, progress);
	ids.open(context.memory, result.id_type(), pg::share_of(context.limit, pg::Share::component_ids));
	auto *reader = new (MemoryContextAlloc(context.memory, sizeof(PairReader))) PairReader(context, result.id_type());
	pg::run_query(query, *reader);
	progress.end();
	ids.rank(pg::share_of(context.limit, pg::Share::component_ranks));
	result.put_clusters(
		ids, reader->labels(), 1, context.memory, [](std::uint32_t, std::uint32_t) { return Datum{0}; });
	ids.close();
	MemoryContextDelete(context.memory);
	return (Datum) 0;
}
