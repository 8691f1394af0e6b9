// The kinds of fingerprints in their binary form, which is that of the server's send functions:
//   minhash*    configuration (8 bytes, big-endian), then the wire form: 8 bytes of head and the slots
//   simhash64   8 bytes, big-endian        tlsh   35 bytes        lavinhash   1028 to 1158 bytes
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "arrow.hpp"
#include "core/kinds/kinds.hpp"
#include "core/simhash/simhash.hpp"
#include "core/text/text_options.hpp"

namespace txtfp::python {

using Kind = const core::Kind *;
constexpr std::size_t slots_at = 16, max_binary = 16 + 8 * 256;

Kind parse_kind(std::string_view type); // not embedding, which is not made of texts
constexpr bool is_full(Kind kind) noexcept { return kind->slots != 0 && !kind->compact; }
constexpr bool is_minhash(Kind kind) noexcept { return kind->slots != 0; }
constexpr bool is_simhash(Kind kind) noexcept { return kind->number == core::kind_simhash64; }
constexpr bool is_tlsh(Kind kind) noexcept { return kind->number == core::kind_tlsh; }
constexpr bool is_lavinhash(Kind kind) noexcept { return kind->number == core::kind_lavinhash; }
constexpr bool has_distance(Kind kind) noexcept { return kind->unit == core::MeasureUnit::distance; }
constexpr std::size_t slots(Kind kind) noexcept { return kind->slots; }
std::size_t binary_size(Kind kind) noexcept; // 0: it varies
Kind compact_kind(Kind full) noexcept;

// How fingerprints of texts are made.
struct Recipe {
	Kind kind = &core::kind_of(core::kind_minhash128);
	core::TextOptions text;
	core::Weighting weighting = core::Weighting::tf;
	std::uint64_t config = 0; // what minhash* carries
};

core::CanonicalOptions canonicalizer_option(std::string_view text);
core::TokenizerSpec tokenizer_option(std::string_view text);
Recipe make_recipe(std::string_view kind, std::optional<std::string_view> tokenizer, std::string_view canonicalizer,
	std::string_view hash, std::int64_t seed, std::string_view weighting, bool of_tokens);

// Writes the binary form, max_binary bytes at most, and returns its size; 0 if the text has no fingerprint.
std::size_t fingerprint(const Recipe &recipe, std::string_view text, std::uint8_t *out);
std::size_t fingerprint_of_tokens(const Recipe &recipe, core::Tokens tokens, std::uint8_t *out);

std::string in_quotes(std::string_view value); // cut after 60 bytes
void check_text(std::string_view text);        // refuses what is no UTF-8

// The slots of a full sketch, copied to the buffer if they are not aligned.
const std::uint64_t *full_slots(Kind kind, const std::uint8_t *binary, std::uint64_t *buffer) noexcept;
inline const std::uint8_t *compact_slots(const std::uint8_t *binary) noexcept { return binary + slots_at; }
std::uint64_t simhash_bits(const std::uint8_t *binary) noexcept;

void fold(Kind full, const std::uint8_t *binary, std::uint8_t *out) noexcept; // the compact form of a full sketch

// A column of fingerprints of one kind, checked; sketches have one configuration.
class Fingerprints {
public:
	Fingerprints(nb::handle source, std::string_view kind); // without a kind, it is known by the size of a value
	std::size_t size() const noexcept { return column_.size(); }
	bool is_null(std::size_t row) const noexcept { return column_.is_null(row); }
	std::span<const std::uint8_t> operator[](std::size_t row) const noexcept
	{
		return {reinterpret_cast<const std::uint8_t *>(column_[row].data()), column_[row].size()};
	}
	Kind kind() const noexcept { return kind_; }
	bool is_kind_known() const noexcept { return is_kind_known_; } // not of a column of nulls without a kind
	std::uint64_t config() const noexcept { return config_; }
	void check_comparable(const Fingerprints &other) const;

private:
	void find_kind(std::string_view given);
	void check_values();

	Column column_;
	Kind kind_ = &core::kind_of(core::kind_minhash128);
	bool is_kind_known_ = false;
	std::uint64_t config_ = 0;
};

// Of minhash* the number of equal slots, of simhash64 and tlsh the distance, of lavinhash the score.
int compare(Kind kind, std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) noexcept;
double jaccard(Kind kind, int equal_slots) noexcept;

} // namespace txtfp::python
