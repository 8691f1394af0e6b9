// The functions that near_duplicate_pairs_distributed calls on the servers that have the rows
// (core/minhash/spread_join.hpp). They are not for users, but anybody may call them, with anything. They see neither
// tables nor settings, because Citus sends only immutable functions.
#include <algorithm>
#include <cstring>
#include <vector>

#include "core/base/hash.hpp"
#include "core/base/splitmix.hpp"
#include "core/minhash/lsh.hpp"
#include "core/minhash/spread_join.hpp"
#include "pg/base/guard.hpp"
#include "pg/base/large_array.hpp"
#include "pg/base/owned.hpp"
#include "pg/base/ranges.hpp"
#include "pg/bulk/row_result.hpp"
#include "pg/bulk/spread_ids.hpp"
#include "pg/fingerprint/fingerprint_kinds.hpp"
#include "pg/minhash/lsh.hpp"
#include "pg/minhash/minhash.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"
}

using namespace txtfp;

namespace {

// The type of the ids, and their values as bytes.
struct IdType {
	Oid type, base;
	std::int16_t size;
	bool by_value;
	char align;
	Oid collation;
	FmgrInfo *compare; // nullptr until it is asked for

	explicit IdType(Oid of) : type(of), base(getBaseType(of)), collation(get_typcollation(of)), compare(nullptr)
	{
		get_typlenbyvalalign(type, &size, &by_value, &align);
	}

	std::string_view bytes(const Datum &id) const
	{
		if (by_value)
			return {reinterpret_cast<const char *>(&id), sizeof id};
		if (size > 0)
			return {DatumGetPointer(id), static_cast<std::size_t>(size)};
		if (size == -2)
			return DatumGetCString(id);
		const struct varlena *value = PG_DETOAST_DATUM_PACKED(id);
		return {VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)};
	}
	std::uint64_t hash(const Datum &id) const
	{
		if (by_value)
			return core::SplitMix64::at(id);
		const std::string_view value = bytes(id);
		return core::xxh3_64(value.data(), value.size(), 0);
	}
	// A value from its bytes. Anybody may have made them up, so they are checked as the type's input does.
	Datum datum(std::string_view bytes) const
	{
		const Datum id = unchecked(bytes);
		if (by_value && !pg::survives_transport(id, base))
			refuse("an id");
		if (is_text(base))
			pg_verifymbstr(bytes.data(), static_cast<int>(bytes.size()), false);
		if (base != type)
			domain_check(id, false, type, nullptr, CurrentMemoryContext);
		return id;
	}
	[[noreturn]] static void refuse(const char *what)
	{
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s in bytes of a join is damaged", what)));
	}

private:
	static bool is_text(Oid base) { return base == TEXTOID || base == VARCHAROID || base == BPCHAROID; }

	Datum unchecked(std::string_view bytes) const
	{
		const std::size_t expected = by_value ? sizeof(Datum)
			: size > 0                        ? static_cast<std::size_t>(size)
											  : bytes.size();
		if (bytes.size() != expected)
			refuse("an id");
		if (by_value) {
			Datum id;
			memcpy(&id, bytes.data(), sizeof id);
			return id;
		}
		if (size > 0)
			return PointerGetDatum(memcpy(palloc(bytes.size()), bytes.data(), bytes.size()));
		if (size == -2)
			return CStringGetDatum(pnstrdup(bytes.data(), bytes.size()));
		return PointerGetDatum(cstring_to_text_with_len(bytes.data(), static_cast<int>(bytes.size())));
	}
};

Oid element_type(FunctionCallInfo fcinfo, int i) { return AARR_ELEMTYPE(PG_GETARG_ANY_ARRAY_P(i)); }

struct ArrayValues {
	Datum *datums;
	std::size_t count;
};

ArrayValues values_of(ArrayType *array)
{
	std::int16_t size;
	bool by_value, *nulls;
	char align;
	int count;
	ArrayValues values{};
	get_typlenbyvalalign(ARR_ELEMTYPE(array), &size, &by_value, &align);
	deconstruct_array(array, ARR_ELEMTYPE(array), size, by_value, align, &values.datums, &nulls, &count);
	for (int i = 0; i < count; ++i)
		if (nulls[i])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("arrays must not contain null")));
	values.count = static_cast<std::size_t>(count);
	return values;
}

// The places: their labels are values of the column by which the tables are distributed.
struct PlaceLabels {
	const std::int32_t *values;
	std::size_t count;

