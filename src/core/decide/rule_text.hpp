// A decision rule as json, as docs/reference_bulk.md describes it.
#pragma once

#include <string>

#include "core/decide/rule.hpp"

namespace txtfp::core {

constexpr int rule_version = 1;

std::string rule_text(const LearnedRule &learned);

} // namespace txtfp::core
