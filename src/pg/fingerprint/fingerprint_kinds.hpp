// The kinds of core/kinds/kinds.hpp with the functions of their SQL types.
// To add a kind, add a line to both tables, and its two casts in fingerprint.cpp and sql/install.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/join/join_options.hpp"
#include "core/kinds/kinds.hpp"
#include "pg/base/guard.hpp"

namespace txtfp::pg {

struct SearchKind;

// How values of a type are laid out in memory.
enum class Shape {
	sketch,   // full minhash*: laid out as a fingerprint, except for the kind
	by_value, // 8 bytes in a Datum
	fixed,    // a pointer to `size` bytes
	varlena,
};

// What differs between values of one kind.
struct FingerprintFacts {
	std::optional<std::string_view> model; // appears in the name: "<algorithm>/<model>-v1"
	std::size_t byte_size;
};

using core::KindNumber;
using core::KindUse;
using core::MeasureUnit;
using enum core::KindUse;
using enum core::KindNumber;

// A kind of the table, and how the server handles its values.
struct FingerprintKind : core::Kind {
	Shape shape;
	std::size_t size; // size of the payload in bytes; 0 if it varies
	PGFunction in, out, receive, send;
	double (*similarity)(Datum a, Datum b); // 1 means equal
	std::size_t byte_size;                  // size in the metadata, in bytes; 0: the size of the payload
	FingerprintFacts (*facts)(Datum value); // nullptr if no value has a model
	// The form that the core takes: a part of the value, of a copy of it in the current memory context, or `buffer`.
	// nullptr if the kind has none.
	const std::uint8_t *(*row)(Datum value, core::RowBuffer &buffer);
	const SearchKind *search; // nullptr: no index has its own conditions
};

// Returns nullptr if there is no such kind.
const FingerprintKind *find_kind(std::uint16_t number);
const FingerprintKind *find_kind(std::string_view name); // the name in the text form
// The kind of a type, or of a domain over it, that has this use.
const FingerprintKind *find_kind(Oid type, KindUse use);

[[noreturn]] void report(const core::Complaint &wrong); // 22023
// Raises that error if a limit of another unit is given; `what`: what it does not apply to.
void check_limits(const core::JoinOptions &options, MeasureUnit unit, const char *what);

// Lists for messages, palloc'd: the quoted names of all kinds, and the types of the kinds that have this use.
const char *kind_names();
const char *kind_types(KindUse use); // "a, b and c"

} // namespace txtfp::pg
