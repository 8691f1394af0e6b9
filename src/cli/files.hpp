// Files as streams of bytes: plain or compressed, or "-" for a standard stream; and temporary files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "records/decoder.hpp"
#include "records/source.hpp"

namespace txtfp::cli {

using records::Descriptor;

class Spool;

// What a command reads: a file ("-" is standard input), or the files of a folder.
struct InputPaths {
	std::string name; // of the file or the folder
	std::vector<std::string> files;
};

// Reads files, decompressed. Throws records::Failure, and core::Error(cancelled) after a signal.
class InputFile final : public records::Stream {
public:
	explicit InputFile(InputPaths paths, const records::DecoderLimit &limit = {});
	explicit InputFile(const std::string &path) : InputFile({path, {path}}) {}
	explicit InputFile(const Spool &spool); // from its begin; the spool must be complete and live longer

	void copy_to(Spool &spool) noexcept { copy_ = &spool; } // what read() returns from now on

	std::size_t read(char *to, std::size_t size) override;
	bool next_file() override;
	const std::string &name() const noexcept override { return source_->name(); }
	const std::string &whole_name() const noexcept override { return paths_.files.size() > 1 ? paths_.name : name(); }
	bool is_regular() const noexcept { return paths_.files.size() > 1 || source_->is_regular(); }
	std::uint64_t file_size() const noexcept override { return size_; }
	std::uint64_t file_position() const noexcept override { return before_ + input_->file_position(); }

private:
	InputPaths paths_;
	records::DecoderLimit limit_;
	std::optional<records::FileSource> source_;
	std::optional<records::Input> input_; // of source_
	std::size_t at_ = 0;                  // of paths_.files
	std::uint64_t size_ = 0, before_ = 0; // bytes of all files; of those before this one
	Spool *copy_ = nullptr;
};

// Writes a file; compresses it if the name ends with .gz or .zst. The file gets its name only by commit(), so an
// incomplete file is never visible. This does not hold for "-", pipes and devices. A new file has the mode that the umask
// allows. An existing one keeps its mode and owner, and a symbolic link to it stays one; where a file in its place could
// not have these, for it belongs to somebody else, has several names or an access control list, commit() copies the bytes
// into it, if the disk has room for them.
class OutputFile {
public:
	explicit OutputFile(const std::string &path);
	~OutputFile(); // without commit(): removes the file

	void write(std::string_view bytes);
	void finish(); // writes what is left; of several files, all are finished before the first gets its name
	void commit(); // the last call
	const std::string &name() const noexcept { return name_; }

private:
	struct Compressor;
	void flush();
	void write_raw(const char *bytes, std::size_t size);
	void reserve_in_existing();
	void copy_to_existing();

	std::string path_, name_, target_, temporary_; // target_: path_ without symbolic links
	bool finished_ = false, copied_ = false;
	Descriptor fd_, existing_; // existing_: what is to be written at last
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
	// Messages name the stream. Writing it takes up to `memory` bytes, and then reading it, but at most 128 MB.
	Spool(const std::string &directory, std::string name, std::uint64_t memory);
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
