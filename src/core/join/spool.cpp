#include "core/join/spool.hpp"

#include <algorithm>
#include <cstring>

namespace txtfp::core {

void Spool::open(JoinHost &host, std::size_t memory)
{
	*this = {};
	host_ = &host;
	max_chunks_ = std::max<std::size_t>(1, memory / chunk_size);
	chunks_ = host_->array<char *>(max_chunks_);
}

void Spool::close()
{
	const std::size_t chunks = std::min<std::size_t>((size_ + chunk_size - 1) / chunk_size, max_chunks_);
	for (std::size_t i = 0; i < chunks; ++i)
		host_->free(chunks_[i]);
	host_->free(chunks_);
	if (has_file())
		file_->close();
	*this = {};
}

// The number of these bytes that are stored in memory.
std::size_t Spool::in_memory(std::uint64_t offset, std::size_t size) const
{
	const std::uint64_t limit = max_chunks_ * chunk_size;
	return offset >= limit ? 0 : static_cast<std::size_t>(std::min<std::uint64_t>(size, limit - offset));
}

std::uint64_t Spool::append(const void *bytes, std::size_t size)
{
	const std::uint64_t offset = size_;
	const std::size_t near = in_memory(offset, size);
	const auto *from = static_cast<const char *>(bytes);
	append_memory(from, near);
	if (near < size)
		append_file(from + near, size - near);
	return offset;
}

void Spool::append_memory(const char *bytes, std::size_t size)
{
	while (size > 0) {
		const std::size_t room = chunk_size - size_ % chunk_size, n = std::min(size, room);
		if (room == chunk_size)
			chunks_[size_ / chunk_size] = host_->array<char>(chunk_size);
		std::memcpy(chunk_at(size_), bytes, n);
		size_ += n;
		bytes += n;
		size -= n;
	}
}

Spool::Piece Spool::next_piece(char *&buffer, std::size_t size)
{
	if (in_memory(size_, 1) == 0) {
		open_file();
		if (buffer == nullptr)
			buffer = host_->array<char>(size);
		return {buffer, file_, written_};
	}
	if (size_ % chunk_size == 0)
		chunks_[size_ / chunk_size] = host_->array<char>(chunk_size);
	return {chunk_at(size_), nullptr, 0};
}

void Spool::end_piece(const Piece &piece, std::size_t size)
{
	size_ += size;
	if (piece.file == nullptr)
		return;
	written_ += size;
	piece.file->reserve(written_);
}

void Spool::open_file()
{
	if (file_ != nullptr)
		return;
	file_ = host_->open_file();
	file_begin_ = size_;
}

void Spool::append_file(const char *bytes, std::size_t size)
{
	open_file();
	if (buffer_ == nullptr)
		buffer_ = host_->array<char>(buffer_size);
	size_ += size;
	while (size > 0) {
		const std::size_t n = std::min(size, buffer_size - buffered_);
		std::memcpy(buffer_ + buffered_, bytes, n);
		bytes += n;
		size -= n;
		if ((buffered_ += n) == buffer_size)
			flush();
	}
}

void Spool::flush()
{
	if (buffered_ == 0)
		return;
	write_file(buffer_, buffered_);
	buffered_ = 0;
}

void Spool::write_file(char *bytes, std::size_t size)
{
	file_->write(written_, bytes, size);
	written_ += size;
}

const void *Spool::read(std::uint64_t offset, std::size_t size, void *buffer)
{
	std::size_t left = in_memory(offset, size);
	if (left == size && offset % chunk_size + size <= chunk_size)
		return chunk_at(offset);
	auto *to = static_cast<char *>(buffer);
	const std::size_t in_file = size - left;
	while (left > 0) {
		const std::size_t n = std::min<std::size_t>(left, chunk_size - offset % chunk_size);
		std::memcpy(to, chunk_at(offset), n);
		to += n;
		offset += n;
		left -= n;
	}
	if (in_file > 0) {
		flush();
		read_file(offset, in_file, to);
	}
	return buffer;
}

void Spool::copy(std::uint64_t offset, std::size_t size, void *buffer)
{
	if (const void *stored = read(offset, size, buffer); stored != buffer)
		std::memcpy(buffer, stored, size);
}

void Spool::unload()
{
	if (!has_file())
		return;
	flush();
	for (std::size_t i = 0; i < max_chunks_; ++i) { // all of them are full
		host_->poll();
		write_file(chunks_[i], chunk_size);
		host_->free(chunks_[i]);
	}
	max_chunks_ = 0;
}

void Spool::map()
{
	if (!has_file())
		return;
	flush();
	file_->map(written_);
}

void Spool::release(std::uint64_t begin, std::uint64_t end)
{
	if (!is_mapped())
		return;
	if (begin < file_begin_ && max_chunks_ == 0)
		file_->release(place_in_file(begin), place_in_file(std::min(end, file_begin_) - 1) + 1);
	if (end > file_begin_)
		file_->release(std::max(begin, file_begin_) - file_begin_, end - file_begin_);
}

void Spool::read_file(std::uint64_t offset, std::size_t size, char *to)
{
	if (offset < file_begin_ && offset + size > file_begin_) {
		const auto before = static_cast<std::size_t>(file_begin_ - offset);
		read_place(place_in_file(offset), before, to);
		read_place(0, size - before, to + before);
	} else
		read_place(place_in_file(offset), size, to);
}

void Spool::read_place(std::uint64_t place, std::size_t size, char *to) { file_->read(place, to, size); }

void Spool::prefetch(std::uint64_t offset, std::size_t size)
{
	if (has_file() && in_memory(offset, size) < size)
		file_->prefetch(place_in_file(offset), size);
}

} // namespace txtfp::core
