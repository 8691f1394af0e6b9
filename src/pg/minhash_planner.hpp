// What the planner knows of near-duplicates: a statistics slot of our own beside PostgreSQL's.
#pragma once

#include "core/neighbours.hpp"
#include "pg/pg.hpp"

namespace txtfp::pg {

// pg_statistic.stakind of core::SimilarityProfile, kept in stanumbers. 10000–30000 is for private use.
constexpr std::int16_t profile_statistic_kind = 21749;

} // namespace txtfp::pg
