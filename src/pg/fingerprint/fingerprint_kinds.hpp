// The registry of fingerprint kinds: what the type fingerprint, the bulk functions and the triggers know of each type.
// To add a kind, add a line to `kinds` in fingerprint_kinds.cpp, and its two casts in fingerprint.cpp and sql/install.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "pg/base/guard.hpp"

namespace txtfp::pg {

// How values of a type are laid out in memory.
enum class Shape {
	sketch,   // minhash*: laid out as a fingerprint, except for the kind
	by_value, // 8 bytes in a Datum
	fixed,    // a pointer to `size` bytes
	varlena,
};

// What differs between values of one kind.
struct FingerprintFacts {
	std::optional<std::string_view> model; // appears in the name: "<algorithm>/<model>-v1"
	std::size_t byte_size;
};

// The features besides the type fingerprint that take the kind.
enum KindUse : unsigned {
	use_pairs = 1,   // near_duplicate_pairs, near_duplicate_clusters
	use_sample = 2,  // similarity_histogram
	use_trigger = 4, // near_duplicate_trigger
};

// What `measure` returns, and what `limit` is: the least similarity (0 to 1), the greatest distance, or the least number of passages.
enum class MeasureUnit { similarity, distance, passages };

// How similar values are found in SQL: similar(a, b, limit) tests, measure(a, b) returns the similarity, distance or number.
struct FingerprintSearch {
	unsigned uses; // a set of KindUse bits
	const char *similar, *limit, *measure;
	std::size_t slots; // slots of a MinHash sketch; 0 if it is none
	MeasureUnit unit;
};

struct FingerprintKind {
	std::uint16_t number;  // stored, so it never changes
	const char *name;      // "<algorithm>-v1", as in the crate txtfp
	const char *algorithm; // the name without schema version
	const char *type;      // the SQL type
	Shape shape;
	std::size_t size; // size of the payload in bytes; 0 if it varies
	PGFunction in, out, receive, send;
	double (*similarity)(Datum a, Datum b); // 1 means equal
	std::size_t byte_size;                  // size in the metadata, in bytes; 0: that of the payload
	FingerprintFacts (*facts)(Datum value); // nullptr if no value has a model
	FingerprintSearch search;
};

enum KindNumber : std::uint16_t {
	kind_minhash64 = 1,
	kind_minhash128,
	kind_minhash256,
	kind_simhash64,
	kind_tlsh,
	kind_lavinhash,
	kind_embedding,
};

// Returns nullptr if there is no such kind.
const FingerprintKind *find_kind(std::uint16_t number);
const FingerprintKind *find_kind(std::string_view name); // the name in the text form
// The kind of a type in `schema`, or of a domain over it, that has this use.
const FingerprintKind *find_kind(Oid type, Oid schema, KindUse use);

// Lists for messages, palloc'd: the quoted names of all kinds, and the types of the kinds that have this use.
const char *kind_names();
const char *kind_types(KindUse use); // "a, b and c"

} // namespace txtfp::pg
