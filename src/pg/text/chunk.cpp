// chunk_for_model(): cuts a text into chunks for an embedding model.
#include "core/text/chunk.hpp"

#include "pg/base/owned.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/text/text_list.hpp"

using namespace txtfp;

namespace {

std::uint32_t tokens_option(const char *name, int value)
{
	if (value < 0)
		ereport(
			ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s must not be negative, is %d", name, value)));
	return static_cast<std::uint32_t>(value);
}

core::ChunkMode mode_option(std::string_view text)
{
	core::ChunkMode mode = core::ChunkMode::sentence;
	if (!core::parse_chunk_mode(text, mode))
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("unrecognized mode: \"%s\"", pg::abbreviated(text)),
				errhint("Valid modes are \"fixed\", \"sentence\" and \"recursive\".")));
	return mode;
}

} // namespace

TXTFP_FUNCTION(txtfp_chunk_for_model)
{
	const core::ChunkOptions options{tokens_option("max_tokens", PG_GETARG_INT32(1)),
		tokens_option("overlap", PG_GETARG_INT32(2)), mode_option(pg::text_arg(fcinfo, 3))};
	const std::string_view input = pg::text_arg(fcinfo, 0);
	auto *chunks = pg::make_owned<pg::TextList>(CurrentMemoryContext, "array of chunks would exceed 1 GB");
	pg::guarded([&] {
		core::for_each_chunk(
			input, options, [chunks](std::string_view chunk) { chunks->add(chunk); }, pg::stop_token);
	});
	PG_RETURN_ARRAYTYPE_P(pg::make_text_array(*chunks));
}
