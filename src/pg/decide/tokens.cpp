#include "pg/decide/tokens.hpp"

#include "pg/base/guard.hpp"
#include "pg/text/options.hpp"

namespace txtfp::pg {

bool set_tokens(
	core::PairOptions &options, const GivenTokens &given, const std::optional<core::SketchConfiguration> &made)
{
	if (given.tokenizer && given.canonicalizer)
		return true;
	char tokenizer[64] = "shingle-k=5/word-uax29", canonicalizer[64] = "nfkc-cf-simple-bidi-fmt";
	bool known = !made || made->config != 0;
	if (made && known)
		guarded([&] {
			const std::optional<core::TextOptions> found = core::find_configuration(made->config, made->slots);
			known = found.has_value();
			if (!known)
				return;
			tokenizer[core::format_tokenizer(found->tokenizer).copy(tokenizer, sizeof tokenizer - 1)] = '\0';
			canonicalizer[core::format_canonicalizer(found->canonical).copy(canonicalizer, sizeof canonicalizer - 1)] =
				'\0';
		});
	if (!given.tokenizer)
		options.tokenizer = tokenizer_option(tokenizer);
	if (!given.canonicalizer)
		options.canonical = canonicalizer_option(canonicalizer);
	return known || given.tokenizer;
}

} // namespace txtfp::pg
