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

} // namespace txtfp::pg
