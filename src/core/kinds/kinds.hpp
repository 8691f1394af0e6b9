// The table of fingerprint kinds: what each kind is, and what can be done with its values. The type `fingerprint`, the
// indexes, the bulk functions, the triggers, the program txtfp and the Python package know kinds by it alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/error.hpp"
#include "core/lavinhash/lavinhash.hpp"
#include "core/simhash/simhash.hpp"
#include "core/sketch/layout.hpp"
#include "core/tlsh/tlsh.hpp"
#include "core/trigger/lock_keys.hpp"

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
// How near-duplicates are found among many rows: by the bands of sketches, by blocks of values of 64 bits, by comparing
// each with every other, or as vectors.
enum class JoinWay { none, bands, bits, every_pair, vectors };

enum class MeasureUnit { similarity, distance, score, passages };

struct Kind;
struct Recipe;

// What can be done with values. Kinds with these operations are made of texts, and their values have three forms:
//
//   row     row_bytes bytes, aligned as 8-byte numbers: what joins take and files hold. The slots of a sketch, the bits
//           of a SimHash, a digest; of LavinHash the size of the serialized form as u16, then the form
//   binary  what the type's send function returns: with a sketch its configuration comes first
//   text    what the type's output function returns
//
// No function keeps what it is given.
struct KindOperations {
	// False if the text has no value. A text is UTF-8 unless the kind is made of any bytes.
	bool (*compute)(const Recipe &recipe, std::string_view text, std::uint8_t *row, StopToken stop);
	bool (*compute_tokens)(const Recipe &recipe, Tokens tokens, std::uint8_t *row); // nullptr: it is not made of tokens
	// Sets `config` to the value's configuration, 0 if it has none. Returns what is wrong, as half a sentence, or nullptr.
	const char *(*read_text)(const Kind &kind, std::string_view text, std::uint8_t *row, std::uint64_t &config);
	std::size_t (*write_text)(const Kind &kind, std::uint64_t config, const std::uint8_t *row, char *out);
	// What is wrong with a binary form, as a sentence, or nullptr.
	const char *(*check_binary)(const Kind &kind, std::span<const std::uint8_t> binary) noexcept;
	// The row of a checked binary form: a part of it if it stands there as it is, otherwise `buffer`.
	const std::uint8_t *(*row_of)(
		const Kind &kind, std::span<const std::uint8_t> binary, std::uint8_t *buffer) noexcept;
	std::size_t (*write_binary)(const Kind &kind, std::uint64_t config, const std::uint8_t *row, std::uint8_t *out);
	// Compares two rows: the number of equal slots, the distance, or the score.
	int (*measure)(const Kind &kind, const std::uint8_t *a, const std::uint8_t *b) noexcept;
	double (*similarity)(const Kind &kind, int measure) noexcept; // 0 to 1
	// For n contiguous rows, 65535 at most: writes the numbers of the rows whose measure with another is within the bound,
	// and returns how many there are. nullptr: a join does not compare each with every other.
	std::size_t (*find_close)(const Kind &kind, const std::uint8_t *rows, std::size_t n, const std::uint8_t *other,
		int bound, std::uint16_t *found) noexcept;
	// What an index of the access method sketch stores of a row: the bytes of the kind's signature.
	void (*sign)(const Kind &kind, const std::uint8_t *row, std::uint8_t *out) noexcept;
	// Keys; rows within a limit have one in common, for writers at the same time. nullptr: there are none.
	LockPlan (*lock_plan)(const Kind &kind, double limit) noexcept;
	std::size_t (*lock_keys)(const Kind &kind, const LockPlan &plan, const std::uint8_t *row, std::uint64_t space,
		std::uint64_t *out) noexcept; // max_lock_keys at most
	// The measure that a limit means: the least number of equal slots, the greatest distance, or the least score.
	int (*bound)(const Kind &kind, double limit) noexcept;
};
extern const KindOperations minhash_operations, compact_operations, simhash_operations, tlsh_operations,
	lavinhash_operations;

struct Kind {
	std::uint16_t number; // KindNumber, or 0: no kind of `fingerprint`
	const char *name;     // "<algorithm>-v1", as in the crate txtfp
	const char *algorithm, *type;
	std::size_t slots;        // of a MinHash sketch; 0 if it is none
	bool compact;             // the sketch is of the compact form
	std::size_t max_bytes;    // of a value, without header; 0: there is no limit
	std::size_t row_bytes;    // of the form of rows; 0: it has none
	std::size_t binary_bytes; // of the binary form; 0: it varies
	unsigned uses;            // a set of KindUse bits
	// How similar values are found in SQL: similar(a, b, limit) tests, measure(a, b) returns the similarity, distance,
	// score or number. A kind without `similar`, and so without an index, is tested by its measure.
	const char *similar, *limit, *measure;
	MeasureUnit unit;
	double default_limit, max_limit;
	std::string_view tokenizer; // the default; empty: it is made of bytes
	const char *shown;          // what a measure means, in a table of measures
	JoinWay join;
	const SignatureKind *signature; // nullptr: no index of the access method sketch
	const KindOperations *operations;

