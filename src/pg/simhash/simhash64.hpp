// The SQL types simhash64 (8 bytes, by value, unsigned) and simhash_probe (a value and the greatest distance, the
// operand of an index condition).
#pragma once

#include <cstdint>

#include "core/simhash/simhash.hpp"
#include "pg/base/pg.hpp"

namespace txtfp::pg {

static_assert(sizeof(Datum) == 8, "simhash64 is passed by value");

inline Datum simhash_datum(std::uint64_t bits) { return Int64GetDatum(static_cast<int64>(bits)); }
inline std::uint64_t simhash_arg(FunctionCallInfo fcinfo, int i)
{
	return static_cast<std::uint64_t>(PG_GETARG_INT64(i));
}

struct SimhashProbe {
	std::uint64_t bits;
	std::int32_t max_distance; // 0 … 64
	std::int32_t zero;
};

inline const SimhashProbe *simhash_probe_arg(FunctionCallInfo fcinfo, int i)
{
	return (const SimhashProbe *) PG_GETARG_POINTER(i);
}

core::Weighting weighting_option(std::string_view text); // raises 22023
int check_max_distance(int value);                       // raises 22023 outside 0 … 64

struct SearchKind;
extern const SearchKind simhash_search;

} // namespace txtfp::pg
