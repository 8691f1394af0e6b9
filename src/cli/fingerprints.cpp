#include "cli/fingerprints.hpp"

#include <cstring>

#include "cli/failure.hpp"
#include "cli/stop.hpp"
#include "core/base/bytes.hpp"
#include "core/text/pipeline.hpp"

namespace txtfp::cli {

namespace {

std::span<const std::uint8_t> bytes_of(std::string_view text)
{
	return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()};
}

std::uint64_t bits_in(const std::uint8_t *value) noexcept
{
	std::uint64_t bits;
	std::memcpy(&bits, value, sizeof bits);
	return bits;
}

void append_be64(std::uint64_t v, std::string &out)
{
	char bytes[8];
	core::store_le64(bytes, core::byte_swap(v));
	out.append(bytes, sizeof bytes);
}

bool compute_tlsh(const FingerprintOptions &options, std::string_view text, std::uint8_t *value)
{
	core::CanonicalPieces pieces(options.text.canonical, stop_token);
	core::TlshBuilder builder;
	pieces.append(
		text, true, [&](std::string_view canonical, bool) { builder.append(bytes_of(canonical), stop_token); });
	core::Tlsh digest;
	if (builder.finish(digest) != core::TlshOutcome::ok)
		return false;
	std::memcpy(value, digest.bytes, core::tlsh_bytes);
	return true;
}

bool compute_lavinhash(std::string_view text, std::uint8_t *value)
{
	if (text.empty())
		return false;
	const auto size = static_cast<std::uint16_t>(core::lavinhash(bytes_of(text), {}, value + 2, stop_token));
	std::memcpy(value, &size, sizeof size);
	return true;
}

bool compute_minhash(const FingerprintOptions &options, std::string_view text, std::uint8_t *value)
{
	const std::size_t slots = slots_of(options.kind);
	if (!is_compact(options.kind))
		return core::minhash(text, options.text, {reinterpret_cast<std::uint64_t *>(value), slots}, stop_token);
	std::uint64_t sketch[core::minhash_max_slots];
	if (!core::minhash(text, options.text, {sketch, slots}, stop_token))
		return false;
	core::compact({sketch, slots}, value);
	return true;
}

core::MinhashParse read_minhash(Kind kind, std::string_view text, std::uint8_t *value, std::uint64_t &config)
{
	if (is_compact(kind))
		return core::read_text(text, config, core::CompactSlots(value, slots_of(kind)));
	return core::read_text(text, config, core::Slots(reinterpret_cast<std::uint64_t *>(value), slots_of(kind)));
}

const char *parse_minhash(Kind kind, std::string_view text, std::uint8_t *value, std::uint64_t &config)
{
	switch (read_minhash(kind, text, value, config)) {
	case core::MinhashParse::ok:
		return nullptr;
	case core::MinhashParse::bad_length:
		return "it does not have the length of one";
	case core::MinhashParse::bad_digit:
		return "it has characters that are no hexadecimal digits";
	case core::MinhashParse::bad_schema:
		return "it is of an unknown version";
	case core::MinhashParse::bad_bits:
	case core::MinhashParse::bad_padding:
		return "its padding is not zero";
	}
	return "it is broken";
}

const char *parse_lavinhash(std::string_view text, std::uint8_t *value)
{
	const std::size_t size = text.size() / 2;
	if (text.size() % 2 != 0 || size > core::lavinhash_max_size)
		return "it does not have the length of one";
	if (!core::hex_decode(text.data(), size, value + 2))
		return "it has characters that are no hexadecimal digits";
	if (core::lavinhash_check({value + 2, size}) != core::LavinhashError::none)
		return "it is no serialized LavinHash";
	const auto stored = static_cast<std::uint16_t>(size);
	std::memcpy(value, &stored, sizeof stored);
	return nullptr;
}

} // namespace

std::optional<Kind> parse_kind(std::string_view name) noexcept
{
	if (const core::Kind *kind = core::kind_of_type(name, core::use_files))
		return static_cast<Kind>(kind->number);
	return std::nullopt;
}

FingerprintOptions fingerprint_options(Kind kind, const std::string &tokenizer, const std::string &canonicalizer,
	const std::string &hash, std::int64_t seed, const std::string &weighting)
{
	FingerprintOptions options;
	options.kind = kind;
	const std::string tokens = !tokenizer.empty()
		? tokenizer
		: std::string(kind == core::kind_simhash64 ? core::default_simhash_tokenizer : core::default_tokenizer);
	switch (core::parse_tokenizer(tokens, options.text.tokenizer)) {
	case core::TokenizerError::none:
		break;
	case core::TokenizerError::unknown:
		throw Failure("there is no tokenizer " + in_quotes(tokens), exit_usage);
	default:
		throw Failure("the shingles of tokenizer " + in_quotes(tokens) + " are impossible", exit_usage);
	}
	if (!core::parse_canonicalizer(canonicalizer, options.text.canonical))
		throw Failure("there is no canonicalizer " + in_quotes(canonicalizer), exit_usage);
	if (!core::parse_hash_family(hash, options.text.family))
		throw Failure("there is no hash " + in_quotes(hash) + "; valid are xxh3-64 and mmh3-x64-128", exit_usage);
	if (!core::parse_weighting(weighting, options.weighting) || options.weighting == core::Weighting::idf)
		throw Failure("there is no weighting " + in_quotes(weighting) + "; valid are tf and uniform", exit_usage);
	options.text.seed = static_cast<std::uint64_t>(seed);
	if (is_minhash(kind))
		options.config = core::minhash_config(options.text, slots_of(kind));
	return options;
}

