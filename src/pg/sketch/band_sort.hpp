// Sorts the items of a band table within a memory limit. Items that do not fit into memory are distributed by their
// leading bits over temporary files, which are then sorted one after the other. A file that is larger than the memory,
// because many items have the same key, is read several times. In a parallel build, all items go to shared files, and
// each process sorts some partitions of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "pg/sketch/partition_files.hpp"

namespace txtfp::pg {

class BandSort {
public:
	// Creates a sort in the context. It uses at most `memory` bytes, but not less than 512 kB. `expected` is the
	// estimated number of items; 0 if it is unknown. The temporary files belong to the current resource owner.
	static BandSort *open(MemoryContext context, std::size_t memory, std::uint64_t expected);
	// The sort of one process of a parallel build, with 2^bits partitions.
	static BandSort *open_shared(MemoryContext context, std::size_t memory, int bits, const SharedFiles &shared);
	// How many partitions, as a power of two, this many items need.
	static int bits_for(std::uint64_t items, std::size_t memory);

	void add(std::uint64_t item)
	{
		if (count_ == capacity_)
			grow_or_spill();
		items_[count_++] = item;
	}
	std::uint64_t total() const { return spilled_ + count_; }

	// Returns the next items in the order of their keys, which are valid until the next call; none at the end. No item
	// may be added after the first call.
	std::span<const std::uint64_t> next();
	// The same for one partition of shared files. After the end, it may be called for another one.
	std::span<const std::uint64_t> next_of(std::uint32_t partition);
	void share(); // ends adding; PartitionFiles::share
	std::uint64_t total_of(std::uint32_t partition) const { return files_->count(partition); }
	void close(); // frees the sort and its files

private:
	void grow_or_spill();
	void spill();
	std::size_t load(std::uint32_t partition, std::uint64_t from);
	std::size_t keep_smaller_half(std::size_t n);
	void sort(std::size_t n);

	MemoryContext context_;
	std::uint64_t *items_, *scratch_;
	std::size_t count_, capacity_, max_capacity_, scratch_capacity_; // items in memory
	std::uint64_t spilled_, expected_;                               // items in files; in all
	PartitionFiles *files_;                                          // null: all items are in memory
	std::uint32_t partition_;                                        // the one that is being read
	std::uint64_t limit_; // items of this partition that are less have been returned
	bool done_;
};

} // namespace txtfp::pg
