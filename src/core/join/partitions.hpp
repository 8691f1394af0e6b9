// Sorts more rows by key than fit into memory. Rows are distributed over 64, 256 or 512 partitions by the leading bits of
// the key. Each partition has a buffer; a full one goes as a block to a temporary file, which all partitions share. The
// rows come back sorted, partition by partition. A row may carry a payload of some bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "core/base/keyed_rows.hpp"
#include "core/join/host.hpp"

namespace txtfp::core {

// Rows as they come back. If rows have payloads, `row` in `rows` is an index for the two functions. `loaded` is their
// number with those that were left out.
struct SortedRows {
	std::span<KeyedRow> rows;
	std::size_t loaded;
	const char *records;
	std::size_t record_size;

	// Requests a row's record from memory. Records lie as they were added, so that records of rows with similar keys are
	// far from each other.
	void prefetch(const KeyedRow &entry) const
	{
		if (record_size == sizeof entry)
			return;
		__builtin_prefetch(records + entry.row * record_size);
		__builtin_prefetch(records + (entry.row + 1) * record_size - 1);
	}
	std::uint32_t row(const KeyedRow &entry) const
	{
		if (record_size == sizeof entry)
			return entry.row;
		KeyedRow stored;
		memcpy(&stored, records + entry.row * record_size, sizeof stored);
		return stored.row;
	}
	const char *payload(const KeyedRow &entry) const { return records + entry.row * record_size + sizeof(KeyedRow); }
};

class Partitions {
public:
	// The keys agree in all bits but the low `bits`. `memory` is for the buffers, in bytes; `payload` is the size of
	// one, a multiple of 4.
	// Several threads add rows to parts of their own, whose number is `parts`; they are opened alike.
	void open(JoinHost &host, int bits, std::size_t memory, std::size_t payload = 0, unsigned parts = 1);
	void append(Partitions &other) // from now on this stands for both
	{
		other.others_ = others_;
		others_ = &other;
	}
	void close();
	void add(const KeyedRow &row, const void *payload = nullptr)
	{
		Partition &partition = partitions_[row.key() >> shift_ & (count_ - 1)];
		if (partition.buffered == partition.capacity)
			make_room(partition);
		char *at = partition.buffer + partition.buffered++ * record_size_;
		__builtin_prefetch(
			at + add_ahead, 1); // the lines of this many buffers are not in the cache when they are written to again
		memcpy(at, &row, sizeof row);
		if (payload != nullptr)
			memcpy(at + sizeof row, payload, record_size_ - sizeof row);
		++rows_;
	}
	std::uint64_t rows() const { return rows_ + (others_ == nullptr ? 0 : others_->rows()); }

	// After the last row, for each part: if it has a file, its rows in memory go there as well, and their memory is
	// free for other uses.
	void flush();

	// Calls fn(rows) with sorted rows, in ascending order of the keys; all rows of one key are in one call. Takes about
	// `memory` bytes unless a single key has more rows. The partitions are empty afterwards.
	template <class Fn> void for_each_sorted(std::size_t memory, Fn fn)
	{
		for_each_sorted_record(memory, [&](const SortedRows &sorted) { fn(sorted.rows); });
	}
	// The same for rows with payloads, fn(const SortedRows &).
	template <class Fn> void for_each_sorted_record(std::size_t memory, Fn fn)
	{
		SerialExecutor serial(*host_);
		auto visit = [&](unsigned, const SortedRows &sorted) { fn(sorted); };
		for_each_part(serial, memory, false, visit);
	}
	// Calls fn(worker, const SortedRows &) in the executor's workers, without most of the rows whose key no other row
	// has. The keys must be hashes.
	template <class Fn> void for_each_shared(JoinExecutor &executor, std::size_t memory, Fn fn)
	{
		for_each_part(executor, memory, true, fn);
	}

private:
	using Visit = void (*)(void *fn, unsigned worker, const SortedRows &sorted);
	template <class Fn> void for_each_part(JoinExecutor &executor, std::size_t memory, bool shared, Fn &fn)
	{
		visit_parts(
			executor, memory, shared,
			[](void *fn, unsigned worker, const SortedRows &sorted) { (*static_cast<Fn *>(fn))(worker, sorted); }, &fn);
	}
	void visit_parts(JoinExecutor &executor, std::size_t memory, bool shared, Visit visit, void *fn);

	static constexpr int few_bits = 6, some_bits = 8, most_bits = 9;
	static int bits_for(std::size_t memory, unsigned parts);
	static constexpr std::size_t add_ahead = 128; // bytes
	static constexpr std::size_t most = std::size_t{1} << most_bits;

	struct Partition {
		char *buffer;
		std::size_t buffered, capacity;        // in rows
		std::uint64_t filed;                   // rows in the file: all blocks but the last are full
		std::uint32_t first_block, last_block; // meaningless if filed = 0
	};

	std::uint64_t size(std::size_t p) const
	{
		return partitions_[p].filed + partitions_[p].buffered + (others_ == nullptr ? 0 : others_->size(p));
	}
	std::uint64_t loaded_size(std::size_t p, bool shared) const
	{
		const std::size_t rows = record_size_ > sizeof(KeyedRow) ? sizeof(KeyedRow) : 0;
		return size(p) * (record_size_ + rows) + (shared ? repeated_words(size(p)) * sizeof(std::uint64_t) : 0);
	}
	void make_room(Partition &partition);
	void write_block(Partition &partition);
	// Reads the rows in the file block by block: fn(room for the rows of a block) says where to, then(n) is called
	// after each.
	template <class Place, class Then>
	void read_blocks(const Partition &partition, JoinHost &host, Place place, Then then) const;
	void empty(Partition &partition);
	// What a worker needs for a part. It is kept for the next one, because the system takes long to provide new memory.
	struct Room {
		char *records;
		KeyedRow *rows; // of records with payloads
		std::uint64_t *words;
		std::size_t record_bytes, row_count, word_count;
	};
	SortedRows load(std::size_t p, JoinHost &host, Room &room) const;
	static void free_room(Room &room, JoinHost &host);
	void subdivide(std::size_t p, Partitions &finer);

	JoinHost *host_;
	int shift_;
	std::size_t count_, record_size_, block_records_;
	std::uint64_t rows_;
	JoinFile *file_;
	std::uint32_t blocks_, blocks_capacity_, *next_block_; // of each block: the next one of its partition
	Partitions *others_;
	Partition partitions_[most];
};

} // namespace txtfp::core
