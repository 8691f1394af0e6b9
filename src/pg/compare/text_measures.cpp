// text_jaccard() and text_containment(): exact measures on the token sets of two texts.
#include "core/compare/text_measures.hpp"

#include "pg/base/call_site.hpp"
#include "pg/base/guard.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/text/options.hpp"

using namespace txtfp;

namespace {

core::SetOverlap overlap(FunctionCallInfo fcinfo)
{
	const core::TextOptions options =
		pg::call_site<pg::TextOptionArguments>(fcinfo).read(fcinfo, 2, core::default_tokenizer);
	const std::string_view a = pg::text_arg(fcinfo, 0), b = pg::text_arg(fcinfo, 1);
	core::SetOverlap overlap;
	pg::guarded([&] { overlap = core::token_overlap(a, b, options.canonical, options.tokenizer, pg::stop_token); });
	return overlap;
}

} // namespace

TXTFP_FUNCTION(txtfp_text_jaccard)
{
	const core::SetOverlap found = overlap(fcinfo);
	if (found.a == 0 || found.b == 0)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(found.jaccard());
}

TXTFP_FUNCTION(txtfp_text_containment)
{
	const core::SetOverlap found = overlap(fcinfo);
	if (found.a == 0 || found.b == 0)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(found.containment_of_a());
}