	constexpr bool is_sketch() const noexcept { return slots > 0; }
	constexpr bool has_distance() const noexcept { return unit == MeasureUnit::distance; }
	constexpr bool is_text() const noexcept { return !tokenizer.empty(); } // made of a text, not of any bytes
	constexpr int best_measure() const noexcept                            // of equal values
	{
		return has_distance() ? 0 : static_cast<int>(is_sketch() ? static_cast<double>(slots) : max_limit);
	}
	constexpr bool is_similar(int measure, int bound) const noexcept
	{
		return has_distance() ? measure <= bound : measure >= bound;
	}
	int measure_of(const std::uint8_t *a, const std::uint8_t *b) const noexcept
	{
		return operations->measure(*this, a, b);
	}
	double similarity_of(int measure) const noexcept { return operations->similarity(*this, measure); }
	int bound_of(double limit) const noexcept { return operations->bound(*this, limit); }
};

// How a value is made.
struct Recipe {
	const Kind *kind;
	TextOptions text;
	Weighting weighting = Weighting::tf;
	std::uint64_t config = 0; // that a sketch carries
};

constexpr std::size_t sketch_head = 16; // bytes of a sketch's binary form before its slots

constexpr Kind minhash_kind(KindNumber number, const char *name, const char *algorithm, const char *type,
	std::size_t slots, bool compact, SketchKind signature)
{
	const std::size_t bytes = compact ? slots : 8 * slots;
	return {number, name, algorithm, type, slots, compact, bytes, bytes, sketch_head + bytes,
		use_pairs | use_sample | use_trigger | use_files | use_live, "minhash_similar", "threshold", "jaccard",
		MeasureUnit::similarity, 0.8, 1, default_tokenizer, "estimate of jaccard", JoinWay::bands,
		&signature_kind(signature), compact ? &compact_operations : &minhash_operations};
}

inline constexpr Kind kinds[] = {
	minhash_kind(kind_minhash64, "minhash-h64-v1", "minhash-h64", "minhash64", 64, false, SketchKind::minhash64),
	minhash_kind(kind_minhash128, "minhash-h128-v1", "minhash-h128", "minhash128", 128, false, SketchKind::minhash128),
	minhash_kind(kind_minhash256, "minhash-h256-v1", "minhash-h256", "minhash256", 256, false, SketchKind::minhash256),
	minhash_kind(kind_minhash64_compact, "minhash-h64-b8-v1", "minhash-h64-b8", "minhash64_compact", 64, true,
		SketchKind::minhash64_compact),
	minhash_kind(kind_minhash128_compact, "minhash-h128-b8-v1", "minhash-h128-b8", "minhash128_compact", 128, true,
		SketchKind::minhash128_compact),
	minhash_kind(kind_minhash256_compact, "minhash-h256-b8-v1", "minhash-h256-b8", "minhash256_compact", 256, true,
		SketchKind::minhash256_compact),
	{kind_simhash64, "simhash-b64-v1", "simhash-b64", "simhash64", 0, false, 8, 8, 8,
		use_pairs | use_sample | use_trigger | use_files | use_live, "simhash_similar", "max_distance", "hamming",
		MeasureUnit::distance, 7, 64, default_simhash_tokenizer, "bits of 64 that differ", JoinWay::bits,
		&signature_kind(SketchKind::simhash64), &simhash_operations},
	{kind_tlsh, "tlsh-v1", "tlsh", "tlsh", 0, false, tlsh_bytes, tlsh_bytes, tlsh_bytes, use_pairs | use_files,
		"tlsh_similar", "max_distance", "tlsh_distance", MeasureUnit::distance, 40, 2473, default_tokenizer,
		"distance; 0: equal, 300 or more: unrelated", JoinWay::every_pair, &signature_kind(SketchKind::tlsh),
		&tlsh_operations},
	{kind_lavinhash, "lavinhash-v1", "lavinhash", "lavinhash", 0, false, lavinhash_max_size,
		sizeof(std::uint16_t) + lavinhash_max_size, 0, use_pairs | use_files, "lavinhash_similar", "min_score",
		"lavinhash_similarity", MeasureUnit::score, 80, 100, {}, "score of the bytes; 100: equal", JoinWay::every_pair,
		&signature_kind(SketchKind::lavinhash), &lavinhash_operations},
	{kind_embedding, "embedding-v1", "embedding", "embedding", 0, false, 0, 0, 0, use_pairs | use_trigger, nullptr,
		"threshold", "semantic_similarity", MeasureUnit::similarity, 0, 1, {}, nullptr, JoinWay::vectors, nullptr,
		nullptr},
	{0, nullptr, nullptr, "passages", 0, false, 0, 0, 0, use_trigger, "passages_similar", "min_shared",
		"passages_overlap", MeasureUnit::passages, 1, 0, {}, nullptr, JoinWay::none, nullptr, nullptr},
};

constexpr std::size_t max_row_bytes = [] {
	std::size_t most = 0;
	for (const Kind &kind : kinds)
		most = kind.row_bytes > most ? kind.row_bytes : most;
	return most;
}();
constexpr std::size_t max_binary_bytes = sketch_head + max_row_bytes;

struct alignas(8) RowBuffer {
	std::uint8_t bytes[max_row_bytes];
};

// The number must belong to a kind.
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

// The kind of the sketches with this number of slots; there must be one.
constexpr const Kind &sketch_kind_of(std::size_t slots, bool compact) noexcept
{
	const Kind *kind = kinds;
	while (kind->compact != compact || kind->slots != slots)
		++kind;
	return *kind;
}

} // namespace txtfp::core