	PlaceLabels(FunctionCallInfo fcinfo, int i)
	{
		ArrayType *array = PG_GETARG_ARRAYTYPE_P(i);
		if (ARR_HASNULL(array) || ARR_NDIM(array) != 1)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("there must be a list of labels")));
		values = reinterpret_cast<const std::int32_t *>(ARR_DATA_PTR(array));
		count = static_cast<std::size_t>(ARR_DIMS(array)[0]);
	}
	Datum of(std::size_t place) const { return Int32GetDatum(values[place]); }
	std::size_t place_of(std::int32_t label) const
	{
		const auto *found = std::find(values, values + count, label);
		if (found == values + count)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("there is no label %d", label)));
		return static_cast<std::size_t>(found - values);
	}
};

// The rows of a place: (ids, sketches) are the first two arguments.
struct PlaceRows {
	IdType id_type;
	ArrayValues ids, sketches;
	const pg::FingerprintKind *kind;
	std::uint64_t *hashes;

	explicit PlaceRows(FunctionCallInfo fcinfo)
		: id_type(element_type(fcinfo, 0)), ids(values_of(PG_GETARG_ARRAYTYPE_P(0))),
		  sketches(values_of(PG_GETARG_ARRAYTYPE_P(1))),
		  kind(pg::find_kind(element_type(fcinfo, 1), pg::use_pairs)),
		  hashes(pg::allocate<std::uint64_t>(CurrentMemoryContext, ids.count))
	{
		if (kind == nullptr || kind->slots == 0)
			ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
					errmsg("the second argument is not an array of MinHash sketches")));
		if (ids.count != sketches.count)
			ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR), errmsg("there must be as many sketches as ids")));
		for (std::size_t i = 0; i < ids.count; ++i)
			hashes[i] = id_type.hash(ids.datums[i]);
	}
	template <class Slot> pg::SketchView<Slot> sketch(std::size_t row) const
	{
		return pg::sketch_view<Slot>(sketches.datums[row]);
	}
};

// Finds rows by their hashes.
class PlaceRowsByHash {
public:
	explicit PlaceRowsByHash(const PlaceRows &rows)
		: rows_(pg::allocate<Row>(CurrentMemoryContext, rows.ids.count)), end_(rows_ + rows.ids.count)
	{
		for (std::size_t i = 0; i < rows.ids.count; ++i)
			rows_[i] = {rows.hashes[i], i};
		std::sort(rows_, end_, [](const Row &a, const Row &b) { return a.hash < b.hash; });
	}
	template <class Fn> void for_each(std::uint64_t hash, Fn fn) const
	{
		const Row *row = std::lower_bound(rows_, end_, hash, [](const Row &a, std::uint64_t h) { return a.hash < h; });
		for (; row < end_ && row->hash == hash; ++row)
			fn(row->number);
	}

private:
	struct Row {
		std::uint64_t hash;
		std::size_t number;
	};
	Row *rows_, *end_;
};

// The values of an argument of type bytea[] in one piece.
std::string_view joined(FunctionCallInfo fcinfo, int i)
{
	const ArrayValues parts = values_of(PG_GETARG_ARRAYTYPE_P(i));
	std::size_t size = 0;
	for (std::size_t p = 0; p < parts.count; ++p) {
		parts.datums[p] = PointerGetDatum(PG_DETOAST_DATUM_PACKED(parts.datums[p]));
		size += VARSIZE_ANY_EXHDR(DatumGetPointer(parts.datums[p]));
	}
	char *bytes = pg::allocate<char>(CurrentMemoryContext, size), *at = bytes;
	for (std::size_t p = 0; p < parts.count; ++p) {
		const auto *part = reinterpret_cast<const struct varlena *>(DatumGetPointer(parts.datums[p]));
		memcpy(at, VARDATA_ANY(part), VARSIZE_ANY_EXHDR(part));
		at += VARSIZE_ANY_EXHDR(part);
	}
	return {bytes, size};
}
std::span<const std::uint64_t> words_of(std::string_view bytes)
{
	if (bytes.size() % sizeof(std::uint64_t) != 0)
		IdType::refuse("a word");
	return {reinterpret_cast<const std::uint64_t *>(bytes.data()), bytes.size() / sizeof(std::uint64_t)};
}

Datum bytea_of(const void *bytes, std::size_t size)
{
	if (size > MaxAllocSize - VARHDRSZ)
		ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("too many rows share a band key with others"),
				errhint("Remove exact copies and boilerplate first, or lower max_key_rows.")));
	auto *value = static_cast<bytea *>(palloc(VARHDRSZ + size));
	SET_VARSIZE(value, VARHDRSZ + size);
	memcpy(VARDATA(value), bytes, size);
	return PointerGetDatum(value);
}

