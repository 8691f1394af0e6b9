// The SQL types minhash64, minhash128 and minhash256: one layout, three numbers of slots.
//   varlena header (4 bytes), schema u16, zero u16, configuration u64, H × u64 slots; aligned to 8, never a short header
// minhash64_compact, minhash128_compact and minhash256_compact, their compact form (core/minhash/minhash_compact.hpp):
// configuration u64,
// H bytes; not aligned. As stored, a sketch of 64 slots has the short header.
#pragma once

#include <cstdint>
#include <cstring>

#include "core/minhash/minhash_compact.hpp"
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

// minhash_probe and minhash_compact_probe: a sketch and the least similarity of a search for it, the operand of an
// index condition.
template <class Slot> struct SketchProbe {
	std::int32_t header;
	std::uint32_t zero;
	double threshold;
	std::uint64_t config;
	Slot slots[FLEXIBLE_ARRAY_MEMBER];

	static constexpr std::size_t size_for(std::size_t slots)
	{
		return offsetof(SketchProbe, slots) + sizeof(Slot) * slots;
	}
	std::size_t slot_count() const { return (VARSIZE(this) - offsetof(SketchProbe, slots)) / sizeof(Slot); }
	std::span<const Slot> view() const { return {slots, slot_count()}; }
};
using MinhashProbe = SketchProbe<std::uint64_t>;
using CompactProbe = SketchProbe<std::uint8_t>;

// A sketch of either form: full (Slot = std::uint64_t) or compact (std::uint8_t).
template <class Slot> struct SketchView {
	std::uint64_t config;
	std::span<const Slot> slots;
};

template <class Slot> constexpr bool is_compact = sizeof(Slot) == 1;
template <class Slot> constexpr const char *form_suffix = is_compact<Slot> ? "_compact" : ""; // of the type's name

Minhash *allocate_minhash(std::size_t slots);
Minhash *minhash_from_wire(std::size_t slots, const bytea *wire); // of unknown configuration; raises 22P03

// 16 hexadecimal digits, palloc'd.
const char *config_digits(std::uint64_t config);

inline const Minhash *minhash_arg(FunctionCallInfo fcinfo, int i)
{
	return reinterpret_cast<const Minhash *>(PG_GETARG_VARLENA_P(i));
}

// The view points into the value, or into a copy of it in the current memory context.
inline SketchView<std::uint64_t> view_of(const Minhash &value) { return {value.config, value.view()}; }
inline SketchView<std::uint8_t> view_of(const struct varlena *value)
{
	SketchView<std::uint8_t> view;
	const auto *payload = reinterpret_cast<const std::uint8_t *>(VARDATA_ANY(value));
	memcpy(&view.config, payload, sizeof view.config);
	view.slots = {payload + sizeof view.config, VARSIZE_ANY_EXHDR(value) - sizeof view.config};
	return view;
}
template <class Slot> SketchView<Slot> sketch_view(Datum value)
{
	if constexpr (is_compact<Slot>)
		return view_of(PG_DETOAST_DATUM_PACKED(value));
	else
		return view_of(*reinterpret_cast<const Minhash *>(PG_DETOAST_DATUM(value)));
}
template <class Slot> SketchView<Slot> sketch_arg(FunctionCallInfo fcinfo, int i)
{
	return sketch_view<Slot>(PG_GETARG_DATUM(i));
}

// A compact value to be filled: its configuration is set, `slots` is where its bytes go.
struct varlena *allocate_compact(std::size_t slots, std::uint64_t config, std::uint8_t *&bytes);
struct varlena *make_compact(const Minhash &value);

template <class Slot> const SketchProbe<Slot> *probe_arg(FunctionCallInfo fcinfo, int i)
{
	return reinterpret_cast<const SketchProbe<Slot> *>(PG_GETARG_VARLENA_P(i));
}
template <class Slot> SketchProbe<Slot> *allocate_probe(std::size_t slots)
{
	auto *value = static_cast<SketchProbe<Slot> *>(palloc(SketchProbe<Slot>::size_for(slots)));
	SET_VARSIZE(value, SketchProbe<Slot>::size_for(slots));
	value->zero = 0;
	return value;
}

const char *describe(core::MinhashParse error); // a sentence for errdetail

// True if the values have the same size and, where both are known, the same configuration.
inline bool are_comparable(std::uint64_t config_a, std::size_t slots_a, std::uint64_t config_b, std::size_t slots_b)
{
	return slots_a == slots_b && (config_a == config_b || config_a == 0 || config_b == 0);
}
template <class Slot> bool are_comparable(const SketchView<Slot> &a, const SketchView<Slot> &b)
{
	return are_comparable(a.config, a.slots.size(), b.config, b.slots.size());
}

// Both raise an error (22023): the first for values of different size, the second also for different known
// configurations.
void check_slot_counts(std::size_t a, std::size_t b);
void check_comparable(
	std::uint64_t config_a, std::size_t slots_a, std::uint64_t config_b, std::size_t slots_b, const char *suffix = "");
template <class Slot> void check_comparable(const SketchView<Slot> &a, const SketchView<Slot> &b)
{
	check_comparable(a.config, a.slots.size(), b.config, b.slots.size(), form_suffix<Slot>);
}

// The estimated Jaccard similarity of comparable values.
template <class Slot> double jaccard(const SketchView<Slot> &a, const SketchView<Slot> &b)
{
	check_comparable(a, b);
	return core::estimated_jaccard<Slot>(core::matching_slots(a.slots, b.slots), a.slots.size());
}

struct SearchKind;
extern const SearchKind minhash64_search, minhash128_search, minhash256_search, minhash64_compact_search,
	minhash128_compact_search, minhash256_compact_search;

} // namespace txtfp::pg
