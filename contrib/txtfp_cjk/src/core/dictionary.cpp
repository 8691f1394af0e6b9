#include "core/dictionary.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/bytes.hpp"

namespace txtfp::cjk {

std::array<char, 32> checksum_digits(const core::Hash128 &checksum) noexcept
{
	std::array<char, 32> digits;
	core::hex_encode_u64(checksum.hi, digits.data());
	core::hex_encode_u64(checksum.lo, digits.data() + 16);
	return digits;
}

Dictionary::~Dictionary() { close(); }

void Dictionary::close() noexcept
{
	if (bytes_ != nullptr)
		munmap(const_cast<char *>(bytes_), size_);
	bytes_ = nullptr;
}

#if defined(MAP_POPULATE)
constexpr int populate = MAP_POPULATE; // check() reads all pages: hundreds of page faults less
#else
constexpr int populate = 0;
#endif

OpenError Dictionary::open(const char *path, DictionaryKind kind, const core::Hash128 *expected) noexcept
{
	close();
	const int file = ::open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return errno == ENOENT ? OpenError::missing : OpenError::unreadable;
	struct stat status;
	void *mapped = MAP_FAILED;
	bool too_short = false;
	if (fstat(file, &status) == 0) {
		size_ = static_cast<std::size_t>(status.st_size);
		too_short = size_ < sizeof(DictionaryHeader);
		if (!too_short)
			mapped = mmap(nullptr, size_, PROT_READ, MAP_SHARED | populate, file, 0);
	}
	const int error = errno;
	::close(file);
	if (mapped == MAP_FAILED) {
		errno = error;
		return too_short ? OpenError::damaged : OpenError::unreadable;
	}
	bytes_ = static_cast<const char *>(mapped);
	const OpenError result = check(kind, expected);
	if (result != OpenError::none)
		close();
	return result;
}

OpenError Dictionary::check(DictionaryKind kind, const core::Hash128 *expected) const noexcept
{
	const DictionaryHeader &h = header();
	if (std::memcmp(h.magic, DictionaryHeader::expected_magic, sizeof h.magic) != 0 ||
		h.format != DictionaryHeader::expected_format || h.file_size != size_)
		return OpenError::damaged;
	for (const Section &section : h.sections)
		if (section.offset % 64 != 0 || section.offset > size_ || section.size > size_ - section.offset)
			return OpenError::damaged;
	const core::Hash128 checksum = dictionary_checksum(bytes_, size_);
	if (checksum.lo != h.checksum.lo || checksum.hi != h.checksum.hi)
		return OpenError::damaged;
	if (h.kind != kind)
		return OpenError::other;
	if (expected != nullptr && (checksum.lo != expected->lo || checksum.hi != expected->hi))
		return OpenError::other;
	return OpenError::none;
}

} // namespace txtfp::cjk
