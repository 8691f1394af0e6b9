// Reading decision rules from jsonb (core/decide/rule_reader.hpp).
#pragma once

#include "core/decide/rule.hpp"
#include "pg/base/pg.hpp"

extern "C" {
#include "utils/jsonb.h"
}

namespace txtfp::pg {

using StoredRule = core::LearnedRule; // the numbers of labels are not read; owned by a memory context

// Raises an error (22023) unless the value is a rule for signals of the version of this library.
const StoredRule &read_rule(const Jsonb *json, MemoryContext context);

// Raises an error if the rule uses neighbours or a corpus and the signals do not have them.
double score(const StoredRule &rule, const core::Signals &signals);

} // namespace txtfp::pg
