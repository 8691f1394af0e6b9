// Bulk joins of MinHash sketches (core/join/minhash_rows.hpp).
#include <new>

#include "core/join/joined_sketches.hpp"
#include "pg/bulk/memory_budget.hpp"
#include "pg/bulk/near_duplicates.hpp"
#include "pg/bulk/workers.hpp"
#include "pg/minhash/minhash.hpp"

using namespace txtfp;

namespace {

core::MinhashJoinMemory memory_of(std::size_t limit)
{
	const auto share = [limit](pg::Share share) { return pg::share_of(limit, share); };
	return {.sketches = share(pg::Share::sketches),
		.equal_rows = share(pg::Share::equal_rows),
		.sort = share(pg::Share::sort),
		.bands = share(pg::Share::bands),
		.bands_sort = share(pg::Share::bands_sort),
		.batch = share(pg::Share::batch),
		.file_batch = share(pg::Share::file_batch),
		.scratch = share(pg::Share::scratch),
		.key_filter = share(pg::Share::key_filter)};
}

template <class Slot> class MinhashJoin final : public core::JoinedSketches<Slot, pg::FingerprintJoin> {
	using Joined = core::JoinedSketches<Slot, pg::FingerprintJoin>;

public:
	MinhashJoin(const pg::JoinContext &context, const core::JoinPlan &plan, bool nearest, std::size_t slots)
		: Joined(rows_, *context.workers, slots, static_cast<unsigned>(plan.bound)), context_(context),
		  workers_(context.workers), slots_(slots), nearest_(nearest),
		  rows_(*context.host, *context.workers,
			  {.slots = slots, .banding = plan.banding, .matches = static_cast<unsigned>(plan.bound)},
			  memory_of(context.limit))
	{
	}

	void add(Datum fingerprint) override
	{
		const pg::SketchView value = pg::sketch_view<Slot>(fingerprint);
		if (config_ == 0)
			config_ = value.config;
		pg::check_comparable(config_, slots_, value.config, slots_, pg::form_suffix<Slot>);
		rows_.add(value.slots);
	}

	void begin_second_part() override { rows_.begin_second_part(); }

	void finish_rows() override
	{
		workers_->expect(rows_.rows() * sizeof(Slot) * slots_);
		context_.progress->begin(pg::BulkPhase::equal_sketches, rows_.rows());
		rows_.finish(context_.order(), *workers_);
		context_.progress->end();
		Joined::open(*context_.host);
	}

	void pairs(pg::PairSink &sink) override
	{
		begin_buckets();
		workers_->deliver_to(sink);
		rows_.pairs(
			*workers_,
			[this](unsigned worker, std::uint32_t a, std::uint32_t b, unsigned equal) {
				workers_->pair(worker, a, b, core::estimated_jaccard<Slot>(equal, slots_));
			},
			nearest_);
		end_buckets();
	}

	bool estimates_jaccard() const override { return true; }
	std::optional<core::SketchConfiguration> configuration() const override
	{
		return rows_.rows() == 0 ? std::nullopt : std::optional(core::SketchConfiguration{config_, slots_});
	}
	void close() override
	{
		Joined::close_workers();
		rows_.close();
	}

private:
	void begin_buckets() override
	{
		context_.progress->begin(
			pg::BulkPhase::shared_bands, rows_.key_count() / std::max<std::uint64_t>(1, rows_.band_count()));
	}
	void end_buckets() override { context_.progress->end(); }

	pg::JoinContext context_;
	pg::JoinWorkers *workers_;
	std::size_t slots_;
	bool nearest_;
	std::uint64_t config_ = 0;
	core::MinhashRows<Slot> rows_;
};

template <class Slot>
pg::FingerprintJoin *new_minhash_join(
	const pg::JoinContext &context, const pg::JoinOptions &options, const pg::FingerprintKind &kind)
{
	using Join = MinhashJoin<Slot>;
	static_assert(std::is_trivially_destructible_v<Join>);
	const core::JoinPlan plan = pg::join_plan(options, kind);
	return new (MemoryContextAlloc(context.memory, sizeof(Join))) Join(context, plan, options.nearest, kind.slots);
}

} // namespace

namespace txtfp::pg {

FingerprintJoin *make_minhash_join(const JoinContext &context, const JoinOptions &options, const FingerprintKind &kind)
{
	return kind.compact ? new_minhash_join<std::uint8_t>(context, options, kind)
						: new_minhash_join<std::uint64_t>(context, options, kind);
}

} // namespace txtfp::pg
