#include "cli/fingerprints.hpp"

#include "cli/failure.hpp"
#include "cli/stop.hpp"
#include "core/minhash/minhash.hpp"

namespace txtfp::cli {

Kind parse_kind(std::string_view name) noexcept { return core::kind_of_type(name, core::use_files); }

core::CanonicalOptions read_canonicalizer(const std::string &name)
{
	core::CanonicalOptions options;
	if (!core::parse_canonicalizer(name, options))
		throw Failure("there is no canonicalizer " + in_quotes(name), exit_usage);
	return options;
}

core::Recipe make_recipe(Kind kind, const std::string &tokenizer, const std::string &canonicalizer,
	const std::string &hash, std::int64_t seed, const std::string &weighting)
{
	core::Recipe recipe{kind, {}};
	const std::string tokens = !tokenizer.empty() ? tokenizer
		: kind->is_text()                         ? std::string(kind->tokenizer)
												  : std::string(core::default_tokenizer);
	switch (core::parse_tokenizer(tokens, recipe.text.tokenizer)) {
	case core::TokenizerError::none:
		break;
	case core::TokenizerError::unknown:
		throw Failure("there is no tokenizer " + in_quotes(tokens), exit_usage);
	default:
		throw Failure("the shingles of tokenizer " + in_quotes(tokens) + " are impossible", exit_usage);
	}
	recipe.text.canonical = read_canonicalizer(canonicalizer);
	if (!core::parse_hash_family(hash, recipe.text.family))
		throw Failure("there is no hash " + in_quotes(hash) + "; valid are xxh3-64 and mmh3-x64-128", exit_usage);
	if (!core::parse_weighting(weighting, recipe.weighting) || recipe.weighting == core::Weighting::idf)
		throw Failure("there is no weighting " + in_quotes(weighting) + "; valid are tf and uniform", exit_usage);
	recipe.text.seed = static_cast<std::uint64_t>(seed);
	if (kind->is_sketch())
		recipe.config = core::minhash_config(recipe.text, kind->slots);
	return recipe;
}

bool compute(const core::Recipe &recipe, std::string_view text, std::uint8_t *value)
{
	return recipe.kind->operations->compute(recipe, text, value, stop_token);
}

} // namespace txtfp::cli
