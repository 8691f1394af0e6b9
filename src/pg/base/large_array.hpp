// Arrays of plain values in a memory context. They may be larger than 1 GB and are never empty.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <sys/mman.h>

#include "pg/base/guard.hpp"

extern "C" {
#include "utils/memutils.h"
}

namespace txtfp::pg {

// Asks the system for large pages: reading a large array in random order then misses fewer addresses, and filling it
// takes fewer page faults.
inline void *advise_large_pages(void *array, std::size_t size)
{
#if defined(MADV_HUGEPAGE)
	constexpr std::uintptr_t page = 2 << 20, worthwhile = 2 * page;
	const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(array) + page - 1) / page * page,
						 end = (reinterpret_cast<std::uintptr_t>(array) + size) / page * page;
	if (size >= worthwhile)
		(void) madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE);
#endif
	return array;
}

template <class T> T *allocate(MemoryContext context, std::size_t n)
{
	const std::size_t size = sizeof(T) * std::max<std::size_t>(1, n);
	return static_cast<T *>(advise_large_pages(MemoryContextAllocHuge(context, size), size));
}

// Like realloc; nullptr is an empty array.
template <class T> T *enlarge(MemoryContext context, T *array, std::size_t n)
{
	return array == nullptr ? allocate<T>(context, n)
							: static_cast<T *>(advise_large_pages(repalloc_huge(array, sizeof(T) * n), sizeof(T) * n));
}

// Makes room for one more element of an array of `count` elements: doubles `capacity` if it is used up.
template <class T> void reserve_next(MemoryContext context, T *&array, std::size_t count, std::size_t &capacity)
{
	if (count < capacity)
		return;
	capacity = std::max<std::size_t>(1024, 2 * capacity);
	array = enlarge(context, array, capacity);
}

} // namespace txtfp::pg
