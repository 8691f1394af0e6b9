// Sorts more rows by key than fit into memory. Rows are distributed over 64 partitions by the leading bits of the key. Each
// partition has a buffer that overflows into a temporary file. The rows come back sorted, partition by partition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/keyed_rows.hpp"
#include "pg/base/guard.hpp"

extern "C" {
#include "storage/buffile.h"
}

namespace txtfp::pg {

class Partitions {
public:
	static constexpr int count_bits = 6;
	static constexpr std::size_t count = std::size_t{1} << count_bits;

	// The keys agree in all bits but the low `bits`. `memory` is for the buffers, in bytes.
	void open(MemoryContext context, int bits, std::size_t memory);
	void close();
	void add(const core::KeyedRow &row)
	{
		Partition &partition = partitions_[row.key() >> shift_ & (count - 1)];
		if (partition.buffered == partition.room)
			make_room(partition);
		partition.buffer[partition.buffered++] = row;
		++rows_;
	}
	std::uint64_t rows() const { return rows_; }

	// Calls fn(rows) with sorted rows, in ascending order of the keys; all rows of one key are in one call. Takes about `memory`
	// bytes unless a single key has more rows. The partitions are empty afterwards.
	template <class Fn> void for_each_sorted(std::size_t memory, Fn fn)
	{
		for (std::size_t p = 0; p < count; ++p)
			if (size(p) * sizeof(core::KeyedRow) > memory && shift_ > 0) {
				Partitions finer;
				finer.open(context_, shift_, memory / 4);
				subdivide(p, finer);
				finer.for_each_sorted(memory - memory / 4, fn);
				finer.close();
			} else if (const std::span<core::KeyedRow> rows = load(p); !rows.empty()) {
				core::sort_rows(rows, shift_);
				fn(rows);
				pfree(rows.data());
			}
	}

private:
	struct Partition {
		core::KeyedRow *buffer;
		std::size_t buffered, room;
		std::uint64_t filed;
		BufFile *file;
	};

	std::uint64_t size(std::size_t p) const { return partitions_[p].filed + partitions_[p].buffered; }
	void make_room(Partition &partition);
	void read(Partition &partition, core::KeyedRow *rows, std::size_t n);
	void empty(Partition &partition);
	std::span<core::KeyedRow> load(std::size_t p); // palloc'd
	void subdivide(std::size_t p, Partitions &finer);

	MemoryContext context_;
	int shift_;
	std::size_t max_room_;
	std::uint64_t rows_;
	Partition partitions_[count];
};

} // namespace txtfp::pg
