// The kinds of fingerprints of this program: compute, read, write and compare values, in the forms of the SQL types.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/join/exact_join.hpp"
#include "core/kinds/kinds.hpp"
#include "core/minhash/minhash.hpp"
#include "core/minhash/minhash_compact.hpp"
#include "core/simhash/simhash.hpp"
#include "core/tlsh/tlsh.hpp"
#include "core/text/text_options.hpp"

namespace txtfp::cli {

using Kind = core::KindNumber;

std::optional<Kind> parse_kind(std::string_view name) noexcept; // the name of the SQL type
constexpr std::string_view kind_name(Kind kind) noexcept { return core::kind_of(kind).type; }
constexpr std::size_t slots_of(Kind kind) noexcept { return core::kind_of(kind).slots; }
constexpr bool is_minhash(Kind kind) noexcept { return slots_of(kind) > 0; }
constexpr bool is_compact(Kind kind) noexcept { return core::kind_of(kind).compact; }
constexpr bool has_distance(Kind kind) noexcept { return core::kind_of(kind).unit == core::MeasureUnit::distance; }

// Bytes of a value in a row of a table: the slots (one byte each in the compact form), bits or digest; for lavinhash
// the size as u16, then the serialized form.
constexpr std::size_t value_bytes(Kind kind) noexcept
{
	return kind == core::kind_lavinhash ? core::LavinhashValues::bytes : core::kind_of(kind).max_bytes;
}
constexpr std::size_t max_value_bytes = value_bytes(core::kind_minhash256);
static_assert(max_value_bytes > value_bytes(core::kind_lavinhash));

struct alignas(8) Value {
	std::uint8_t bytes[max_value_bytes];
};

struct FingerprintOptions {
	Kind kind = core::kind_minhash128;
	core::TextOptions text; // for minhash* and simhash64; tlsh uses the canonicalizer
	core::Weighting weighting = core::Weighting::tf;
	std::uint64_t config = 0; // for minhash*: the hash of the configuration
};

// Takes strings as SQL does; an empty tokenizer means the default of the kind. Throws Failure.
FingerprintOptions fingerprint_options(Kind kind, const std::string &tokenizer, const std::string &canonicalizer,
	const std::string &hash, std::int64_t seed, const std::string &weighting);

// Computes the value of to_<kind>(text). Returns false where that is NULL.
bool compute(const FingerprintOptions &options, std::string_view text, std::uint8_t *value);

// Reads the text form. Returns an error message, or nullptr. For minhash*, `config` is that of the value, 0 if it has
// none.
const char *parse_value(Kind kind, std::string_view text, std::uint8_t *value, std::uint64_t &config);
void append_text(const FingerprintOptions &options, const std::uint8_t *value, std::string &out);

// Appends what the type's send function returns.
void append_binary(const FingerprintOptions &options, const std::uint8_t *value, std::string &out);

// Compares two values: the number of equal slots, the Hamming distance, the TLSH distance, or the LavinHash score.
int compare(Kind kind, const std::uint8_t *a, const std::uint8_t *b) noexcept;

// The similarity, 0 to 1, that a result of compare() means; of minhash* also the least number of equal slots that means a
// similarity.
inline double similarity_of(Kind kind, int measure) noexcept
{
	const auto slots = static_cast<unsigned>(measure);
	if (kind == core::kind_simhash64)
		return core::cosine_estimate(0, measure == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << measure) - 1);
	if (kind == core::kind_tlsh)
		return core::tlsh_similarity(measure);
	if (kind == core::kind_lavinhash)
		return measure / 100.0;
	return is_compact(kind) ? core::estimated_jaccard<std::uint8_t>(slots, slots_of(kind))
							: core::estimated_jaccard<std::uint64_t>(slots, slots_of(kind));
}
inline int least_equal(Kind kind, double similarity) noexcept
{
	return static_cast<int>(is_compact(kind) ? core::least_matches_of<std::uint8_t>(similarity, slots_of(kind))
											 : core::least_matches_of<std::uint64_t>(similarity, slots_of(kind)));
}

// Of a kind that is not compact, and of one that is.
core::ConstSlots slots_in(Kind kind, const std::uint8_t *value) noexcept;
core::ConstCompactSlots compact_slots_in(Kind kind, const std::uint8_t *value) noexcept;

} // namespace txtfp::cli
