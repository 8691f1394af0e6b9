// Reads a decision rule from json, as rule_text() writes it, for programs without a reader of their own.
#pragma once

#include <string>
#include <string_view>

#include "core/decide/rule.hpp"

namespace txtfp::core {

// Returns what is wrong, as a sentence; empty if the rule was read. The numbers of labels are not read.
std::string read_rule(std::string_view json, LearnedRule &rule);

// The cut-off for the least precision of the rule that is at least this one; nullptr: there is none.
const CutOff *cut_off_for(const LearnedRule &rule, double precision) noexcept;

} // namespace txtfp::core
