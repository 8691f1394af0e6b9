// A copy of bytes between two pages of memory that nobody can read, so that a read before the first byte or behind the
// last one ends the test, in every build.
#pragma once

#include <cstring>
#include <stdexcept>
#include <string_view>

#include <sys/mman.h>
#include <unistd.h>

namespace txtfp::test {

class GuardedBytes {
public:
	explicit GuardedBytes(std::size_t most) : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE)))
	{
		room_ = (most + page_ - 1) / page_ * page_;
		void *at = mmap(nullptr, room_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (at == MAP_FAILED)
			throw std::runtime_error("mmap");
		first_ = static_cast<char *>(at) + page_;
		if (mprotect(first_, room_, PROT_READ | PROT_WRITE) != 0)
			throw std::runtime_error("mprotect");
	}
	GuardedBytes(const GuardedBytes &) = delete;
	GuardedBytes &operator=(const GuardedBytes &) = delete;
	~GuardedBytes() { munmap(first_ - page_, room_ + 2 * page_); }

	// The copies live until the next call.
	std::string_view at_the_end(std::string_view bytes) { return copy(bytes, first_ + room_ - bytes.size()); }
	std::string_view at_the_beginning(std::string_view bytes) { return copy(bytes, first_); }

private:
	static std::string_view copy(std::string_view bytes, char *to)
	{
		std::memcpy(to, bytes.data(), bytes.size());
		return {to, bytes.size()};
	}

	std::size_t page_, room_;
	char *first_;
};

} // namespace txtfp::test
