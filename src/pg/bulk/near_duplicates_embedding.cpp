// Bulk joins of embeddings. Pairs whose SimHashes are close, or with a recall of 1 all that their codes do not exclude,
// are compared by semantic_similarity, the latter in the workers. The vectors go to a spool as rows arrive; some 60 bytes per row stay in memory,
// and the codes. Of rows with equal vectors only the first (the head) takes part in the join.
#include <algorithm>
#include <new>
#include <optional>

#include "core/base/hash.hpp"
#include "core/base/keyed_rows.hpp"
#include "core/embedding/projection.hpp"
#include "core/join/copy_groups.hpp"
#include "core/join/hamming_groups.hpp"
#include "core/join/spool.hpp"
#include "core/simhash/hamming_join.hpp"
#include "pg/base/large_array.hpp"
#include "pg/base/ranges.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/bulk/cosine_pairs.hpp"
#include "pg/bulk/memory_budget.hpp"
#include "pg/bulk/near_duplicates.hpp"
#include "pg/bulk/workers.hpp"
#include "pg/embedding/embedding.hpp"

using namespace txtfp;

namespace {

float cosine_threshold_of(const pg::JoinOptions &options)
{
	pg::check_limits(options, core::MeasureUnit::similarity, "embeddings");
	const std::optional<double> threshold = options.threshold;
	if (!threshold)
		ereport(ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("threshold must not be null for embeddings"),
				errdetail("There is no default for their similarity.")));
	if (!(*threshold > 0 && *threshold <= 1))
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("threshold must be greater than 0 and at most 1, not %s", pg::shortest(*threshold)),
				errdetail("For embeddings it is the least semantic_similarity.")));
	return static_cast<float>(*threshold);
}

double recall_of(const pg::JoinOptions &options)
{
	if (options.bands || options.rows)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("bands and rows do not apply to embeddings"),
				errhint("recall is the share of the pairs that is to be found.")));
	return pg::positive_unit_option("recall", options.recall.value_or(0.99), pg::Upper::closed);
}

class EmbeddingJoin final : public pg::FingerprintJoin {
public:
	EmbeddingJoin(const pg::JoinContext &context, const pg::JoinOptions &options)
		: context_(context), workers_(context.workers), threshold_(cosine_threshold_of(options))
	{
		const double recall = recall_of(options);
		exact_ = recall == 1;
		radius_ = exact_ ? 0 : core::projection_radius(threshold_, recall);
		vectors_.open(*context.host, pg::share_of(context.limit, pg::Share::vectors));
	}

	void add(Datum fingerprint) override
	{
		const core::Embedding value = pg::to_embedding(fingerprint)->view();
		check(value);
		pg::reserve_next(context_.memory, marks_, rows_, capacity_);
		Mark &mark = marks_[rows_];
		mark.norm = core::l2_norm(value.vector);
		mark.bits = 0;
		if (mark.norm == 0 || (!exact_ && !core::project(value.vector, core::default_seed, coefficients_, mark.bits)))
			pg::check_comparable(core::EmbeddingError::zero_norm, value, value);
		mark.hash = core::xxh3_64(value.vector.data(), row_bytes(), 0);
		vectors_.append(value.vector.data(), row_bytes());
		++rows_;
	}

	void finish_rows() override
	{
		prepare_readers();
		auto *sorted = pg::allocate<core::KeyedRow>(context_.memory, rows_);
		context_.progress->begin(pg::BulkPhase::equal_vectors, rows_);
		copies_.find(
			*context_.host, context_.order(), rows_, sorted, [this](std::uint32_t rank) { return mark(rank).hash; },
			[this](std::uint32_t a, std::uint32_t b) {
				const core::Vector first = hold_vector(a, 0);
				return memcmp(first.data(), vector(b, 0).data(), row_bytes()) == 0;
			});
		context_.progress->end();
		if (exact_) {
			prepare_codes(sorted);
		} else {
			group_by_bits(sorted);
			pfree(sorted);
		}
	}

	void pairs(pg::PairSink &sink) override
	{
		for (std::uint32_t head = 0; head < rows_ && !context_.ids->has_parts(); ++head)
			if (copies_.has_copies(head))
				pair_copies(head, sink);
		workers_->deliver_to(sink);
		for_each_candidate([&](unsigned worker, std::uint32_t x, std::uint32_t y) {
			float similarity = 0;
			if (!compare(x, y, similarity, worker))
				return;
			copies_.for_each_pair(
				x, y, [&](std::uint32_t a, std::uint32_t b) { workers_->pair(worker, a, b, similarity); });
		});
	}

