#include "kinds.hpp"

#include <cstdio>

#include "core/base/bytes.hpp"
#include "core/minhash/minhash_compact.hpp"
#include "core/text/utf8_stream.hpp"
#include "parallel.hpp"
#include "refused.hpp"

namespace txtfp::python {

namespace {

[[noreturn]] void reject(const std::string &what, std::string_view value, const char *hint)
{
	throw Refused(Refusal::invalid_parameter, "unrecognized " + what + ": " + in_quotes(value), {}, hint);
}

std::uint64_t load_be64(const std::uint8_t *in) noexcept { return core::byte_swap(core::load_le64(in)); }

std::string hex(std::uint64_t v)
{
	char digits[16];
	core::hex_encode_u64(v, digits);
	return {digits, sizeof digits};
}

// Writes the binary form of what make(row) makes, and returns its size; 0 if that returns false.
template <class Make> std::size_t binary_of(const core::Recipe &recipe, std::uint8_t *out, Make make)
{
	core::RowBuffer row;
	return make(row.bytes) ? recipe.kind->operations->write_binary(*recipe.kind, recipe.config, row.bytes, out) : 0;
}

} // namespace

std::string in_quotes(std::string_view value)
{
	constexpr std::size_t longest = 60;
	const std::size_t kept = core::character_boundary(value, longest);
	return "\"" + std::string(value.substr(0, kept)) + (kept < value.size() ? "...\"" : "\"");
}

Kind parse_kind(std::string_view type)
{
	if (const Kind kind = core::kind_of_type(type, core::use_files))
		return kind;
	reject("kind of fingerprint", type,
		"Kinds are minhash64, minhash128, minhash256, their compact forms such as minhash128_compact, simhash64, "
		"tlsh and lavinhash.");
}

core::CanonicalOptions canonicalizer_option(std::string_view text)
{
	core::CanonicalOptions options;
	if (!core::parse_canonicalizer(text, options))
		reject("canonicalizer", text,
			"A canonicalizer is \"(nfc|nfkc|none)-(cf-simple|cf-none)\", then \"-bidi\", \"-fmt\" and \"-conf\" as "
			"wanted, in this order, such as \"nfkc-cf-simple-bidi-fmt\".");
	return options;
}

core::TokenizerSpec tokenizer_option(std::string_view text)
{
	core::TokenizerSpec spec;
	switch (core::parse_tokenizer(text, spec)) {
	case core::TokenizerError::none:
		break;
	case core::TokenizerError::unknown:
		reject("tokenizer", text,
			"A tokenizer is \"word-uax29\", \"grapheme-uax29\", or \"shingle-k=<k>/<tokenizer>\", such as "
			"\"shingle-k=5/word-uax29\".");
	case core::TokenizerError::zero_k:
	case core::TokenizerError::k_too_large:
		throw Refused(Refusal::invalid_parameter, "shingle size out of range in tokenizer " + in_quotes(text),
			"k must be between 1 and " + std::to_string(core::TokenizerSpec::max_k) + ".");
	case core::TokenizerError::too_deep:
		throw Refused(Refusal::invalid_parameter, "too many shingle levels in tokenizer " + in_quotes(text),
			"At most " + std::to_string(core::TokenizerSpec::max_depth) + " levels can be nested.");
	}
	if (core::is_cjk(spec.segmenter))
		throw Refused(Refusal::invalid_parameter, "tokenizer " + in_quotes(text) + " is not in the Python package",
			"It has dictionaries, which the server's extension txtfp_cjk brings.");
	return spec;
}

core::Recipe make_recipe(std::string_view kind, std::optional<std::string_view> tokenizer, std::string_view canonicalizer,
	std::string_view hash, std::int64_t seed, std::string_view weighting, bool of_tokens)
{
	core::Recipe recipe{parse_kind(kind), {}};
	recipe.text.tokenizer = tokenizer_option(
		tokenizer.value_or(recipe.kind->is_text() ? recipe.kind->tokenizer : core::default_tokenizer));
	recipe.text.canonical = canonicalizer_option(canonicalizer);
	if (!core::parse_hash_family(hash, recipe.text.family))
		reject("hash function", hash, "Valid hash functions are \"xxh3-64\" and \"mmh3-x64-128\".");
	if (!core::parse_weighting(weighting, recipe.weighting) || recipe.weighting == core::Weighting::idf)
		reject("weighting", weighting, "Valid weightings are \"tf\" and \"uniform\".");
	recipe.text.seed = static_cast<std::uint64_t>(seed);
	// Of tokens from elsewhere the configuration is known only if the caller declares it.
	if (recipe.kind->is_sketch() && (!of_tokens || tokenizer))
		recipe.config = core::minhash_config(recipe.text, recipe.kind->slots);
	return recipe;
}

std::size_t fingerprint(const core::Recipe &recipe, std::string_view text, std::uint8_t *out)
{
	if (recipe.kind->is_text())
		check_text(text);
	return binary_of(recipe, out,
		[&](std::uint8_t *row) { return recipe.kind->operations->compute(recipe, text, row, stop_token); });
}

std::size_t fingerprint_of_tokens(const core::Recipe &recipe, core::Tokens tokens, std::uint8_t *out)
{
	const auto compute = recipe.kind->operations->compute_tokens;
	if (compute == nullptr)
		throw nb::type_error(("a " + std::string(recipe.kind->type) + " is made of a text, not of tokens").c_str());
	return binary_of(recipe, out, [&](std::uint8_t *row) { return compute(recipe, tokens, row); });
}

void check_text(std::string_view text)
{
	const core::Utf8Prefix prefix = core::utf8_prefix(text);
	if (prefix.size == text.size())
		return;
	char message[64];
	std::snprintf(message, sizeof message, "invalid byte sequence for encoding \"UTF8\": 0x%02x",
		static_cast<unsigned>(static_cast<unsigned char>(text[prefix.size])));
	throw Refused(Refusal::invalid_text, message, "It is at byte " + std::to_string(prefix.size) + " of the text.");
}

void fold(Kind full, std::span<const std::uint8_t> binary, std::uint8_t *out) noexcept
{
	core::RowBuffer row, folded;
	const auto *slots = reinterpret_cast<const std::uint64_t *>(row_of(full, binary, row));
	core::compact({slots, full->slots}, folded.bytes);
	const core::Kind &kind = core::sketch_kind_of(full->slots, true);
	kind.operations->write_binary(kind, load_be64(binary.data()), folded.bytes, out);
}

Fingerprints::Fingerprints(nb::handle source, std::string_view kind) : column_(source)
{
	find_kind(kind);
	check_values();
}

void Fingerprints::find_kind(std::string_view given)
{
	if (!given.empty()) {
		kind_ = parse_kind(given);
		is_kind_known_ = true;
		return;
	}
	for (std::size_t row = 0; row < size(); ++row) {
		if (is_null(row))
			continue;
		is_kind_known_ = true;
		for (const core::Kind &kind : core::kinds)
			if ((kind.uses & core::use_files) != 0 && kind.operations->check_binary(kind, (*this)[row]) == nullptr) {
				kind_ = &kind;
				return;
			}
		throw Refused(Refusal::invalid_value,
			"a value of " + std::to_string((*this)[row].size()) + " bytes is no fingerprint", {},
			"Fingerprints are made by txtfp.core.fingerprints; their binary form is that of COPY.");
	}
}

void Fingerprints::check_values()
{
	for (std::size_t row = 0; row < size(); ++row) {
		if (is_null(row))
			continue;
		if (const char *detail = kind_->operations->check_binary(*kind_, (*this)[row]))
			throw Refused(Refusal::invalid_value,
				"invalid binary representation of " + std::string(kind_->type) + " in row " + std::to_string(row),
				detail);
		if (!kind_->is_sketch())
			continue;
		const std::uint64_t config = load_be64((*this)[row].data());
		if (config_ != 0 && config != 0 && config != config_)
			throw Refused(Refusal::configuration_mismatch,
				"cannot compare " + std::string(kind_->type) + " values made with different configurations",
				"Their configuration hashes are " + hex(config_) + " and " + hex(config) + ".",
				"Use the same tokenizer, canonicalizer, hash and seed for all values that are compared.");
		config_ = config_ != 0 ? config_ : config;
	}
}

void Fingerprints::check_comparable(const Fingerprints &other) const
{
	if (kind_ != other.kind_ && is_kind_known_ && other.is_kind_known_)
		throw nb::type_error(
			("a " + std::string(kind_->type) + " cannot be compared with a " + std::string(other.kind_->type)).c_str());
	if (config_ != 0 && other.config_ != 0 && config_ != other.config_)
		throw Refused(Refusal::configuration_mismatch,
			"cannot compare " + std::string(kind_->type) + " values made with different configurations",
			"Their configuration hashes are " + hex(config_) + " and " + hex(other.config_) + ".",
			"Use the same tokenizer, canonicalizer, hash and seed for all values that are compared.");
}

} // namespace txtfp::python
