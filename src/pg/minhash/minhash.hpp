// The SQL types minhash64, minhash128 and minhash256: one layout, three numbers of slots.
//   varlena header (4 bytes), schema u16, zero u16, configuration u64, H × u64 slots; aligned to 8, never a short header
//   minhash_probe: the same with a threshold before the configuration: the operand of an index condition
#pragma once

#include <cstdint>

#include "core/minhash/lsh.hpp"
#include "pg/base/pg.hpp"

namespace txtfp::pg {

struct Minhash {
	std::int32_t header;
	std::uint16_t schema, zero;
	std::uint64_t config;
	std::uint64_t slots[FLEXIBLE_ARRAY_MEMBER];

	static constexpr std::size_t size_for(std::size_t slots) { return offsetof(Minhash, slots) + 8 * slots; }
	std::size_t slot_count() const { return (VARSIZE(this) - offsetof(Minhash, slots)) / 8; }
	core::Slots view() { return {slots, slot_count()}; }
	core::ConstSlots view() const { return {slots, slot_count()}; }
};

struct MinhashProbe {
	std::int32_t header;
	std::uint32_t zero;
	double threshold;
	std::uint64_t config;
	std::uint64_t slots[FLEXIBLE_ARRAY_MEMBER];

	static constexpr std::size_t size_for(std::size_t slots) { return offsetof(MinhashProbe, slots) + 8 * slots; }
	std::size_t slot_count() const { return (VARSIZE(this) - offsetof(MinhashProbe, slots)) / 8; }
	core::ConstSlots view() const { return {slots, slot_count()}; }
};

Minhash *allocate_minhash(std::size_t slots);
MinhashProbe *allocate_probe(std::size_t slots);

inline const Minhash *minhash_arg(FunctionCallInfo fcinfo, int i)
{
	return reinterpret_cast<const Minhash *>(PG_GETARG_VARLENA_P(i));
}

inline const MinhashProbe *probe_arg(FunctionCallInfo fcinfo, int i)
{
	return reinterpret_cast<const MinhashProbe *>(PG_GETARG_VARLENA_P(i));
}

// True if the values have the same size and, where both are known, the same configuration.
bool are_comparable(std::uint64_t config_a, core::ConstSlots a, std::uint64_t config_b, core::ConstSlots b);

// Both raise an error (22023): the first for values of different size, the second also for different known configurations.
void check_slot_counts(std::size_t a, std::size_t b);
void check_comparable(std::uint64_t config_a, core::ConstSlots a, std::uint64_t config_b, core::ConstSlots b);
inline void check_comparable(const Minhash &a, const Minhash &b)
{
	check_comparable(a.config, a.view(), b.config, b.view());
}

// The estimated Jaccard similarity of comparable values.
double jaccard(std::uint64_t config_a, core::ConstSlots a, std::uint64_t config_b, core::ConstSlots b);
inline double jaccard(const Minhash &a, const Minhash &b) { return jaccard(a.config, a.view(), b.config, b.view()); }

} // namespace txtfp::pg
