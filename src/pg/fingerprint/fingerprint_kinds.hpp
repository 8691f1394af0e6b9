// The registry of the kinds of fingerprints: what the type fingerprint, the bulk functions and the triggers know of each type.
// To add a kind: a line in `kinds` of fingerprint_kinds.cpp, and its two casts in fingerprint.cpp and sql/install.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "pg/base/guard.hpp"

namespace txtfp::pg {

// How a type's values lie in memory.
enum class Shape {
	sketch,   // minhash*: the same as a fingerprint but for the kind
	by_value, // 8 bytes in a Datum
	fixed,    // a pointer to `size` bytes
	varlena,
};

// What differs from value to value of one kind.
struct FingerprintFacts {
	std::optional<std::string_view> model; // stands in the name: "<algorithm>/<model>-v1"
	std::size_t byte_size;
};

// Who else takes the kind, besides the type fingerprint.
enum KindUse : unsigned {
	use_pairs = 1,   // near_duplicate_pairs, near_duplicate_clusters
	use_sample = 2,  // similarity_histogram
	use_trigger = 4, // near_duplicate_trigger
};

// How similar values are searched for, in SQL: similar(a, b, limit), and measure(a, b) tells how similar they are.
struct FingerprintSearch {
	unsigned uses; // of KindUse
	const char *similar, *limit, *measure;
	std::size_t slots; // of a MinHash sketch; 0: it is none
};

struct FingerprintKind {
	std::uint16_t number;  // stored: never changes
	const char *name;      // "<algorithm>-v1", as in the crate txtfp
	const char *algorithm; // the name without schema version
	const char *type;      // in SQL
	Shape shape;
	std::size_t size; // of the payload, in bytes; 0: any
	PGFunction in, out, receive, send;
	double (*similarity)(Datum a, Datum b); // 1: equal
	std::size_t byte_size;                  // in the metadata; 0: that of the payload
	FingerprintFacts (*facts)(Datum value); // nullptr: no value has a model
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

// nullptr: there is none.
const FingerprintKind *find_kind(std::uint16_t number);
const FingerprintKind *find_kind(std::string_view name); // as in the text form
// The kind of a type, or of a domain over it, that is in `schema` and has this use.
const FingerprintKind *find_kind(Oid type, Oid schema, KindUse use);

// For messages, palloc'd: the names of all kinds, quoted; and the types of those that have this use.
const char *kind_names();
const char *kind_types(KindUse use); // "a, b and c"

} // namespace txtfp::pg
