// Shared by the consistent functions of our GIN operator classes: counting the keys that a row contains.
#pragma once

#include <algorithm>
#include <cstdint>

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

// True if the row may contain any of the keys. It stops at the first one, since a search may look up thousands. A scan
// of the whole index has no keys; then every row counts.
inline bool any_present(const GinTernaryValue *check, int32 keys)
{
	return keys == 0 || std::any_of(check, check + keys, [](GinTernaryValue key) { return key != GIN_FALSE; });
}

// Configurations in an index. Besides the keys of its content a row has one key that says how it was made, if that is
// known. Such keys stand before all others. A search looks through them, few as they are, and takes the rows of every
// other configuration as candidates: their recheck raises the error that a scan raises, for rows that the snapshot
// sees. In a table of one configuration that is one more descent of the tree.

// What a search demands of a row.
struct KeySearch {
	int least;           // of the keys of its content
	bool checks_config;  // the last key of the search is where the keys of configurations begin
	std::int64_t config; // the key of the search's own configuration
};

// The extra data of the keys of a search, all the same. palloc'd.
inline Pointer *search_requirements(int32 keys, KeySearch search)
{
	auto *shared = static_cast<KeySearch *>(palloc(sizeof(KeySearch)));
	*shared = search;
	auto *extra_data = static_cast<Pointer *>(palloc(sizeof(Pointer) * static_cast<std::size_t>(keys)));
	std::fill_n(extra_data, keys, reinterpret_cast<Pointer>(shared));
	return extra_data;
}

// Which keys are looked through: only the last. palloc'd.
inline bool *partial_matches(int32 keys)
{
	bool *partial = static_cast<bool *>(palloc0(sizeof(bool) * static_cast<std::size_t>(keys)));
	partial[keys - 1] = true;
	return partial;
}

// comparePartial for a key of an index whose keys of configurations are less than `end`.
inline int compare_config_key(std::int64_t key, std::int64_t end, const KeySearch &search)
{
	return key >= end ? 1 : key == search.config ? -1 : 0;
}

// For the consistent functions: does the row fulfil the search? Without keys every row of the index does.
inline bool is_candidate(const GinTernaryValue *check, int32 keys, const Pointer *extra_data, bool with_maybe)
{
	if (keys == 0)
		return true;
	const auto &search = *reinterpret_cast<const KeySearch *>(extra_data[0]);
	const int32 content = search.checks_config ? keys - 1 : keys;
	return count_present(check, content, with_maybe) >= search.least ||
		count_present(check + content, keys - content, with_maybe) > 0;
}

} // namespace txtfp::pg