// Returns what goes to each place: its label and the bytes. Two numbers stand in further columns of the first row, and
// 0 in the other rows; if the first is not 0, there is a row.
template <class Pieces>
void put_places(pg::RowResult &result, const PlaceLabels &labels, const Pieces &places, std::int64_t crowded = 0,
	std::int64_t largest = 0)
{
	bool is_first = true;
	for (std::size_t place = 0; place < labels.count; ++place) {
		const bool is_last = place + 1 == labels.count;
		if (places[place].empty() && !(is_last && is_first && crowded > 0))
			continue;
		const MemoryContext caller = result.enter();
		const Datum values[] = {labels.of(place),
			bytea_of(places[place].data(), places[place].size() * sizeof(places[place][0])),
			Int64GetDatum(is_first ? crowded : 0), Int64GetDatum(is_first ? largest : 0)};
		result.put(values, caller);
		is_first = false;
	}
}

template <class Slot> void spread_keys(FunctionCallInfo fcinfo, const PlaceRows &rows)
{
	const core::Banding banding = pg::check_banding({PG_GETARG_INT32(2), PG_GETARG_INT32(3)},
		static_cast<int>(rows.kind->slots), pg::minhash_type<Slot>(rows.kind->slots));
	const PlaceLabels labels(fcinfo, 4);
	pg::RowResult result(fcinfo);
	auto &places = *pg::make_owned<std::vector<core::HashList>>(CurrentMemoryContext, labels.count);
	const MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "a row", ALLOCSET_DEFAULT_SIZES);
	for (std::size_t i = 0; i < rows.ids.count; ++i) {
		CHECK_FOR_INTERRUPTS();
		const MemoryContext caller = MemoryContextSwitchTo(scratch);
		const auto slots = rows.sketch<Slot>(i).slots;
		std::uint64_t keys[core::minhash_max_slots];
		core::band_keys(slots, banding, keys);
		pg::guarded([&] {
			core::spread_keys(rows.hashes[i], {keys, static_cast<std::size_t>(banding.bands)}, places);
		});
		MemoryContextSwitchTo(caller);
		MemoryContextReset(scratch);
	}
	put_places(result, labels, places);
}

using HalvesOfPlaces = std::vector<core::ByteList>; // guarded: by make_owned

template <class Slot> void put_halves(const PlaceRows &rows, core::Partners &partners, HalvesOfPlaces &places)
{
	const PlaceRowsByHash by_hash(rows);
	for (;;) {
		CHECK_FOR_INTERRUPTS();
		bool has_row = false;
		pg::guarded([&] { has_row = partners.next(); });
		if (!has_row)
			return;
		by_hash.for_each(partners.row(), [&](std::size_t row) {
			const pg::SketchView<Slot> sketch = rows.sketch<Slot>(row);
			const core::Half half{sketch.config, rows.id_type.bytes(rows.ids.datums[row]),
				{reinterpret_cast<const char *>(sketch.slots.data()), sketch.slots.size_bytes()}};
			pg::guarded([&] { core::put_half(half, partners.partners(), places); });
		});
	}
}

// Compares the rows of a place with those that have come to it.
template <class Slot> class Verifier {
public:
	Verifier(const PlaceRows &rows, double threshold, pg::RowResult &result)
		: rows_(rows), by_hash_(rows), result_(result),
		  matches_(core::least_matches_of<Slot>(threshold, rows.kind->slots)),
		  slots_(pg::allocate<Slot>(CurrentMemoryContext, rows.kind->slots)),
		  scratch_(AllocSetContextCreate(CurrentMemoryContext, "a row", ALLOCSET_DEFAULT_SIZES))
	{
	}

	void compare(std::string_view halves)
	{
		core::HalfReader reader(halves, rows_.kind->slots * sizeof(Slot));
		while (reader.next()) {
			const core::Half &half = reader.half();
			memcpy(slots_, half.slots.data(), half.slots.size());
			const MemoryContext caller = MemoryContextSwitchTo(scratch_);
			const Datum id = rows_.id_type.datum(half.id);
			const std::uint64_t hash = rows_.id_type.hash(id);
			for (std::size_t i = 0; i < reader.partner_count(); ++i) {
				CHECK_FOR_INTERRUPTS();
				by_hash_.for_each(reader.partner(i),
					[&](std::size_t row) { compare(id, half.config, row, hash == reader.partner(i)); });
			}
			MemoryContextSwitchTo(caller);
			MemoryContextReset(scratch_);
		}
		if (reader.is_damaged())
			IdType::refuse("a row");
	}

private:
	// Rows with equal hashes meet in both orders.
	void compare(Datum a, std::uint64_t config, std::size_t row, bool have_equal_hashes)
	{
		const pg::SketchView<Slot> own = rows_.sketch<Slot>(row), other{config, {slots_, rows_.kind->slots}};
		pg::check_comparable(own, other);
		const unsigned equal = core::matching_slots(own.slots, other.slots);
		if (equal < matches_)
			return;
		const Datum b = rows_.ids.datums[row];
		const int order = DatumGetInt32(FunctionCall2Coll(rows_.id_type.compare, rows_.id_type.collation, a, b));
		if (order == 0 || (have_equal_hashes && order > 0))
			return;
		const double similarity = core::estimated_jaccard<Slot>(equal, rows_.kind->slots);
		const Datum values[] = {order < 0 ? a : b, order < 0 ? b : a, Float8GetDatum(similarity)};
		const MemoryContext caller = result_.enter();
		result_.put(values, caller);
	}

	const PlaceRows &rows_;
	PlaceRowsByHash by_hash_;
	pg::RowResult &result_;
	unsigned matches_;
	Slot *slots_;
	MemoryContext scratch_;
};

