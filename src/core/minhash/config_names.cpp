#include "core/minhash/config_names.hpp"

#include "core/minhash/minhash.hpp"
#include "core/text/config.hpp"

namespace txtfp::core {

namespace {

constexpr int canonicalizers = 48;

CanonicalOptions canonicalizer(int number) // 0 is the default
{
	CanonicalOptions options;
	options.normalization = Normalization{static_cast<std::uint8_t>((number % 3 + 1) % 3)};
	options.case_fold = (number / 3 & 1) == 0;
	options.strip_bidi = (number / 3 & 2) == 0;
	options.strip_format = (number / 3 & 4) == 0;
	options.confusable = (number / 3 & 8) != 0;
	return options;
}

} // namespace

std::optional<TextOptions> find_configuration(std::uint64_t config, std::size_t slots)
{
	const std::string algorithm = minhash_algorithm(slots);
	TextOptions options;
	for (int number = 0; number < canonicalizers; ++number) {
		options.canonical = canonicalizer(number);
		const std::string canonical = format_canonicalizer(options.canonical);
		for (int segmenter = 0; segmenter < segmenters; ++segmenter)
			for (std::uint32_t k = 0; k <= max_named_shingle; ++k) {
				options.tokenizer = {};
				options.tokenizer.segmenter = Segmenter{static_cast<std::uint8_t>(segmenter)};
				options.tokenizer.depth = k > 0;
				options.tokenizer.k[0] = k;
				const std::string tokenizer = format_tokenizer(options.tokenizer);
				for (const HashFamily family : {HashFamily::xxh3, HashFamily::murmur3}) {
					options.family = family;
					if (config_hash(canonical, tokenizer, algorithm, family, default_seed) == config)
						return options;
				}
			}
	}
	return std::nullopt;
}

std::string configuration_name(std::uint64_t config, std::size_t slots)
{
	const std::optional<TextOptions> found = find_configuration(config, slots);
	if (!found)
		return {};
	return format_tokenizer(found->tokenizer) +
		(found->canonical == CanonicalOptions{} ? "" : ", " + format_canonicalizer(found->canonical)) +
		(found->family == HashFamily::xxh3 ? "" : ", " + std::string(name(found->family)));
}

} // namespace txtfp::core
