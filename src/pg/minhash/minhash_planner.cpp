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

TXTFP_DECLARE(txtfp_minhash_probe_in);
TXTFP_DECLARE(txtfp_to_minhash_probe);
TXTFP_DECLARE(txtfp_to_minhash_compact_probe);
TXTFP_DECLARE(txtfp_exactly_minhash_similar);
TXTFP_DECLARE(txtfp_exactly_compact_similar);
TXTFP_DECLARE(txtfp_minhash_compact_probe_in);

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

template <class Slot>
constexpr const char *constructor = pg::is_compact<Slot> ? "_to_minhash_compact_probe" : "_to_minhash_probe";
template <class Slot>
constexpr PGFunction constructor_code =
	pg::is_compact<Slot> ? txtfp_to_minhash_compact_probe : txtfp_to_minhash_probe;
template <class Slot> constexpr pg::ProbeOperator probe_operator{constructor<Slot>, constructor_code<Slot>, pg::strategy_probe, true};
template <class Slot> constexpr pg::ProbeOperator leakproof_operator{constructor<Slot>, constructor_code<Slot>, pg::strategy_leakproof, true};

template <class Slot> void compute_profile(std::span<const Datum> sample, std::span<float4> numbers)
{
	auto **sketches = static_cast<const Slot **>(palloc(sizeof(void *) * sample.size()));
	for (std::size_t i = 0; i < sample.size(); ++i)
		sketches[i] = pg::sketch_view<Slot>(sample[i]).slots.data();
	const std::size_t slots = pg::sketch_view<Slot>(sample[0]).slots.size();
	const std::span<const Slot *const> all(sketches, sample.size());
	core::SimilarityProfile found;
	pg::guarded([&] { found = core::similarity_profile(all, slots, pg::stop_token); });
	std::copy(found.begin(), found.end(), numbers.begin());
}

// True if most rows share boilerplate, so that a search would visit them through the index, which costs more than a
// scan of the table. A row visited through the index costs as much as two and a half of a scan. PostgreSQL's own
// estimate for GIN knows nothing of it.
bool visits_most_rows(const SupportRequestIndexCondition &request, core::Banding banding, int matches)
{
	constexpr double rows_per_candidate = 2.5;
	List *args = pg::arguments(request.node);
	List *operands = list_make2(linitial(args), lsecond(args));
	float4 numbers[core::profile_points];
	return pg::read_profile(statistics, request.root, operands, static_cast<int>(request.index->rel->relid), numbers) &&
		core::candidate_fraction(profile_of(numbers), banding, matches) * rows_per_candidate > 1;
}

// True if the index keeps its recall at this threshold and is cheaper than a scan of the table, unless scans are
// disabled.
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

// `check` belongs to minhash_similar_leakproof. minhash_similar is not LEAKPROOF and checks its arguments when it runs.
template <class Slot, int H> constexpr pg::SearchKind search_kind(const pg::ProbeOperator &probe, void (*check)(double))
{
	return {
		.profile = statistics,
		.compute = compute_profile<Slot>,
		.setting = [] { return pg::jaccard_threshold; },
		.probe_input = pg::is_compact<Slot> ? txtfp_minhash_compact_probe_in : txtfp_minhash_probe_in,
		.probe_limit = [](Datum value) { return ((const pg::SketchProbe<Slot> *) PG_DETOAST_DATUM(value))->threshold; },
		.check = check,
		.zero_is_equality = false,
		.exact = pg::is_compact<Slot> ? txtfp_exactly_compact_similar : txtfp_exactly_minhash_similar,
		.operator_too = false,
		.probe = &probe,
		.can_use_index = can_use_index<H>,
	};
}

template <class Slot, int H> constexpr pg::SearchKind plain = search_kind<Slot, H>(probe_operator<Slot>, nullptr);
template <class Slot, int H>
constexpr pg::SearchKind leakproof = search_kind<Slot, H>(
	leakproof_operator<Slot>, [](double limit) { pg::unit_interval_option("threshold", limit); });

} // namespace

namespace txtfp::pg {

const SearchKind minhash64_search = plain<std::uint64_t, 64>, minhash128_search = plain<std::uint64_t, 128>,
				 minhash256_search = plain<std::uint64_t, 256>, minhash64_compact_search = plain<std::uint8_t, 64>,
				 minhash128_compact_search = plain<std::uint8_t, 128>,
				 minhash256_compact_search = plain<std::uint8_t, 256>;

} // namespace txtfp::pg

TXTFP_FUNCTION(txtfp_minhash64_similar_support) { return pg::search_support(fcinfo, plain<std::uint64_t, 64>); }
TXTFP_FUNCTION(txtfp_minhash128_similar_support) { return pg::search_support(fcinfo, plain<std::uint64_t, 128>); }
TXTFP_FUNCTION(txtfp_minhash256_similar_support) { return pg::search_support(fcinfo, plain<std::uint64_t, 256>); }
TXTFP_FUNCTION(txtfp_minhash64_leakproof_support) { return pg::search_support(fcinfo, leakproof<std::uint64_t, 64>); }
TXTFP_FUNCTION(txtfp_minhash128_leakproof_support) { return pg::search_support(fcinfo, leakproof<std::uint64_t, 128>); }
TXTFP_FUNCTION(txtfp_minhash256_leakproof_support) { return pg::search_support(fcinfo, leakproof<std::uint64_t, 256>); }
TXTFP_FUNCTION(txtfp_minhash64_compact_similar_support) { return pg::search_support(fcinfo, plain<std::uint8_t, 64>); }
TXTFP_FUNCTION(txtfp_minhash128_compact_similar_support)
{
	return pg::search_support(fcinfo, plain<std::uint8_t, 128>);
}
TXTFP_FUNCTION(txtfp_minhash256_compact_similar_support)
{
	return pg::search_support(fcinfo, plain<std::uint8_t, 256>);
}
TXTFP_FUNCTION(txtfp_minhash64_compact_leakproof_support)
{
	return pg::search_support(fcinfo, leakproof<std::uint8_t, 64>);
}
TXTFP_FUNCTION(txtfp_minhash128_compact_leakproof_support)
{
	return pg::search_support(fcinfo, leakproof<std::uint8_t, 128>);
}
TXTFP_FUNCTION(txtfp_minhash256_compact_leakproof_support)
{
	return pg::search_support(fcinfo, leakproof<std::uint8_t, 256>);
}

// The estimates do not depend on the number of slots.
static constexpr const pg::SearchKind &full = plain<std::uint64_t, 128>, &compact = plain<std::uint8_t, 128>;
TXTFP_SEARCH_ESTIMATORS(minhash, minhash_probe, full);
TXTFP_SEARCH_ESTIMATORS(minhash_compact, minhash_compact_probe, compact);
