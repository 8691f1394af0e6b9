// Items stored by row. Items that do not fit in memory go to a temporary file.
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

// A memory budget that several stores share.
class Budget {
public:
	Budget(std::uint64_t bytes, std::string directory)
		: left_(static_cast<std::int64_t>(bytes)), directory_(std::move(directory))
	{
	}
	bool reserve(std::uint64_t bytes) noexcept
	{
		if (left_.fetch_sub(static_cast<std::int64_t>(bytes)) >= static_cast<std::int64_t>(bytes))
			return true;
		left_ += static_cast<std::int64_t>(bytes);
		return false;
	}
	const std::string &directory() const noexcept { return directory_; } // directory of temporary files

private:
	std::atomic<std::int64_t> left_;
	std::string directory_;
};

// Items of one size. Several threads may write rows in any order; a row may be read as soon as it is written.
class RowStore {
public:
	static constexpr std::uint64_t max_rows = std::uint64_t{1} << 31;

	RowStore(std::size_t item_bytes, Budget &budget);
	~RowStore();
	RowStore(const RowStore &) = delete;

	void write(std::uint64_t row, std::size_t rows, const void *items);
	void read(std::uint64_t row, std::size_t rows, void *items) const;

	// Returns a pointer to the stored item, or to `buffer` with a copy of it.
	const void *item(std::uint64_t row, void *buffer) const;

private:
	static constexpr std::uint64_t chunk_rows = 4096;
	template <class Fn> void for_each_part(std::uint64_t row, std::size_t rows, Fn fn) const;
	char *chunk_for_writing(std::uint64_t number);

	std::size_t item_bytes_;
	Budget &budget_;
	std::mutex mutex_;
	std::unique_ptr<std::atomic<char *>[]> chunks_; // nullptr: not written yet; in_file_: moved to the file
	static char in_file_;
	std::optional<TemporaryFile> file_;
};

// Appends byte strings, and reads them by their position.
class ByteStore {
public:
	explicit ByteStore(Budget &budget) : budget_(budget) {}
	std::uint64_t append(std::string_view bytes); // returns the position
	void read(std::uint64_t offset, void *to, std::size_t size) const;
	std::uint64_t size() const noexcept { return size_; }

private:
	static constexpr std::size_t chunk_bytes = 1 << 20;
	void spill();

	Budget &budget_;
	std::vector<std::unique_ptr<char[]>> chunks_; // the first bytes
	std::uint64_t size_ = 0;
	std::string tail_; // bytes that are not in the file yet
	std::optional<TemporaryFile> file_;
};

} // namespace txtfp::cli
