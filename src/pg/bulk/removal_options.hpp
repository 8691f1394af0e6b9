// The arguments of deduplicate that say how it decides about a pair. What is not given depends on the rows: where they
// have texts, these are compared exactly, by the tokens of the fingerprints, with the guards `balanced`.
#pragma once

#include "core/decide/pair_decision.hpp"
#include "pg/bulk/near_duplicates.hpp"

namespace txtfp::pg {

struct RemovalOptions : core::PairOptions {
	bool explain = false;
	bool has_verify = false, has_threshold = false, has_guards = false, has_tokenizer = false, has_canonicalizer = false;
};

// That of the least of the rule's precisions that is high enough. Raises an error (22023) if there is none.
const core::CutOff &cut_off_option(const core::LearnedRule &rule, double min_precision);

// `query` is the number of the argument of that name. Raises errors (22023, 22004).
RemovalOptions removal_options(FunctionCallInfo fcinfo, int query, const JoinOptions &join);

// After the rows: sets what was not given. Raises errors (22023, 22004) for what needs texts that there are not, and for
// an exact comparison by tokens that nobody can know.
void finish_options(RemovalOptions &options, const FingerprintJoin &join, bool has_texts);

} // namespace txtfp::pg
