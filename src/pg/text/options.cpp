#include "pg/text/options.hpp"

#include "pg/base/guard.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/text/cjk.hpp"

namespace txtfp::pg {

namespace {

constexpr const char *canonicalizer_hint = "A canonicalizer is \"(nfc|nfkc|none)-(cf-simple|cf-none)\", then "
										   "optionally \"-bidi\", \"-fmt\" and \"-conf\", in this "
										   "order, such as \"nfkc-cf-simple-bidi-fmt\".";
constexpr const char *tokenizer_hint =
	"A tokenizer is \"word-uax29\", \"grapheme-uax29\", one of the extension txtfp_cjk, such as \"cjk-jieba\", or "
	"\"shingle-k=<k>/<tokenizer>\", such as \"shingle-k=5/word-uax29\".";
constexpr const char *document_hint =
	"This argument is a tokenizer. To take several columns for one document, concatenate them with ||, such as "
	"to_minhash128(title || ' ' || body).";
constexpr const char *hash_hint = "Valid hash functions are \"xxh3-64\" and \"mmh3-x64-128\".";

[[noreturn]] void reject(const char *what, std::string_view value, const char *hint)
{
	ereport(ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("unrecognized %s: \"%s\"", what, abbreviated(value)),
			errhint("%s", hint)));
	pg_unreachable();
}

} // namespace

core::CanonicalOptions canonicalizer_option(std::string_view text)
{
	core::CanonicalOptions options;
	if (!core::parse_canonicalizer(text, options))
		reject("canonicalizer", text, canonicalizer_hint);
	return options;
}

core::TokenizerSpec tokenizer_option(std::string_view text)
{
	core::TokenizerSpec spec;
	switch (core::parse_tokenizer(text, spec)) {
	case core::TokenizerError::none:
		break;
	case core::TokenizerError::unknown:
		reject("tokenizer", text, has_words(text) ? document_hint : tokenizer_hint);
	case core::TokenizerError::zero_k:
	case core::TokenizerError::k_too_large:
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("shingle size out of range in tokenizer \"%s\"", abbreviated(text)),
				errdetail("k must be between 1 and %u.", core::TokenizerSpec::max_k)));
		break;
	case core::TokenizerError::too_deep:
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("too many shingle levels in tokenizer \"%s\"", abbreviated(text)),
				errdetail("At most %u levels can be nested.", core::TokenizerSpec::max_depth)));
		break;
	}
	if (core::is_cjk(spec.segmenter))
		prepare_cjk(core::cjk_tokenizer(spec.segmenter));
	return spec;
}

core::HashFamily hash_option(std::string_view text)
{
	core::HashFamily family = core::HashFamily::xxh3;
	if (!core::parse_hash_family(text, family))
		reject("hash function", text, hash_hint);
	return family;
}

core::TextOptions TextOptionArguments::read(FunctionCallInfo fcinfo, int first, std::string_view default_tokenizer)
{
	core::TextOptions options;
	const int given = PG_NARGS() - first;
	options.tokenizer = tokenizer_(given > 0 ? text_arg(fcinfo, first) : default_tokenizer);
	if (given > 1)
		options.canonical = canonicalizer_(text_arg(fcinfo, first + 1));
	if (given > 2)
		options.family = hash_(text_arg(fcinfo, first + 2));
	if (given > 3)
		options.seed = static_cast<std::uint64_t>(PG_GETARG_INT64(first + 3));
	return options;
}

} // namespace txtfp::pg
