// The rows of a join of values that are compared themselves, as core/dedup sees them: exactly, without keys that may
// miss pairs. Base is JoinedRows, or an interface of the caller that is derived from it. Values are added in the order
// of arrival, and then the order of rows is given to finish().
#pragma once

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/base/hash.hpp"
#include "core/join/copy_groups.hpp"
#include "core/join/exact_join.hpp"
#include "core/join/hamming_groups.hpp"
#include "core/join/joined_rows.hpp"
#include "core/join/spool.hpp"
#include "core/kinds/kinds.hpp"
#include "core/simhash/simhash_pieces.hpp"

namespace txtfp::core {

template <class Base> class JoinedValues : public Base {
public:
	// `bound`: the limit of a measure.
	JoinedValues(const Kind &kind, int bound, JoinExecutor &executor) : kind_(kind), bound_(bound), executor_(executor)
	{
	}
	void begin(std::size_t) {}                // bytes for the values
	std::uint64_t bytes() const { return 0; } // that many workers may compare
	void close_values() {}

	bool similar(std::uint32_t a, std::uint32_t b, unsigned worker) override
	{
		return kind_.is_similar(measure(a, b, worker), bound_);
	}
	double similarity(std::uint32_t a, std::uint32_t b, unsigned worker) override
	{
		return kind_.similarity_of(measure(a, b, worker));
	}

protected:
	// For the caller's progress. The number of steps may be unknown, 0.
	virtual void begin_grouping(std::uint64_t) {}
	virtual void begin_comparing(std::uint64_t) {}
	virtual void end_phase() {}
	virtual int measure(std::uint32_t a, std::uint32_t b, unsigned worker) = 0;

	JoinHost &host() { return executor_.host(0); }

	const Kind &kind_;
	int bound_;
	JoinExecutor &executor_;
	RowOrder order_;
	std::uint32_t rows_ = 0;
};

// Values of 64 bits that differ in some of them, in memory: some 40 bytes per row. Rows with equal values are a group.
template <class Base = JoinedRows> class JoinedBits : public JoinedValues<Base> {
	using Joined = JoinedValues<Base>;
	using Joined::bound_, Joined::order_, Joined::rows_, Joined::host;

public:
	using Joined::Joined;

	void add_row(const std::uint8_t *row)
	{
		if (rows_ == capacity_) {
			capacity_ = std::max<std::size_t>(1024, 2 * capacity_);
			bits_ = host().enlarged(bits_, capacity_);
			absent_ = host().enlarged(absent_, capacity_);
		}
		absent_[rows_] = row == nullptr;
		bits_[rows_] = 0;
		if (row != nullptr)
			std::memcpy(&bits_[rows_], row, sizeof *bits_);
		++rows_;
	}

	void finish(const RowOrder &order)
	{
		order_ = order;
		auto *sorted = host().template array<KeyedRow>(rows_);
		std::size_t present = 0;
		for (std::uint32_t number = 0; number < rows_; ++number) {
			host().poll();
			if (!absent_[number])
				sorted[present++] = KeyedRow::of(bits_[number], order.rank_of(number));
		}
		groups_.build(host(), order, {sorted, present});
		host().free(sorted);
	}

	// Calls fn(worker, a, b, distance) for each similar pair.
	template <class Fn> void for_each_pair(Fn fn)
	{
		for (std::size_t g = 0; g < groups_.count(); ++g)
			groups_.for_each_pair(order_, g, [&](std::uint32_t a, std::uint32_t b) { fn(0u, a, b, 0); });
		for_each_close([&](std::uint32_t x, std::uint32_t y) {
			const int distance = hamming(groups_.value(x), groups_.value(y));
			groups_.for_each_pair(order_, x, y, [&](std::uint32_t a, std::uint32_t b) { fn(0u, a, b, distance); });
		});
	}

	void connect(UnionFind &components) override
	{
		for (std::size_t g = 0; g < groups_.count(); ++g)
			for (const std::uint32_t rank : groups_.ranks(g))
				components.unite(groups_.ranks(g)[0], rank);
		for_each_close([&](std::uint32_t x, std::uint32_t y) { components.unite(head(x), head(y)); });
	}
	void pairs_of_heads(PairSink &sink) override
	{
		for_each_close([&](std::uint32_t x, std::uint32_t y) {
			sink.pair(std::min(head(x), head(y)), std::max(head(x), head(y)),
				Joined::kind_.similarity_of(hamming(groups_.value(x), groups_.value(y))));
		});
	}
	void read_heads(std::span<std::uint32_t> heads) override
	{
		std::iota(heads.begin(), heads.end(), 0u);
		for (std::size_t g = 0; g < groups_.count(); ++g)
			for (const std::uint32_t rank : groups_.ranks(g))
				heads[rank] = head(g);
	}
	bool compares_in_workers() const override { return true; }
	std::size_t keys(std::uint32_t rank, std::uint64_t *keys) override
	{
		return simhash_pieces(bits_[order_.number_of(rank)], bound_, keys);
	}

protected:
	int measure(std::uint32_t a, std::uint32_t b, unsigned) override
	{
		return hamming(bits_[order_.number_of(a)], bits_[order_.number_of(b)]);
	}

private:
	std::uint32_t head(std::size_t group) const { return groups_.ranks(group)[0]; }
	template <class Fn> void for_each_close(Fn fn)
	{
		groups_.for_each_close_pair(
			host(), order_, bound_, [this](std::uint64_t steps) { Joined::begin_comparing(steps); }, fn);
		if (groups_.count() > 0)
			Joined::end_phase();
	}

	std::uint64_t *bits_ = nullptr; // in the order of arrival
	bool *absent_ = nullptr;
	std::size_t capacity_ = 0;
	HammingGroups groups_;
};

// Values that no key brings together: all distinct ones are compared. They lie in a spool; 20 bytes per row stay in
// memory.
template <class Base = JoinedRows> class JoinedEvery : public JoinedValues<Base> {
	using Joined = JoinedValues<Base>;
	using Joined::kind_, Joined::executor_, Joined::order_, Joined::rows_, Joined::host;

public:
	JoinedEvery(const Kind &kind, int bound, JoinExecutor &executor)
		: Joined(kind, bound, executor), bytes_(kind.row_bytes)
	{
	}
	void begin(std::size_t memory)
	{
		values_.open(host(), memory);
		zero_ = host().template array<std::uint8_t>(bytes_);
		std::memset(zero_, 0, bytes_);
	}
	std::uint64_t bytes() const { return values_.size(); }
	void close_values() { values_.close(); }

	// nullptr: the row has no value.
	void add_row(const std::uint8_t *row)
	{
		if (rows_ == capacity_)
			hashes_ = host().enlarged(hashes_, capacity_ = std::max<std::size_t>(1024, 2 * capacity_));
		hashes_[rows_++] = row == nullptr ? absent : xxh3_64(row, bytes_, 0) | 1;
		values_.append(row == nullptr ? zero_ : row, bytes_);
	}

	// Orders the heads by group, because only rows of one group are compared.
	void finish(const RowOrder &order)
	{
		order_ = order;
		values_.map();
		buffers_ = host().template array<std::uint8_t>(2 * executor_.workers() * bytes_);
		heads_ = host().template array<KeyedRow>(rows_);
		Joined::begin_grouping(rows_);
		copies_.find(
			host(), order, rows_, heads_, [this](std::uint32_t rank) { return hashes_[order_.number_of(rank)]; },
			[this](std::uint32_t a, std::uint32_t b) {
				return !is_absent(a) && std::memcmp(value(a, 0, 0), value(b, 1, 0), bytes_) == 0;
			});
		Joined::end_phase();
		for (std::uint32_t rank = 0; rank < rows_; ++rank)
			if (copies_.is_head(rank) && !is_absent(rank))
				heads_[head_count_++] = KeyedRow::of(order.group_of(rank), rank);
		sort_rows(host(), {heads_, head_count_});
	}

	// Calls fn(worker, a, b, measure) for each similar pair.
	template <class Fn> void for_each_pair(Fn fn)
	{
		for (std::uint32_t head = 0; head < rows_ && !order_.has_parts(); ++head)
			if (copies_.has_copies(head)) {
				const int own = measure(head, head, 0);
				copies_.for_each_pair(head, [&](std::uint32_t a, std::uint32_t b) { fn(0u, a, b, own); });
			}
		for_each_pair_of_heads([&](unsigned worker, std::uint32_t x, std::uint32_t y, int measure) {
			copies_.for_each_pair(x, y, [&](std::uint32_t a, std::uint32_t b) { fn(worker, a, b, measure); });
		});
	}

	void connect(UnionFind &components) override
	{
		for (std::uint32_t head = 0; head < rows_; ++head)
			if (copies_.has_copies(head))
				copies_.for_each(head, [&](std::uint32_t row) { components.unite(head, row); });
		for_each_pair_of_heads([&](unsigned, std::uint32_t x, std::uint32_t y, int) { components.unite(x, y); });
	}
	void pairs_of_heads(PairSink &sink) override
	{
		executor_.deliver_to(sink);
		for_each_pair_of_heads([this](unsigned worker, std::uint32_t x, std::uint32_t y, int measure) {
			executor_.pair(worker, x, y, kind_.similarity_of(measure));
		});
	}
	void read_heads(std::span<std::uint32_t> heads) override { copies_.read_heads(heads); }
	bool are_copies(std::uint32_t a, std::uint32_t b) override { return copies_.are_copies(a, b); }
	std::size_t keys(std::uint32_t, std::uint64_t *) override { return 0; }

protected:
	int measure(std::uint32_t a, std::uint32_t b, unsigned worker) override
	{
		return kind_.measure_of(value(a, 0, worker), value(b, 1, worker));
	}

private:
	static constexpr std::uint64_t absent = 0;

	bool is_absent(std::uint32_t rank) const { return hashes_[order_.number_of(rank)] == absent; }
	const std::uint8_t *value(std::uint32_t rank, unsigned side, unsigned worker)
	{
		const std::uint64_t offset = std::uint64_t{order_.number_of(rank)} * bytes_;
		return static_cast<const std::uint8_t *>(values_.read(offset, bytes_, buffers_ + (2 * worker + side) * bytes_));
	}

	// Calls fn(worker, x, y, measure) for the similar heads of one group and, if there are two parts, of different ones.
	template <class Fn> void for_each_pair_of_heads(Fn fn)
	{
		Joined::begin_comparing(task_count());
		for_each_group([&](std::span<const KeyedRow> heads) {
			executor_.for_each(exact_tasks(heads.size()), [&](unsigned worker, std::size_t task) {
				join_tiles(heads, TilePair(task, heads.size()), worker, fn);
			});
		});
		Joined::end_phase();
	}

	template <class Fn> void for_each_group(Fn fn) const
	{
		for (std::size_t begin = 0, end; begin < head_count_; begin = end) {
			end = begin + 1;
			while (end < head_count_ && heads_[end].key() == heads_[begin].key())
				++end;
			fn(std::span<const KeyedRow>(heads_ + begin, heads_ + end));
		}
	}

	std::uint64_t task_count() const
	{
		std::uint64_t tasks = 0;
		for_each_group([&](std::span<const KeyedRow> heads) { tasks += exact_tasks(heads.size()); });
		return tasks;
	}

	template <class Fn> void join_tiles(std::span<const KeyedRow> heads, const TilePair &tiles, unsigned worker, Fn &fn)
	{
		JoinHost &own = executor_.host(worker);
		auto *xs = own.template array<std::uint8_t>(2 * exact_tile * bytes_), *ys = xs + exact_tile * bytes_;
		load(heads.subspan(tiles.x, tiles.x_end - tiles.x), xs);
		load(heads.subspan(tiles.y, tiles.y_end - tiles.y), ys);
		std::uint16_t found[exact_tile];
		for (std::size_t j = tiles.y; j < tiles.y_end; ++j) {
			own.poll();
			const std::uint8_t *other = ys + (j - tiles.y) * bytes_;
			const std::size_t end = std::min(tiles.x_end, std::max(tiles.x, j));
			const std::size_t count =
				kind_.operations->find_close(kind_, xs, end - tiles.x, other, Joined::bound_, found);
			for (std::size_t k = 0; k < count; ++k)
				if (const std::uint32_t x = heads[tiles.x + found[k]].row, y = heads[j].row; order_.is_pair(x, y))
					fn(worker, x, y, kind_.measure_of(xs + found[k] * bytes_, other));
		}
		own.free(xs);
		own.progress(1);
	}

	void load(std::span<const KeyedRow> heads, std::uint8_t *to)
	{
		for (const KeyedRow &head : heads) {
			values_.copy(std::uint64_t{order_.number_of(head.row)} * bytes_, bytes_, to);
			to += bytes_;
		}
	}

	std::size_t bytes_;
	Spool values_;                    // in the order of arrival
	std::uint8_t *zero_ = nullptr;    // the value of rows that have none
	std::uint8_t *buffers_ = nullptr; // room for two values, of each worker
	std::uint64_t *hashes_ = nullptr; // of the values, in the order of arrival
	std::size_t capacity_ = 0, head_count_ = 0;
	CopyGroups copies_;
	KeyedRow *heads_ = nullptr; // by group
};

} // namespace txtfp::core
