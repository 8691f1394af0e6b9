// Search for shared passages: what the planner needs to know about passages_similar, passages_contained and `% probe`.
#include <algorithm>
#include <cmath>

#include "pg/base/ranges.hpp"
#include "pg/index/search_kind.hpp"
#include "pg/passages/passages.hpp"

using namespace txtfp;

TXTFP_DECLARE(txtfp_passages_probe_in);
TXTFP_DECLARE(txtfp_to_passages_probe);

namespace {

// The profile: the fractions of ordered pairs (p, q) of rows that share at least 1, 2, … 32 fingerprints, then of those
// where p has at least 1, 2, … 32 thirty-seconds of q's.
constexpr std::size_t points = 32;
constexpr std::size_t compared_rows = 1000;
constexpr double compared_fingerprints = 1e8; // comparing them takes about 0.2 s

double sharing_fraction(std::span<const float4> numbers, double least)
{
	return numbers[static_cast<std::size_t>(std::clamp(least, 1.0, double{points})) - 1];
}

double containing_fraction(std::span<const float4> numbers, double share)
{
	return numbers[points + static_cast<std::size_t>(std::clamp(std::ceil(share * points), 1.0, double{points})) - 1];
}

const pg::Passages &value_of(Datum datum) { return *(const pg::Passages *) DatumGetPointer(datum); }

// A pair takes as many steps as its rows have fingerprints: rows of long texts are fewer.
std::size_t affordable_rows(std::span<const Datum> sample)
{
	double fingerprints = 0;
	for (const Datum datum : sample)
		fingerprints += static_cast<double>(value_of(datum).view().size());
	const double mean = std::max(1.0, fingerprints / static_cast<double>(sample.size()));
	return std::clamp<std::size_t>(static_cast<std::size_t>(std::sqrt(compared_fingerprints / mean)), 2, compared_rows);
}

struct Counts {
	std::uint64_t sharing[points], containing[points]; // at exactly this point; beyond the last one, at the last
};

void count_containing(Counts &counts, std::size_t common, std::size_t of)
{
	++counts.containing[std::max<std::size_t>(common * points / of, 1) - 1];
}

void compute_profile(std::span<const Datum> sample, std::span<float4> numbers)
{
	Counts counts{};
	const double pairs = pg::for_each_pair(sample, affordable_rows(sample), [&](Datum x, Datum y) {
		const pg::Passages &a = value_of(x), &b = value_of(y);
		const std::size_t common = a.config == b.config ? core::count_common(a.view(), b.view(), ~std::size_t{0}) : 0;
		if (common == 0)
			return;
		counts.sharing[std::min(common, points) - 1] += 2;
		count_containing(counts, common, a.view().size());
		count_containing(counts, common, b.view().size());
	});
	double sharing = 0, containing = 0;
	for (std::size_t i = points; i-- > 0;) {
		sharing += static_cast<double>(counts.sharing[i]);
		containing += static_cast<double>(counts.containing[i]);
		numbers[i] = static_cast<float4>(sharing / (2 * pairs));
		numbers[points + i] = static_cast<float4>(containing / (2 * pairs));
	}
}

constexpr pg::ProbeOperator probe_operator{"_to_passages_probe", txtfp_to_passages_probe, pg::strategy_passages_probe, true};

constexpr pg::SearchKind sharing{
	.profile = {pg::statistics_passages, 2 * points, sharing_fraction},
	.compute = compute_profile,
	.setting = [] { return 1.0; },
	.probe_input = txtfp_passages_probe_in,
	.probe_limit =
		[](Datum probe) { return static_cast<double>(value_of(PointerGetDatum(PG_DETOAST_DATUM(probe))).least); },
	.check = [](double least) { pg::at_least_one("min_shared", static_cast<int>(least)); },
	.zero_is_equality = false,
	.exact = nullptr,
	.operator_too = false,
	.probe = &probe_operator,
	.can_use_index = [](const SupportRequestIndexCondition &, double, bool) { return true; },
};

// passages_contained(p, q, share) asks for a share of p, so only q can be the indexed column.
constexpr pg::SearchKind containing{
	.profile = {pg::statistics_passages, 2 * points, containing_fraction},
	.compute = compute_profile,
	.setting = [] { return 1.0; },
	.probe_input = txtfp_passages_probe_in,
	.probe_limit = nullptr,
	.check = [](double share) { pg::unit_interval_option("share", share); },
	.zero_is_equality = false,
	.exact = nullptr,
	.operator_too = false,
	.probe = &probe_operator,
	.can_use_index = [](const SupportRequestIndexCondition &request, double, bool) { return request.indexarg == 1; },
};

} // namespace

TXTFP_FUNCTION(txtfp_passages_similar_support) { return pg::search_support(fcinfo, sharing); }
TXTFP_FUNCTION(txtfp_passages_contained_support) { return pg::search_support(fcinfo, containing); }
TXTFP_FUNCTION(txtfp_passages_sel) { return pg::search_probe_restriction(fcinfo, sharing); }
TXTFP_FUNCTION(txtfp_passages_joinsel) { return pg::search_join(fcinfo, sharing); }
TXTFP_FUNCTION(txtfp_passages_typanalyze) { return pg::analyze_with_profile(fcinfo, sharing.profile, compute_profile); }
