// Stores bytes in the order of arrival, for random access: in memory up to a limit, then in a temporary file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/join/host.hpp"

namespace txtfp::core {

class Spool {
public:
	void open(JoinHost &host, std::size_t memory);
	void close();
	std::uint64_t append(const void *bytes, std::size_t size); // returns their offset
	// Returns a pointer to the stored bytes if they are contiguous in memory, otherwise copies them to the buffer.
	// Valid until the next append.
	const void *read(std::uint64_t offset, std::size_t size, void *buffer);
	void copy(std::uint64_t offset, std::size_t size, void *buffer);
	std::uint64_t size() const { return size_; }
	bool has_file() const { return file_ != nullptr; }
	// In place of append(): the next bytes, which somebody else fills in, and writes if they go to a file. All pieces
	// but the last are `size` bytes; chunk_size is a multiple of it.
	struct Piece {
		char *bytes;
		JoinFile *file; // nullptr: they stay where they are
		std::uint64_t place;
	};
	static constexpr std::size_t chunk_size = 256 * 1024; // a multiple of every fingerprint's size
	Piece next_piece(char *&buffer, std::size_t size);    // makes the buffer if it is needed and nullptr
	void end_piece(const Piece &piece, std::size_t size);
	// After the last append: writes what is left to the file, so that several threads may read.
	void flush();
	// After the last append: moves what is in memory to the end of the file, if there is one.
	void unload();
	// After the last append: maps the file. What was read counts as memory of the process until release().
	void map();
	bool is_mapped() const { return has_file() && file_->is_mapped(); }
	// Of a mapped file: has the processor load the bytes into its cache.
	void request(std::uint64_t offset, std::size_t size) const
	{
		constexpr std::size_t line = 64;
		if (in_memory(offset, 1) == 0)
			return file_->request(place_in_file(offset), size);
		const char *bytes = chunk_at(offset);
		for (std::size_t i = 0; i < size; i += line)
			__builtin_prefetch(bytes + i);
	}
	void release(std::uint64_t begin, std::uint64_t end);
	// Is the file larger than what the operating system may be expected to keep in memory ?
	bool exceeds_cache() const { return has_file() && file_->exceeds_cache(written_); }
	void prefetch(std::uint64_t offset, std::size_t size); // these bytes will be read soon

private:
	std::size_t in_memory(std::uint64_t offset, std::size_t size) const;
	char *chunk_at(std::uint64_t offset) const { return chunks_[offset / chunk_size] + offset % chunk_size; }
	void append_memory(const char *bytes, std::size_t size);
	void append_file(const char *bytes, std::size_t size);
	void open_file();
	void write_file(char *bytes, std::size_t size);
	std::uint64_t place_in_file(std::uint64_t offset) const
	{
		return offset >= file_begin_ ? offset - file_begin_ : offset + (size_ - file_begin_);
	}
	void read_file(std::uint64_t offset, std::size_t size, char *to);
	void read_place(std::uint64_t place, std::size_t size, char *to);

	// Not a BufFile: that would read 8 kB for every fingerprint.
	static constexpr std::size_t buffer_size = 64 * 1024;
	JoinHost *host_;
	char **chunks_;
	std::size_t max_chunks_;
	JoinFile *file_;
	std::uint64_t file_begin_; // the offset of its first byte; those before it follow the last one after unload()
	char *buffer_;             // what goes to the file next; nullptr if append() has not written to it
	std::size_t buffered_;
	std::uint64_t size_, written_;
};

} // namespace txtfp::core
