// Priorities of rows: the greatest comes first, and a row without a priority last, behind −infinity.
#pragma once

#include <cmath>
#include <limits>

namespace txtfp::core {

constexpr double no_priority = std::numeric_limits<double>::quiet_NaN();

// True if a row of priority x comes before one of priority y; rows of equal priorities have another order.
inline bool is_higher_priority(double x, double y) noexcept { return x > y || (std::isnan(y) && !std::isnan(x)); }

} // namespace txtfp::core
