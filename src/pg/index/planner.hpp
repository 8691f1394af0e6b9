// Planner support shared by the fingerprint types: selectivity from a profile of the data that ANALYZE keeps in
// pg_statistic, and `…_similar(column, value, threshold)` as an index condition.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "pg/base/guard.hpp"
#include "pg/base/reserved_numbers.hpp"

extern "C" {
#include "commands/vacuum.h"
#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"
}

namespace txtfp::pg {

// The statistics that a type's ANALYZE function stores beside PostgreSQL's own.
struct Profile {
	std::int16_t kind; // pg_statistic.stakind; 10000–30000 is for private use
	std::size_t size;  // of stanumbers
	double (*fraction)(
		std::span<const float4> profile, double threshold); // the share of all pairs of rows that are similar
};

// The estimators assume that the value searched for is a row of the table or very like one: it finds itself and its
// near-duplicates. `args` are the two operands.
double restriction_selectivity(const Profile &profile, PlannerInfo *root, List *args, int rel_id, double threshold);
double join_selectivity(const Profile &profile, PlannerInfo *root, List *args, SpecialJoinInfo *join, double threshold);
double request_selectivity(const Profile &profile, const SupportRequestSelectivity &request, double threshold);

// Copies the profile of the column of the table `rel_id` that is one of the operands. Returns false if there is none.
bool read_profile(const Profile &profile, PlannerInfo *root, List *args, int rel_id, float4 *numbers);

// The arguments of a function call or an operator.
List *arguments(Node *condition);

// The index condition for `function(a, b, threshold)`: `column <operator of this strategy> constructor(other,
// threshold)`; for `a operator b` the constructor has no threshold. The constructor is looked up in the function's own
// schema, the operator in the operator family.
struct ProbeOperator {
	const char *constructor;
	PGFunction code; // of the constructor with a threshold
	std::uint16_t strategy;
	bool
		fold; // evaluate a constant probe while planning, so that PostgreSQL's cost estimate for GIN can count its keys
};
List *probe_condition(const ProbeOperator &probe, const SupportRequestIndexCondition &request);

// A condition on a distance or a similarity becomes a call of `_exactly_similar(a, b, limit)` (pg/sketch/conditions.cpp),
// which does what the type's search function does, by a C function of its own, and has its planner support. Its index condition has the operator `%=`,
// which is in classes of the access method `sketch` alone.
constexpr const char *exact_search_function = "_exactly_similar";
constexpr std::uint16_t strategy_exact = 4;

// Search functions are LEAKPROOF where possible: they raise no error that depends on a row. So a threshold out of range
// is an error when the query is planned, or when the function runs with arguments that do not come from rows
// (may_raise). A threshold that comes from a row is never an error: out of range, it makes everything or nothing
// similar.
std::optional<double> threshold_to_check(const SupportRequestSimplify &request); // none: not a constant
bool may_raise(FunctionCallInfo fcinfo);

// The threshold may be a parameter of a prepared statement. Some of its values may be beyond the reach of an index; the
// search then visits every row, at several times the cost of a table scan. Only a custom plan, made for the value at
// hand, can know.
// So these functions make the search in a generic plan cost more than in any custom plan, and PostgreSQL keeps making
// custom plans. If it must use a generic plan, an index is still cheaper than a scan.
// They return nullptr where the costs of the catalog apply.
SupportRequestCost *cost_with_parameter(SupportRequestCost *request); // of a search function
SupportRequestCost *cost_of_probe(SupportRequestCost *request);       // of a to_…_probe function

// `function(a, b, 0)` as `a = b`, which every kind of index supports; nullptr if the distance is not the constant 0.
Node *equality_at_zero(const SupportRequestSimplify &request);

// ANALYZE runs PostgreSQL's own statistics first, then `compute` with the sampled non-null values, and stores the
// numbers that `compute` writes. analyze_with_profile is the body of a type's ANALYZE function.
// For `compute`: calls fn(a, b) for all pairs of at most `most` rows and returns the number of pairs. The rows are
// spread evenly over the sample, because the sample is in the order of the table.
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
