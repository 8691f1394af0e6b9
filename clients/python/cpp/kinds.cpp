#include "kinds.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

#include "core/base/bytes.hpp"
#include "core/minhash/minhash.hpp"
#include "core/minhash/minhash_compact.hpp"
#include "core/text/pipeline.hpp"
#include "core/text/utf8_stream.hpp"
#include "core/tlsh/tlsh.hpp"
#include "parallel.hpp"
#include "refused.hpp"

namespace txtfp::python {

namespace {

[[noreturn]] void reject(const std::string &what, std::string_view value, const char *hint)
{
	throw Refused(Refusal::invalid_parameter, "unrecognized " + what + ": " + in_quotes(value), {}, hint);
}

void store_be64(std::uint64_t v, std::uint8_t *out) noexcept { core::store_le64(out, core::byte_swap(v)); }
std::uint64_t load_be64(const std::uint8_t *in) noexcept { return core::byte_swap(core::load_le64(in)); }

std::span<const std::uint8_t> bytes_of(std::string_view text)
{
	return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()};
}

std::string hex(std::uint64_t v)
{
	char digits[16];
	core::hex_encode_u64(v, digits);
	return {digits, sizeof digits};
}

// Where the slots of a sketch are computed: in its binary form, if they can stand there as they are.
core::Slots slots_for(const Recipe &recipe, std::uint8_t *out, std::uint64_t *buffer) noexcept
{
	std::uint8_t *at = out + slots_at;
	const bool in_place = is_full(recipe.kind) && std::endian::native == std::endian::little &&
		reinterpret_cast<std::uintptr_t>(at) % alignof(std::uint64_t) == 0;
	return {in_place ? reinterpret_cast<std::uint64_t *>(at) : buffer, slots(recipe.kind)};
}

std::size_t write_sketch(const Recipe &recipe, core::Slots sketch, std::uint8_t *out)
{
	store_be64(recipe.config, out);
	if (!is_full(recipe.kind)) {
		std::uint8_t folded[core::minhash_max_slots];
		core::compact(sketch, folded);
		core::write_wire(core::ConstCompactSlots(folded, sketch.size()), out + 8);
	} else if (reinterpret_cast<std::uint8_t *>(sketch.data()) == out + slots_at) {
		core::store_le64(out + 8, core::minhash_schema);
	} else {
		core::write_wire(core::ConstSlots(sketch), out + 8);
	}
	return binary_size(recipe.kind);
}

std::size_t tlsh_of(const Recipe &recipe, std::string_view text, std::uint8_t *out)
{
	core::CanonicalPieces pieces(recipe.text.canonical, stop_token);
	core::TlshBuilder builder;
	pieces.append(
		text, true, [&](std::string_view canonical, bool) { builder.append(bytes_of(canonical), stop_token); });
	core::Tlsh digest;
	if (builder.finish(digest) != core::TlshOutcome::ok)
		return 0;
	std::memcpy(out, digest.bytes, core::tlsh_bytes);
	return core::tlsh_bytes;
}

const char *fault(Kind kind, std::span<const std::uint8_t> binary) noexcept
{
	const auto has_head = [&](std::uint64_t head) { return core::load_le64(binary.data() + 8) == head; };
	if (is_lavinhash(kind))
		return core::lavinhash_check(binary) == core::LavinhashError::none ? nullptr : "It is no serialized LavinHash.";
	if (binary.size() != binary_size(kind))
		return "It does not have the length of one.";
	if (is_minhash(kind) && !has_head(is_full(kind) ? core::minhash_schema : core::minhash_schema | 8 << 16))
		return "Its head is not that of a sketch.";
	return nullptr;
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
	for (const core::Kind &kind : core::kinds)
		if (type == kind.type && kind.number != core::kind_embedding)
			return &kind;
	reject("kind of fingerprint", type,
		"Kinds are minhash64, minhash128, minhash256, their compact forms such as minhash128_compact, simhash64, "
		"tlsh and lavinhash.");
}

std::size_t binary_size(Kind kind) noexcept
{
	return is_lavinhash(kind) ? 0 : (is_minhash(kind) ? slots_at : 0) + kind->max_bytes;
}

Kind compact_kind(Kind full) noexcept
{
	return &core::kind_of(
		static_cast<core::KindNumber>(full->number - core::kind_minhash64 + core::kind_minhash64_compact));
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

Recipe make_recipe(std::string_view kind, std::optional<std::string_view> tokenizer, std::string_view canonicalizer,
	std::string_view hash, std::int64_t seed, std::string_view weighting, bool of_tokens)
{
	Recipe recipe;
	recipe.kind = parse_kind(kind);
	recipe.text.tokenizer = tokenizer_option(
		tokenizer.value_or(is_simhash(recipe.kind) ? core::default_simhash_tokenizer : core::default_tokenizer));
	recipe.text.canonical = canonicalizer_option(canonicalizer);
	if (!core::parse_hash_family(hash, recipe.text.family))
		reject("hash function", hash, "Valid hash functions are \"xxh3-64\" and \"mmh3-x64-128\".");
	if (!core::parse_weighting(weighting, recipe.weighting) || recipe.weighting == core::Weighting::idf)
		reject("weighting", weighting, "Valid weightings are \"tf\" and \"uniform\".");
	recipe.text.seed = static_cast<std::uint64_t>(seed);
	// Of tokens from elsewhere the configuration is known only if the caller declares it.
	if (is_minhash(recipe.kind) && (!of_tokens || tokenizer))
		recipe.config = core::minhash_config(recipe.text, slots(recipe.kind));
	return recipe;
}

std::size_t fingerprint(const Recipe &recipe, std::string_view text, std::uint8_t *out)
{
	if (is_lavinhash(recipe.kind))
		return text.empty() ? 0 : core::lavinhash(bytes_of(text), {}, out, stop_token);
	check_text(text);
	if (is_tlsh(recipe.kind))
		return tlsh_of(recipe, text, out);
	if (is_simhash(recipe.kind)) {
		std::uint64_t bits;
		if (!core::simhash(text, {recipe.text, recipe.weighting, nullptr}, bits, stop_token))
			return 0;
		store_be64(bits, out);
		return sizeof bits;
	}
	std::uint64_t buffer[core::minhash_max_slots];
	const core::Slots sketch = slots_for(recipe, out, buffer);
	return core::minhash(text, recipe.text, sketch, stop_token) ? write_sketch(recipe, sketch, out) : 0;
}

std::size_t fingerprint_of_tokens(const Recipe &recipe, core::Tokens tokens, std::uint8_t *out)
{
	if (is_simhash(recipe.kind)) {
		core::SimhashBuilder builder({recipe.text, recipe.weighting, nullptr});
		for (std::size_t first = 0; first < tokens.size(); first += core::token_batch)
			builder.add(tokens.subspan(first, std::min(core::token_batch, tokens.size() - first)));
		std::uint64_t bits;
		if (!builder.finish(bits))
			return 0;
		store_be64(bits, out);
		return sizeof bits;
	}
	if (!is_minhash(recipe.kind))
		throw nb::type_error(("a " + std::string(recipe.kind->type) + " is made of a text, not of tokens").c_str());
	std::uint64_t buffer[core::minhash_max_slots];
	const core::Slots sketch = slots_for(recipe, out, buffer);
	core::MinhashBuilder builder(recipe.text.family, recipe.text.seed, sketch);
	builder.add(tokens);
	return builder.finish() ? write_sketch(recipe, sketch, out) : 0;
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

const std::uint64_t *full_slots(Kind kind, const std::uint8_t *binary, std::uint64_t *buffer) noexcept
{
	const std::uint8_t *at = binary + slots_at;
	if (std::endian::native == std::endian::little &&
		reinterpret_cast<std::uintptr_t>(at) % alignof(std::uint64_t) == 0)
		return reinterpret_cast<const std::uint64_t *>(at);
	for (std::size_t i = 0; i < slots(kind); ++i)
		buffer[i] = core::load_le64(at + 8 * i);
	return buffer;
}

void fold(Kind full, const std::uint8_t *binary, std::uint8_t *out) noexcept
{
	std::uint64_t buffer[core::minhash_max_slots];
	std::uint8_t folded[core::minhash_max_slots];
	std::memcpy(out, binary, 8);
	core::compact(core::ConstSlots(full_slots(full, binary, buffer), slots(full)), folded);
	core::write_wire(core::ConstCompactSlots(folded, slots(full)), out + 8);
}

std::uint64_t simhash_bits(const std::uint8_t *binary) noexcept { return load_be64(binary); }

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
			if (kind.number != core::kind_embedding && fault(kind_ = &kind, (*this)[row]) == nullptr)
				return;
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
		if (const char *detail = fault(kind_, (*this)[row]))
			throw Refused(Refusal::invalid_value,
				"invalid binary representation of " + std::string(kind_->type) + " in row " + std::to_string(row),
				detail);
		if (!is_minhash(kind_))
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

int compare(Kind kind, std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) noexcept
{
	if (is_full(kind)) {
		std::uint64_t x[core::minhash_max_slots], y[core::minhash_max_slots];
		return static_cast<int>(core::matching_slots(core::ConstSlots(full_slots(kind, a.data(), x), slots(kind)),
			core::ConstSlots(full_slots(kind, b.data(), y), slots(kind))));
	}
	if (is_minhash(kind))
		return static_cast<int>(core::matching_slots(core::ConstCompactSlots(compact_slots(a.data()), slots(kind)),
			core::ConstCompactSlots(compact_slots(b.data()), slots(kind))));
	if (is_simhash(kind))
		return core::hamming(simhash_bits(a.data()), simhash_bits(b.data()));
	if (is_lavinhash(kind))
		return core::lavinhash_similarity(a, b);
	core::Tlsh x, y;
	std::memcpy(x.bytes, a.data(), core::tlsh_bytes);
	std::memcpy(y.bytes, b.data(), core::tlsh_bytes);
	return core::tlsh_distance(x, y);
}

double jaccard(Kind kind, int equal_slots) noexcept
{
	const auto equal = static_cast<unsigned>(equal_slots);
	return is_full(kind) ? core::estimated_jaccard<std::uint64_t>(equal, slots(kind))
						 : core::estimated_jaccard<std::uint8_t>(equal, slots(kind));
}

} // namespace txtfp::python
