// Bulk joins of MinHash sketches. As rows arrive, each sketch goes to a spool and its band keys go to partitions, with one bit of each
// slot (core/minhash/slot_marks.hpp). Then the partitions are sorted one by one. The rows of a bucket that their marks do not tell apart
// are compared (core/minhash/bucket_pairs.hpp, core/minhash/minhash_join.hpp); candidates are not stored. Where the sketches are in a
// file, those of several buckets are read together (sketch_batch.hpp). Rows with equal sketches are found first, by a hash of all slots,
// and only the first of them (the head) takes part in the comparisons. Rows of different groups are never compared: a bucket that has
// rows of several is cut. Of two queries each has heads of its own.
#include <algorithm>
#include <cmath>
#include <new>

#include "core/minhash/bucket_pairs.hpp"
#include "core/minhash/minhash_join.hpp"
#include "core/minhash/slot_marks.hpp"
#include "pg/base/large_array.hpp"
#include "pg/base/settings.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/bulk/memory_budget.hpp"
#include "pg/bulk/near_duplicates.hpp"
#include "pg/bulk/partitions.hpp"
#include "pg/bulk/sketch_batch.hpp"
#include "pg/bulk/spool.hpp"
#include "pg/minhash/lsh.hpp"
#include "pg/minhash/minhash.hpp"

using namespace txtfp;

