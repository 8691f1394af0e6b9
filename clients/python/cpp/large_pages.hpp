// Large areas of memory in large pages, where the system has some: a page fault for every 4 kB takes more time than filling them.
#pragma once

#include <cstddef>
#include <cstdint>

#include <sys/mman.h>

namespace txtfp::python {

constexpr std::size_t large_page = std::size_t{1} << 21;

// A wish for the large pages that lie within the area, which nobody has touched yet.
inline void prefer_large_pages(void *memory, std::size_t bytes) noexcept
{
#ifdef MADV_HUGEPAGE
	const auto address = reinterpret_cast<std::uintptr_t>(memory);
	const std::uintptr_t begin = (address + large_page - 1) & ~(large_page - 1), end = (address + bytes) & ~(large_page - 1);
	if (begin < end)
		(void) madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE);
#else
	(void) memory;
	(void) bytes;
#endif
}

} // namespace txtfp::python
