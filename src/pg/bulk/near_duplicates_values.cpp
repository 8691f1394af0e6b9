// Bulk joins of kinds whose values are compared themselves (core/join/joined_values.hpp).
#include <new>

#include "core/join/joined_values.hpp"
#include "pg/bulk/memory_budget.hpp"
#include "pg/bulk/near_duplicates.hpp"
#include "pg/bulk/workers.hpp"

using namespace txtfp;

namespace {

template <class Joined> class ValueJoin final : public Joined {
public:
	ValueJoin(const pg::JoinContext &context, const pg::JoinOptions &options, const pg::FingerprintKind &kind)
		: Joined(kind, pg::join_plan(options, kind).bound, *context.workers), context_(context),
		  workers_(context.workers), kind_(kind)
	{
		Joined::begin(pg::share_of(context.limit, pg::Share::vectors));
	}

	void add(Datum fingerprint) override
	{
		core::RowBuffer buffer;
		Joined::add_row(kind_.row(fingerprint, buffer));
	}

	void finish_rows() override
	{
		workers_->expect(Joined::bytes());
		Joined::finish(context_.order());
	}

	void pairs(pg::PairSink &sink) override
	{
		workers_->deliver_to(sink);
		Joined::for_each_pair([this](unsigned worker, std::uint32_t a, std::uint32_t b, int measure) {
			workers_->pair(worker, a, b, kind_.similarity_of(measure));
		});
	}

	bool estimates_jaccard() const override { return false; }
	void close() override { Joined::close_values(); }

private:
	void begin_grouping(std::uint64_t rows) override { context_.progress->begin(pg::BulkPhase::equal_values, rows); }
	void begin_comparing(std::uint64_t steps) override
	{
		context_.progress->begin(pg::BulkPhase::distinct_values, steps);
	}
	void end_phase() override { context_.progress->end(); }

	pg::JoinContext context_;
	pg::JoinWorkers *workers_;
	const pg::FingerprintKind &kind_;
};

template <class Joined>
pg::FingerprintJoin *new_value_join(
	const pg::JoinContext &context, const pg::JoinOptions &options, const pg::FingerprintKind &kind)
{
	using Join = ValueJoin<Joined>;
	static_assert(std::is_trivially_destructible_v<Join>);
	return new (MemoryContextAlloc(context.memory, sizeof(Join))) Join(context, options, kind);
}

} // namespace

namespace txtfp::pg {

FingerprintJoin *make_value_join(const JoinContext &context, const JoinOptions &options, const FingerprintKind &kind)
{
	return kind.join == core::JoinWay::bits
		? new_value_join<core::JoinedBits<FingerprintJoin>>(context, options, kind)
		: new_value_join<core::JoinedEvery<FingerprintJoin>>(context, options, kind);
}

} // namespace txtfp::pg
