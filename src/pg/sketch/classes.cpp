// The types that a `sketch` index supports. The support function of an operator class returns the address of its
// SketchClass.
#include <algorithm>
#include <array>

#include "core/sketch/signature.hpp"
#include "pg/base/given_value.hpp"
#include "pg/base/identity.hpp"
#include "pg/base/settings.hpp"
#include "pg/index/planner.hpp"
#include "pg/lavinhash/lavinhash.hpp"
#include "pg/lavinhash/lavinhash_gin.hpp"
#include "pg/minhash/minhash.hpp"
#include "pg/minhash/minhash_gin.hpp"
#include "pg/simhash/simhash64.hpp"
#include "pg/simhash/simhash64_gin.hpp"
#include "pg/sketch/sketch.hpp"
#include "pg/tlsh/tlsh.hpp"

extern "C" {
#include "access/reloptions.h"
#include "catalog/pg_type.h"
#include "nodes/primnodes.h"
#include "utils/memutils.h"
}

using namespace txtfp;

TXTFP_DECLARE(txtfp_minhash_probe_in);
TXTFP_DECLARE(txtfp_minhash_compact_probe_in);
TXTFP_DECLARE(txtfp_to_minhash_probe);
TXTFP_DECLARE(txtfp_to_minhash_compact_probe);

