// Where the bytes of a file come from, before decompression.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/error.hpp"

namespace txtfp::records {

// A file descriptor. The destructor closes it, unless it is a standard stream.
class Descriptor {
public:
	explicit Descriptor(int fd = -1) noexcept : fd_(fd) {}
	Descriptor(Descriptor &&other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
	Descriptor &operator=(Descriptor &&other) noexcept;
	~Descriptor();
	int get() const noexcept { return fd_; }
	int close() noexcept; // returns the result of close(2)

private:
	int fd_;
};

class Source {
public:
	virtual ~Source() = default;
	Source(const Source &) = delete;
	Source &operator=(const Source &) = delete;

	virtual std::size_t read(char *to, std::size_t size) = 0; // at least one byte, but at the end
	const std::string &name() const noexcept { return name_; }

protected:
	explicit Source(std::string name) : name_(std::move(name)) {}

	std::string name_; // for messages
};

// A file of the system. Reading throws Failure, and core::Error(cancelled) when the token says so.
class FileSource final : public Source {
public:
	FileSource(const std::string &path, const core::StopToken &stop); // "-" is standard input
	FileSource(std::string name, Descriptor fd, std::uint64_t size, const core::StopToken &stop);

	std::size_t read(char *to, std::size_t size) override;
	bool is_regular() const noexcept { return regular_; }
	std::uint64_t size() const noexcept { return size_; } // bytes; 0: unknown

private:
	Descriptor fd_;
	core::StopToken stop_;
	bool regular_ = true;
	std::uint64_t size_ = 0;
};

// Bytes to be cut into records, decompressed: of one file, or of several in a row.
class Stream {
public:
	virtual ~Stream() = default;
	virtual std::size_t read(char *to, std::size_t size) = 0; // fewer than size bytes only at the end of the file
	virtual bool next_file() { return false; }            // goes on with the next file; false: that was the last one
	virtual const std::string &name() const noexcept = 0; // of the file, for messages
	virtual const std::string &whole_name() const noexcept { return name(); } // of all of them
	virtual std::uint64_t file_size() const noexcept { return 0; }            // bytes before decompression; 0: unknown
	virtual std::uint64_t file_position() const noexcept { return 0; }        // how many of them were read
};

} // namespace txtfp::records
