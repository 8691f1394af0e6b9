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

std::string configuration_name(std::uint64_t config, std::size_t slots)
{
	const std::string algorithm = minhash_algorithm(slots);
	for (int number = 0; number < canonicalizers; ++number) {
		const std::string canonical = format_canonicalizer(canonicalizer(number));
		for (int segmenter = 0; segmenter < segmenters; ++segmenter)
			for (std::uint32_t k = 0; k <= max_named_shingle; ++k) {
				TokenizerSpec spec;
				spec.segmenter = Segmenter{static_cast<std::uint8_t>(segmenter)};
				spec.depth = k > 0;
				spec.k[0] = k;
				const std::string tokenizer = format_tokenizer(spec);
				for (const HashFamily family : {HashFamily::xxh3, HashFamily::murmur3})
					if (config_hash(canonical, tokenizer, algorithm, family, default_seed) == config)
						return tokenizer + (number > 0 ? ", " + canonical : "") +
							(family == HashFamily::xxh3 ? "" : ", " + std::string(name(family)));
			}
	}
	return {};
}

} // namespace txtfp::core
