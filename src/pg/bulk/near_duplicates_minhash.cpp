// Bulk joins of MinHash sketches. As rows arrive, each sketch goes to a spool and its band keys go to partitions. Then the
// partitions are sorted one by one, and the rows of each bucket are compared (core/minhash/bucket_pairs.hpp,
// core/minhash/minhash_join.hpp); candidates are not stored. Rows with equal sketches are found first, by a hash of all slots,
// and only the first of them (the head) takes part in the comparisons. Rows of different groups are never compared: a bucket that has
// rows of several is cut. Of two queries each has heads of its own.
#include <cmath>
#include <new>

#include "core/minhash/bucket_pairs.hpp"
#include "core/minhash/minhash_join.hpp"
#include "pg/base/large_array.hpp"
#include "pg/base/settings.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/bulk/memory_budget.hpp"
#include "pg/bulk/near_duplicates.hpp"
#include "pg/bulk/partitions.hpp"
#include "pg/bulk/spool.hpp"
#include "pg/minhash/lsh.hpp"
#include "pg/minhash/minhash.hpp"

using namespace txtfp;

namespace {

double threshold_of(const pg::JoinOptions &options) { return options.threshold.value_or(pg::jaccard_threshold); }

template <class Slot> core::Banding banding_of(const pg::JoinOptions &options, int slots)
{
	const double threshold = threshold_of(options);
	if (!(threshold > 0 && threshold <= 1))
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("threshold must be greater than 0 and at most 1, not %s", pg::shortest(threshold)),
				errdetail(
					"For minhash%d%s it is the least estimated Jaccard similarity.", slots, pg::form_suffix<Slot>)));
	if (options.bands.has_value() != options.rows.has_value())
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("bands and rows must be given together"),
				errhint("Give neither: recall then chooses the banding.")));
	if (options.bands && options.recall)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("recall cannot be combined with bands and rows"),
				errhint("recall chooses the banding.")));
	if (options.bands)
		return pg::check_banding(
			{*options.bands, *options.rows}, slots, pg::minhash_type<Slot>(static_cast<std::size_t>(slots)));
	return pg::banding_with_recall(threshold, options.recall.value_or(0.99), slots);
}

