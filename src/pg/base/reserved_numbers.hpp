// Numbers of this extension in name spaces that it shares with others. They are stored, or visible to other sessions,
// so they never change. docs/algorithms.md lists them.
#pragma once

#include <cstdint>

namespace txtfp::pg {

// pg_statistic.stakind; 10000 … 30000 is for private use.
constexpr std::int16_t statistics_minhash = 21749;
constexpr std::int16_t statistics_simhash64 = 21750;
constexpr std::int16_t statistics_tlsh = 21751;
constexpr std::int16_t statistics_lavinhash = 21752;
constexpr std::int16_t statistics_passages = 21753;

// The class of advisory locks: pg_locks.objsubid, which is 1 or 2 for locks of SQL functions.
constexpr std::uint16_t lock_class_key = 21761;   // of a near-duplicate key
constexpr std::uint16_t lock_class_table = 21762; // of a table's gate and mark

// The command number of a backend's progress, where PostgreSQL has the numbers of VACUUM, COPY …: 0 to some ten.
constexpr int progress_command = 21771;

} // namespace txtfp::pg
