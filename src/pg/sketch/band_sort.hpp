// Sorts the items of a band table within maintenance_work_mem: in memory as long as they fit, otherwise distributed by their leading bits
// over temporary files. However many items have one key, the memory suffices: a file that is too large is read several times.
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
	// A new one, in the context. `expected`: how many items there will be, about; 0: unknown.
	static BandSort *open(MemoryContext context, std::size_t memory, std::uint64_t expected);

	void add(std::uint64_t item)
	{
		if (count_ == room_)
			make_room();
		items_[count_++] = item;
	}
	std::uint64_t total() const { return filed_ + count_; }

	// The next items in the order of their keys; false at the end. They stay until the next call.
	bool next(const std::uint64_t **items, std::size_t *n);
	void close();

private:
	struct File {
		BufFile *file;
		std::uint64_t filed;
		std::uint64_t *buffer;
		std::size_t buffered;
	};

	void make_room();
	void distribute();
	void flush(File &file);
	std::size_t load(File &file, std::uint64_t from);
	std::size_t keep_smaller_half(std::size_t n);

	MemoryContext context_;
	std::uint64_t *items_, *scratch_;
	std::size_t count_, room_, most_; // of items in memory
	std::uint64_t filed_, expected_;
	int bits_;            // of the number of files
	File *files_;         // null: all in memory
	std::size_t file_;    // that is being read
	std::uint64_t limit_; // items of it from here on are still to come
	bool done_;
};

} // namespace txtfp::pg
