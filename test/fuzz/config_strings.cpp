// The parsers of configuration strings on any bytes: they accept only what the formatters write.
#include "core/base/hash.hpp"
#include "core/text/canonical.hpp"
#include "core/text/tokens.hpp"
#include "fuzz/fuzz.hpp"

using namespace txtfp::core;
using namespace txtfp::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	const std::string text(reinterpret_cast<const char *>(data), size);
	CanonicalOptions options;
	if (parse_canonicalizer(text, options))
		REQUIRE_EQ(format_canonicalizer(options), text);
	TokenizerSpec spec;
	if (parse_tokenizer(text, spec) == TokenizerError::none) {
		REQUIRE_EQ(format_tokenizer(spec), text);
		for (unsigned level = 0; level < spec.depth; ++level)
			REQUIRE_EQ(spec.k[level] >= 1 && spec.k[level] <= TokenizerSpec::max_k, true);
	}
	HashFamily family{};
	if (parse_hash_family(text, family))
		REQUIRE_EQ(name(family), text);
	return 0;
}
