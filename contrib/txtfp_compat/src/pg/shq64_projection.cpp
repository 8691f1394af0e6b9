// shq64_project_rust, shq64_project_numpy: Shq64 by random projection, compatible with uubed.
#include "core/shq64_projection.hpp"

#include "core/shq64.hpp"
#include "pg/base/guard.hpp"
#include "pg/base/owned.hpp"
#include "pg/base/ranges.hpp"

extern "C" {
#include "utils/memutils.h"
}

using namespace txtfp;

namespace {

// Limit of the cache, which lives as long as the backend. The matrices of 64 planes for 3072 coordinates take 768 kB as
// floats.
constexpr std::size_t max_cached_bytes = std::size_t{16} << 20;

core::ProjectionCache &cache()
{
	static core::ProjectionCache *cache = nullptr;
	if (cache == nullptr)
		cache = pg::make_owned<core::ProjectionCache>(TopMemoryContext, max_cached_bytes);
	return *cache;
}

Datum project(FunctionCallInfo fcinfo, core::ProjectionForm form, std::uint64_t seed, std::size_t planes)
{
	const bytea *data = PG_GETARG_BYTEA_PP(0);
	const std::span<const std::uint8_t> bytes(
		reinterpret_cast<const std::uint8_t *>(VARDATA_ANY(data)), VARSIZE_ANY_EXHDR(data));
	std::uint8_t bits[(core::max_projection_planes + 7) / 8];
	const std::span<std::uint8_t> used(bits, (planes + 7) / 8);
	core::ProjectionCache &matrices = cache();
	pg::guarded([&] { matrices.project({form, seed, planes, bytes.size()}, bytes, used, pg::stop_token); });
	const std::size_t size = VARHDRSZ + 2 * used.size();
	auto *out = static_cast<text *>(palloc(size));
	SET_VARSIZE(out, size);
	core::q64_encode(used, VARDATA(out));
	PG_RETURN_TEXT_P(out);
}

std::size_t planes_arg(FunctionCallInfo fcinfo, int step)
{
	const int planes = pg::within("planes", PG_GETARG_INT32(1), step, static_cast<int>(core::max_projection_planes));
	if (planes % step != 0)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("planes must be a multiple of %d, not %d", step, planes)));
	return static_cast<std::size_t>(planes);
}

} // namespace

TXTFP_FUNCTION(txtfp_shq64_project_rust)
{
	return project(fcinfo, core::ProjectionForm::rust, core::shq64_projection_seed, planes_arg(fcinfo, 1));
}

TXTFP_FUNCTION(txtfp_shq64_project_numpy)
{
	const std::size_t planes = planes_arg(fcinfo, 8);
	const int64 seed = PG_GETARG_INT64(2);
	if (seed < 0)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("seed must not be negative, but is %lld", static_cast<long long>(seed))));
	return project(fcinfo, core::ProjectionForm::numpy, static_cast<std::uint64_t>(seed), planes);
}
