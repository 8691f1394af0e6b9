// Planner support of the MinHash types: selectivity of % and minhash_similar, the index condition behind
// minhash_similar, and ANALYZE, which counts near-duplicates among the sampled rows.
#include <algorithm>

#include "core/minhash/neighbours.hpp"
#include "pg/base/guard.hpp"
#include "pg/base/ranges.hpp"
#include "pg/base/settings.hpp"
#include "pg/index/search_kind.hpp"
#include "pg/minhash/minhash.hpp"
#include "pg/minhash/minhash_gin.hpp"
#include "pg/text/options.hpp"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_am.h"
#include "optimizer/cost.h"
}

using namespace txtfp;

namespace {

core::SimilarityProfile profile_of(std::span<const float4> numbers)
{
	core::SimilarityProfile profile;
	std::copy(numbers.begin(), numbers.end(), profile.begin());
	return profile;
}

double fraction(std::span<const float4> numbers, double threshold)
{
	return core::fraction_at(profile_of(numbers), threshold);
}

constexpr pg::Profile statistics{pg::statistics_minhash, core::profile_points, fraction};

constexpr pg::ProbeOperator probe_operator{"to_minhash_probe", pg::strategy_probe, true};
constexpr pg::ProbeOperator leakproof_operator{"to_minhash_probe", pg::strategy_leakproof, true};

void compute_profile(std::span<const Datum> sample, std::span<float4> numbers)
{
	auto **sketches = static_cast<const std::uint64_t **>(palloc(sizeof(void *) * sample.size()));
	for (std::size_t i = 0; i < sample.size(); ++i)
		sketches[i] = ((const pg::Minhash *) DatumGetPointer(sample[i]))->slots;
	const std::size_t slots = ((const pg::Minhash *) DatumGetPointer(sample[0]))->slot_count();
	core::SimilarityProfile found;
	pg::guarded([&] { found = core::similarity_profile({sketches, sample.size()}, slots, pg::stop_token); });
	std::copy(found.begin(), found.end(), numbers.begin());
}

// True if most rows share boilerplate, so that a search would visit them through the index, which costs more than a scan of the table. A
// row visited through the index costs as much as two and a half of a scan. PostgreSQL's own estimate for GIN knows nothing of it.
bool visits_most_rows(const SupportRequestIndexCondition &request, core::Banding banding, int matches)
{
	constexpr double rows_per_candidate = 2.5;
	List *args = pg::arguments(request.node);
	List *operands = list_make2(linitial(args), lsecond(args));
	float4 numbers[core::profile_points];
	return pg::read_profile(
			   statistics, request.root, operands, static_cast<int>(request.index->rel->relid), numbers) &&
		core::candidate_fraction(profile_of(numbers), banding, matches) * rows_per_candidate > 1;
}

// True if the index keeps its recall at this threshold and is cheaper than a scan of the table, unless scans are disabled.
template <int H> bool can_use_index(const SupportRequestIndexCondition &request, double limit, bool known)
{
	const auto *options = request.index->opclassoptions != nullptr
		? (const pg::LshOptions *) request.index->opclassoptions[request.indexcol]
		: nullptr;
	if (request.index->relam != GIN_AM_OID || !known)
		return true;
	const pg::LshIndex index = pg::resolve_options(options, H);
	const int matches = index.min_matches(limit);
	return matches > 0 && !(enable_seqscan && visits_most_rows(request, index.banding, matches));
}

// `check` is that of minhash_similar_leakproof. minhash_similar is not LEAKPROOF and checks its arguments when it runs.
template <int H> constexpr pg::SearchKind search_kind(const pg::ProbeOperator &probe, void (*check)(double))
{
	return {
		.profile = statistics,
		.compute = compute_profile,
		.setting = [] { return pg::jaccard_threshold; },
		.probe_limit = [](Datum value) { return ((const pg::MinhashProbe *) PG_DETOAST_DATUM(value))->threshold; },
		.check = check,
		.zero_is_equality = false,
		.operator_too = false,
		.probe = &probe,
		.can_use_index = can_use_index<H>,
	};
}

template <int H> constexpr pg::SearchKind plain = search_kind<H>(probe_operator, nullptr);
template <int H>
constexpr pg::SearchKind leakproof = search_kind<H>(
	leakproof_operator, [](double limit) { pg::unit_interval_option("threshold", limit); });

} // namespace

TXTFP_FUNCTION(txtfp_minhash64_similar_support) { return pg::search_support(fcinfo, plain<64>); }
TXTFP_FUNCTION(txtfp_minhash128_similar_support) { return pg::search_support(fcinfo, plain<128>); }
TXTFP_FUNCTION(txtfp_minhash256_similar_support) { return pg::search_support(fcinfo, plain<256>); }
TXTFP_FUNCTION(txtfp_minhash64_leakproof_support) { return pg::search_support(fcinfo, leakproof<64>); }
TXTFP_FUNCTION(txtfp_minhash128_leakproof_support) { return pg::search_support(fcinfo, leakproof<128>); }
TXTFP_FUNCTION(txtfp_minhash256_leakproof_support) { return pg::search_support(fcinfo, leakproof<256>); }
TXTFP_SEARCH_ESTIMATORS(minhash, minhash_probe, plain<128>); // the estimates do not depend on the number of slots
