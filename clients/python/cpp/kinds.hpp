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

namespace txtfp::python {

using Kind = const core::Kind *;
constexpr std::size_t max_binary = core::max_binary_bytes;

Kind parse_kind(std::string_view type); // of a text

core::CanonicalOptions canonicalizer_option(std::string_view text);
core::TokenizerSpec tokenizer_option(std::string_view text);
core::Recipe make_recipe(std::string_view kind, std::optional<std::string_view> tokenizer, std::string_view canonicalizer,
	std::string_view hash, std::int64_t seed, std::string_view weighting, bool of_tokens);

// Writes the binary form, max_binary bytes at most, and returns its size; 0 if the text has no fingerprint.
std::size_t fingerprint(const core::Recipe &recipe, std::string_view text, std::uint8_t *out);
std::size_t fingerprint_of_tokens(const core::Recipe &recipe, core::Tokens tokens, std::uint8_t *out);

std::string in_quotes(std::string_view value); // cut after 60 bytes
void check_text(std::string_view text);        // refuses what is no UTF-8

// A value as joins take it.
inline const std::uint8_t *row_of(Kind kind, std::span<const std::uint8_t> binary, core::RowBuffer &buffer) noexcept
{
	return kind->operations->row_of(*kind, binary, buffer.bytes);
}
void fold(Kind full, std::span<const std::uint8_t> binary, std::uint8_t *out) noexcept; // writes the compact form

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

// The measure of two values
inline int compare(Kind kind, std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) noexcept
{
	core::RowBuffer x, y;
	return kind->measure_of(row_of(kind, a, x), row_of(kind, b, y));
}

} // namespace txtfp::python
