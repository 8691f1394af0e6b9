#include "cli/store.hpp"

#include <algorithm>
#include <cstring>

#include "cli/failure.hpp"

namespace txtfp::cli {

char RowStore::in_file_;

RowStore::RowStore(std::size_t item_bytes, Budget &budget)
	: item_bytes_(item_bytes), budget_(budget), chunks_(new std::atomic<char *>[max_rows / chunk_rows]())
{
}

RowStore::~RowStore()
{
	for (std::uint64_t i = 0; i < max_rows / chunk_rows; ++i)
		if (char *chunk = chunks_[i]; chunk != nullptr && chunk != &in_file_)
			delete[] chunk;
}

// Calls fn(chunk, row within it, rows, rows before) for each part of the range that lies in one chunk.
template <class Fn> void RowStore::for_each_part(std::uint64_t row, std::size_t rows, Fn fn) const
{
	for (std::size_t done = 0; done < rows;) {
		const std::uint64_t at = row + done, within = at % chunk_rows;
		const std::size_t n = std::min<std::size_t>(rows - done, chunk_rows - within);
		fn(at / chunk_rows, within, n, done);
		done += n;
	}
}

char *RowStore::chunk_for_writing(std::uint64_t number)
{
	if (number >= max_rows / chunk_rows)
		throw Failure("there are more than 2,147,483,648 records");
	if (char *chunk = chunks_[number])
		return chunk;
	const std::lock_guard lock(mutex_);
	if (char *chunk = chunks_[number])
		return chunk;
	char *chunk = &in_file_;
	if (budget_.reserve(chunk_rows * item_bytes_))
		chunk = new char[chunk_rows * item_bytes_];
	else if (!file_)
		file_.emplace(budget_.directory());
	chunks_[number] = chunk;
	return chunk;
}

void RowStore::write(std::uint64_t row, std::size_t rows, const void *items)
{
	for_each_part(row, rows, [&](std::uint64_t number, std::uint64_t within, std::size_t n, std::size_t done) {
		char *chunk = chunk_for_writing(number);
		const char *from = static_cast<const char *>(items) + done * item_bytes_;
		if (chunk != &in_file_)
			std::memcpy(chunk + within * item_bytes_, from, n * item_bytes_);
		else
			file_->write_at((number * chunk_rows + within) * item_bytes_, from, n * item_bytes_);
	});
}

void RowStore::read(std::uint64_t row, std::size_t rows, void *items) const
{
	for_each_part(row, rows, [&](std::uint64_t number, std::uint64_t within, std::size_t n, std::size_t done) {
		const char *chunk = chunks_[number];
		char *to = static_cast<char *>(items) + done * item_bytes_;
		if (chunk != &in_file_)
			std::memcpy(to, chunk + within * item_bytes_, n * item_bytes_);
		else
			file_->read_at((number * chunk_rows + within) * item_bytes_, to, n * item_bytes_);
	});
}

const void *RowStore::item(std::uint64_t row, void *buffer) const
{
	const char *chunk = chunks_[row / chunk_rows];
	if (chunk != &in_file_)
		return chunk + row % chunk_rows * item_bytes_;
	file_->read_at(row * item_bytes_, buffer, item_bytes_);
	return buffer;
}

std::uint64_t ByteStore::append(std::string_view bytes)
{
	const std::uint64_t offset = size_;
	size_ += bytes.size();
	while (!bytes.empty() && !file_) {
		const std::uint64_t at = size_ - bytes.size();
		if (at / chunk_bytes == chunks_.size()) {
			if (!budget_.reserve(chunk_bytes)) {
				file_.emplace(budget_.directory());
				break;
			}
			chunks_.push_back(
				std::unique_ptr<char[]>(new char[chunk_bytes])); // libc++ before 16 lacks make_unique_for_overwrite
		}
		const std::size_t n = std::min<std::size_t>(bytes.size(), chunk_bytes - at % chunk_bytes);
		std::memcpy(chunks_.back().get() + at % chunk_bytes, bytes.data(), n);
		bytes.remove_prefix(n);
	}
	if (!bytes.empty()) {
		tail_.append(bytes);
		if (tail_.size() >= chunk_bytes)
			spill();
	}
	return offset;
}

void ByteStore::spill()
{
	file_->write_at(size_ - tail_.size(), tail_.data(), tail_.size());
	tail_.clear();
}

void ByteStore::read(std::uint64_t offset, void *to, std::size_t size) const
{
	auto *out = static_cast<char *>(to);
	const std::uint64_t in_memory = chunks_.size() * chunk_bytes, filed = size_ - tail_.size();
	while (size > 0) {
		std::size_t n = size;
		if (offset < in_memory) {
			n = std::min<std::size_t>(size, chunk_bytes - offset % chunk_bytes);
			std::memcpy(out, chunks_[offset / chunk_bytes].get() + offset % chunk_bytes, n);
		} else if (offset < filed) {
			n = std::min<std::size_t>(size, filed - offset);
			file_->read_at(offset, out, n);
		} else {
			std::memcpy(out, tail_.data() + (offset - filed), n);
		}
		out += n;
		offset += n;
		size -= n;
	}
}

} // namespace txtfp::cli
