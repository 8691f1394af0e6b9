// Sorts the items of a band table within a memory limit. Items that do not fit into memory are distributed by their leading bits over
// temporary files, which are then sorted one after the other. A file that is larger than the memory, because many items have the same key, is
// read several times.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pg/base/pg.hpp"

extern "C" {
#include "storage/buffile.h"
}

namespace txtfp::pg {

class BandSort {
public:
	// Creates a sort in the context. It uses at most `memory` bytes, but not less than 512 kB. `expected` is the estimated number of items; 0 if
	// it is unknown. The temporary files belong to the current resource owner.
	static BandSort *open(MemoryContext context, std::size_t memory, std::uint64_t expected);

	void add(std::uint64_t item)
	{
		if (count_ == capacity_)
			grow_or_spill();
		items_[count_++] = item;
	}
	std::uint64_t total() const { return spilled_ + count_; }

	// Sets `items` to the next n > 0 items in the order of their keys. They are valid until the next call. False at the end. No item may be added
	// after the first call.
	bool next(const std::uint64_t **items, std::size_t *n);
	void close(); // frees the sort and its files

private:
	struct File {
		BufFile *file;         // null: nothing has been written
		std::uint64_t written; // items
		std::uint64_t *buffer;
		std::size_t buffered; // items
	};

	void grow_or_spill();
	void spill();
	void flush(File &file);
	std::size_t load(File &file, std::uint64_t from);
	std::size_t keep_smaller_half(std::size_t n);

	MemoryContext context_;
	std::uint64_t *items_, *scratch_;
	std::size_t count_, capacity_, max_capacity_; // items in memory
	std::uint64_t spilled_, expected_;            // items in files; in all
	int bits_;                                    // there are 2^bits_ files
	File *files_;                                 // null: all items are in memory
	std::size_t file_;                            // the file that is being read
	std::uint64_t limit_;                         // items of this file that are less have been returned
	bool done_;
};

} // namespace txtfp::pg
