// Planner support shared by the fingerprint types: selectivity from a profile of the data that ANALYZE keeps in
// pg_statistic, and `…_similar(column, value, threshold)` as an index condition.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "pg/base/guard.hpp"
#include "pg/base/reserved_numbers.hpp"

extern "C" {
#include "commands/vacuum.h"
#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"
}

namespace txtfp::pg {

// What a type's ANALYZE function stores beside PostgreSQL's own statistics.
struct Profile {
	std::int16_t kind; // pg_statistic.stakind; 10000–30000 is for private use
	std::size_t size;  // of stanumbers
	double (*fraction)(std::span<const float4> profile, double threshold); // of all pairs of rows that are similar
};

// A value is taken to be a row of the table or very like one: it finds itself and its near-duplicates.
// `args`: the two operands.
double restriction_selectivity(const Profile &profile, PlannerInfo *root, List *args, int rel_id, double threshold);
double join_selectivity(const Profile &profile, PlannerInfo *root, List *args, SpecialJoinInfo *join, double threshold);
double request_selectivity(const Profile &profile, const SupportRequestSelectivity &request, double threshold);

// Of a function call or an operator.
List *arguments(Node *condition);

// The value of a constant argument, or nullptr where the plan does not know it (or it is NULL).
const Const *as_constant(Node *argument);

// What `function(a, b, threshold)` becomes in an index: `column <operator of this strategy> constructor(other, threshold)`; and
// `a operator b`, without a threshold. The constructor stands in the function's own schema, the operator in the
// operator family.
struct ProbeOperator {
	const char *constructor;
	std::uint16_t strategy;
	bool fold; // to a constant, whose keys PostgreSQL's cost estimate for GIN then counts
};
List *probe_condition(const ProbeOperator &probe, const SupportRequestIndexCondition &request);

// The functions of a search are LEAKPROOF where they can be: they raise no error that depends on a row. So a threshold out of
// range is refused when the query is planned, or, where no argument is a row's, when the function runs; `may_raise`
// says whether that is so. A threshold out of range that is a row's is taken as it is: everything or nothing is similar.
const Const *threshold_to_check(const SupportRequestSimplify &request); // nullptr: not known yet
bool may_raise(FunctionCallInfo fcinfo);

// A threshold that is a parameter of a prepared statement may be beyond the reach of an index, whose search then visits every
// row, at several times the cost of a scan of the table. Only a plan for the value at hand can tell. So in a plan for all
// values the search costs more than any plan for one, and the functions that make it up say so: PostgreSQL goes on
// making plans for the value. Where it must have a plan for all, an index is still cheaper than a scan.
// Returns nullptr where the costs are those of the catalog.
SupportRequestCost *cost_with_parameter(SupportRequestCost *request); // of a search function
SupportRequestCost *cost_of_probe(SupportRequestCost *request);       // of a to_…_probe function

// `function(a, b, 0)` as `a = b`, which every kind of index serves, where distance 0 means that; else nullptr.
Node *equality_at_zero(const SupportRequestSimplify &request);

// ANALYZE: runs PostgreSQL's own, then `compute`, which gets the sampled non-null values, and stores what it returns.
// The body of a type's ANALYZE function.
// `compute` may compare the pairs of at most `most` rows, evenly spread over the sample, which is in the order of the table:
// calls fn(a, b) for each and returns their number.
template <typename Fn> double for_each_pair(std::span<const Datum> sample, std::size_t most, Fn fn)
{
	const std::size_t n = std::min(sample.size(), most);
	for (std::size_t i = 0; i < n; ++i) {
		CHECK_FOR_INTERRUPTS();
		const Datum a = sample[i * sample.size() / n];
		for (std::size_t j = i + 1; j < n; ++j)
			fn(a, sample[j * sample.size() / n]);
	}
	return static_cast<double>(n) * static_cast<double>(n - 1) / 2;
}

using ComputeProfile = void (*)(std::span<const Datum> sample, std::span<float4> profile);
Datum analyze_with_profile(FunctionCallInfo fcinfo, const Profile &profile, ComputeProfile compute);

} // namespace txtfp::pg
