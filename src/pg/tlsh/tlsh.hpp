// The SQL types tlsh (35 bytes, the digits of its text form) and tlsh_probe (a digest and the greatest distance, the
// operand of an index condition).
#pragma once

#include "core/tlsh/tlsh.hpp"
#include "pg/base/pg.hpp"

namespace txtfp::pg {

inline const core::Tlsh &to_tlsh(Datum value) { return *(const core::Tlsh *) DatumGetPointer(value); }
inline const core::Tlsh &tlsh_arg(FunctionCallInfo fcinfo, int i) { return to_tlsh(PG_GETARG_DATUM(i)); }

constexpr int tlsh_max_distance = 2473;

struct TlshProbe {
	std::int32_t max_distance; // 0 … tlsh_max_distance
	core::Tlsh digest;
	std::uint8_t zero;
};
static_assert(sizeof(TlshProbe) == 40);

inline const TlshProbe &to_tlsh_probe(Datum value) { return *(const TlshProbe *) DatumGetPointer(value); }
inline const TlshProbe &tlsh_probe_arg(FunctionCallInfo fcinfo, int i) { return to_tlsh_probe(PG_GETARG_DATUM(i)); }

// Strategies of tlsh_sketch_ops.
constexpr std::uint16_t strategy_tlsh_probe = 1;     // tlsh % tlsh_probe
constexpr std::uint16_t strategy_tlsh_equal = 3;     // tlsh = tlsh
constexpr std::uint16_t strategy_tlsh_distance = 15; // ORDER BY tlsh <~> tlsh

struct SearchKind;
extern const SearchKind tlsh_search;

} // namespace txtfp::pg
