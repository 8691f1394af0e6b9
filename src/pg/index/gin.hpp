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

} // namespace txtfp::pg