template <class Slot> void compare_halves(FunctionCallInfo fcinfo, PlaceRows &rows)
{
	const Oid type = element_type(fcinfo, 0);
	TypeCacheEntry *entry = lookup_type_cache(type, TYPECACHE_CMP_PROC_FINFO);
	if (!OidIsValid(entry->cmp_proc_finfo.fn_oid))
		ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_FUNCTION),
				errmsg("could not identify a comparison function for type %s", format_type_be(type))));
	if (!pg::can_be_spread(type))
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("ids cannot be of type %s", format_type_be(type))));
	rows.id_type.compare = &entry->cmp_proc_finfo;
	pg::RowResult result(fcinfo);
	const double threshold = pg::positive_unit_option("threshold", PG_GETARG_FLOAT8(3), pg::Upper::closed);
	Verifier<Slot>(rows, threshold, result).compare(joined(fcinfo, 2));
}

} // namespace

// (id, labels)
TXTFP_FUNCTION(txtfp_join_place)
{
	if (PG_ARGISNULL(0))
		ereport(ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("the query returned an id that is null"),
				errhint("Leave such rows out of the query.")));
	if (PG_ARGISNULL(1))
		PG_RETURN_NULL();
	auto *type = static_cast<IdType *>(fcinfo->flinfo->fn_extra);
	if (type == nullptr) {
		type = static_cast<IdType *>(MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(IdType)));
		*type = IdType(get_fn_expr_argtype(fcinfo->flinfo, 0));
		fcinfo->flinfo->fn_extra = type;
	}
	const PlaceLabels labels(fcinfo, 1);
	return labels.of(core::place_of(type->hash(PG_GETARG_DATUM(0)), labels.count));
}

// (ids, sketches, bands, rows, labels)
TXTFP_FUNCTION(txtfp_join_keys)
{
	const PlaceRows rows(fcinfo);
	rows.kind->compact ? spread_keys<std::uint8_t>(fcinfo, rows) : spread_keys<std::uint64_t>(fcinfo, rows);
	return (Datum) 0;
}

// (keys, labels, max_key_rows)
TXTFP_FUNCTION(txtfp_join_groups)
{
	const std::span<const std::uint64_t> entries = words_of(joined(fcinfo, 0));
	const PlaceLabels labels(fcinfo, 1);
	const int max_key_rows = pg::at_least_one("max_key_rows", PG_GETARG_INT32(2));
	pg::RowResult result(fcinfo);
	auto &groups = *pg::make_owned<core::KeyGroups>(CurrentMemoryContext);
	pg::guarded([&] {
		groups = core::group_keys(entries, labels.count, static_cast<std::uint64_t>(max_key_rows), pg::stop_token);
	});
	put_places(result, labels, groups.places, static_cast<std::int64_t>(groups.crowded),
		static_cast<std::int64_t>(groups.largest));
	return (Datum) 0;
}

// (ids, sketches, groups, label, labels)
TXTFP_FUNCTION(txtfp_join_halves)
{
	const PlaceRows rows(fcinfo);
	const std::span<const std::uint64_t> groups = words_of(joined(fcinfo, 2));
	const PlaceLabels labels(fcinfo, 4);
	const std::size_t place = labels.place_of(PG_GETARG_INT32(3));
	pg::RowResult result(fcinfo);
	auto &partners = *pg::make_owned<core::Partners>(CurrentMemoryContext, groups, place, labels.count, pg::stop_token);
	auto &places = *pg::make_owned<HalvesOfPlaces>(CurrentMemoryContext, labels.count);
	rows.kind->compact ? put_halves<std::uint8_t>(rows, partners, places)
					   : put_halves<std::uint64_t>(rows, partners, places);
	put_places(result, labels, places);
	return (Datum) 0;
}

// (ids, sketches, halves, threshold)
TXTFP_FUNCTION(txtfp_join_pairs)
{
	PlaceRows rows(fcinfo);
	rows.kind->compact ? compare_halves<std::uint8_t>(fcinfo, rows) : compare_halves<std::uint64_t>(fcinfo, rows);
	return (Datum) 0;
}
