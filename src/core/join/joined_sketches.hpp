// The rows of a join of MinHash sketches, as core/dedup sees them. Base is JoinedRows, or an interface of the caller
// that is derived from it.
#pragma once

#include "core/join/joined_rows.hpp"
#include "core/join/minhash_rows.hpp"
#include "core/minhash/minhash_compact.hpp"

namespace txtfp::core {

template <class Slot, class Base = JoinedRows> class JoinedSketches : public Base {
public:
	// `matches`: the least number of equal slots. The rows are finished when open() is called.
	JoinedSketches(MinhashRows<Slot> &rows, JoinExecutor &executor, std::size_t slots, unsigned matches)
		: rows_(rows), executor_(executor), slots_(slots), matches_(matches)
	{
	}
	void open(JoinHost &host)
	{
		own_ = host.array<MinhashWorker<Slot>>(executor_.workers());
		for (unsigned worker = 0; worker < executor_.workers(); ++worker)
			new (own_ + worker) MinhashWorker<Slot>(executor_.host(worker), rows_);
	}
	void close_workers()
	{
		for (unsigned worker = 0; worker < executor_.workers(); ++worker)
			own_[worker].close();
	}

	void connect(UnionFind &components) override
	{
		begin_buckets();
		rows_.connect(executor_, components);
		end_buckets();
	}
	void pairs_of_heads(PairSink &sink) override
	{
		begin_buckets();
		executor_.deliver_to(sink);
		rows_.pairs_of_heads(executor_, [this](unsigned worker, std::uint32_t a, std::uint32_t b, unsigned equal) {
			executor_.pair(worker, a, b, estimated_jaccard<Slot>(equal, slots_));
		});
		end_buckets();
	}
	void read_heads(std::span<std::uint32_t> heads) override
	{
		for (std::uint32_t row = 0; row < heads.size(); ++row)
			heads[row] = rows_.head(row);
	}
	bool similar(std::uint32_t a, std::uint32_t b, unsigned worker) override
	{
		return own_[worker].matching(a, b) >= matches_;
	}
	double similarity(std::uint32_t a, std::uint32_t b, unsigned worker) override
	{
		return estimated_jaccard<Slot>(own_[worker].matching(a, b), slots_);
	}
	bool compares_in_workers() const override { return true; }
	// Its bands
	std::size_t keys(std::uint32_t row, std::uint64_t *keys) override
	{
		static_assert(minhash_max_slots <= JoinedRows::max_keys);
		return rows_.keys(*own_, row, keys);
	}
	std::size_t rows_at_once(unsigned worker) override { return own_[worker].rows_at_once(); }
	void hold(std::span<const std::uint32_t> ranks, unsigned worker) override { own_[worker].hold(ranks); }
	bool are_copies(std::uint32_t a, std::uint32_t b) override { return rows_.are_copies(a, b); }

protected:
	virtual void begin_buckets() {} // for the caller's progress
	virtual void end_buckets() {}

private:
	MinhashRows<Slot> &rows_;
	JoinExecutor &executor_;
	std::size_t slots_;
	unsigned matches_;
	MinhashWorker<Slot> *own_ = nullptr; // of each worker, for single comparisons
};

} // namespace txtfp::core