// Of full sketches (Slot = std::uint64_t) or compact ones (std::uint8_t).
template <class Slot> class MinhashJoin final : public pg::FingerprintJoin {
public:
	MinhashJoin(const pg::JoinContext &context, const pg::JoinOptions &options, std::size_t slots)
		: context_(context), slots_(slots), size_(sizeof(Slot) * slots),
		  banding_(banding_of<Slot>(options, static_cast<int>(slots))),
		  matches_(core::least_matches_of<Slot>(threshold_of(options), slots))
	{
		sketches_.open(context.memory, pg::share_of(context.limit, pg::Share::sketches));
		copies_.open(context.memory, 64, pg::share_of(context.limit, pg::Share::equal_rows));
		bands_.open(context.memory, 64, pg::share_of(context.limit, pg::Share::bands));
		static_assert(core::pair_bucket_limit <= core::bucket_limit);
		buffers_ = pg::allocate<Slot>(context.memory, (core::bucket_limit + 2) * slots);
	}

	void add(Datum fingerprint) override
	{
		const pg::SketchView value = pg::sketch_view<Slot>(fingerprint);
		if (config_ == 0)
			config_ = value.config;
		pg::check_comparable(config_, slots_, value.config, slots_, pg::form_suffix<Slot>);
		sketches_.append(value.slots.data(), size_);
		copies_.add(core::KeyedRow::of(core::xxh3_64(value.slots.data(), size_, 0), rows_));
		for (int band = 0; band < banding_.bands; ++band)
			bands_.add(core::KeyedRow::of(core::band_key(value.slots, banding_.rows, band), rows_));
		++rows_;
	}

	void finish_rows() override
	{
		first_ = pg::allocate<std::uint32_t>(context_.memory, rows_);
		for (std::uint32_t i = 0; i < rows_; ++i)
			first_[i] = i;
		context_.progress->begin("finding equal sketches", copies_.rows());
		copies_.for_each_sorted(pg::share_of(context_.limit, pg::Share::sort), [this](std::span<core::KeyedRow> rows) {
			core::for_each_run(rows, [this](std::span<core::KeyedRow> run) {
				rank_rows(run);
				context_.for_each_class(run, true, [this](std::span<core::KeyedRow> same) { find_copies(same); });
			});
			context_.progress->add(rows.size());
		});
		context_.progress->end();
	}

	void connect(core::UnionFind &components) override
	{
		for (std::uint32_t row = 0; row < rows_; ++row)
			if (first_[row] != row)
				components.unite(first_[row], row);
		core::BucketJoin<MinhashJoin> join(*this, slots_, matches_, buffers_);
		for_each_bucket([&](std::span<const core::KeyedRow> bucket) { join.connect(bucket, components); });
	}

	void pairs(pg::PairSink &sink) override
	{
		auto *next = pg::allocate<std::uint32_t>(context_.memory, rows_); // the next row with the same sketch
		core::chain_groups({first_, rows_}, next);
		if (!context_.ids->has_parts())
			pair_copies(next, sink);
		core::BucketPairs<MinhashJoin> join(*this, slots_, matches_, banding_, buffers_, context_.ids->second_part());
		for_each_bucket([&](std::span<const core::KeyedRow> bucket) {
			join.find(bucket, [&](std::uint32_t a, std::uint32_t b, unsigned equal) { put(a, b, equal, next, sink); });
		});
	}

	bool similar(std::uint32_t a, std::uint32_t b) override { return matching(a, b) >= matches_; }
	double similarity(std::uint32_t a, std::uint32_t b) override
	{
		return core::estimated_jaccard<Slot>(matching(a, b), slots_);
	}
	bool estimates_jaccard() const override { return true; }
	// Its bands
	std::size_t keys(std::uint32_t row, std::uint64_t *keys) override
	{
		static_assert(core::minhash_max_slots <= max_keys);
		const std::span slots(sketch(row, buffers_), slots_);
		for (int band = 0; band < banding_.bands; ++band)
			keys[band] = core::band_key(slots, banding_.rows, band);
		return static_cast<std::size_t>(banding_.bands);
	}

	void close() override { sketches_.close(); }

	// For core::BucketJoin and core::BucketPairs
	const Slot *sketch(std::uint32_t rank, Slot *buffer)
	{
		const std::uint64_t offset = std::uint64_t{context_.ids->number_of(rank)} * size_;
		return static_cast<const Slot *>(sketches_.read(offset, size_, buffer));
	}
	void poll() const { CHECK_FOR_INTERRUPTS(); }
	std::span<core::KeyedRow> scratch(std::size_t rows)
	{
		if (area_.size() < rows) {
			if (!area_.empty())
				pfree(area_.data());
			const std::size_t size =
				std::max(rows, pg::share_of(context_.limit, pg::Share::scratch) / sizeof(core::KeyedRow));
			area_ = {pg::allocate<core::KeyedRow>(context_.memory, size), size};
		}
		return area_;
	}
	void *take(std::size_t bytes) { return pg::allocate<char>(context_.memory, bytes); }
	void give(void *memory) { pfree(memory); }

private:
	// `run` has rows of one hash and class. Different sketches with the same hash are very unlikely, but they are kept apart.
	void find_copies(std::span<core::KeyedRow> run)
	{
		Slot *buffer = buffers_, *other = buffers_ + slots_;
		const Slot *head = sketch(run[0].row, buffer);
		for (const core::KeyedRow &row : run.subspan(1)) {
			CHECK_FOR_INTERRUPTS();
			if (std::equal(head, head + slots_, sketch(row.row, other)))
				first_[row.row] = run[0].row;
		}
	}

	// Replaces numbers in the order of arrival by ranks.
	void rank_rows(std::span<core::KeyedRow> run)
	{
		for (core::KeyedRow &row : run)
			row.row = context_.ids->rank_of(row.row);
	}

	template <class Fn> void for_each_bucket(Fn fn)
	{
		context_.progress->begin("comparing rows that share a band", bands_.rows() / banding_.bands);
		std::uint64_t keys = 0;
		bands_.for_each_sorted(pg::share_of(context_.limit, pg::Share::sort), [&](std::span<core::KeyedRow> rows) {
			core::for_each_run(rows, [&](std::span<core::KeyedRow> run) {
				rank_rows(run);
				const auto end = std::remove_if(
					run.begin(), run.end(), [this](const core::KeyedRow &row) { return first_[row.row] != row.row; });
				context_.for_each_class({run.begin(), end}, false, fn);
			});
			keys += rows.size();
			context_.progress->add(keys / banding_.bands);
			keys %= banding_.bands;
		});
		context_.progress->end();
	}

	static constexpr std::uint32_t none = core::no_element;

	void pair_copies(const std::uint32_t *next, pg::PairSink &sink)
	{
		for (std::uint32_t head = 0; head < rows_; ++head)
			if (first_[head] == head)
				for (std::uint32_t a = head; a != none; a = next[a])
					for (std::uint32_t b = next[a]; b != none; b = next[b])
						sink.pair(a, b, 1);
	}

	// A pair of heads stands for every pair of rows with equal sketches.
	void put(std::uint32_t head, std::uint32_t other, unsigned equal, const std::uint32_t *next, pg::PairSink &sink)
	{
		const double similarity = core::estimated_jaccard<Slot>(equal, slots_);
		for (std::uint32_t a = head; a != none; a = next[a])
			for (std::uint32_t b = other; b != none; b = next[b])
				sink.pair(std::min(a, b), std::max(a, b), similarity);
	}

	unsigned matching(std::uint32_t a, std::uint32_t b)
	{
		Slot *buffer = buffers_ + core::bucket_limit * slots_;
		if (a != held_row_ || held_ == nullptr) {
			held_ = sketch(a, buffer);
			held_row_ = a;
		}
		return core::matching_slots({held_, slots_}, {sketch(b, buffer + slots_), slots_});
	}

	pg::JoinContext context_;
	std::size_t slots_, size_; // size_: of a sketch, in bytes
	core::Banding banding_;
	unsigned matches_;
	std::uint64_t config_ = 0;
	std::uint32_t rows_ = 0;
	pg::Spool sketches_;
	pg::Partitions copies_, bands_;
	Slot *buffers_;                  // of bucket_limit sketches for the core's joins, and two more
	std::uint32_t *first_ = nullptr; // the first row with the same sketch
	std::span<core::KeyedRow> area_;
	const Slot *held_ = nullptr;
	std::uint32_t held_row_ = 0;
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
