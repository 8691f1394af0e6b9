// The SQL type fingerprint: a value of any of our types, tagged with its kind.
//   varlena header (4 bytes), schema u16 = 1, kind u16, payload; aligned to 8
// The payload of a sketch is the sketch without its first 8 bytes, so the fingerprint can be read as the sketch itself.
// The kinds are listed in fingerprint_kinds.cpp.
#pragma once

#include <cstdint>

#include "pg/base/guard.hpp"

namespace txtfp::pg {

struct Fingerprint {
	std::int32_t header;
	std::uint16_t schema, kind;
	std::uint8_t payload[FLEXIBLE_ARRAY_MEMBER];

	static constexpr std::size_t size_for(std::size_t payload) { return offsetof(Fingerprint, payload) + payload; }
	std::size_t payload_size() const { return VARSIZE(this) - offsetof(Fingerprint, payload); }
};

inline const Fingerprint *fingerprint_arg(FunctionCallInfo fcinfo, int i)
{
	return reinterpret_cast<const Fingerprint *>(PG_GETARG_VARLENA_P(i));
}

} // namespace txtfp::pg