	void read_heads(std::span<std::uint32_t> heads) override { copies_.read_heads(heads); }
	void pairs_of_heads(pg::PairSink &sink) override
	{
		workers_->deliver_to(sink);
		for_each_candidate([&](unsigned worker, std::uint32_t x, std::uint32_t y) {
			float similarity = 0;
			if (compare(x, y, similarity, worker))
				workers_->pair(worker, std::min(x, y), std::max(x, y), similarity);
		});
	}

	void connect(core::UnionFind &components) override
	{
		for (std::uint32_t head = 0; head < rows_; ++head)
			if (copies_.has_copies(head) && own_similarity(head) >= threshold_)
				copies_.for_each(head, [&](std::uint32_t row) { components.unite(head, row); });
		for_each_candidate([&](unsigned worker, std::uint32_t x, std::uint32_t y) {
			float similarity = 0;
			if (components.connected(x, y) || !compare(x, y, similarity, worker))
				return;
			// Because of rounding, the similarity of equal vectors may be below the threshold, although they are
			// similar to other vectors.
			copies_.for_each(x, [&](std::uint32_t a) { components.unite(a, y); });
			copies_.for_each(y, [&](std::uint32_t b) { components.unite(x, b); });
		});
	}

	bool similar(std::uint32_t a, std::uint32_t b, unsigned worker) override
	{
		float similarity;
		return compare(a, b, similarity, worker);
	}

	double similarity(std::uint32_t a, std::uint32_t b, unsigned worker) override
	{
		const core::Vector first = hold_vector(a, worker);
		return core::cosine(first, mark(a).norm, vector(b, worker), mark(b).norm);
	}
	bool estimates_jaccard() const override { return false; }
	std::size_t keys(std::uint32_t, std::uint64_t *) override { return 0; }

	void close() override { vectors_.close(); }

private:
	static constexpr std::uint32_t none = core::no_element;
	static constexpr std::size_t max_coefficients = 4096; // dimensions: 1 MB

	// The part of a row that stays in memory.
	struct Mark {
		std::uint64_t bits, hash; // its SimHash, and a hash of its bytes
		float norm;
	};

	std::size_t row_bytes() const { return dimension_ * sizeof(float); }

	// Raises an error unless all vectors have the same dimension, and all that name a model the same model.
	void check(const core::Embedding &value)
	{
		if (rows_ == 0) {
			dimension_ = value.dimension();
			add_readers(1);
			margin_ = static_cast<float>(core::cosine_margin(dimension_));
			make_coefficients();
		}
		const core::Embedding seen{{readers_->held, dimension_}, model_};
		pg::check_comparable(core::check_pair(seen, value), seen, value);
		if (!model_ && value.model) {
			char *copy = pg::allocate<char>(context_.memory, value.model->size());
			memcpy(copy, value.model->data(), value.model->size());
			model_.emplace(copy, value.model->size());
		}
	}

	void make_coefficients()
	{
		if (dimension_ > max_coefficients)
			return;
		const std::size_t count = dimension_ * core::projection_bits;
		auto *coefficients = pg::allocate<float>(context_.memory, count);
		core::SplitMix64 random(core::default_seed);
		core::fill_projection(random, {coefficients, count});
		coefficients_ = {coefficients, count};
	}

	const Mark &mark(std::uint32_t rank) const { return marks_[context_.ids->number_of(rank)]; }

	void add_readers(unsigned count)
	{
		readers_ = pg::allocate<Reader>(context_.memory, count);
		for (unsigned i = 0; i < count; ++i)
			new (readers_ + i) Reader{pg::allocate<float>(context_.memory, 2 * dimension_), none, {}};
	}

	void prepare_readers()
	{
		if (exact_) {
			vectors_.map();
			workers_->expect(vectors_.size());
		}
		add_readers(workers_->workers());
	}

	core::Vector read_vector(std::uint32_t rank, float *buffer)
	{
		const std::uint64_t offset = std::uint64_t{context_.ids->number_of(rank)} * row_bytes();
		return {static_cast<const float *>(vectors_.read(offset, row_bytes(), buffer)), dimension_};
	}
	// Valid until the worker's next call.
	core::Vector vector(std::uint32_t rank, unsigned worker)
	{
		return read_vector(rank, readers_[worker].held + dimension_);
	}
	// Valid until the worker holds another.
	core::Vector hold_vector(std::uint32_t rank, unsigned worker)
	{
		Reader &reader = readers_[worker];
		if (rank != reader.rank) {
			reader.vector = read_vector(rank, reader.held);
			reader.rank = rank;
		}
		return reader.vector;
	}

