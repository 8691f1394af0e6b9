// Buckets whose sketches are read together, from a file. If the file is mapped and fits into the cache of the operating
// system, few are, in the order in which they were added: each was requested from memory at that time, and has arrived
// meanwhile. Otherwise many are: one by one, each would cost a read in a random place of a file; a batch reads each
// sketch once, in the order of the file, and neighbours at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "core/base/keyed_rows.hpp"
#include "core/join/spool.hpp"

namespace txtfp::core {

class SketchBatch {
public:
	// A batch of sketches of `size` bytes in `spool`, which got its last row before. A row's number is its place there. Takes
	// at most about `memory` bytes, but has room for `least` rows.
	void open(JoinHost &host, Spool &spool, std::size_t memory, std::size_t size, std::size_t least)
	{
		host_ = &host;
		spool_ = &spool;
		sketch_size_ = size;
		requested_ = spool.is_mapped() && !spool.exceeds_cache();
		const std::size_t entry = size + 2 * sizeof(KeyedRow) + 2 * sizeof(std::uint32_t);
		capacity_ = std::max(requested_ ? few_rows : memory / entry, least);
		rows_ = host_->array<KeyedRow>(capacity_);
		wanted_ = host_->array<KeyedRow>(capacity_);
		places_ = host_->array<std::uint32_t>(capacity_);
		ends_ = host_->array<std::uint32_t>(capacity_);
		sketches_ = host_->array<char>(capacity_ * size);
	}
	void close()
	{
		if (capacity_ == 0)
			return;
		for (void *memory : {static_cast<void *>(rows_), static_cast<void *>(wanted_), static_cast<void *>(places_),
				 static_cast<void *>(ends_), static_cast<void *>(sketches_)})
			host_->free(memory);
		*this = {};
	}
	bool is_open() const { return capacity_ > 0; }
	std::size_t capacity() const { return capacity_; }
	bool has_room(std::size_t rows) const { return used_ + rows <= capacity_; }
	void add(const KeyedRow &row, std::uint32_t number) // to the last bucket
	{
		rows_[used_] = row;
		wanted_[used_] = KeyedRow::of(number, static_cast<std::uint32_t>(used_));
		++used_;
		if (requested_)
			spool_->request(number * std::uint64_t{sketch_size_}, sketch_size_);
	}
	void end_bucket() { ends_[buckets_++] = static_cast<std::uint32_t>(used_); }

	// Reads the sketches and calls fn(bucket) for each bucket, whose rows are found meanwhile.
	template <class Fn> void run(Fn &fn)
	{
		read();
		for (std::size_t b = 0; b < buckets_; ++b) {
			begin_ = b == 0 ? 0 : ends_[b - 1];
			end_ = ends_[b];
			fn(std::span<KeyedRow>(rows_ + begin_, rows_ + end_));
		}
		clear();
	}
	// Reads the sketches of these rows, which ascend, and finds them until the next call. number_of(row) is a row's
	// number.
	template <class NumberOf> void hold(std::span<const std::uint32_t> rows, NumberOf number_of)
	{
		clear();
		for (const std::uint32_t row : rows)
			add(KeyedRow::of(0, row), number_of(row));
		read();
		end_ = used_;
	}

	// The sketch of a row of the bucket in hand, whose rows ascend; nullptr if it is not in it.
	const void *find(std::uint32_t row) const
	{
		const auto *at = std::lower_bound(rows_ + begin_, rows_ + end_, row,
			[](const KeyedRow &entry, std::uint32_t value) { return entry.row < value; });
		if (at == rows_ + end_ || at->row != row)
			return nullptr;
		return sketches_ + places_[at - rows_] * sketch_size_;
	}

private:
	static constexpr std::size_t most_at_once = 64, ahead = 256;
	static constexpr std::size_t few_rows = 256;         // so that what they need stays in the caches of the processor
	static constexpr std::size_t most_mapped = 16 << 20; // bytes

	void clear() { begin_ = end_ = used_ = buckets_ = 0; }

	void read()
	{
		if (requested_)
			return read_requested();
		sort_rows({wanted_, used_}, 32);
		read_wanted();
	}

	void read_requested()
	{
		host_->poll();
		for (std::uint32_t i = 0; i < used_; ++i) {
			spool_->copy(wanted_[i].key() * sketch_size_, sketch_size_, sketches_ + i * sketch_size_);
			places_[i] = i;
		}
	}

	// Sketches that stand together in the file do so in memory.
	void read_wanted()
	{
		const bool prefetch = spool_->exceeds_cache();
		std::uint64_t released = 0; // bytes of the file before this
		std::uint32_t place = 0;
		for (std::size_t i = 0, next; i < used_; i = next) {
			host_->poll();
			const std::uint64_t first = wanted_[i].key();
			std::uint64_t last = first;
			for (next = i;
				 next < used_ && wanted_[next].key() <= last + 1 && wanted_[next].key() - first < most_at_once;
				 ++next) {
				last = wanted_[next].key();
				places_[wanted_[next].row] = place + static_cast<std::uint32_t>(last - first);
				if (prefetch && next + ahead < used_)
					spool_->prefetch(wanted_[next + ahead].key() * sketch_size_, sketch_size_);
			}
			spool_->copy(first * sketch_size_, (last - first + 1) * sketch_size_, sketches_ + place * sketch_size_);
			place += static_cast<std::uint32_t>(last - first + 1);
			if (const std::uint64_t done = (last + 1) * sketch_size_; done - released >= most_mapped || next == used_) {
				spool_->release(released, done);
				released = done;
			}
		}
	}

	JoinHost *host_ = nullptr;
	Spool *spool_ = nullptr;
	bool requested_ = false; // each sketch from memory, when its row was added
	std::size_t sketch_size_ = 0, capacity_ = 0, used_ = 0, buckets_ = 0, begin_ = 0, end_ = 0;
	KeyedRow *rows_ = nullptr, *wanted_ = nullptr;      // of the buckets; their numbers, with the entry of each
	std::uint32_t *places_ = nullptr, *ends_ = nullptr; // of each entry among the sketches; of each bucket
	char *sketches_ = nullptr;
};

} // namespace txtfp::core