namespace {

double threshold_of(const pg::JoinOptions &options) { return options.threshold.value_or(pg::jaccard_threshold); }

template <class Slot> core::Banding banding_of(const pg::JoinOptions &options, int slots)
{
	const char *type = pg::minhash_type<Slot>(static_cast<std::size_t>(slots));
	pg::check_limits(options, core::MeasureUnit::similarity, type);
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

// Of full sketches (Slot = std::uint64_t) or compact ones (std::uint8_t). The marks of all bands would be larger than a compact sketch, so
// compact ones have none.
template <class Slot> class MinhashJoin final : public pg::FingerprintJoin {
	static constexpr bool has_marks = !pg::is_compact<Slot>;

public:
	MinhashJoin(const pg::JoinContext &context, const pg::JoinOptions &options, std::size_t slots)
		: context_(context), slots_(slots), size_(sizeof(Slot) * slots),
		  banding_(banding_of<Slot>(options, static_cast<int>(slots))), first_band_(options.part - 1),
		  band_step_(options.parts), own_bands_(static_cast<std::uint64_t>(
										 std::max(0, banding_.bands - first_band_ + band_step_ - 1) / band_step_)),
		  matches_(core::least_matches_of<Slot>(threshold_of(options), slots))
	{
		sketches_.open(context.memory, pg::share_of(context.limit, pg::Share::sketches));
		copies_.open(context.memory, 64, pg::share_of(context.limit, pg::Share::equal_rows));
		bands_.open(context.memory, 64, pg::share_of(context.limit, pg::Share::bands),
			has_marks ? 8 * core::mark_words(slots) : 0);
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
		std::uint64_t marks[core::max_mark_words];
		if constexpr (has_marks)
			core::mark_slots(value.slots, marks);
		for (int band = first_band_; band < banding_.bands; band += band_step_)
			bands_.add(core::KeyedRow::of(core::band_key(value.slots, banding_.rows, band), rows_),
				has_marks ? marks : nullptr);
		++rows_;
	}

	void finish_rows() override
	{
		first_ = pg::allocate<std::uint32_t>(context_.memory, rows_);
		for (std::uint32_t i = 0; i < rows_; ++i)
			first_[i] = i;
		bands_.flush();
		copies_.flush();
		if (sketches_.exceeds_cache() && sketches_.size() > 4 * pg::share_of(context_.limit, pg::Share::sketches)) {
			sketches_.unload();
			batch_share_ = pg::Share::file_batch;
		}
		sketches_.map();
		context_.progress->begin(pg::BulkPhase::equal_sketches, copies_.rows());
		const auto compare = [this](std::span<core::KeyedRow> same) { find_copies(same); };
		copies_.for_each_shared_records(
			pg::share_of(context_.limit, pg::Share::sort), [&](const pg::SortedRows &sorted) {
				core::for_each_run(sorted.rows, [&](std::span<core::KeyedRow> run) {
					rank_rows(run);
					context_.for_each_class(
						run, true, [&](std::span<core::KeyedRow> same) { compare_later(same, compare); });
				});
				context_.progress->add(sorted.loaded);
			});
		run_batch(compare);
		context_.progress->end();
	}

	void connect(core::UnionFind &components) override
	{
		for (std::uint32_t row = 0; row < rows_; ++row)
			if (first_[row] != row)
				components.unite(first_[row], row);
		core::BucketJoin<MinhashJoin> join(*this, slots_, matches_, buffers_);
		for_each_bucket([&](std::uint32_t rank) { components.prefetch(rank); },
			[&](std::span<Member> members) {
				for (Member &member : members)
					member.root = components.find(member.rank);
				choose(members, [](const Member &a, const Member &b) { return a.root != b.root; });
			},
			[&](std::span<const core::KeyedRow> bucket) { join.connect(bucket, components); });
	}

	void pairs(pg::PairSink &sink) override
	{
		auto *next = pg::allocate<std::uint32_t>(context_.memory, rows_); // the next row with the same sketch
		core::chain_groups({first_, rows_}, next);
		if (!context_.ids->has_parts() && first_band_ == 0)
			pair_copies(next, sink);
		core::BucketPairs<MinhashJoin> join(*this, slots_, matches_, banding_, buffers_, context_.ids->second_part());
		for_each_bucket([](std::uint32_t) {},
			[&](std::span<Member> members) {
				choose(members,
					[this](const Member &a, const Member &b) { return context_.ids->is_pair(a.rank, b.rank); });
			},
			[&](std::span<const core::KeyedRow> bucket) {
				join.find(
					bucket, [&](std::uint32_t a, std::uint32_t b, unsigned equal) { put(a, b, equal, next, sink); });
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

	std::size_t rows_at_once() override
	{
		if (!sketches_.has_file())
			return 0;
		open_batch();
		return batch_.capacity();
	}
	bool are_copies(std::uint32_t a, std::uint32_t b) override { return first_[a] == first_[b]; }
	void hold(std::span<const std::uint32_t> ranks) override
	{
		held_ = nullptr;
		batch_.hold(ranks, [&](std::uint32_t rank) { return context_.ids->number_of(rank); });
	}

	void close() override
	{
		batch_.close();
		sketches_.close();
	}

	// For core::BucketJoin and core::BucketPairs
	const Slot *sketch(std::uint32_t rank, Slot *buffer)
	{
		if (const void *found = batch_.find(rank); found != nullptr)
			return static_cast<const Slot *>(found);
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

	// A row of a bucket, with its marks. `chosen` if some other row is to be compared with it.
	struct Member {
		std::uint32_t rank, root;
		const char *marks;
		bool chosen;
	};
	static constexpr std::size_t small_bucket = core::bucket_limit;

	// Chooses the rows of pairs that `wanted` says are of use, and that have so many equal marks that they may be similar.
	template <class Wanted> void choose(std::span<Member> members, Wanted wanted) const
	{
		for (std::size_t j = 1; j < members.size(); ++j)
			for (std::size_t i = 0; i < j; ++i)
				if (!(members[i].chosen && members[j].chosen) && wanted(members[i], members[j]) &&
					(!has_marks || core::matching_marks(members[i].marks, members[j].marks, slots_) >= matches_))
					members[i].chosen = members[j].chosen = true;
	}

	// Requests from memory what will be needed of the rows after entry `at`, in three steps, because each address depends on the step before.
	// prefetch(rank) requests what the caller needs of a row.
	template <class Prefetch>
	void prefetch_rows(const pg::SortedRows &sorted, std::size_t at, const Prefetch &prefetch) const
	{
		constexpr std::size_t record_step = 96, rank_step = 64, last_step = 32; // entries
		const std::span<const core::KeyedRow> entries = sorted.rows;
		if (at + record_step >= entries.size())
			return;
		sorted.prefetch(entries[at + record_step]);
		context_.ids->prefetch_rank(sorted.row(entries[at + rank_step]));
		const std::uint32_t rank = context_.ids->rank_of(sorted.row(entries[at + last_step]));
		__builtin_prefetch(first_ + rank);
		prefetch(rank);
	}

	// Calls filter(members), which chooses some, for each small bucket, and compare(bucket) for those that are left and for large ones.
	template <class Prefetch, class Filter, class Compare>
	void for_each_bucket(Prefetch prefetch, Filter filter, Compare compare)
	{
		context_.progress->begin(pg::BulkPhase::shared_bands, bands_.rows() / std::max<std::uint64_t>(1, own_bands_));
		std::uint64_t keys = 0;
		bands_.for_each_shared_records(
			pg::share_of(context_.limit, pg::Share::bands_sort), [&](const pg::SortedRows &sorted) {
				core::for_each_run(sorted.rows, [&](std::span<core::KeyedRow> run) {
					const auto begin = static_cast<std::size_t>(run.data() - sorted.rows.data());
					for (std::size_t i = 0; i < run.size(); ++i)
						prefetch_rows(sorted, begin + i, prefetch);
					if (run.size() <= small_bucket)
						filter_bucket(sorted, run, filter, compare);
					else
						compare_large(sorted, run, compare);
				});
				keys += sorted.loaded;
				context_.progress->add(keys / own_bands_);
				keys %= own_bands_;
			});
		run_batch(compare);
		batch_.close();
		context_.progress->end();
	}

	template <class Filter, class Compare>
	void filter_bucket(
		const pg::SortedRows &sorted, std::span<const core::KeyedRow> run, Filter &filter, Compare &compare)
	{
		Member members[small_bucket];
		std::size_t n = 0;
		for (const core::KeyedRow &entry : run)
			if (const std::uint32_t rank = context_.ids->rank_of(sorted.row(entry)); first_[rank] == rank)
				members[n++] = {rank, 0, sorted.payload(entry), false};
		const bool classes = context_.has_classes(false);
		const auto class_of = [&](const Member &member) { return classes ? context_.class_of(member.rank, false) : 0; };
		std::sort(members, members + n, [&](const Member &a, const Member &b) {
			const std::uint64_t x = class_of(a), y = class_of(b);
			return x != y ? x < y : a.rank < b.rank;
		});
		for (std::size_t begin = 0, end; begin < n; begin = end) {
			for (end = begin + 1; end < n && class_of(members[end]) == class_of(members[begin]);)
				++end;
			const std::span<Member> same(members + begin, members + end);
			if (same.size() > 1)
				filter(same);
			compare_chosen(run[0].key(), same, compare);
		}
	}

	template <class Compare> void compare_chosen(std::uint64_t key, std::span<const Member> members, Compare &compare)
	{
		core::KeyedRow bucket[small_bucket];
		std::size_t n = 0;
		for (const Member &member : members)
			if (member.chosen)
				bucket[n++] = core::KeyedRow::of(key, member.rank);
		if (n > 1)
			compare_later({bucket, n}, compare);
	}

	template <class Compare>
	void compare_large(const pg::SortedRows &sorted, std::span<core::KeyedRow> run, Compare &compare)
	{
		std::size_t n = 0;
		for (const core::KeyedRow &entry : run)
			if (const std::uint32_t rank = context_.ids->rank_of(sorted.row(entry)); first_[rank] == rank)
				run[n++] = core::KeyedRow::of(entry.key(), rank);
		context_.for_each_class(run.first(n), false, compare);
	}

	// Calls compare(bucket), at once if the sketches are in memory or the bucket is large, otherwise with the next batch.
	template <class Compare> void compare_later(std::span<core::KeyedRow> bucket, Compare &compare)
	{
		if (!sketches_.has_file() || bucket.size() > small_bucket)
			return compare(bucket);
		open_batch();
		if (!batch_.has_room(bucket.size()))
			run_batch(compare);
		for (const core::KeyedRow &row : bucket)
			batch_.add(row, context_.ids->number_of(row.row));
		batch_.end_bucket();
	}
	template <class Compare> void run_batch(Compare &compare)
	{
		if (batch_.is_open())
			batch_.run(compare);
	}
	void open_batch()
	{
		if (!batch_.is_open())
			batch_.open(context_.memory, sketches_, pg::share_of(context_.limit, batch_share_), size_, small_bucket);
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
		if (are_copies(a, b))
			return static_cast<unsigned>(slots_);
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
	int first_band_, band_step_; // of those that this part compares
	std::uint64_t own_bands_;    // their number
	unsigned matches_;
	std::uint64_t config_ = 0;
	std::uint32_t rows_ = 0;
	pg::Spool sketches_;
	pg::Partitions copies_, bands_;
	pg::SketchBatch batch_;
	pg::Share batch_share_ = pg::Share::batch;
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
