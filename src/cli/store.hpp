// Items by row, more than may be held in memory: what does not fit goes to a temporary file.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cli/files.hpp"

namespace txtfp::cli {

// Memory that several stores share.
class Budget {
public:
	Budget(std::uint64_t bytes, std::string directory)
		: left_(static_cast<std::int64_t>(bytes)), directory_(std::move(directory))
	{
	}
	bool take(std::uint64_t bytes) noexcept
	{
		if (left_.fetch_sub(static_cast<std::int64_t>(bytes)) >= static_cast<std::int64_t>(bytes))
			return true;
		left_ += static_cast<std::int64_t>(bytes);
		return false;
	}
	const std::string &directory() const noexcept { return directory_; } // for temporary files

private:
	std::atomic<std::int64_t> left_;
	std::string directory_;
};

// Items of one size. Rows may be written in any order, by several threads; what was written may be read at once.
class RowStore {
public:
	static constexpr std::uint64_t max_rows = std::uint64_t{1} << 31;

	RowStore(std::size_t item_bytes, Budget &budget);
	~RowStore();
	RowStore(const RowStore &) = delete;

	void write(std::uint64_t row, std::size_t rows, const void *items);
	void read(std::uint64_t row, std::size_t rows, void *items) const;

	// In place, or copied to the buffer.
	const void *item(std::uint64_t row, void *buffer) const;

private:
	static constexpr std::uint64_t chunk_rows = 4096;
	template <class Fn> void for_each_part(std::uint64_t row, std::size_t rows, Fn fn) const;
	char *chunk_for_writing(std::uint64_t number);

	std::size_t item_bytes_;
	Budget &budget_;
	std::mutex mutex_;
	std::unique_ptr<std::atomic<char *>[]> chunks_; // nullptr: not yet there; in_file_: in the file
	static char in_file_;
	std::optional<TemporaryFile> file_;
};

// Bytes that are written behind each other and read from where they are.
class ByteStore {
public:
	explicit ByteStore(Budget &budget) : budget_(budget) {}
	std::uint64_t append(std::string_view bytes); // returns where they are
	void read(std::uint64_t offset, void *to, std::size_t size) const;
	std::uint64_t size() const noexcept { return size_; }

private:
	static constexpr std::size_t chunk_bytes = 1 << 20;
	void spill();

	Budget &budget_;
	std::vector<std::unique_ptr<char[]>> chunks_; // the beginning
	std::uint64_t size_ = 0;
	std::string tail_; // what is not yet in the file
	std::optional<TemporaryFile> file_;
};

} // namespace txtfp::cli
