#include "pg/sketch/partition_files.hpp"

#include <fcntl.h>

#include "pg/base/large_array.hpp"

namespace txtfp::pg {

namespace {

constexpr std::size_t piece_size = 4096; // bytes that are read or written at once

} // namespace

PartitionFiles *PartitionFiles::open(
	MemoryContext context, std::size_t record_size, int bits, const SharedFiles *shared)
{
	auto *files = static_cast<PartitionFiles *>(MemoryContextAllocZero(context, sizeof(PartitionFiles)));
	files->context_ = context;
	files->record_size_ = record_size;
	files->piece_records_ = std::max<std::size_t>(1, piece_size / record_size);
	files->bits_ = bits;
	if (shared != nullptr)
		files->shared_ = *shared;
	files->partition_ = allocate<Partition>(context, files->partitions());
	std::fill_n(files->partition_, files->partitions(), Partition{});
	files->piece_ = allocate<std::uint8_t>(context, files->piece_records_ * record_size);
	return files;
}

void PartitionFiles::make_room(Partition &to, std::uint32_t partition)
{
	if (to.buffer == nullptr)
		to.buffer = allocate<std::uint8_t>(context_, piece_records_ * record_size_);
	else
		flush(to, partition);
}

void PartitionFiles::file_name(char *name, int writer, std::uint32_t partition) const
{
	snprintf(name, NAMEDATALEN, "%s%d.%u", shared_.name, writer, partition);
}

void PartitionFiles::flush(Partition &from, std::uint32_t partition)
{
	CHECK_FOR_INTERRUPTS();
	if (from.file == nullptr) {
		const MemoryContext caller = MemoryContextSwitchTo(context_);
		if (shared_.set != nullptr) {
			char name[NAMEDATALEN];
			file_name(name, shared_.writer, partition);
			from.file = BufFileCreateFileSet(&shared_.set->fs, name);
		} else {
			from.file = BufFileCreateTemp(false);
		}
		MemoryContextSwitchTo(caller);
	}
	BufFileWrite(from.file, from.buffer, from.buffered * record_size_);
	from.written += from.buffered;
	from.buffered = 0;
}

void PartitionFiles::share()
{
	for (std::uint32_t i = 0; i < partitions(); ++i) {
		Partition &own = partition_[i];
		if (own.buffered > 0)
			flush(own, i);
		count_of(shared_.writer, i) = own.written;
		if (own.file != nullptr) {
			BufFileExportFileSet(own.file);
			BufFileClose(own.file);
		}
		if (own.buffer != nullptr)
			pfree(own.buffer);
		own = {};
	}
	is_shared_ = true;
}

std::uint64_t PartitionFiles::count(std::uint32_t partition) const
{
	if (!is_shared_)
		return partition_[partition].written + partition_[partition].buffered;
	std::uint64_t sum = 0;
	for (int writer = 0; writer < shared_.writers; ++writer)
		sum += count_of(writer, partition);
	return sum;
}

BufFile *PartitionFiles::open_file(int writer, std::uint32_t partition)
{
	char name[NAMEDATALEN];
	file_name(name, writer, partition);
	return BufFileOpenFileSet(&shared_.set->fs, name, O_RDONLY, false);
}

void PartitionFiles::rewind(BufFile *file)
{
	if (BufFileSeek(file, 0, 0, SEEK_SET) != 0)
		elog(ERROR, "could not rewind a temporary file");
}

void PartitionFiles::read_piece(BufFile *file, std::size_t n)
{
	if (BufFileRead(file, piece_, n * record_size_) != n * record_size_)
		ereport(ERROR, (errcode_for_file_access(), errmsg("could not read from a temporary file: %m")));
}

void PartitionFiles::remove(std::uint32_t partition)
{
	Partition &own = partition_[partition];
	if (!is_shared_ && own.file != nullptr) {
		BufFileClose(own.file);
		own.file = nullptr;
		own.written = 0;
	}
	for (int writer = 0; is_shared_ && writer < shared_.writers; ++writer)
		if (count_of(writer, partition) > 0) {
			char name[NAMEDATALEN];
			file_name(name, writer, partition);
			BufFileDeleteFileSet(&shared_.set->fs, name, true);
		}
}

void PartitionFiles::close()
{
	for (std::uint32_t i = 0; i < partitions(); ++i) {
		if (partition_[i].file != nullptr)
			BufFileClose(partition_[i].file);
		if (partition_[i].buffer != nullptr)
			pfree(partition_[i].buffer);
	}
	pfree(partition_);
	pfree(piece_);
	pfree(this);
}

} // namespace txtfp::pg
