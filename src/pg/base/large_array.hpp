// Arrays of plain values in a memory context. They may be larger than 1 GB and are never empty.
#pragma once

#include <algorithm>
#include <cstddef>

#include "pg/base/guard.hpp"

extern "C" {
#include "utils/memutils.h"
}

namespace txtfp::pg {

template <class T> T *allocate(MemoryContext context, std::size_t n)
{
	return static_cast<T *>(MemoryContextAllocHuge(context, sizeof(T) * std::max<std::size_t>(1, n)));
}

// Like realloc; nullptr is an empty array.
template <class T> T *enlarge(MemoryContext context, T *array, std::size_t n)
{
	return array == nullptr ? allocate<T>(context, n) : static_cast<T *>(repalloc_huge(array, sizeof(T) * n));
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
