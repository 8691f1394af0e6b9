// ANALYZE for minhash columns: PostgreSQL's own statistics, and how many near-duplicates the sampled rows have.
#include <span>

#include "pg/guard.hpp"
#include "pg/minhash.hpp"
#include "pg/minhash_planner.hpp"

extern "C" {
#include "catalog/pg_statistic.h"
#include "commands/vacuum.h"
}

using namespace txtfp;

namespace {

// What std_typanalyze set up.
struct StandardAnalyze {
	AnalyzeAttrComputeStatsFunc compute;
	void *extra_data;
};

// The non-null sketches of the sample, detoasted.
std::span<const std::uint64_t *const> fetch_sketches(
	VacAttrStatsP stats, AnalyzeAttrFetchFunc fetch, int sample_rows, std::size_t &slots)
{
	auto **sketches =
		static_cast<const std::uint64_t **>(palloc(sizeof(void *) * static_cast<std::size_t>(sample_rows)));
	std::size_t n = 0;
	for (int row = 0; row < sample_rows; ++row) {
		bool is_null;
		const Datum datum = fetch(stats, row, &is_null);
#if PG_VERSION_NUM >= 180000
		vacuum_delay_point(true);
#else
		vacuum_delay_point();
#endif
		if (is_null)
			continue;
		const auto *value = reinterpret_cast<const pg::Minhash *>(PG_DETOAST_DATUM(datum));
		slots = value->slot_count();
		sketches[n++] = value->slots;
	}
	return {sketches, n};
}

void store_profile(VacAttrStatsP stats, const core::SimilarityProfile &profile)
{
	auto *numbers = static_cast<float4 *>(MemoryContextAlloc(stats->anl_context, sizeof(float4) * profile.size()));
	for (std::size_t i = 0; i < profile.size(); ++i)
		numbers[i] = static_cast<float4>(profile[i]);
	for (int slot = 0; slot < STATISTIC_NUM_SLOTS; ++slot)
		if (stats->stakind[slot] == 0) {
			stats->stakind[slot] = pg::profile_statistic_kind;
			stats->staop[slot] = InvalidOid;
			stats->stacoll[slot] = InvalidOid;
			stats->stanumbers[slot] = numbers;
			stats->numnumbers[slot] = static_cast<int>(profile.size());
			return;
		}
}

void compute_statistics(VacAttrStatsP stats, AnalyzeAttrFetchFunc fetch, int sample_rows, double total_rows)
{
	const auto *standard = static_cast<const StandardAnalyze *>(stats->extra_data);
	stats->extra_data = standard->extra_data;
	standard->compute(stats, fetch, sample_rows, total_rows);
	stats->extra_data = const_cast<StandardAnalyze *>(standard);
	if (!stats->stats_valid)
		return;
	std::size_t slots = 0;
	const std::span<const std::uint64_t *const> sketches = fetch_sketches(stats, fetch, sample_rows, slots);
	if (sketches.size() < 2)
		return;
	core::SimilarityProfile profile;
	pg::guarded([&] { profile = core::similarity_profile(sketches, slots, pg::stop_token); });
	store_profile(stats, profile);
}

} // namespace

TXTFP_FUNCTION(txtfp_minhash_typanalyze)
{
	auto *stats = (VacAttrStats *) PG_GETARG_POINTER(0);
	if (!std_typanalyze(stats))
		PG_RETURN_BOOL(false);
	auto *standard = static_cast<StandardAnalyze *>(palloc(sizeof(StandardAnalyze)));
	*standard = {stats->compute_stats, stats->extra_data};
	stats->compute_stats = compute_statistics;
	stats->extra_data = standard;
	PG_RETURN_BOOL(true);
}
