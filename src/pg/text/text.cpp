// canonicalize() and tokenize(): the steps before a fingerprint, for users who want to see or combine them.
#include "core/text/canonical.hpp"
#include "core/text/tokens.hpp"
#include "pg/base/call_site.hpp"
#include "pg/base/owned.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/text/options.hpp"
#include "pg/text/text_list.hpp"

using namespace txtfp;

TXTFP_FUNCTION(txtfp_canonicalize)
{
	using Canonicalizer = pg::ParsedOption<pg::canonicalizer_option>;
	const core::CanonicalOptions options = pg::call_site<Canonicalizer>(fcinfo)(pg::text_arg(fcinfo, 1));
	const std::string_view doc = pg::text_arg(fcinfo, 0);
	auto *out = pg::make_owned<core::TextBuffer>(CurrentMemoryContext);
	pg::guarded([&] { *out = core::canonicalize(doc, options, pg::stop_token); });
	PG_RETURN_TEXT_P(pg::make_text(pg::from_utf8(*out)));
}

TXTFP_FUNCTION(txtfp_tokenize)
{
	using Tokenizer = pg::ParsedOption<pg::tokenizer_option>;
	const core::TokenizerSpec spec = pg::call_site<Tokenizer>(fcinfo)(pg::text_arg(fcinfo, 1));
	const std::string_view doc = pg::text_arg(fcinfo, 0);
	auto *tokens = pg::make_owned<pg::TextList>(CurrentMemoryContext, "array of tokens would exceed 1 GB");
	pg::guarded([&] {
		core::for_each_token(
			doc, spec, [tokens](std::string_view token) { tokens->add(token); }, pg::stop_token);
	});
	PG_RETURN_ARRAYTYPE_P(pg::make_text_array(*tokens));
}