namespace txtfp::pg {

namespace {

static_assert(strategy_similar == 1 && strategy_probe == 2 && strategy_hamming == 1 && strategy_hamming_probe == 2 &&
	strategy_lavinhash == 1 && strategy_lavinhash_probe == 2 && strategy_tlsh_probe == 1 &&
	strategy_exact == strategy_sketch_exact && strategy_tlsh_equal == strategy_sketch_equal &&
	strategy_tlsh_distance == strategy_sketch_distance);

[[noreturn]] void report_strategy(StrategyNumber strategy)
{
	elog(ERROR, "unrecognized strategy number: %d", strategy);
	pg_unreachable();
}

// ---- MinHash

// The greatest number of different slots with which jaccard() still reaches the threshold; −1 if it never does.
template <class Slot> int max_different_slots(int slots, double threshold)
{
	int equal = slots;
	while (equal >= 0 &&
		core::estimated_jaccard<Slot>(static_cast<unsigned>(equal), static_cast<std::size_t>(slots)) >= threshold)
		--equal;
	return slots - (equal + 1);
}

void signature_of(core::ConstSlots slots, std::uint8_t *out) { core::minhash_signature(slots, out); }
void signature_of(core::ConstCompactSlots slots, std::uint8_t *out) { core::compact_signature(slots, out); }

template <class Slot> void minhash_value(Datum datum, SketchValue &value)
{
	struct varlena *sketch = is_compact<Slot> ? PG_DETOAST_DATUM_PACKED(datum) : PG_DETOAST_DATUM(datum);
	const SketchView<Slot> view = sketch_view<Slot>(PointerGetDatum(sketch));
	value.config = view.config;
	signature_of(view.slots, value.signature);
	if ((Pointer) sketch != DatumGetPointer(datum))
		pfree(sketch);
}

// Raises an error if the probe has another number of slots than the indexed type, as the operator does without the
// index.
template <class Slot, int H>
void minhash_condition_of(const SketchView<Slot> &probe, double threshold, SketchValue &condition)
{
	check_slot_counts(H, probe.slots.size());
	condition.config = probe.config;
	condition.limit = max_different_slots<Slot>(H, threshold);
	signature_of(probe.slots, condition.signature);
}

template <class Slot, int H> void minhash_condition(StrategyNumber strategy, Datum argument, SketchValue &condition)
{
	if (strategy == strategy_probe || strategy == strategy_sketch_exact) {
		const auto *probe = (const SketchProbe<Slot> *) PG_DETOAST_DATUM(argument);
		return minhash_condition_of<Slot, H>({probe->config, probe->view()}, probe->threshold, condition);
	}
	const SketchView<Slot> sketch = sketch_view<Slot>(argument);
	switch (strategy) {
	case strategy_similar:
		return minhash_condition_of<Slot, H>(sketch, jaccard_threshold, condition);
	case strategy_sketch_equal:
		condition.any_config = true;
		return minhash_condition_of<Slot, H>(sketch, 1, condition);
	case strategy_sketch_distance:
		return minhash_condition_of<Slot, H>(sketch, 0, condition);
	default:
		report_strategy(strategy);
	}
}

// The threshold of a constant probe, or of to_minhash_probe(sketch, constant)
template <class Slot> std::optional<double> planned_threshold(const Node *argument)
{
	constexpr bool compact = is_compact<Slot>;
	if (const auto probe = constant_value(argument, compact ? txtfp_minhash_compact_probe_in : txtfp_minhash_probe_in))
		return ((const SketchProbe<Slot> *) PG_DETOAST_DATUM(*probe))->threshold;
	const auto *call = (const FuncExpr *) argument;
	if (!IsA(argument, FuncExpr) || list_length(call->args) != 2 ||
		!runs(call->funcid, compact ? txtfp_to_minhash_compact_probe : txtfp_to_minhash_probe))
		return std::nullopt;
	return constant_number((const Node *) lsecond(call->args));
}

template <class Slot, int H> int minhash_planned_limit(StrategyNumber strategy, const Node *argument)
{
	if (strategy == strategy_sketch_equal)
		return 0;
	const bool has_probe = strategy == strategy_probe || strategy == strategy_sketch_exact;
	const auto planned = has_probe ? planned_threshold<Slot>(argument) : std::nullopt;
	return max_different_slots<Slot>(H, planned.value_or(jaccard_threshold));
}

// As jaccard_distance.
template <class Slot, int H> Datum minhash_distance(int distance)
{
	return Float8GetDatum(1 - core::estimated_jaccard<Slot>(static_cast<unsigned>(H - distance), H));
}

// ---- SimHash

void simhash_value(Datum datum, SketchValue &value)
{
	value.config = 0;
	core::simhash_signature(static_cast<std::uint64_t>(DatumGetInt64(datum)), value.signature);
}

void simhash_condition(StrategyNumber strategy, Datum argument, SketchValue &condition)
{
	if (strategy == strategy_hamming_probe || strategy == strategy_sketch_exact) {
		const auto &probe = *(const SimhashProbe *) DatumGetPointer(argument);
		condition.limit = probe.max_distance;
		core::simhash_signature(probe.bits, condition.signature);
		return;
	}
	simhash_value(argument, condition);
	switch (strategy) {
	case strategy_hamming:
		condition.limit = hamming_threshold;
		return;
	case strategy_sketch_equal:
		condition.limit = 0;
		return;
	case strategy_sketch_distance:
		condition.limit = 64;
		return;
	default:
		report_strategy(strategy);
	}
}

Datum terms_distance(int distance)
{
	return Float4GetDatum(static_cast<float>(distance) / static_cast<float>(core::terms_scale));
}

Datum int_distance(int distance) { return Int32GetDatum(distance); }

// ---- TLSH

constexpr StrategyNumber strategy_tlsh = 2; // tlsh % tlsh: distance from txtfp.tlsh_threshold

void tlsh_value(Datum datum, SketchValue &value)
{
	value.config = 0;
	core::tlsh_signature(to_tlsh(datum), value.signature);
}

void tlsh_condition(StrategyNumber strategy, Datum argument, SketchValue &condition)
{
	if (strategy == strategy_tlsh_probe || strategy == strategy_sketch_exact) {
		const TlshProbe &probe = to_tlsh_probe(argument);
		condition.limit = probe.max_distance;
		core::tlsh_signature(probe.digest, condition.signature);
		return;
	}
	tlsh_value(argument, condition);
	switch (strategy) {
	case strategy_tlsh:
		condition.limit = tlsh_threshold;
		return;
	case strategy_sketch_equal:
		condition.limit = 0; // different digests are at least 1 apart
		return;
	case strategy_sketch_distance:
		condition.limit = tlsh_max_distance;
		return;
	default:
		report_strategy(strategy);
	}
}

// ---- LavinHash

void lavinhash_value(Datum datum, SketchValue &value)
{
	struct varlena *form = PG_DETOAST_DATUM_PACKED(datum);
	value.config = 0;
	core::lavinhash_signature(lavinhash_view(form), value.signature);
	if ((Pointer) form != DatumGetPointer(datum))
		pfree(form);
}

void lavinhash_condition(StrategyNumber strategy, Datum argument, SketchValue &condition)
{
	if (strategy == strategy_lavinhash_probe || strategy == strategy_sketch_exact) {
		const auto *probe = (const LavinhashProbe *) PG_DETOAST_DATUM(argument);
		condition.limit = 100 - probe->min_score;
		core::lavinhash_signature(probe->view(), condition.signature);
		return;
	}
	lavinhash_value(argument, condition);
	switch (strategy) {
	case strategy_lavinhash:
		condition.limit = 100 - lavinhash_threshold;
		return;
	case strategy_sketch_equal:
		condition.limit = 0;
		return;
	case strategy_sketch_distance:
		condition.limit = 100;
		return;
	default:
		report_strategy(strategy);
	}
}

// The classes of a type, by the number of leading columns.
using Classes = std::array<SketchClass, core::sketch_max_keys + 1>;

constexpr Classes with_layouts(
	SketchClass type, core::SketchKind kind, std::size_t term_pages = core::terms_default_pages)
{
	Classes classes{};
	for (std::size_t keys = 0; keys < classes.size(); ++keys) {
		type.layout = core::sketch_layout(kind, BLCKSZ, keys, term_pages);
		classes[keys] = type;
	}
	return classes;
}

template <class Slot, int H> constexpr Classes minhash_classes(const char *name, core::SketchKind kind)
{
	return with_layouts({name, {}, H, form_suffix<Slot>, minhash_value<Slot>, minhash_condition<Slot, H>,
							minhash_distance<Slot, H>, minhash_planned_limit<Slot, H>},
		kind);
}

constexpr Classes minhash64 = minhash_classes<std::uint64_t, 64>("minhash64", core::SketchKind::minhash64);
constexpr Classes minhash128 = minhash_classes<std::uint64_t, 128>("minhash128", core::SketchKind::minhash128);
constexpr Classes minhash256 = minhash_classes<std::uint64_t, 256>("minhash256", core::SketchKind::minhash256);
constexpr Classes minhash64_compact =
	minhash_classes<std::uint8_t, 64>("minhash64_compact", core::SketchKind::minhash64_compact);
constexpr Classes minhash128_compact =
	minhash_classes<std::uint8_t, 128>("minhash128_compact", core::SketchKind::minhash128_compact);
constexpr Classes minhash256_compact =
	minhash_classes<std::uint8_t, 256>("minhash256_compact", core::SketchKind::minhash256_compact);
constexpr Classes simhash64 = with_layouts(
	{"simhash64", {}, 0, "", simhash_value, simhash_condition, int_distance, nullptr}, core::SketchKind::simhash64);
constexpr Classes tlsh =
	with_layouts({"tlsh", {}, 0, "", tlsh_value, tlsh_condition, int_distance, nullptr}, core::SketchKind::tlsh);
constexpr Classes lavinhash = with_layouts(
	{"lavinhash", {}, 0, "", lavinhash_value, lavinhash_condition, int_distance, nullptr}, core::SketchKind::lavinhash);

// By the pages of a group, from terms_min_pages on.
constexpr auto terms = [] {
	std::array<Classes, core::terms_max_pages - core::terms_min_pages + 1> classes{};
	for (std::size_t i = 0; i < classes.size(); ++i)
		classes[i] = with_layouts({"terms", {}, 0, "", nullptr, nullptr, terms_distance, nullptr},
			core::SketchKind::terms, core::terms_min_pages + i);
	return classes;
}();

// Without the option `bits`.
constexpr Classes unsized_terms = [] {
	Classes classes = terms[core::terms_default_pages - core::terms_min_pages];
	for (SketchClass &type : classes)
		type.is_unsized = true;
	return classes;
}();

// The options of an operator class of sets of terms.
struct TermOptions {
	std::int32_t header;
	int bits; // of a signature, at least; 0: CREATE INDEX chooses
};
constexpr int most_term_bits = terms.back()[0].layout.planes;

// Without leading columns, groups of this many pages have the bits; with leading columns they have the same pages.
const Classes &classes_of_bits(int bits)
{
	return bits == 0 ? unsized_terms : *std::find_if(terms.begin(), terms.end() - 1, [bits](const Classes &c) {
		return c[0].layout.planes >= bits;
	});
}

Datum address(const Classes &classes) { return PointerGetDatum(classes.data()); }

} // namespace

namespace {

// The class with another layout. Few differ, so they live as long as the session.
const SketchClass &with_layout(const SketchClass &type, const core::SketchLayout &layout)
{
	struct Entry {
		SketchClass type;
		const SketchClass *of;
		const Entry *next;
	};
	static const Entry *entries;
	for (const Entry *entry = entries; entry != nullptr; entry = entry->next)
		if (entry->of == &type && memcmp(&entry->type.layout, &layout, sizeof layout) == 0)
			return entry->type;
	auto *entry = new (MemoryContextAlloc(TopMemoryContext, sizeof(Entry))) Entry{type, &type, entries};
	entry->type.layout = layout;
	entries = entry;
	return entry->type;
}

const SketchClass &built_class(Relation index, const SketchClass &type, const SketchMeta &meta)
{
	if (type.is_unsized && (meta.pages < core::terms_min_pages || meta.pages > core::terms_max_pages))
		report_damage(index, sketch_meta_block);
	const SketchClass &sized = type.is_unsized ? sized_class(type, meta.pages) : type;
	const core::SketchPlaces usual = core::places_of(sized.layout);
	if (meta.format == sketch_first_format || memcmp(&meta.places, &usual, sizeof usual) == 0)
		return sized;
	core::SketchLayout layout = sized.layout;
	if (!core::set_places(layout, meta.places, BLCKSZ))
		report_damage(index, sketch_meta_block);
	return with_layout(sized, layout);
}

} // namespace

const SketchClass &sketch_class(Relation index)
{
	if (const auto *cache = static_cast<const SketchCache *>(index->rd_amcache);
		cache != nullptr && cache->type != nullptr)
		return *cache->type;
	const int columns = IndexRelationGetNumberOfKeyAttributes(index);
	const SketchClass &type = sketch_class_of(
		FunctionCall1(index_getprocinfo(index, static_cast<AttrNumber>(columns), sketch_class_function), (Datum) 0),
		columns);
	const std::optional<SketchMeta> meta = built_meta(index);
	if (!meta)
		return type;
	const SketchClass &built = built_class(index, type, *meta);
	sketch_cache(index).type = &built;
	return built;
}

const SketchClass &sized_class(const SketchClass &type, std::size_t pages)
{
	return terms[pages - core::terms_min_pages][type.layout.keys];
}

void sketch_value(Relation index, const SketchClass &type, Datum datum, bool is_null, SketchValue &value)
{
	if (!is_null)
		return type.value != nullptr ? type.value(datum, value) : terms_value(index, type, datum, value);
	value.config = 0;
	memset(value.signature, 0, type.layout.signature_size);
}

void sketch_condition(Relation index, const SketchClass &type, const ScanKeyData &key, SketchValue &condition)
{
	condition.any_config = false;
	condition.terms = nullptr;
	if (type.condition != nullptr)
		type.condition(key.sk_strategy, key.sk_argument, condition);
	else
		terms_condition(index, type, key, condition);
}

void check_sketch_config(const SketchClass &type, std::uint64_t a, std::uint64_t b)
{
	const auto slots = static_cast<std::size_t>(type.slots);
	if (slots != 0)
		check_comparable(a, slots, b, slots, type.form);
}

} // namespace txtfp::pg

