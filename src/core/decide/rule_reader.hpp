// Reads a decision rule from json, as rule_text() writes it.
#pragma once

#include <string>
#include <string_view>

#include "core/decide/rule.hpp"

namespace txtfp::core {

struct RuleReading {
	LearnedRule rule;                 // the numbers of labels are not read
	std::string wrong;                // a sentence; empty if the rule was read
	double signals_version = 0;       // for which it was made, if that is known
	bool is_of_other_signals = false; // that is what is wrong
};
RuleReading read_rule(std::string_view json);

// The cut-off for the least precision of the rule that is at least this one; nullptr: there is none.
const CutOff *cut_off_for(const LearnedRule &rule, double precision) noexcept;

} // namespace txtfp::core
