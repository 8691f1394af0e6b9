// Buckets whose sketches are read together. One by one, each would cost a read in a random place of a file that may be larger than the
// memory; a batch reads each sketch once, in the order of the file, and neighbours at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "core/base/keyed_rows.hpp"
#include "pg/base/large_array.hpp"
#include "pg/bulk/spool.hpp"

namespace txtfp::pg {

class SketchBatch {
public:
	// Takes about `memory` bytes, but has room for `least` rows.
	void open(MemoryContext context, std::size_t memory, std::size_t sketch_size, std::size_t least)
	{
		context_ = context;
		sketch_size_ = sketch_size;
		const std::size_t entry = sketch_size + 2 * sizeof(core::KeyedRow) + 2 * sizeof(std::uint32_t);
		capacity_ = std::max(memory / entry, least);
		rows_ = allocate<core::KeyedRow>(context, capacity_);
		wanted_ = allocate<core::KeyedRow>(context, capacity_);
		places_ = allocate<std::uint32_t>(context, capacity_);
		ends_ = allocate<std::uint32_t>(context, capacity_);
		sketches_ = allocate<char>(context, capacity_ * sketch_size);
	}
	void close()
	{
		if (capacity_ == 0)
			return;
		for (void *memory : {static_cast<void *>(rows_), static_cast<void *>(wanted_), static_cast<void *>(places_),
				 static_cast<void *>(ends_), static_cast<void *>(sketches_)})
			pfree(memory);
		*this = {};
	}
	bool is_open() const { return capacity_ > 0; }
	std::size_t capacity() const { return capacity_; }
	bool has_room(std::size_t rows) const { return used_ + rows <= capacity_; }
	void add(const core::KeyedRow &row) { rows_[used_++] = row; } // to the last bucket
	void end_bucket() { ends_[buckets_++] = static_cast<std::uint32_t>(used_); }

	// Reads the sketches and calls fn(bucket) for each bucket, whose rows are found meanwhile. `number_of` tells where a row is in the file.
	template <class NumberOf, class Fn> void run(Spool &spool, NumberOf number_of, Fn &fn)
	{
		read(spool, number_of);
		for (std::size_t b = 0; b < buckets_; ++b) {
			begin_ = b == 0 ? 0 : ends_[b - 1];
			end_ = ends_[b];
			fn(std::span<core::KeyedRow>(rows_ + begin_, rows_ + end_));
		}
		clear();
	}
	// Reads the sketches of these rows, which ascend, and finds them until the next call.
	template <class NumberOf> void hold(Spool &spool, NumberOf number_of, std::span<const std::uint32_t> rows)
	{
		clear();
		for (const std::uint32_t row : rows)
			add(core::KeyedRow::of(0, row));
		read(spool, number_of);
		end_ = used_;
	}

	// The sketch of a row of the bucket in hand, whose rows ascend; nullptr if it is not in it.
	const void *find(std::uint32_t row) const
	{
		const auto *at = std::lower_bound(rows_ + begin_, rows_ + end_, row,
			[](const core::KeyedRow &entry, std::uint32_t value) { return entry.row < value; });
		if (at == rows_ + end_ || at->row != row)
			return nullptr;
		return sketches_ + places_[at - rows_] * sketch_size_;
	}

private:
	static constexpr std::size_t most_at_once = 64, ahead = 256;
	static constexpr std::size_t most_mapped = 16 << 20; // bytes

	void clear() { begin_ = end_ = used_ = buckets_ = 0; }

	template <class NumberOf> void read(Spool &spool, NumberOf number_of)
	{
		for (std::size_t i = 0; i < used_; ++i)
			wanted_[i] = core::KeyedRow::of(number_of(rows_[i].row), static_cast<std::uint32_t>(i));
		core::sort_rows({wanted_, used_}, 32);
		read_wanted(spool);
	}

	// Sketches that stand together in the file do so in memory.
	void read_wanted(Spool &spool)
	{
		const bool prefetch = spool.exceeds_cache();
		std::uint64_t released = 0; // bytes of the file before this
		std::uint32_t place = 0;
		for (std::size_t i = 0, next; i < used_; i = next) {
			CHECK_FOR_INTERRUPTS();
			const std::uint64_t first = wanted_[i].key();
			std::uint64_t last = first;
			for (next = i;
				 next < used_ && wanted_[next].key() <= last + 1 && wanted_[next].key() - first < most_at_once;
				 ++next) {
				last = wanted_[next].key();
				places_[wanted_[next].row] = place + static_cast<std::uint32_t>(last - first);
				if (prefetch && next + ahead < used_)
					spool.prefetch(wanted_[next + ahead].key() * sketch_size_, sketch_size_);
			}
			spool.copy(first * sketch_size_, (last - first + 1) * sketch_size_, sketches_ + place * sketch_size_);
			place += static_cast<std::uint32_t>(last - first + 1);
			if (const std::uint64_t done = (last + 1) * sketch_size_; done - released >= most_mapped || next == used_) {
				spool.release(released, done);
				released = done;
			}
		}
	}

	MemoryContext context_ = nullptr;
	std::size_t sketch_size_ = 0, capacity_ = 0, used_ = 0, buckets_ = 0, begin_ = 0, end_ = 0;
	core::KeyedRow *rows_ = nullptr, *wanted_ = nullptr; // of the buckets; numbers and entries
	std::uint32_t *places_ = nullptr, *ends_ = nullptr;  // of each entry among the sketches; of each bucket
	char *sketches_ = nullptr;
};

} // namespace txtfp::pg
