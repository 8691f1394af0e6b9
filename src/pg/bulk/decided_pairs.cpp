#include "pg/bulk/decided_pairs.hpp"

#include <algorithm>
#include <new>

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

	std::span<core::RankPair> all() const { return {pairs_, count_}; }
	void open(MemoryContext memory) { memory_ = memory; }

private:
	void pair(std::uint32_t a, std::uint32_t b) override
	{
		reserve_next(memory_, pairs_, count_, capacity_);
		pairs_[count_++] = {a, b};
	}

	MemoryContext memory_ = nullptr;
	core::RankPair *pairs_ = nullptr;
	std::size_t count_ = 0, capacity_ = 0;
};

static_assert(std::is_trivially_destructible_v<PairList>);

// The pairs of a query, by the numbers of ids, and then by ranks.
std::span<core::RankPair> read_pairs(const char *query, const JoinContext &context, Oid id_type)
{
	RowIds ids;
	ids.open(context.memory, id_type, share_of(context.limit, Share::decided_ids));
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
	const std::span<core::RankPair> pairs = list->all();
	for (core::RankPair &pair : pairs)
		pair = {ranks[pair.a], ranks[pair.b]};
	pfree(ranks);
	return pairs.first(static_cast<std::size_t>(std::remove_if(pairs.begin(), pairs.end(), [](const core::RankPair &pair) {
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

void check_groups(const core::DecidedPairs &pairs, const JoinContext &context, Oid id_type)
{
	if (const core::RankPair *pair = core::find_across_groups(pairs, context.order()); pair != nullptr)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("rows %s and %s are to be together, but are of different groups",
					id_text(context, id_type, pair->a), id_text(context, id_type, pair->b)),
				errhint("Leave this pair out.")));
}

void check_contradictions(const core::DecidedPairs &pairs, const JoinContext &context, Oid id_type)
{
	const core::RankPair *pair = core::find_contradiction(*context.host, pairs, context.ids->count());
	if (pair == nullptr)
		return;
	const char *a = id_text(context, id_type, pair->a), *b = id_text(context, id_type, pair->b);
	ereport(ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("rows %s and %s are to be apart and together", a, b),
			pair->a == pair->b ? errdetail("They are the same row.")
							   : errdetail("The pairs of \"together\" connect them, directly or through other rows."),
			errhint("Remove one of these pairs.")));
}

} // namespace

core::DecidedPairs read_decided_pairs(FunctionCallInfo fcinfo, const JoinContext &context, Oid id_type, int apart)
{
	core::DecidedPairs pairs{};
	if (!PG_ARGISNULL(apart))
		pairs.apart = read_pairs(text_to_cstring(PG_GETARG_TEXT_PP(apart)), context, id_type);
	if (!PG_ARGISNULL(apart + 1))
		pairs.together = read_pairs(text_to_cstring(PG_GETARG_TEXT_PP(apart + 1)), context, id_type);
	check_groups(pairs, context, id_type);
	check_contradictions(pairs, context, id_type);
	return pairs;
}

} // namespace txtfp::pg
