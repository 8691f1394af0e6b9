// What the consistent functions of our GIN operator classes ask of the keys that were looked up.
#pragma once

#include <algorithm>

#include "pg/base/guard.hpp"

extern "C" {
#include "access/gin.h"
}

namespace txtfp::pg {

// How many keys the row has for sure; with_maybe: may have.
inline int count_present(const GinTernaryValue *check, int32 keys, bool with_maybe)
{
	int count = 0;
	for (int32 i = 0; i < keys; ++i)
		count += check[i] == GIN_TRUE || (with_maybe && check[i] == GIN_MAYBE);
	return count;
}

// May it have one? Stops at the first, since a search may look up thousands. In a scan of the whole index, which has no keys, every row counts.
inline bool any_present(const GinTernaryValue *check, int32 keys)
{
	return keys == 0 || std::any_of(check, check + keys, [](GinTernaryValue key) { return key != GIN_FALSE; });
}

} // namespace txtfp::pg
