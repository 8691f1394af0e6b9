// The table of fingerprint kinds: what the type `fingerprint`, the bulk functions, the triggers and the program txtfp
// know of each type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/lavinhash/lavinhash.hpp"
#include "core/tlsh/tlsh.hpp"

namespace txtfp::core {

enum KindNumber : std::uint16_t { // stored in fingerprints, so they never change
	kind_minhash64 = 1,
	kind_minhash128,
	kind_minhash256,
	kind_simhash64,
	kind_tlsh,
	kind_lavinhash,
	kind_embedding,
	kind_minhash64_compact,
	kind_minhash128_compact,
	kind_minhash256_compact,
};

// The features besides the type fingerprint that take the kind.
enum KindUse : unsigned {
	use_pairs = 1,   // near_duplicate_pairs, near_duplicate_clusters, deduplicate
	use_sample = 2,  // similarity_histogram
	use_trigger = 4, // near_duplicate_trigger
	use_files = 8,   // the program txtfp
	use_live = 16,   // live clusters
};

// What `measure` returns, and what a limit is: the least similarity (0 to 1), the greatest distance, the least score (0
// to 100), or the least number of passages.
enum class MeasureUnit { similarity, distance, score, passages };

struct Kind {
	std::uint16_t number; // KindNumber, or 0: no kind of `fingerprint`
	const char *name;     // "<algorithm>-v1", as in the crate txtfp
	const char *algorithm, *type;
	std::size_t slots;     // of a MinHash sketch; 0 if it is none
	bool compact;          // the sketch is of the compact form
	std::size_t max_bytes; // of a value, without header; 0: there is no limit
	unsigned uses;         // a set of KindUse bits
	// How similar values are found in SQL: similar(a, b, limit) tests, measure(a, b) returns the similarity, distance,
	// score or number. A kind without `similar`, and so without an index, is tested by its measure.
	const char *similar, *limit, *measure;
	MeasureUnit unit;
	double default_limit, max_limit;
};

constexpr Kind minhash_kind(
	KindNumber number, const char *name, const char *algorithm, const char *type, std::size_t slots, bool compact)
{
	return {number, name, algorithm, type, slots, compact, compact ? slots : 8 * slots,
		use_pairs | use_sample | use_trigger | use_files | use_live, "minhash_similar", "threshold", "jaccard",
		MeasureUnit::similarity, 0.8, 1};
}

inline constexpr Kind kinds[] = {
	minhash_kind(kind_minhash64, "minhash-h64-v1", "minhash-h64", "minhash64", 64, false),
	minhash_kind(kind_minhash128, "minhash-h128-v1", "minhash-h128", "minhash128", 128, false),
	minhash_kind(kind_minhash256, "minhash-h256-v1", "minhash-h256", "minhash256", 256, false),
	minhash_kind(kind_minhash64_compact, "minhash-h64-b8-v1", "minhash-h64-b8", "minhash64_compact", 64, true),
	minhash_kind(kind_minhash128_compact, "minhash-h128-b8-v1", "minhash-h128-b8", "minhash128_compact", 128, true),
	minhash_kind(kind_minhash256_compact, "minhash-h256-b8-v1", "minhash-h256-b8", "minhash256_compact", 256, true),
	{kind_simhash64, "simhash-b64-v1", "simhash-b64", "simhash64", 0, false, 8,
		use_pairs | use_sample | use_trigger | use_files | use_live, "simhash_similar", "max_distance", "hamming",
		MeasureUnit::distance, 7, 64},
	{kind_tlsh, "tlsh-v1", "tlsh", "tlsh", 0, false, tlsh_bytes, use_pairs | use_files, "tlsh_similar", "max_distance",
		"tlsh_distance", MeasureUnit::distance, 40, 2473},
	{kind_lavinhash, "lavinhash-v1", "lavinhash", "lavinhash", 0, false, lavinhash_max_size, use_pairs | use_files,
		"lavinhash_similar", "min_score", "lavinhash_similarity", MeasureUnit::score, 80, 100},
	{kind_embedding, "embedding-v1", "embedding", "embedding", 0, false, 0, use_pairs | use_trigger, nullptr,
		"threshold", "semantic_similarity", MeasureUnit::similarity, 0, 1},
};

// The number must be that of a kind.
constexpr const Kind &kind_of(KindNumber number) noexcept
{
	const Kind *kind = kinds;
	while (kind->number != number)
		++kind;
	return *kind;
}

// nullptr if no kind with this use has the type.
constexpr const Kind *kind_of_type(std::string_view type, KindUse use) noexcept
{
	for (const Kind &kind : kinds)
		if ((kind.uses & use) != 0 && kind.type == type)
			return &kind;
	return nullptr;
}

} // namespace txtfp::core
