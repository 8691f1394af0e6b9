// Labels divided for cross-validation.
#pragma once

#include <cstdint>
#include <vector>

#include "core/decide/rule.hpp"

namespace txtfp::core {

using Labels = std::vector<const Label *>;

// The fold of each of n labels at random. Folds have equal shares of both kinds. The labels come in the order of kind and
// signals, the wrong ones first.
std::vector<unsigned> random_folds(std::size_t wrong, std::size_t n, std::uint64_t seed);

// The fold of each label, equal for labels of a group. Folds have shares of both kinds that are as equal as groups allow.
std::vector<unsigned> folds_of_groups(const Labels &all, unsigned folds, std::uint64_t seed);

} // namespace txtfp::core
