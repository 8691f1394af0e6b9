// to_simhash64 of an embedding, and the distance that a search for a similarity needs.
#include "core/embedding/projection.hpp"
#include "pg/base/ranges.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/embedding/embedding.hpp"
#include "pg/simhash/simhash64.hpp"

using namespace txtfp;

namespace {

// A call site keeps the coefficients in fn_extra, because computing them costs many times what a projection costs.
struct Cache {
	std::uint64_t seed;
	std::size_t dimension;
	float coefficients[FLEXIBLE_ARRAY_MEMBER];
};

constexpr std::size_t max_cached = 4096; // dimensions; their coefficients take 1 MB

std::span<const float> known_coefficients(FmgrInfo *flinfo, std::size_t dimension, std::uint64_t seed)
{
	if (dimension > max_cached)
		return {};
	const std::size_t count = dimension * core::projection_bits;
	auto *cache = static_cast<Cache *>(flinfo->fn_extra);
	if (cache == nullptr || cache->dimension < dimension || cache->seed != seed) {
		if (cache != nullptr)
			pfree(cache);
		flinfo->fn_extra = nullptr;
		cache = static_cast<Cache *>(
			MemoryContextAlloc(flinfo->fn_mcxt, offsetof(Cache, coefficients) + count * sizeof(float)));
		cache->seed = seed;
		cache->dimension = dimension;
		core::SplitMix64 random(seed);
		core::fill_projection(random, {cache->coefficients, count});
		flinfo->fn_extra = cache;
	}
	return {cache->coefficients, count};
}

} // namespace

// Returns NULL for a vector of zeros, which has no direction, because a generated column must not reject a row.
TXTFP_FUNCTION(txtfp_embedding_to_simhash64)
{
	const core::Vector vector = pg::embedding_arg(fcinfo, 0)->vector();
	const auto seed = static_cast<std::uint64_t>(PG_GETARG_INT64(1));
	std::uint64_t bits = 0;
	if (!core::project(vector, seed, known_coefficients(fcinfo->flinfo, vector.size(), seed), bits))
		PG_RETURN_NULL();
	return pg::simhash_datum(bits);
}

TXTFP_FUNCTION(txtfp_simhash_max_distance)
{
	const double similarity = PG_GETARG_FLOAT8(0), recall = PG_GETARG_FLOAT8(1);
	if (!(similarity >= -1 && similarity <= 1))
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("similarity must be between -1 and 1, not %s", pg::shortest(similarity))));
	pg::positive_unit_option("recall", recall, pg::Upper::open);
	PG_RETURN_INT32(core::projection_radius(similarity, recall));
}