	void group_by_bits(core::KeyedRow *sorted)
	{
		std::size_t n = 0;
		for (std::uint32_t rank = 0; rank < rows_; ++rank)
			if (copies_.is_head(rank))
				sorted[n++] = core::KeyedRow::of(mark(rank).bits, rank);
		groups_.build(*context_.host, context_.order(), {sorted, n});
	}

	// Keeps `sorted`: the heads by group.
	void prepare_codes(core::KeyedRow *sorted)
	{
		std::size_t n = 0;
		for (std::uint32_t rank = 0; rank < rows_; ++rank)
			if (copies_.is_head(rank))
				sorted[n++] = core::KeyedRow::of(context_.order().group_of(rank), rank);
		core::sort_rows(*context_.host, {sorted, n});
		codes_.prepare(context_, {sorted, n}, dimension_,
			[this](unsigned worker, std::uint32_t rank) { return coded_row(worker, rank); });
	}

	pg::CosinePairs::Row coded_row(unsigned worker, std::uint32_t rank)
	{
		return {vector(rank, worker), mark(rank).norm};
	}

	// Calls fn(worker, a, b) for heads that may be similar.
	template <class Fn> void for_each_candidate(Fn fn)
	{
		if (exact_) {
			// The similarity of SQL, in single precision, differs from the cosine by less than what is subtracted here.
			codes_.for_each_pair(
				context_, threshold_ - 2 * margin_ - 1e-4f,
				[this](unsigned worker, std::uint32_t rank) { return coded_row(worker, rank); }, fn);
			return;
		}
		const auto here = [&](std::uint32_t a, std::uint32_t b) { fn(0, a, b); };
		const core::RowOrder order = context_.order();
		for (std::size_t g = 0; g < groups_.count(); ++g)
			groups_.for_each_pair(order, g, here);
		groups_.for_each_close_pair(
			*context_.host, order, radius_,
			[&](std::uint64_t steps) { context_.progress->begin(pg::BulkPhase::close_simhashes, steps); },
			[&](std::uint32_t x, std::uint32_t y) { groups_.for_each_pair(order, x, y, here); });
		if (groups_.count() > 0)
			context_.progress->end();
	}

	void pair_copies(std::uint32_t head, pg::PairSink &sink)
	{
		const float similarity = own_similarity(head);
		if (similarity < threshold_)
			return;
		copies_.for_each_pair(head, [&](std::uint32_t a, std::uint32_t b) { sink.pair(a, b, similarity); });
	}

	// The semantic_similarity of a vector and itself, which rounding may make slightly less than 1.
	float own_similarity(std::uint32_t rank)
	{
		const core::Vector value = vector(rank, 0);
		const float norm = mark(rank).norm;
		return core::cosine(value, norm, value, norm);
	}

	// True if the semantic_similarity, computed exactly as in SQL, is at least the threshold. A faster estimate rejects
	// most candidates first.
	bool compare(std::uint32_t a, std::uint32_t b, float &similarity, unsigned worker)
	{
		workers_->host(worker).poll();
		const core::Vector first = hold_vector(a, worker), second = vector(b, worker);
		const float norm_a = mark(a).norm, norm_b = mark(b).norm;
		if (core::is_usual_norm(norm_a) && core::is_usual_norm(norm_b) &&
			core::cosine_sums(first, second).dot < (threshold_ - margin_) * (norm_a * norm_b))
			return false;
		similarity = core::cosine(first, norm_a, second, norm_b);
		return similarity >= threshold_;
	}

	// What a worker reads vectors with: the one that it holds, and room for this and another.
	struct Reader {
		float *held;
		std::uint32_t rank;
		core::Vector vector;
	};

	pg::JoinContext context_;
	pg::JoinWorkers *workers_;
	float threshold_, margin_ = 0;
	bool exact_ = false;
	int radius_ = 0;
	std::size_t dimension_ = 0;
	std::optional<std::string_view> model_; // of the first vector that names one
	std::span<const float> coefficients_;
	core::Spool vectors_;
	Reader *readers_ = nullptr; // of each worker
	Mark *marks_ = nullptr;     // in the order of arrival
	std::uint32_t rows_ = 0;
	std::size_t capacity_ = 0;
	core::CopyGroups copies_;
	core::HammingGroups groups_; // of heads, by SimHash
	pg::CosinePairs codes_;      // of heads, if the join is exact
};

static_assert(std::is_trivially_destructible_v<EmbeddingJoin>);

} // namespace

namespace txtfp::pg {

FingerprintJoin *make_embedding_join(const JoinContext &context, const JoinOptions &options)
{
	return new (MemoryContextAlloc(context.memory, sizeof(EmbeddingJoin))) EmbeddingJoin(context, options);
}

} // namespace txtfp::pg
