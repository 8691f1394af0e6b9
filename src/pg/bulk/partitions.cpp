#include "pg/bulk/partitions.hpp"

#include <algorithm>

#include "pg/base/large_array.hpp"

extern "C" {
#include "commands/tablespace.h"
#include "utils/wait_event.h"
}

using namespace txtfp;

namespace txtfp::pg {

void Partitions::open(MemoryContext context, int bits, std::size_t memory, std::size_t payload)
{
	constexpr std::size_t least_block = 16 * 1024;
	*this = {};
	context_ = context;
	const int count_bits = std::min(memory >= most * least_block ? most_bits : few_bits, bits);
	count_ = std::size_t{1} << count_bits;
	shift_ = bits - count_bits;
	record_size_ = sizeof(core::KeyedRow) + payload;
	block_records_ = std::max<std::size_t>(128, memory / count_ / record_size_);
}

void Partitions::close()
{
	for (Partition &partition : partitions_)
		empty(partition);
	if (has_file_)
		FileClose(file_);
	has_file_ = false;
	if (next_block_ != nullptr)
		pfree(next_block_);
	next_block_ = nullptr;
}

void Partitions::empty(Partition &partition)
{
	if (partition.buffer != nullptr)
		pfree(partition.buffer);
	partition = {};
}

// Enlarges the buffer of a partition, or writes it to the file once it has its full size.
void Partitions::make_room(Partition &partition)
{
	if (partition.capacity == block_records_)
		return write_block(partition);
	partition.capacity = std::min(std::max<std::size_t>(64, 2 * partition.capacity), block_records_);
	partition.buffer = enlarge(context_, partition.buffer, partition.capacity * record_size_);
}

// A block has the place of a full one, even if it is not.
void Partitions::write_block(Partition &partition)
{
	CHECK_FOR_INTERRUPTS();
	if (!has_file_) {
		PrepareTempTablespaces();
		file_ = OpenTemporaryFile(false);
		has_file_ = true;
	}
	if (blocks_ == blocks_capacity_) {
		blocks_capacity_ = std::max<std::uint32_t>(256, 2 * blocks_capacity_);
		next_block_ = enlarge(context_, next_block_, blocks_capacity_);
	}
	const int size = static_cast<int>(partition.buffered * record_size_);
	if (FileWrite(file_, partition.buffer, size,
			static_cast<off_t>(blocks_ * std::uint64_t{block_records_ * record_size_}),
			WAIT_EVENT_BUFFILE_WRITE) != size)
		ereport(ERROR, (errcode_for_file_access(), errmsg("could not write to a temporary file: %m")));
	(partition.filed == 0 ? partition.first_block : next_block_[partition.last_block]) = blocks_;
	partition.last_block = blocks_++;
	partition.filed += partition.buffered;
	partition.buffered = 0;
}

void Partitions::flush()
{
	if (!has_file_)
		return;
	for (Partition &partition : partitions_) {
		if (partition.buffered > 0)
			write_block(partition);
		if (partition.buffer != nullptr)
			pfree(partition.buffer);
		partition.buffer = nullptr;
		partition.capacity = 0;
	}
}

void Partitions::read_block(std::uint32_t block, char *records, std::size_t n)
{
	CHECK_FOR_INTERRUPTS();
	const int size = static_cast<int>(n * record_size_);
	if (FileRead(file_, records, size, static_cast<off_t>(block * std::uint64_t{block_records_ * record_size_}),
			WAIT_EVENT_BUFFILE_READ) != size)
		ereport(ERROR, (errcode_for_file_access(), errmsg("could not read from a temporary file: %m")));
}

template <class Place, class Then> void Partitions::read_blocks(Partition &partition, Place place, Then then)
{
	std::uint32_t block = partition.first_block;
	for (std::uint64_t left = partition.filed; left > 0; block = next_block_[block]) {
		const std::size_t n = static_cast<std::size_t>(std::min<std::uint64_t>(left, block_records_));
		read_block(block, place(), n);
		then(n);
		left -= n;
	}
}

SortedRows Partitions::load(std::size_t p)
{
	CHECK_FOR_INTERRUPTS();
	Partition &partition = partitions_[p];
	const std::size_t n = size(p);
	if (n == 0)
		return {};
	char *records = allocate<char>(context_, n * record_size_);
	char *at = records;
	read_blocks(
		partition, [&] { return at; }, [&](std::size_t rows) { at += rows * record_size_; });
	if (partition.buffered > 0)
		memcpy(at, partition.buffer, partition.buffered * record_size_);
	empty(partition);
	if (record_size_ == sizeof(core::KeyedRow))
		return {{reinterpret_cast<core::KeyedRow *>(records), n}, n, records, record_size_};
	auto *rows = allocate<core::KeyedRow>(context_, n);
	for (std::size_t i = 0; i < n; ++i) {
		memcpy(&rows[i], records + i * record_size_, sizeof *rows);
		rows[i].row = static_cast<std::uint32_t>(i);
	}
	return {{rows, n}, n, records, record_size_};
}

void Partitions::keep_repeated(SortedRows &sorted)
{
	auto *words = allocate<std::uint64_t>(context_, core::repeated_words(sorted.rows.size()));
	sorted.rows = sorted.rows.first(core::keep_repeated(sorted.rows, words));
	pfree(words);
}

void Partitions::free_loaded(core::KeyedRow *rows, const char *records)
{
	if (record_size_ > sizeof(core::KeyedRow))
		pfree(rows);
	pfree(const_cast<char *>(records));
}

void Partitions::subdivide(std::size_t p, Partitions &finer)
{
	Partition &partition = partitions_[p];
	const auto add = [&](const char *records, std::size_t n) {
		for (const char *record = records; n > 0; --n, record += record_size_) {
			core::KeyedRow row;
			memcpy(&row, record, sizeof row);
			finer.add(row, record + sizeof row);
		}
	};
	add(partition.buffer, partition.buffered);
	char *block = allocate<char>(context_, block_records_ * record_size_);
	read_blocks(
		partition, [&] { return block; }, [&](std::size_t n) { add(block, n); });
	pfree(block);
	empty(partition);
}

void Partitions::visit_parts(
	std::size_t memory, bool shared, void (*visit)(void *fn, const SortedRows &sorted), void *fn)
{
	for (std::size_t p = 0; p < count_; ++p)
		if (loaded_size(p) > memory && shift_ > 0) {
			Partitions finer;
			finer.open(context_, shift_, memory / 4, record_size_ - sizeof(core::KeyedRow));
			subdivide(p, finer);
			finer.flush();
			finer.visit_parts(memory, shared, visit, fn);
		} else if (SortedRows sorted = load(p); !sorted.rows.empty()) {
			auto *loaded = sorted.rows.data();
			if (shared)
				keep_repeated(sorted);
			core::sort_rows(sorted.rows, shift_);
			visit(fn, sorted);
			free_loaded(loaded, sorted.records);
		}
	close();
}

} // namespace txtfp::pg
