// Compressed files: gzip, zstd, xz and bzip2, of any number of members, frames and streams in a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "records/source.hpp"

namespace txtfp::records {

// What is told from the options to the readers of compressed files.
struct DecoderLimit {
	// Bytes that a decoder may keep: of zstd the window, of xz all that it needs; gzip and bzip2 need less than 8 MB.
	std::uint64_t memory = std::uint64_t{1} << 31;
	const char *option = "--max-window"; // the name of the option that says so, for messages
};

// The bytes of a source, decompressed. The compression is recognized by the first bytes, not by the name.
class Input final : public Stream {
public:
	// Throws Failure for a file whose first bytes tell that it is of a kind that is not read here.
	explicit Input(Source &source, const DecoderLimit &limit = {});
	~Input() override;
	Input(const Input &) = delete;
	Input &operator=(const Input &) = delete;

	std::size_t read(char *to, std::size_t size) override;
	const std::string &name() const noexcept override { return source_.name(); }
	std::uint64_t file_position() const noexcept override { return position_; }

private:
	friend class Decoder;
	std::size_t read_raw(char *to, std::size_t size); // fewer than size bytes only at the end

	Source &source_;
	std::string head_; // the first bytes, which were read to recognize the compression
	std::uint64_t position_ = 0;
	std::unique_ptr<class Decoder> decoder_;
};

// True if a name ends as compressed files do: ".gz", ".zst", ".xz", ".bz2"; returns the name without it.
std::string_view without_compression(std::string_view name) noexcept;

} // namespace txtfp::records
