// without_passages(): a text without the passages that many documents share.
#include "core/passages/boilerplate.hpp"
#include "pg/base/call_site.hpp"
#include "pg/base/owned.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/passages/passages.hpp"

using namespace txtfp;

// Arguments: (doc, frequent, guarantee, tokenizer, canonicalizer)
TXTFP_FUNCTION(txtfp_without_passages)
{
	const core::WinnowOptions options = pg::call_site<pg::WinnowArguments>(fcinfo).read(fcinfo, 2);
	const std::string_view doc = pg::text_arg(fcinfo, 0);
	const pg::Passages *frequent = pg::passages_arg(fcinfo, 1);
	auto *out = pg::make_owned<core::TextBuffer>(CurrentMemoryContext);
	std::uint64_t config = 0;
	pg::guarded([&] { config = core::winnow_config(options); });
	pg::Passages made{};
	made.config = config;
	pg::check_comparable(*frequent, made);
	pg::guarded([&] {
		std::size_t done = 0;
		for (const core::SourceRange &part : core::parts_among(doc, frequent->view(), options, pg::stop_token)) {
			out->append(doc.substr(done, part.byte - done));
			done = part.byte + part.bytes;
		}
		out->append(doc.substr(done));
	});
	PG_RETURN_TEXT_P(pg::make_text(pg::from_utf8(*out)));
}
