// Dictionary files: compiled when the extension is built, mapped read-only and shared by all processes.
//
//   header     DictionaryHeader
//   sections   the arrays that the header lists, each at a multiple of 64 bytes
//
// Numbers are little-endian. The checksum is XXH3-128 of all bytes after it. It ties a file to its name: frozen.hpp has
// the checksum of each tokenizer's dictionary, which never changes.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/base/hash.hpp"

namespace txtfp::cjk {

static_assert(std::endian::native == std::endian::little, "the dictionary files are little-endian");

enum class DictionaryKind : std::uint64_t { jieba = 1, lattice = 2 };

struct Section {
	std::uint64_t offset, size; // in bytes
};

struct DictionaryHeader {
	static constexpr char expected_magic[8] = {'T', 'X', 'T', 'F', 'P', 'C', 'J', 'K'};
	static constexpr std::uint64_t expected_format = 1;
	static constexpr std::size_t max_sections = 12;
	static constexpr std::size_t checksum_begins_at = 32; // offset in the file of the first byte after the checksum

	char magic[8];
	std::uint64_t format;
	core::Hash128 checksum;
	std::uint64_t file_size;
	DictionaryKind kind;
	std::uint64_t words, rows; // for txtfp_cjk_info()
	std::uint64_t parameters[4];
	Section sections[max_sections];
};
static_assert(sizeof(DictionaryHeader) == 32 + 8 * 8 + 16 * DictionaryHeader::max_sections);

enum class OpenError { none, missing, unreadable, damaged, other };

// A mapped file. Its content may be trusted once open() has returned none.
class Dictionary {
public:
	Dictionary() = default;
	Dictionary(const Dictionary &) = delete;
	Dictionary &operator=(const Dictionary &) = delete;
	~Dictionary();

	// Reads the whole file once. `expected` is the checksum that it must have; nullptr accepts any that matches the
	// file. damaged: the file is no dictionary, or its checksum does not match; other: an intact file, but not the
	// expected one. errno is set for missing and unreadable.
	OpenError open(const char *path, DictionaryKind kind, const core::Hash128 *expected) noexcept;

	bool is_open() const noexcept { return bytes_ != nullptr; }
	const DictionaryHeader &header() const noexcept { return *reinterpret_cast<const DictionaryHeader *>(bytes_); }
	template <class T> std::span<const T> section(std::size_t i) const noexcept
	{
		const Section &section = header().sections[i];
		return {reinterpret_cast<const T *>(bytes_ + section.offset), section.size / sizeof(T)};
	}

private:
	OpenError check(DictionaryKind kind, const core::Hash128 *expected) const noexcept;
	void close() noexcept;

	const char *bytes_ = nullptr;
	std::size_t size_ = 0;
};

core::Hash128 dictionary_checksum(const char *file, std::size_t size) noexcept;
std::array<char, 32> checksum_digits(const core::Hash128 &checksum) noexcept;

} // namespace txtfp::cjk
