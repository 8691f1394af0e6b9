// One of the threads that compare the rows of a join of MinHash sketches (minhash_rows.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "core/join/host.hpp"
#include "core/join/sketch_batch.hpp"
#include "core/minhash/bucket_pairs.hpp"
#include "core/minhash/minhash_join.hpp"

namespace txtfp::core {

template <class Slot> class MinhashRows;

// What a worker has of its own. It is the Source of BucketJoin and BucketPairs.
template <class Slot> class MinhashWorker {
public:
	MinhashWorker(JoinHost &host, MinhashRows<Slot> &rows) : host_(host), rows_(rows) {}
	void close()
	{
		batch_.close();
		if (!area_.empty())
			host_.free(area_.data());
		if (buffers_ != nullptr)
			host_.free(buffers_);
	}

	const Slot *sketch(std::uint32_t rank, Slot *buffer)
	{
		if (const void *found = batch_.find(rank); found != nullptr)
			return static_cast<const Slot *>(found);
		return rows_.stored(rows_.place_of(rank), buffer);
	}
	void poll() const { host_.poll(); }
	std::span<KeyedRow> scratch(std::size_t rows)
	{
		if (area_.size() < rows) {
			if (!area_.empty())
				host_.free(area_.data());
			const std::size_t size = std::max(rows, rows_.memory_.scratch / sizeof(KeyedRow));
			area_ = {host_.array<KeyedRow>(size), size};
		}
		return area_;
	}
	void *allocate(std::size_t bytes) { return host_.allocate(bytes); }
	void release(void *memory) { host_.free(memory); }

	// Allocated by the worker itself, which may have to leave by an exception.
	Slot *buffers()
	{
		static_assert(pair_bucket_limit <= bucket_limit);
		return buffers_ != nullptr ? buffers_ : buffers_ = host_.array<Slot>((bucket_limit + 2) * rows_.slots_);
	}
	Slot *buffer(std::size_t number) { return buffers() + number * rows_.slots_; }

	// Makes ready for comparisons of these rows, which ascend and are at most rows_at_once(); 0: all are always ready.
	std::size_t rows_at_once()
	{
		if (!rows_.sketches_.has_file())
			return 0;
		open_batch();
		return batch_.capacity();
	}
	void hold(std::span<const std::uint32_t> ranks)
	{
		held_ = nullptr;
		batch_.hold(ranks, [&](std::uint32_t rank) { return rows_.place_of(rank); });
	}
	// Fast if a is the same as in the last call.
	unsigned matching(std::uint32_t a, std::uint32_t b)
	{
		if (rows_.are_copies(a, b))
			return static_cast<unsigned>(rows_.slots_);
		if (a != held_row_ || held_ == nullptr) {
			held_ = sketch(a, buffer(bucket_limit));
			held_row_ = a;
		}
		return matching_slots({held_, rows_.slots_}, {sketch(b, buffer(bucket_limit + 1)), rows_.slots_});
	}

	// Calls compare(bucket), at once if the sketches are in memory or the bucket is large, otherwise with the next
	// batch.
	template <class Compare> void compare_later(std::span<KeyedRow> bucket, Compare &compare)
	{
		if (!rows_.sketches_.has_file() || bucket.size() > bucket_limit)
			return compare(bucket);
		open_batch();
		if (!batch_.has_room(bucket.size()))
			run_batch(compare);
		for (const KeyedRow &row : bucket)
			batch_.add(row, rows_.place_of(row.row));
		batch_.end_bucket();
	}
	template <class Compare> void run_batch(Compare &compare)
	{
		if (batch_.is_open())
			batch_.run(compare);
	}

private:
	void open_batch()
	{
		if (!batch_.is_open())
			batch_.open(host_, rows_.sketches_, rows_.batch_memory_ / rows_.workers_, rows_.size_, bucket_limit);
	}

	JoinHost &host_;
	MinhashRows<Slot> &rows_;
	SketchBatch batch_;
	Slot *buffers_ = nullptr; // of bucket_limit sketches for the joins of a bucket, and two more
	std::span<KeyedRow> area_;
	const Slot *held_ = nullptr;
	std::uint32_t held_row_ = 0;
};

} // namespace txtfp::core
