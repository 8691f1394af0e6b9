// connected_components: the components of the graph whose edges are the query's pairs of ids. Pairs are processed as
// they arrive and not kept.
#include <algorithm>
#include <new>

#include "core/base/union_find.hpp"
#include "pg/base/large_array.hpp"
#include "pg/bulk/cluster_rows.hpp"
#include "pg/bulk/id_pairs.hpp"
#include "pg/bulk/memory_budget.hpp"
#include "pg/bulk/row_query.hpp"

extern "C" {
#include "utils/memutils.h"
}

using namespace txtfp;

namespace {

class PairReader final : public pg::IdPairReader {
public:
	PairReader(const pg::JoinContext &context, Oid id_type)
		: IdPairReader(context.memory, *context.ids, id_type, context.progress), context_(context)
	{
	}

	// Sets labels[rank] to the smallest rank of its component. The union-find works on the numbers of ids, which are in
	// order of arrival.
	std::span<const std::uint32_t> labels()
	{
		const pg::RowIds &ids = *context_.ids;
		auto *labels = pg::allocate<std::uint32_t>(context_.memory, ids.count());
		auto *least = pg::allocate<std::uint32_t>(context_.memory, ids.count()); // smallest rank, by number of the root
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
	static constexpr std::uint32_t none = core::no_element;

	void pair(std::uint32_t a, std::uint32_t b) override
	{
		while (nodes_ < context_.ids->count()) {
			pg::reserve_next(context_.memory, parents_, nodes_, capacity_);
			components_ = core::UnionFind(parents_);
			components_.add(nodes_++);
		}
		components_.unite(a, b);
	}

	pg::JoinContext context_;
	std::uint32_t *parents_ = nullptr, nodes_ = 0;
	std::size_t capacity_ = 0;
	core::UnionFind components_{nullptr};
};

static_assert(std::is_trivially_destructible_v<PairReader>);

} // namespace

TXTFP_FUNCTION(txtfp_connected_components)
{
	const char *query = pg::query_argument(fcinfo, pg::first_query(fcinfo, 1));
	pg::RowResult result(fcinfo);
	pg::RowIds ids;
	pg::Progress progress(pg::BulkFunction::connected_components);
	const pg::JoinContext context = pg::join_context(ids, progress);
	ids.open(context.memory, result.id_type(), pg::share_of(context.limit, pg::Share::component_ids));
	auto *reader = new (MemoryContextAlloc(context.memory, sizeof(PairReader))) PairReader(context, result.id_type());
	pg::run_query(query, *reader);
	progress.end();
	ids.rank(pg::share_of(context.limit, pg::Share::component_ranks));
	const std::span<const std::uint32_t> labels = reader->labels();
	pg::ClusterRows rows(result, ids, labels, context.memory);
	for (std::uint32_t rank = 0; rank < labels.size(); ++rank)
		rows.pair(labels[rank], rank, 1);
	ids.close();
	progress.finish();
	MemoryContextDelete(context.memory);
	return (Datum) 0;
}
