// jenkins64, and the SimHashes that older programs computed with it, of a UTF-8 text or of raw bytes.
#include "core/jenkins_simhash.hpp"

#include "core/jenkins.hpp"
#include "pg/base/guard.hpp"
#include "pg/base/ranges.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/simhash/simhash64.hpp"

using namespace txtfp;

namespace {

std::string_view bytes_arg(FunctionCallInfo fcinfo, int i)
{
	const bytea *value = PG_GETARG_BYTEA_PP(i);
	return {VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)};
}

Datum jenkins(FunctionCallInfo fcinfo, std::string_view data)
{
	const auto seed = static_cast<std::uint64_t>(PG_GETARG_INT64(1));
	PG_RETURN_INT64(static_cast<int64>(core::jenkins64(data, seed)));
}

Datum windows(FunctionCallInfo fcinfo, std::string_view doc, bool all_windows)
{
	const int size = pg::at_least_one("window_size", PG_GETARG_INT32(1));
	std::uint64_t bits = 0;
	bool any = false;
	pg::guarded(
		[&] { any = core::window_simhash(doc, static_cast<std::size_t>(size), all_windows, bits, pg::stop_token); });
	if (!any)
		PG_RETURN_NULL();
	return pg::simhash_datum(bits);
}

Datum cyclic(FunctionCallInfo fcinfo, std::string_view doc)
{
	constexpr auto limit = static_cast<int>(core::max_cyclic_window);
	const int size = pg::within("window_size", PG_GETARG_INT32(1), 1, limit);
	const bool padded = PG_GETARG_BOOL(2);
	std::uint64_t bits = 0;
	pg::guarded([&] { core::cyclic_simhash(doc, static_cast<std::size_t>(size), padded, bits, pg::stop_token); });
	return pg::simhash_datum(bits); // 0 for a document without words, as those programs give
}

} // namespace

TXTFP_FUNCTION(txtfp_jenkins64_text) { return jenkins(fcinfo, pg::text_arg(fcinfo, 0)); }
TXTFP_FUNCTION(txtfp_jenkins64_bytes) { return jenkins(fcinfo, bytes_arg(fcinfo, 0)); }
TXTFP_FUNCTION(txtfp_to_simhash64_windows_text) { return windows(fcinfo, pg::text_arg(fcinfo, 0), true); }
TXTFP_FUNCTION(txtfp_to_simhash64_windows_bytes) { return windows(fcinfo, bytes_arg(fcinfo, 0), true); }
TXTFP_FUNCTION(txtfp_to_simhash64_windows_but_last_text) { return windows(fcinfo, pg::text_arg(fcinfo, 0), false); }
TXTFP_FUNCTION(txtfp_to_simhash64_windows_but_last_bytes) { return windows(fcinfo, bytes_arg(fcinfo, 0), false); }
TXTFP_FUNCTION(txtfp_to_simhash64_cyclic_text) { return cyclic(fcinfo, pg::text_arg(fcinfo, 0)); }
TXTFP_FUNCTION(txtfp_to_simhash64_cyclic_bytes) { return cyclic(fcinfo, bytes_arg(fcinfo, 0)); }
