#include "core/join/partitions.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace txtfp::core {

void Partitions::open(JoinHost &host, int bits, std::size_t memory, std::size_t payload, unsigned parts)
{
	*this = {};
	host_ = &host;
	const int count_bits = std::min(bits_for(memory, parts), bits);
	count_ = std::size_t{1} << count_bits;
	shift_ = bits - count_bits;
	record_size_ = sizeof(KeyedRow) + payload;
	block_records_ = std::max<std::size_t>(128, memory / parts / count_ / record_size_);
}

// As many as the memory has buffers of some size for. With more partitions fewer of them have to be divided again, which
// writes all of their rows once more.
int Partitions::bits_for(std::size_t memory, unsigned parts)
{
	constexpr std::size_t small_block = 16 * 1024, block = 64 * 1024;
	if (memory / parts >= most * block)
		return most_bits;
	return memory >= (std::size_t{1} << some_bits) * small_block ? some_bits : few_bits;
}

void Partitions::close()
{
	for (Partition &partition : partitions_)
		empty(partition);
	if (file_ != nullptr)
		file_->close();
	file_ = nullptr;
	if (next_block_ != nullptr)
		host_->free(next_block_);
	next_block_ = nullptr;
	if (others_ != nullptr)
		others_->close();
}

void Partitions::empty(Partition &partition)
{
	if (partition.buffer != nullptr)
		host_->free(partition.buffer);
	partition = {};
}

// Enlarges the buffer of a partition, or writes it to the file once it has its full size.
void Partitions::make_room(Partition &partition)
{
	if (partition.capacity == block_records_)
		return write_block(partition);
	partition.capacity = std::min(std::max<std::size_t>(64, 2 * partition.capacity), block_records_);
	partition.buffer = host_->enlarged(partition.buffer, partition.capacity * record_size_);
}

// A block has the place of a full one, even if it is not.
void Partitions::write_block(Partition &partition)
{
	host_->poll();
	if (file_ == nullptr)
		file_ = host_->open_file();
	if (blocks_ == blocks_capacity_) {
		blocks_capacity_ = std::max<std::uint32_t>(256, 2 * blocks_capacity_);
		next_block_ = host_->enlarged(next_block_, blocks_capacity_);
	}
	file_->write(
		blocks_ * std::uint64_t{block_records_ * record_size_}, partition.buffer, partition.buffered * record_size_);
	(partition.filed == 0 ? partition.first_block : next_block_[partition.last_block]) = blocks_;
	partition.last_block = blocks_++;
	partition.filed += partition.buffered;
	partition.buffered = 0;
}

void Partitions::flush()
{
	if (file_ == nullptr)
		return;
	for (Partition &partition : partitions_) {
		if (partition.buffered > 0)
			write_block(partition);
		if (partition.buffer != nullptr)
			host_->free(partition.buffer);
		partition.buffer = nullptr;
		partition.capacity = 0;
	}
}

template <class Place, class Then>
void Partitions::read_blocks(const Partition &partition, JoinHost &host, Place place, Then then) const
{
	std::uint32_t block = partition.first_block;
	for (std::uint64_t left = partition.filed; left > 0; block = next_block_[block]) {
		host.poll();
		const std::size_t n = static_cast<std::size_t>(std::min<std::uint64_t>(left, block_records_));
		file_->read(block * std::uint64_t{block_records_ * record_size_}, place(), n * record_size_);
		then(n);
		left -= n;
	}
}

namespace {

// Makes room for n elements. What was in it is lost.
template <class T> T *ready(JoinHost &host, T *&array, std::size_t &capacity, std::size_t n)
{
	if (capacity < n) {
		if (array != nullptr)
			host.free(array);
		array = host.array<T>(capacity = n + n / 8);
	}
	return array;
}

} // namespace

