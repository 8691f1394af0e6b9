// Bulk joins of MinHash sketches (core/join/minhash_rows.hpp).
#include <new>

#include "core/join/joined_sketches.hpp"
#include "pg/base/large_array.hpp"
#include "pg/base/settings.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/bulk/memory_budget.hpp"
#include "pg/bulk/near_duplicates.hpp"
#include "pg/bulk/workers.hpp"
#include "pg/minhash/lsh.hpp"
#include "pg/minhash/minhash.hpp"

using namespace txtfp;

namespace {

double threshold_of(const pg::JoinOptions &options) { return options.threshold.value_or(pg::jaccard_threshold); }

template <class Slot> core::Banding banding_of(const pg::JoinOptions &options, int slots)
{
	const char *type = pg::minhash_type<Slot>(static_cast<std::size_t>(slots));
	pg::check_limits(options.given(), core::MeasureUnit::similarity, type);
	const double threshold = threshold_of(options);
	if (!(threshold > 0 && threshold <= 1))
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("threshold must be greater than 0 and at most 1, not %s", pg::shortest(threshold)),
				errdetail("For %s it is the least estimated Jaccard similarity.", type)));
	if (options.bands.has_value() != options.rows.has_value())
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("bands and rows must be given together"),
				errhint("Give neither: recall then chooses the banding.")));
	if (options.bands && options.recall)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("recall cannot be combined with bands and rows"),
				errhint("recall chooses the banding.")));
	if (options.bands)
		return pg::check_banding({*options.bands, *options.rows}, slots, type);
	return pg::banding_with_recall(threshold, options.recall.value_or(0.99), slots);
}

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
	MinhashJoin(const pg::JoinContext &context, const pg::JoinOptions &options, std::size_t slots)
		: MinhashJoin(context, options, slots, core::least_matches_of<Slot>(threshold_of(options), slots))
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
	MinhashJoin(const pg::JoinContext &context, const pg::JoinOptions &options, std::size_t slots, unsigned matches)
		: Joined(rows_, *context.workers, slots, matches), context_(context), workers_(context.workers), slots_(slots),
		  nearest_(options.nearest),
		  rows_(*context.host, *context.workers,
			  {.slots = slots, .banding = banding_of<Slot>(options, static_cast<int>(slots)), .matches = matches},
			  memory_of(context.limit))
	{
	}

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
pg::FingerprintJoin *make_join(const pg::JoinContext &context, const pg::JoinOptions &options, std::size_t slots)
{
	using Join = MinhashJoin<Slot>;
	static_assert(std::is_trivially_destructible_v<Join>);
	return new (MemoryContextAlloc(context.memory, sizeof(Join))) Join(context, options, slots);
}

} // namespace

namespace txtfp::pg {

FingerprintJoin *make_minhash_join(
	const JoinContext &context, const JoinOptions &options, std::size_t slots, bool compact)
{
	return compact ? make_join<std::uint8_t>(context, options, slots)
				   : make_join<std::uint64_t>(context, options, slots);
}

} // namespace txtfp::pg
