// Files as streams of bytes: plain, gzip or zstd, or "-" for a standard stream; and temporary files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace txtfp::cli {

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

class Codec; // decoder of a compressed stream
class Spool;

// Reads a file. Recognizes gzip and zstd by their first bytes, not by the name. Throws Failure, and
// core::Error(cancelled) after a signal.
class InputFile {
public:
	explicit InputFile(const std::string &path); // "-" is standard input
	explicit InputFile(const Spool &spool);      // from its begin; the spool must be complete and live longer
	~InputFile();

	void copy_to(Spool &spool) noexcept { copy_ = &spool; } // what read() returns from now on

	std::size_t read(char *to, std::size_t size); // returns fewer than size bytes only at the end
	const std::string &name() const noexcept { return name_; }
	bool is_regular() const noexcept { return regular_; }
	std::uint64_t file_size() const noexcept { return file_size_; }    // bytes; 0: unknown
	std::uint64_t file_position() const noexcept { return position_; } // bytes read, before decompression

private:
	friend class Codec;
	void recognize(); // the format, by the first bytes
	std::size_t read_raw(char *to, std::size_t size);

	std::string name_;
	Descriptor fd_;
	std::string head_; // the first bytes, read to recognize the format
	bool regular_ = false;
	std::uint64_t file_size_ = 0, position_ = 0;
	std::unique_ptr<Codec> codec_;
	Spool *copy_ = nullptr;
};

// Writes a file; compresses it if the name ends with .gz or .zst. The file gets its name only by commit(), so an
// incomplete file is never visible. This does not hold for "-", pipes and devices.
class OutputFile {
public:
	explicit OutputFile(const std::string &path);
	~OutputFile(); // without commit(): removes the file

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

// A file without a name; it disappears when the program ends.
class TemporaryFile {
public:
	explicit TemporaryFile(const std::string &directory);
	void write_at(std::uint64_t offset, const void *bytes, std::size_t size);
	void read_at(std::uint64_t offset, void *to, std::size_t size) const; // the whole range must have been written
	Descriptor reopen() const;                                            // at the begin of the file

private:
	std::string directory_;
	Descriptor fd_;
};

class ZstdEncoder;

// A copy of a stream that can be read only once, compressed, in a file without a name.
class Spool {
public:
	Spool(const std::string &directory, std::string name); // messages name the stream
	~Spool();
	void write(std::string_view bytes);
	void complete(); // once, after the last write()

private:
	friend class InputFile;
	void store(std::string_view encoded);

	TemporaryFile file_;
	std::string name_;
	std::uint64_t size_ = 0; // of what is stored
	std::unique_ptr<ZstdEncoder> encoder_;
};

} // namespace txtfp::cli
