// Files as streams of bytes: plain, gzip or zstd, or "-"; and temporary files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace txtfp::cli {

// A file descriptor that is closed, if it is not one of the standard ones.
class Descriptor {
public:
	explicit Descriptor(int fd = -1) noexcept : fd_(fd) {}
	Descriptor(Descriptor &&other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
	Descriptor &operator=(Descriptor &&other) noexcept;
	~Descriptor();
	int get() const noexcept { return fd_; }
	int close() noexcept; // what close(2) says

private:
	int fd_;
};

class Codec; // of a compressed stream

// Reads; tells gzip and zstd by their first bytes, whatever the name. Throws Failure, and core::Error(cancelled) on a signal.
class InputFile {
public:
	explicit InputFile(const std::string &path); // "-": standard input
	~InputFile();

	std::size_t read(char *to, std::size_t size); // fewer than size only at the end
	const std::string &name() const noexcept { return name_; }
	bool is_regular() const noexcept { return regular_; }
	std::uint64_t file_size() const noexcept { return file_size_; }    // 0: not known
	std::uint64_t file_position() const noexcept { return position_; } // of what was read, before decompression

private:
	friend class Codec;
	std::size_t read_raw(char *to, std::size_t size);

	std::string name_;
	Descriptor fd_;
	std::string head_; // the first bytes, which were looked at
	bool regular_ = false;
	std::uint64_t file_size_ = 0, position_ = 0;
	std::unique_ptr<Codec> codec_;
};

// Writes; compresses if the name ends with .gz or .zst. A file gets its name only by commit(): what is half written never shows.
// Not so for "-", pipes and devices.
class OutputFile {
public:
	explicit OutputFile(const std::string &path);
	~OutputFile(); // without commit(): removes what was written

	void write(std::string_view bytes);
	void commit();
	const std::string &name() const noexcept { return name_; }
	bool is_standard() const noexcept { return standard_; }

private:
	struct Compressor;
	void flush();
	void write_raw(const char *bytes, std::size_t size);

	std::string path_, name_, temporary_;
	bool standard_ = false;
	Descriptor fd_;
	std::string buffer_;
	std::unique_ptr<Compressor> compressor_;
};

// A file without a name, gone when the program ends.
class TemporaryFile {
public:
	explicit TemporaryFile(const std::string &directory);
	void write_at(std::uint64_t offset, const void *bytes, std::size_t size);
	void read_at(std::uint64_t offset, void *to, std::size_t size) const; // all of it was written

private:
	std::string directory_;
	Descriptor fd_;
};

} // namespace txtfp::cli
