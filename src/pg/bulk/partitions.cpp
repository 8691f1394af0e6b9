#include "pg/bulk/partitions.hpp"

#include "pg/base/large_array.hpp"

using namespace txtfp;

namespace txtfp::pg {

void Partitions::open(MemoryContext context, int bits, std::size_t memory)
{
	*this = {};
	context_ = context;
	shift_ = std::max(bits - count_bits, 0);
	max_room_ = std::max<std::size_t>(128, memory / count / sizeof(core::KeyedRow));
}

void Partitions::close()
{
	for (Partition &partition : partitions_)
		empty(partition);
}

void Partitions::empty(Partition &partition)
{
	if (partition.buffer != nullptr)
		pfree(partition.buffer);
	if (partition.file != nullptr)
		BufFileClose(partition.file);
	partition = {};
}

// Enlarges the buffer of a partition, or writes it to the partition's file once it has its full size.
void Partitions::make_room(Partition &partition)
{
	if (partition.room < max_room_) {
		partition.room = std::min(std::max<std::size_t>(64, 2 * partition.room), max_room_);
		partition.buffer = enlarge(context_, partition.buffer, partition.room);
		return;
	}
	CHECK_FOR_INTERRUPTS();
	if (partition.file == nullptr) {
		const MemoryContext caller = MemoryContextSwitchTo(context_);
		partition.file = BufFileCreateTemp(false);
		MemoryContextSwitchTo(caller);
	}
	BufFileWrite(partition.file, partition.buffer, partition.buffered * sizeof(core::KeyedRow));
	partition.filed += partition.buffered;
	partition.buffered = 0;
}

void Partitions::read(Partition &partition, core::KeyedRow *rows, std::size_t n)
{
	const std::size_t bytes = n * sizeof(core::KeyedRow);
	if (BufFileRead(partition.file, rows, bytes) != bytes)
		ereport(ERROR, (errcode_for_file_access(), errmsg("could not read from a temporary file: %m")));
}

std::span<core::KeyedRow> Partitions::load(std::size_t p)
{
	CHECK_FOR_INTERRUPTS();
	Partition &partition = partitions_[p];
	const std::size_t n = size(p);
	if (n == 0)
		return {};
	auto *rows = allocate<core::KeyedRow>(context_, n);
	if (partition.file != nullptr) {
		if (BufFileSeek(partition.file, 0, 0, SEEK_SET) != 0)
			elog(ERROR, "could not rewind a temporary file");
		read(partition, rows, partition.filed);
	}
	std::copy_n(partition.buffer, partition.buffered, rows + partition.filed);
	empty(partition);
	return {rows, n};
}

void Partitions::subdivide(std::size_t p, Partitions &finer)
{
	constexpr std::size_t piece = 512;
	core::KeyedRow rows[piece];
	Partition &partition = partitions_[p];
	for (std::size_t i = 0; i < partition.buffered; ++i)
		finer.add(partition.buffer[i]);
	if (partition.file != nullptr && BufFileSeek(partition.file, 0, 0, SEEK_SET) != 0)
		elog(ERROR, "could not rewind a temporary file");
	for (std::uint64_t left = partition.filed; left > 0;) {
		const std::size_t n = static_cast<std::size_t>(std::min<std::uint64_t>(left, piece));
		read(partition, rows, n);
		for (std::size_t i = 0; i < n; ++i)
			finer.add(rows[i]);
		left -= n;
	}
	empty(partition);
}

} // namespace txtfp::pg
