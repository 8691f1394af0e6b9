// Shared by the consistent functions of our GIN operator classes: counting the keys that a row contains.
#pragma once

#include <algorithm>

#include "pg/base/guard.hpp"

extern "C" {
#include "access/gin.h"
}

namespace txtfp::pg {

// The number of keys that the row certainly contains; with `with_maybe`, that it may contain.
inline int count_present(const GinTernaryValue *check, int32 keys, bool with_maybe)
{
	int count = 0;
	for (int32 i = 0; i < keys; ++i)
		count += check[i] == GIN_TRUE || (with_maybe && check[i] == GIN_MAYBE);
	return count;
}

// True if the row may contain any of the keys. It stops at the first one, since a search may look up thousands. A scan of the whole
// index has no keys; then every row counts.
inline bool any_present(const GinTernaryValue *check, int32 keys)
{
	return keys == 0 || std::any_of(check, check + keys, [](GinTernaryValue key) { return key != GIN_FALSE; });
}

// The extra data of a search: a row must contain at least `least` of the `keys` keys. palloc'd.
inline Pointer *search_requirements(int32 keys, int least)
{
	auto *required = static_cast<int *>(palloc(sizeof(int)));
	*required = least;
	auto *extra_data = static_cast<Pointer *>(palloc(sizeof(Pointer) * static_cast<std::size_t>(keys)));
	std::fill_n(extra_data, keys, reinterpret_cast<Pointer>(required));
	return extra_data;
}

// For the consistent functions: the number of keys that a row must contain. It is 0 for a search without keys.
inline int required_matches(int32 keys, const Pointer *extra_data)
{
	return keys == 0 ? 0 : *reinterpret_cast<const int *>(extra_data[0]);
}

} // namespace txtfp::pg
