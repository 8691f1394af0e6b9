// Bulk joins of TLSH digests and of LavinHash values: exact, by comparing all distinct values, because no key brings
// similar ones together (core/join/exact_join.hpp). The values go to a spool as rows arrive; 20 bytes per row stay in
// memory.
#include <new>

#include "core/base/hash.hpp"
#include "core/join/copy_groups.hpp"
#include "core/join/exact_join.hpp"
#include "core/join/spool.hpp"
#include "pg/base/large_array.hpp"
#include "pg/base/settings.hpp"
#include "pg/bulk/memory_budget.hpp"
#include "pg/bulk/near_duplicates.hpp"
#include "pg/bulk/workers.hpp"
#include "pg/lavinhash/lavinhash.hpp"
#include "pg/tlsh/tlsh.hpp"

using namespace txtfp;

namespace {

struct TlshRows : core::TlshValues {
	static constexpr core::KindNumber kind = core::kind_tlsh;
	static int default_limit() { return pg::tlsh_threshold; }
	static void store(Datum value, std::uint8_t *to) { memcpy(to, &pg::to_tlsh(value), bytes); }
	static double similarity(int distance) { return core::tlsh_similarity(distance); }
};

struct LavinhashRows : core::LavinhashValues {
	static constexpr core::KindNumber kind = core::kind_lavinhash;
	static int default_limit() { return pg::lavinhash_threshold; }
	static void store(Datum value, std::uint8_t *to)
	{
		const core::LavinhashBytes form = pg::lavinhash_view(PG_DETOAST_DATUM_PACKED(value));
		const auto size = static_cast<std::uint16_t>(form.size());
		memset(to, 0, bytes);
		memcpy(to, &size, sizeof size);
		memcpy(to + sizeof size, form.data(), form.size());
	}
	static double similarity(int score) { return score / 100.0; }
};

template <class Rows> class ExactJoin final : public pg::FingerprintJoin {
public:
	ExactJoin(const pg::JoinContext &context, const pg::JoinOptions &options)
		: context_(context), workers_(context.workers),
		  limit_(pg::exact_limit(options, core::kind_of(Rows::kind), Rows::default_limit()))
	{
		values_.open(*context.host, pg::share_of(context.limit, pg::Share::vectors));
		buffers_ = pg::allocate<std::uint8_t>(context.memory, 2 * Rows::bytes);
	}

	void add(Datum fingerprint) override
	{
		Rows::store(fingerprint, buffers_);
		pg::reserve_next(context_.memory, hashes_, rows_, capacity_);
		hashes_[rows_++] = core::xxh3_64(buffers_, Rows::bytes, 0);
		values_.append(buffers_, Rows::bytes);
	}

	// Orders the heads by group, because only rows of one group are compared.
	void finish_rows() override
	{
		values_.map();
		workers_->expect(values_.size());
		auto *sorted = pg::allocate<core::KeyedRow>(context_.memory, rows_);
		context_.progress->begin(pg::BulkPhase::equal_values, rows_);
		copies_.find(
			*context_.host, context_.order(), rows_, sorted,
			[this](std::uint32_t rank) { return hashes_[context_.ids->number_of(rank)]; },
			[this](std::uint32_t a, std::uint32_t b) { return memcmp(value(a, 0), value(b, 1), Rows::bytes) == 0; });
		context_.progress->end();
		for (std::uint32_t rank = 0; rank < rows_; ++rank)
			if (copies_.is_head(rank))
				sorted[heads_++] = core::KeyedRow::of(context_.order().group_of(rank), rank);
		core::sort_rows(*context_.host, {sorted, heads_});
		heads_by_group_ = sorted;
	}

	void pairs(pg::PairSink &sink) override
	{
		for (std::uint32_t head = 0; head < rows_ && !context_.ids->has_parts(); ++head)
			if (copies_.has_copies(head)) {
				const double similarity = own_similarity(head);
				copies_.for_each_pair(head, [&](std::uint32_t a, std::uint32_t b) { sink.pair(a, b, similarity); });
			}
		workers_->deliver_to(sink);
		for_each_pair_of_heads([&](unsigned worker, std::uint32_t x, std::uint32_t y, int measure) {
			const double similarity = Rows::similarity(measure);
			copies_.for_each_pair(
				x, y, [&](std::uint32_t a, std::uint32_t b) { workers_->pair(worker, a, b, similarity); });
		});
	}

	void read_heads(std::span<std::uint32_t> heads) override { copies_.read_heads(heads); }
	void pairs_of_heads(pg::PairSink &sink) override
	{
		workers_->deliver_to(sink);
		for_each_pair_of_heads([&](unsigned worker, std::uint32_t x, std::uint32_t y, int measure) {
			workers_->pair(worker, x, y, Rows::similarity(measure));
		});
	}

	void connect(core::UnionFind &components) override
	{
		for (std::uint32_t head = 0; head < rows_; ++head)
			if (copies_.has_copies(head))
				copies_.for_each(head, [&](std::uint32_t row) { components.unite(head, row); });
		for_each_pair_of_heads([&](unsigned, std::uint32_t x, std::uint32_t y, int) { components.unite(x, y); });
	}

	bool similar(std::uint32_t a, std::uint32_t b, unsigned) override
	{
		return Rows::similar(value(a, 0), value(b, 1), limit_);
	}
	double similarity(std::uint32_t a, std::uint32_t b, unsigned) override
	{
		return Rows::similarity(Rows::measure(value(a, 0), value(b, 1)));
	}
	bool are_copies(std::uint32_t a, std::uint32_t b) override { return copies_.are_copies(a, b); }
	bool estimates_jaccard() const override { return false; }
	std::size_t keys(std::uint32_t, std::uint64_t *) override { return 0; }
	void close() override { values_.close(); }

private:
	const std::uint8_t *value(std::uint32_t rank, int side)
	{
		const std::uint64_t offset = std::uint64_t{context_.ids->number_of(rank)} * Rows::bytes;
		return static_cast<const std::uint8_t *>(
			values_.read(offset, Rows::bytes, buffers_ + (side == 0 ? 0 : Rows::bytes)));
	}

	double own_similarity(std::uint32_t rank)
	{
		const std::uint8_t *own = value(rank, 0);
		return Rows::similarity(Rows::measure(own, own));
	}

	// Calls fn(worker, x, y, measure) for the similar heads of one group and, if there are two queries, of different
	// ones.
	template <class Fn> void for_each_pair_of_heads(Fn fn)
	{
		context_.progress->begin(pg::BulkPhase::distinct_values, task_count());
		const core::RowOrder order = context_.order();
		for (std::size_t begin = 0, end; begin < heads_; begin = end) {
			end = end_of_group(begin);
			const std::span<const core::KeyedRow> heads(heads_by_group_ + begin, heads_by_group_ + end);
			workers_->for_each(core::exact_tasks(heads.size()), [&](unsigned worker, std::size_t task) {
				join_tiles(order, heads, core::TilePair(task, heads.size()), worker, fn);
			});
		}
		context_.progress->end();
	}

	std::size_t end_of_group(std::size_t begin) const
	{
		std::size_t end = begin + 1;
		while (end < heads_ && heads_by_group_[end].key() == heads_by_group_[begin].key())
			++end;
		return end;
	}

	std::uint64_t task_count() const
	{
		std::uint64_t tasks = 0;
		for (std::size_t begin = 0, end; begin < heads_; begin = end) {
			end = end_of_group(begin);
			tasks += core::exact_tasks(end - begin);
		}
		return tasks;
	}

	template <class Fn>
	void join_tiles(const core::RowOrder &order, std::span<const core::KeyedRow> heads, const core::TilePair &tiles,
		unsigned worker, Fn &fn)
	{
		core::JoinHost &host = workers_->host(worker);
		auto *xs = host.array<std::uint8_t>(2 * core::exact_tile * Rows::bytes),
			 *ys = xs + core::exact_tile * Rows::bytes;
		load(order, heads.subspan(tiles.x, tiles.x_end - tiles.x), xs);
		load(order, heads.subspan(tiles.y, tiles.y_end - tiles.y), ys);
		core::join_tiles<Rows>(
			tiles, xs, ys, limit_, [&] { host.poll(); },
			[&](std::size_t i, std::size_t j) {
				const std::uint32_t x = heads[i].row, y = heads[j].row;
				if (order.is_pair(x, y))
					fn(worker, x, y, Rows::measure(xs + (i - tiles.x) * Rows::bytes, ys + (j - tiles.y) * Rows::bytes));
			});
		host.free(xs);
		host.progress(1);
	}

	void load(const core::RowOrder &order, std::span<const core::KeyedRow> heads, std::uint8_t *to)
	{
		for (const core::KeyedRow &head : heads) {
			values_.copy(std::uint64_t{order.number_of(head.row)} * Rows::bytes, Rows::bytes, to);
			to += Rows::bytes;
		}
	}

	pg::JoinContext context_;
	pg::JoinWorkers *workers_;
	int limit_;
	core::Spool values_;              // in the order of arrival
	std::uint8_t *buffers_;           // room for two values
	std::uint64_t *hashes_ = nullptr; // of the values, in the order of arrival
	std::uint32_t rows_ = 0;
	std::size_t capacity_ = 0, heads_ = 0;
	core::CopyGroups copies_;
	core::KeyedRow *heads_by_group_ = nullptr;
};

template <class Rows> pg::FingerprintJoin *make_join(const pg::JoinContext &context, const pg::JoinOptions &options)
{
	using Join = ExactJoin<Rows>;
	static_assert(std::is_trivially_destructible_v<Join>);
	return new (MemoryContextAlloc(context.memory, sizeof(Join))) Join(context, options);
}

} // namespace

namespace txtfp::pg {

FingerprintJoin *make_tlsh_join(const JoinContext &context, const JoinOptions &options)
{
	return make_join<TlshRows>(context, options);
}

FingerprintJoin *make_lavinhash_join(const JoinContext &context, const JoinOptions &options)
{
	return make_join<LavinhashRows>(context, options);
}

} // namespace txtfp::pg
