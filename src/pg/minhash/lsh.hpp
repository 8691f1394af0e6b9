// Checks the bandings that a statement gives or asks for, and computes the band keys of a value.
#pragma once

#include "core/kinds/kinds.hpp"
#include "core/minhash/lsh.hpp"
#include "pg/minhash/minhash.hpp"

namespace txtfp::pg {

// Raises an error (22023) unless bands ≥ 1, rows ≥ 1 and bands · rows ≤ slots; `type` is the SQL type that has these
// slots.
core::Banding check_banding(core::Banding banding, int slots, const char *type);

// The cheapest banding that finds pairs of this similarity with this probability. Raises an error (22023) if an
// argument is out of range or if there is none.
core::Banding banding_with_recall(double threshold, double recall, int slots);

// The name of the SQL type with this number of slots; a static string.
template <class Slot> const char *minhash_type(std::size_t slots)
{
	return core::sketch_kind_of(slots, is_compact<Slot>).type;
}

// The band keys as bigint values, palloc'd: the keys of the index, which lsh_keys shows. bands · rows ≤ number of
// slots. of_crate: the crate's keys, which none of our indexes holds.
Datum *band_key_datums(core::ConstSlots slots, core::Banding banding, bool of_crate = false);
Datum *band_key_datums(core::ConstCompactSlots slots, core::Banding banding);

} // namespace txtfp::pg
