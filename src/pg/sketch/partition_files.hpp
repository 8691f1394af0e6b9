// Records of one size in temporary files, divided into partitions. The files belong to one process; or to a parallel
// build, whose processes write files of their own and then read the files of all.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "pg/base/pg.hpp"

extern "C" {
#include "miscadmin.h"
#include "storage/buffile.h"
#include "storage/sharedfileset.h"
}

namespace txtfp::pg {

// What the processes of a parallel build share of the files with one kind of records.
struct SharedFiles {
	SharedFileSet *set;
	const char *name;      // of the kind
	int writers, writer;   // the number of processes; which of them this one is
	std::uint64_t *counts; // of records: writer w in partition p has counts[w · partitions + p]
};

class PartitionFiles {
public:
	// 2^bits partitions. `shared` is null for the files of one process.
	static PartitionFiles *open(
		MemoryContext context, std::size_t record_size, int bits, const SharedFiles *shared = nullptr);
	static constexpr std::size_t memory_of_partition = 4096 + BLCKSZ; // that a writer uses

	std::uint32_t partitions() const { return std::uint32_t{1} << bits_; }
	int bits() const { return bits_; }

	// Where to write a new record of a partition.
	std::uint8_t *append(std::uint32_t partition)
	{
		Partition &to = partition_[partition];
		if (to.buffer == nullptr || to.buffered == piece_records_)
			make_room(to, partition);
		return to.buffer + to.buffered++ * record_size_;
	}
	// Ends the writing of shared files. Once every writer has done so, all of them may read.
	void share();
	std::uint64_t count(std::uint32_t partition) const; // of all writers
	// Calls consume(records, n) for all records of a partition, some at a time.
	template <class Consume> void read(std::uint32_t partition, Consume consume)
	{
		if (!is_shared_) {
			const Partition &own = partition_[partition];
			if (own.file != nullptr)
				read_file(own.file, own.written, consume);
			if (own.buffered > 0)
				consume(own.buffer, own.buffered);
			return;
		}
		for (int writer = 0; writer < shared_.writers; ++writer)
			if (const std::uint64_t n = count_of(writer, partition); n > 0) {
				BufFile *file = open_file(writer, partition);
				read_file(file, n, consume);
				BufFileClose(file);
			}
	}
	void remove(std::uint32_t partition); // one that nobody will read again: its files free their room on the disk
	void close();                         // frees everything but shared files, which PostgreSQL removes with their set

private:
	struct Partition {
		BufFile *file;         // null: nothing has been written
		std::uint64_t written; // records
		std::uint8_t *buffer;
		std::size_t buffered; // records
	};

	template <class Consume> void read_file(BufFile *file, std::uint64_t left, Consume consume)
	{
		rewind(file);
		while (left > 0) {
			CHECK_FOR_INTERRUPTS();
			const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(left, piece_records_));
			read_piece(file, n);
			consume(piece_, n);
			left -= n;
		}
	}

	std::uint64_t &count_of(int writer, std::uint32_t partition) const
	{
		return shared_.counts[static_cast<std::size_t>(writer) * partitions() + partition];
	}
	void make_room(Partition &to, std::uint32_t partition);
	void flush(Partition &from, std::uint32_t partition);
	void file_name(char *name, int writer, std::uint32_t partition) const;
	BufFile *open_file(int writer, std::uint32_t partition);
	static void rewind(BufFile *file);
	void read_piece(BufFile *file, std::size_t n);

	MemoryContext context_;
	std::size_t record_size_, piece_records_;
	int bits_;
	bool is_shared_; // all writers have ended
	SharedFiles shared_;
	Partition *partition_;
	std::uint8_t *piece_;
};

} // namespace txtfp::pg