bool compute(const FingerprintOptions &options, std::string_view text, std::uint8_t *value)
{
	switch (options.kind) {
	case core::kind_simhash64: {
		std::uint64_t bits;
		if (!core::simhash(text, {options.text, options.weighting, nullptr}, bits, stop_token))
			return false;
		std::memcpy(value, &bits, sizeof bits);
		return true;
	}
	case core::kind_tlsh:
		return compute_tlsh(options, text, value);
	case core::kind_lavinhash:
		return compute_lavinhash(text, value);
	default:
		return compute_minhash(options, text, value);
	}
}

const char *parse_value(Kind kind, std::string_view text, std::uint8_t *value, std::uint64_t &config)
{
	config = 0;
	if (is_minhash(kind))
		return parse_minhash(kind, text, value, config);
	if (kind == core::kind_lavinhash)
		return parse_lavinhash(text, value);
	if (kind == core::kind_tlsh) {
		core::Tlsh digest;
		if (!core::parse_tlsh(text, digest))
			return "it is not T1 and 70 hexadecimal digits";
		std::memcpy(value, digest.bytes, core::tlsh_bytes);
		return nullptr;
	}
	std::uint64_t bits;
	if (text.size() != 16 || !core::hex_decode_u64(text.data(), bits))
		return "it is not 16 hexadecimal digits";
	std::memcpy(value, &bits, sizeof bits);
	return nullptr;
}

void append_text(const FingerprintOptions &options, const std::uint8_t *value, std::string &out)
{
	const std::size_t at = out.size();
	if (is_compact(options.kind)) {
		const core::ConstCompactSlots slots = compact_slots_in(options.kind, value);
		out.resize(at + core::compact_text_size(slots.size()));
		core::write_text(options.config, slots, out.data() + at);
	} else if (is_minhash(options.kind)) {
		const core::ConstSlots slots = slots_in(options.kind, value);
		out.resize(at + core::text_size(slots.size()));
		core::write_text(options.config, slots, out.data() + at);
	} else if (options.kind == core::kind_simhash64) {
		out.resize(at + 16);
		core::hex_encode_u64(bits_in(value), out.data() + at);
	} else if (options.kind == core::kind_tlsh) {
		out.resize(at + core::tlsh_text_size);
		core::format_tlsh(core::TlshValues::view(value), out.data() + at);
	} else {
		const core::LavinhashBytes bytes = core::LavinhashValues::view(value);
		out.resize(at + 2 * bytes.size());
		core::hex_encode(bytes.data(), bytes.size(), out.data() + at);
	}
}

void append_binary(const FingerprintOptions &options, const std::uint8_t *value, std::string &out)
{
	if (is_compact(options.kind)) {
		const core::ConstCompactSlots slots = compact_slots_in(options.kind, value);
		append_be64(options.config, out);
		const std::size_t at = out.size();
		out.resize(at + core::compact_wire_size(slots.size()));
		core::write_wire(slots, reinterpret_cast<std::uint8_t *>(out.data() + at));
	} else if (is_minhash(options.kind)) {
		const core::ConstSlots slots = slots_in(options.kind, value);
		append_be64(options.config, out);
		const std::size_t at = out.size();
		out.resize(at + core::wire_size(slots.size()));
		core::write_wire(slots, reinterpret_cast<std::uint8_t *>(out.data() + at));
	} else if (options.kind == core::kind_simhash64) {
		append_be64(bits_in(value), out);
	} else if (options.kind == core::kind_tlsh) {
		out.append(reinterpret_cast<const char *>(value), core::tlsh_bytes);
	} else {
		const core::LavinhashBytes bytes = core::LavinhashValues::view(value);
		out.append(reinterpret_cast<const char *>(bytes.data()), bytes.size());
	}
}

int compare(Kind kind, const std::uint8_t *a, const std::uint8_t *b) noexcept
{
	switch (kind) {
	case core::kind_simhash64:
		return core::hamming(bits_in(a), bits_in(b));
	case core::kind_tlsh:
		return core::TlshValues::measure(a, b);
	case core::kind_lavinhash:
		return core::LavinhashValues::measure(a, b);
	default:
		return static_cast<int>(is_compact(kind)
				? core::matching_slots(compact_slots_in(kind, a), compact_slots_in(kind, b))
				: core::matching_slots(slots_in(kind, a), slots_in(kind, b)));
	}
}

core::ConstSlots slots_in(Kind kind, const std::uint8_t *value) noexcept
{
	return {reinterpret_cast<const std::uint64_t *>(value), slots_of(kind)};
}

core::ConstCompactSlots compact_slots_in(Kind kind, const std::uint8_t *value) noexcept
{
	return {value, slots_of(kind)};
}

} // namespace txtfp::cli
