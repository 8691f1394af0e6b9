// Options by their names, for tables of expected values.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/hash.hpp"
#include "core/text/canonical.hpp"
#include "core/text/tokens.hpp"

namespace txtfp::test {

inline std::vector<core::CanonicalOptions> all_canonicalizers()
{
	using core::Normalization;
	std::vector<core::CanonicalOptions> all;
	for (const Normalization form : {Normalization::nfc, Normalization::nfkc, Normalization::none})
		for (unsigned bits = 0; bits < 16; ++bits)
			all.push_back({form, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0});
	return all;
}

inline core::CanonicalOptions canonicalizer(std::string_view name)
{
	core::CanonicalOptions options;
	if (!core::parse_canonicalizer(name, options))
		throw std::runtime_error("not a canonicalizer: " + std::string(name));
	return options;
}

// Also knows shingle-k=0, which the parser rejects and the crate allows.
inline core::TokenizerSpec tokenizer(std::string_view name)
{
	constexpr std::string_view zero = "shingle-k=0/";
	core::TokenizerSpec spec;
	const bool no_tokens = name.starts_with(zero);
	std::string parsed = no_tokens ? "shingle-k=1/" + std::string(name.substr(zero.size())) : std::string(name);
	if (core::parse_tokenizer(parsed, spec) != core::TokenizerError::none)
		throw std::runtime_error("not a tokenizer: " + parsed);
	if (no_tokens)
		spec.k[0] = 0;
	return spec;
}

inline core::HashFamily hash_family(std::string_view name)
{
	core::HashFamily family{};
	if (!core::parse_hash_family(name, family))
		throw std::runtime_error("not a hash family: " + std::string(name));
	return family;
}

inline std::vector<std::string> tokens(std::string_view text, const core::TokenizerSpec &spec)
{
	std::vector<std::string> out;
	core::for_each_token(text, spec, [&](std::string_view token) { out.emplace_back(token); });
	return out;
}

inline std::vector<std::string> tokens(std::string_view text, std::string_view name)
{
	return tokens(text, tokenizer(name));
}

} // namespace txtfp::test
