// Bulk joins of SimHash values: exact and in memory, with some 40 bytes per row. Rows with equal values are one group.
#include <algorithm>
#include <new>

#include "core/base/keyed_rows.hpp"
#include "core/join/hamming_groups.hpp"
#include "core/simhash/hamming_join.hpp"
#include "core/simhash/simhash.hpp"
#include "core/simhash/simhash_pieces.hpp"
#include "pg/base/large_array.hpp"
#include "pg/base/settings.hpp"
#include "pg/bulk/near_duplicates.hpp"
#include "pg/simhash/simhash64.hpp"

using namespace txtfp;

namespace {

class SimhashJoin final : public pg::FingerprintJoin {
public:
	SimhashJoin(const pg::JoinContext &context, const pg::JoinOptions &options)
		: context_(context),
		  radius_(pg::exact_limit(options, core::kind_of(core::kind_simhash64), pg::hamming_threshold))
	{
	}

	void add(Datum fingerprint) override
	{
		pg::reserve_next(context_.memory, bits_, rows_, capacity_);
		bits_[rows_++] = DatumGetUInt64(fingerprint);
	}

	// Groups the rows by value.
	void finish_rows() override
	{
		auto *sorted = pg::allocate<core::KeyedRow>(context_.memory, rows_);
		for (std::uint32_t i = 0; i < rows_; ++i) {
			CHECK_FOR_INTERRUPTS();
			sorted[i] = core::KeyedRow::of(bits_[i], context_.ids->rank_of(i));
		}
		groups_.build(*context_.host, context_.order(), {sorted, rows_});
		pfree(sorted);
	}

	void pairs(pg::PairSink &sink) override
	{
		const core::RowOrder order = context_.order();
		for (std::size_t g = 0; g < groups_.count(); ++g)
			groups_.for_each_pair(order, g, [&](std::uint32_t a, std::uint32_t b) { sink.pair(a, b, 1); });
		join([&](std::uint32_t x, std::uint32_t y) {
			const double similarity = core::cosine_estimate(groups_.value(x), groups_.value(y));
			groups_.for_each_pair(order, x, y, [&](std::uint32_t a, std::uint32_t b) { sink.pair(a, b, similarity); });
		});
	}

	void read_heads(std::span<std::uint32_t> heads) override
	{
		for (std::size_t g = 0; g < groups_.count(); ++g)
			for (const std::uint32_t rank : groups_.ranks(g))
				heads[rank] = groups_.ranks(g)[0];
	}
	void pairs_of_heads(pg::PairSink &sink) override
	{
		join([&](std::uint32_t x, std::uint32_t y) {
			const std::uint32_t a = groups_.ranks(x)[0], b = groups_.ranks(y)[0];
			sink.pair(std::min(a, b), std::max(a, b), core::cosine_estimate(groups_.value(x), groups_.value(y)));
		});
	}

	void connect(core::UnionFind &components) override
	{
		for (std::size_t g = 0; g < groups_.count(); ++g)
			for (const std::uint32_t rank : groups_.ranks(g))
				components.unite(groups_.ranks(g)[0], rank);
		join([&](std::uint32_t x, std::uint32_t y) { components.unite(groups_.ranks(x)[0], groups_.ranks(y)[0]); });
	}

	bool similar(std::uint32_t a, std::uint32_t b, unsigned) override
	{
		return core::hamming(bits_[context_.ids->number_of(a)], bits_[context_.ids->number_of(b)]) <= radius_;
	}

	double similarity(std::uint32_t a, std::uint32_t b, unsigned) override
	{
		return core::cosine_estimate(bits_[context_.ids->number_of(a)], bits_[context_.ids->number_of(b)]);
	}
	bool compares_in_workers() const override { return true; }
	bool estimates_jaccard() const override { return false; }
	std::size_t keys(std::uint32_t row, std::uint64_t *keys) override
	{
		return core::simhash_pieces(bits_[context_.ids->number_of(row)], radius_, keys);
	}

	void close() override {}

private:
	template <class Fn> void join(Fn fn)
	{
		pg::for_each_close_pair(context_, groups_, radius_, pg::BulkPhase::distinct_values, fn);
	}

	pg::JoinContext context_;
	int radius_;
	std::uint64_t *bits_ = nullptr; // in the order of arrival
	std::size_t rows_ = 0, capacity_ = 0;
	core::HammingGroups groups_;
};

static_assert(std::is_trivially_destructible_v<SimhashJoin>);

} // namespace

namespace txtfp::pg {

FingerprintJoin *make_simhash_join(const JoinContext &context, const JoinOptions &options)
{
	return new (MemoryContextAlloc(context.memory, sizeof(SimhashJoin))) SimhashJoin(context, options);
}

} // namespace txtfp::pg
