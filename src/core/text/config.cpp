#include "core/text/config.hpp"

#include <string>

namespace txtfp::core {

namespace {

std::string joined(std::string_view canonicalizer, std::string_view tokenizer, std::string_view algorithm)
{
	std::string text(canonicalizer);
	for (const std::string_view part : {tokenizer, algorithm})
		text.append("|").append(part);
	return text;
}

} // namespace

std::uint64_t config_hash(std::string_view canonicalizer, std::string_view tokenizer, std::string_view algorithm)
{
	const std::string text = joined(canonicalizer, tokenizer, algorithm);
	return xxh3_64(text.data(), text.size(), 0);
}

std::uint64_t config_hash(std::string_view canonicalizer, std::string_view tokenizer, std::string_view algorithm,
	HashFamily family, std::uint64_t seed)
{
	char digits[16];
	hex_encode_u64(seed, digits);
	std::string text = joined(canonicalizer, tokenizer, algorithm);
	text.append("|").append(name(family)).append("|").append(digits, sizeof digits);
	return xxh3_64(text.data(), text.size(), 0);
}

} // namespace txtfp::core
