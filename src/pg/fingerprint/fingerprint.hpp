// The SQL type fingerprint: a value of any of our types, and which.
//   varlena header (4 bytes), schema u16 = 1, kind u16, payload; aligned to 8
// A sketch keeps what follows its own first 8 bytes as the payload, so that the fingerprint can be read as the sketch.
//
// To add a kind: a line in `kinds` of fingerprint_kinds.cpp, its two casts in fingerprint.cpp and sql/install.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "pg/minhash/minhash.hpp"

namespace txtfp::pg {

struct Fingerprint {
	std::int32_t header;
	std::uint16_t schema, kind;
	std::uint8_t payload[FLEXIBLE_ARRAY_MEMBER];

	static constexpr std::size_t size_for(std::size_t payload) { return offsetof(Fingerprint, payload) + payload; }
	std::size_t payload_size() const { return VARSIZE(this) - offsetof(Fingerprint, payload); }
};

inline const Fingerprint *fingerprint_arg(FunctionCallInfo fcinfo, int i)
{
	return reinterpret_cast<const Fingerprint *>(PG_GETARG_VARLENA_P(i));
}

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

const FingerprintKind *find_kind(std::uint16_t number);  // nullptr: there is none
const FingerprintKind *find_kind(std::string_view name); // as in the text form
const char *kind_names();                                // for messages, palloc'd

} // namespace txtfp::pg