SortedRows Partitions::load(std::size_t p, JoinHost &host, Room &room) const
{
	host.poll();
	const std::size_t n = size(p);
	if (n == 0)
		return {};
	char *records = ready(host, room.records, room.record_bytes, n * record_size_);
	char *at = records;
	for (const Partitions *part = this; part != nullptr; part = part->others_) {
		const Partition &partition = part->partitions_[p];
		part->read_blocks(
			partition, host, [&] { return at; }, [&](std::size_t rows) { at += rows * record_size_; });
		if (partition.buffered > 0)
			std::memcpy(at, partition.buffer, partition.buffered * record_size_);
		at += partition.buffered * record_size_;
	}
	if (record_size_ == sizeof(KeyedRow))
		return {{reinterpret_cast<KeyedRow *>(records), n}, n, records, record_size_};
	KeyedRow *rows = ready(host, room.rows, room.row_count, n);
	for (std::size_t i = 0; i < n; ++i) {
		if (i % 2048 == 0)
			host.poll();
		std::memcpy(&rows[i], records + i * record_size_, sizeof *rows);
		rows[i].row = static_cast<std::uint32_t>(i);
	}
	return {{rows, n}, n, records, record_size_};
}

void Partitions::free_room(Room &room, JoinHost &host)
{
	for (void *memory :
		{static_cast<void *>(room.records), static_cast<void *>(room.rows), static_cast<void *>(room.words)})
		if (memory != nullptr)
			host.free(memory);
	room = {};
}

void Partitions::subdivide(std::size_t p, Partitions &finer)
{
	std::uint64_t any = 0, all = ~std::uint64_t{0}; // bits of the keys
	const auto add = [&](const char *records, std::size_t n) {
		for (const char *record = records; n > 0; --n, record += record_size_) {
			KeyedRow row;
			std::memcpy(&row, record, sizeof row);
			any |= row.key();
			all &= row.key();
			finer.add(row, record + sizeof row);
		}
	};
	char *block = host_->array<char>(block_records_ * record_size_);
	for (Partitions *part = this; part != nullptr; part = part->others_) {
		Partition &partition = part->partitions_[p];
		add(partition.buffer, partition.buffered);
		part->read_blocks(
			partition, *host_, [&] { return block; }, [&](std::size_t n) { add(block, n); });
		part->empty(partition);
	}
	host_->free(block);
	if (any == all) // a single key: it would be written again for each digit
		finer.shift_ = 0;
}

// Parts that fit into a worker's share of the memory are tasks; the others are divided first.
void Partitions::visit_parts(JoinExecutor &executor, std::size_t memory, bool shared, Visit visit, void *fn)
{
	const unsigned workers = executor.workers();
	const std::size_t share = memory / workers;
	Room *rooms = host_->array<Room>(workers);
	std::fill_n(rooms, workers, Room{});
	const auto free_rooms = [&] {
		for (unsigned worker = 0; worker < workers; ++worker)
			free_room(rooms[worker], executor.host(worker));
	};
	std::size_t tasks[most], n = 0;
	const auto visit_task = [&](unsigned worker, std::size_t task) {
		JoinHost &host = executor.host(worker);
		Room &room = rooms[worker];
		SortedRows sorted = load(tasks[task], host, room);
		if (shared) {
			std::uint64_t *words = ready(host, room.words, room.word_count, repeated_words(sorted.rows.size()));
			sorted.rows = sorted.rows.first(keep_repeated(sorted.rows, words));
		}
		sort_rows(host, sorted.rows, shift_);
		visit(fn, worker, sorted);
	};
	for (std::size_t p = 0; p < count_; ++p)
		if (loaded_size(p, shared) <= share || shift_ == 0) {
			if (size(p) > 0)
				tasks[n++] = p;
		} else {
			executor.for_each(std::exchange(n, 0), visit_task);
			free_rooms();
			Partitions finer;
			finer.open(*host_, shift_, memory / 4, record_size_ - sizeof(KeyedRow));
			subdivide(p, finer);
			finer.flush();
			finer.visit_parts(executor, memory, shared, visit, fn);
		}
	executor.for_each(n, visit_task);
	free_rooms();
	host_->free(rooms);
	close();
}

} // namespace txtfp::core
