// html_to_text(), html_to_plain_text() and markdown_to_text()
#include <string>

#include "core/html_text.hpp"
#include "core/markdown.hpp"
#include "pg/base/module_magic.hpp"
#include "pg/base/owned.hpp"
#include "pg/base/text_arg.hpp"

extern "C" {
#include "utils/memutils.h"
}

using namespace txtfp;

void _PG_init(void) { pg::throw_once(); }

// Converts the result to text; frees the memory of the computation at once, not only with the memory context.
static Datum result_text(std::string *utf8)
{
	text *const result = pg::make_text(pg::from_utf8(*utf8));
	pg::guarded([&] { std::string().swap(*utf8); });
	PG_RETURN_TEXT_P(result);
}

TXTFP_FUNCTION(txtfp_html_to_text)
{
	const std::string_view page = pg::text_arg(fcinfo, 0);
	auto *out = pg::make_owned<std::string>(CurrentMemoryContext);
	pg::guarded([&] { *out = markup::html_to_text(page, pg::stop_token); });
	return result_text(out);
}

TXTFP_FUNCTION(txtfp_html_to_plain_text)
{
	const std::string_view page = pg::text_arg(fcinfo, 0);
	auto *out = pg::make_owned<std::string>(CurrentMemoryContext);
	pg::guarded([&] { *out = markup::html_to_plain_text(page, pg::stop_token); });
	return result_text(out);
}

TXTFP_FUNCTION(txtfp_markdown_to_text)
{
	const std::string_view document = pg::text_arg(fcinfo, 0);
	const markup::MarkdownOptions options{PG_GETARG_BOOL(1), PG_GETARG_BOOL(2), PG_GETARG_BOOL(3)};
	auto *out = pg::make_owned<std::string>(CurrentMemoryContext);
	pg::guarded([&] { *out = markup::markdown_to_text(document, options, pg::stop_token); });
	return result_text(out);
}