TXTFP_FUNCTION(txtfp_minhash64_sketch_class) { return pg::address(pg::minhash64); }
TXTFP_FUNCTION(txtfp_minhash128_sketch_class) { return pg::address(pg::minhash128); }
TXTFP_FUNCTION(txtfp_minhash256_sketch_class) { return pg::address(pg::minhash256); }
TXTFP_FUNCTION(txtfp_minhash64_compact_sketch_class) { return pg::address(pg::minhash64_compact); }
TXTFP_FUNCTION(txtfp_minhash128_compact_sketch_class) { return pg::address(pg::minhash128_compact); }
TXTFP_FUNCTION(txtfp_minhash256_compact_sketch_class) { return pg::address(pg::minhash256_compact); }
TXTFP_FUNCTION(txtfp_simhash64_sketch_class) { return pg::address(pg::simhash64); }
TXTFP_FUNCTION(txtfp_tlsh_sketch_class) { return pg::address(pg::tlsh); }
TXTFP_FUNCTION(txtfp_lavinhash_sketch_class) { return pg::address(pg::lavinhash); }
TXTFP_FUNCTION(txtfp_terms_sketch_class)
{
	if (!PG_HAS_OPCLASS_OPTIONS())
		return pg::address(pg::unsized_terms);
	return pg::address(pg::classes_of_bits(((const pg::TermOptions *) PG_GET_OPCLASS_OPTIONS())->bits));
}
TXTFP_FUNCTION(txtfp_terms_sketch_options)
{
	auto *options = (local_relopts *) PG_GETARG_POINTER(0);
	init_local_reloptions(options, sizeof(pg::TermOptions));
	add_local_int_reloption(
		options, "bits", "bits of a signature, at least", 0, 64, pg::most_term_bits, offsetof(pg::TermOptions, bits));
	PG_RETURN_VOID();
}
