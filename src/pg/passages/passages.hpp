// The SQL types passages and passages_probe: the winnowed fingerprints of a text (core/passages/winnow.hpp), in a probe
// together with the number of them that a row must share.
//   varlena header (4 bytes), least i32 (0 unless it is a probe), configuration u64, n × u64 ascending; aligned to 8
#pragma once

#include <cstdint>
#include <span>

#include "core/passages/winnow.hpp"
#include "pg/base/pg.hpp"
#include "pg/text/options.hpp"

extern "C" {
#include "utils/memutils.h"
}

namespace txtfp::pg {

struct Passages {
	std::int32_t header, least;
	std::uint64_t config;
	std::uint64_t fingerprints[FLEXIBLE_ARRAY_MEMBER];

	static constexpr std::size_t size_for(std::size_t count) { return offsetof(Passages, fingerprints) + 8 * count; }
	static constexpr std::size_t max_count = (MaxAllocSize - 16) / 8;
	std::span<const std::uint64_t> view() const
	{
		return {fingerprints, (VARSIZE(this) - offsetof(Passages, fingerprints)) / 8};
	}
};

Passages *allocate_passages(std::size_t count); // raises 54000 if there are too many
inline const Passages *to_passages(Datum value) { return reinterpret_cast<const Passages *>(PG_DETOAST_DATUM(value)); }
inline const Passages *passages_arg(FunctionCallInfo fcinfo, int i) { return to_passages(PG_GETARG_DATUM(i)); }

// Raises 22023 for values of different configurations. A configuration of 0 is unknown and matches any.
void check_comparable(const Passages &a, const Passages &b);

// Reads and caches the arguments guarantee, tokenizer and canonicalizer of a call site.
class WinnowArguments {
public:
	core::WinnowOptions read(FunctionCallInfo fcinfo, int first);

private:
	ParsedOption<tokenizer_option> tokenizer_;
	ParsedOption<canonicalizer_option> canonicalizer_;
};

constexpr std::uint16_t strategy_passages_probe = 1; // passages % passages_probe

} // namespace txtfp::pg
