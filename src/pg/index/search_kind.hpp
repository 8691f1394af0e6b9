// A kind of search: what PostgreSQL's planner asks about `%`, `…_similar(column, value, limit)` and `% probe` of one
// type, described once per type. The limit of a search is its threshold, greatest distance or least score.
#pragma once

#include "pg/base/identity.hpp"
#include "pg/index/planner.hpp"

namespace txtfp::pg {

struct SearchKind {
	Profile profile; // its fraction(numbers, limit) is of all pairs of rows
	ComputeProfile compute;
	double (*setting)();          // the limit of `%`: a configuration parameter
	PGFunction probe_input;       // reads the text form of a probe: the estimators may be asked about any type
	double (*probe_limit)(Datum); // the limit of a constant probe
	void (*check)(double limit);  // raises 22023 for one out of range; nullptr: there is nothing to check
	bool zero_is_equality;        // `similar(a, b, 0)` is `a = b`
	PGFunction exact;             // what _exactly_similar runs; nullptr: there is none
	bool operator_too;            // `%` has the support function, too
	const ProbeOperator *probe;   // what the condition becomes in an index; nullptr: no index serves this kind
	// Should an index on the condition's column be used at this limit? `known`: the limit is the query's, not the
	// parameter's value at planning time.
	bool (*can_use_index)(const SupportRequestIndexCondition &request, double limit, bool known);
};

// The bodies of the SQL functions of a type: the support function of its search function (and of `%`), the estimators
// of `%` and of `% probe`, the join estimator of both, and ANALYZE.
Datum search_support(FunctionCallInfo fcinfo, const SearchKind &kind);
Datum search_restriction(FunctionCallInfo fcinfo, const SearchKind &kind);
Datum search_probe_restriction(FunctionCallInfo fcinfo, const SearchKind &kind);
Datum search_join(FunctionCallInfo fcinfo, const SearchKind &kind);

// `prefix` of the C functions: TXTFP_SEARCH_ESTIMATORS(tlsh, tlsh_probe, kind)
#define TXTFP_SEARCH_ESTIMATORS(type, probe, kind)                                                    \
	TXTFP_FUNCTION(txtfp_##type##_typanalyze)                                                         \
	{                                                                                                 \
		return txtfp::pg::analyze_with_profile(fcinfo, (kind).profile, (kind).compute);               \
	}                                                                                                 \
	TXTFP_FUNCTION(txtfp_##type##_sel) { return txtfp::pg::search_restriction(fcinfo, kind); }        \
	TXTFP_FUNCTION(txtfp_##probe##_sel) { return txtfp::pg::search_probe_restriction(fcinfo, kind); } \
	TXTFP_FUNCTION(txtfp_##type##_joinsel) { return txtfp::pg::search_join(fcinfo, kind); }           \
	static_assert(true)

} // namespace txtfp::pg
