#include "pg/bulk/row_ids.hpp"

#include <algorithm>

#include "core/base/bytes.hpp"
#include "core/base/priority.hpp"
#include "pg/base/large_array.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/bulk/host.hpp"

extern "C" {
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/tuplesort.h"
#include "utils/typcache.h"
#include "utils/uuid.h"
}

using namespace txtfp;

namespace txtfp::pg {

namespace {

bool is_text_id(Oid type) { return type == TEXTOID || type == VARCHAROID; }
bool is_integer(Oid type) { return type == INT2OID || type == INT4OID || type == INT8OID; }

// Writes an integer as bytes whose order is the order of the numbers.
constexpr std::uint64_t sign = std::uint64_t{1} << 63;
void store_integer(int64 value, char *out)
{
	std::uint64_t bits = static_cast<std::uint64_t>(value) ^ sign;
	if constexpr (std::endian::native == std::endian::little)
		bits = core::byte_swap(bits);
	memcpy(out, &bits, sizeof bits);
}
int64 load_integer(const char *in)
{
	std::uint64_t bits;
	memcpy(&bits, in, sizeof bits);
	if constexpr (std::endian::native == std::endian::little)
		bits = core::byte_swap(bits);
	return static_cast<int64>(bits ^ sign);
}

void reserve(MemoryContext context, char *&buffer, std::size_t &capacity, std::size_t size)
{
	if (buffer == nullptr || size > capacity)
		buffer = enlarge(context, buffer, capacity = std::max<std::size_t>(16, 2 * size));
}

Datum datum_of(Oid type, std::string_view bytes)
{
	switch (type) {
	case INT4OID:
		return Int32GetDatum(static_cast<int32>(load_integer(bytes.data())));
	case INT8OID:
		return Int64GetDatum(load_integer(bytes.data()));
	case UUIDOID: {
		auto *uuid = static_cast<pg_uuid_t *>(palloc(sizeof(pg_uuid_t)));
		memcpy(uuid->data, bytes.data(), sizeof uuid->data);
		return UUIDPGetDatum(uuid);
	}
	default:
		return PointerGetDatum(cstring_to_text_with_len(bytes.data(), static_cast<int>(bytes.size())));
	}
}

} // namespace

bool is_id_type(Oid type) { return type == INT4OID || type == INT8OID || type == UUIDOID || is_text_id(type); }

GivenColumn id_column(TupleDesc columns, int number, Oid id_type)
{
	const GivenColumn column = given_column(columns, number);
	const Oid column_type = column.type.type, base = column.base;
	if (!is_integer(base) && base != UUIDOID && !is_text_id(base))
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("the query returns ids of type %s", format_type_be(column_type)),
				errhint("Ids are of type integer, bigint, uuid or text. Add a cast to the query.")));
	const bool widens = (base == INT2OID && id_type == INT4OID) || (is_integer(base) && id_type == INT8OID);
	if (base != id_type && !widens && !(is_text_id(base) && is_text_id(id_type)))
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg(
					"the query returns ids of type %s, not %s", format_type_be(column_type), format_type_be(id_type)),
				errhint("Put NULL::%s before the query, as the first argument.", format_type_be(base))));
	return column;
}

void RowIds::open(MemoryContext context, Oid type, std::size_t memory)
{
	*this = {};
	context_ = context;
	type_ = type;
	if (!is_id_type(type))
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("ids cannot be of type %s", format_type_be(type)),
				errhint("The first argument must be of type integer, bigint, uuid or text.")));
	size_ = is_text_id(type) ? 0 : type == UUIDOID ? sizeof(pg_uuid_t) : sizeof(int64);
	ascending_ = true;
	second_begins_ = no_part;
	core::JoinHost &host = make_host(context);
	ids_.open(host, memory / 4 * 3);
	offsets_.open(host, size_ == 0 ? memory / 4 : 0);
}

void RowIds::close()
{
	ids_.close();
	offsets_.close();
}

std::string_view RowIds::bytes_of(const NullableDatum &given, Oid type)
{
	if (given.isnull)
		ereport(ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("the query returned an id that is null"),
				errhint("Leave such rows out of the query.")));
	const Datum id = given.value;
	switch (type) {
	case INT2OID:
		store_integer(DatumGetInt16(id), given_);
		return {given_, sizeof given_};
	case INT4OID:
		store_integer(DatumGetInt32(id), given_);
		return {given_, sizeof given_};
	case INT8OID:
		store_integer(DatumGetInt64(id), given_);
		return {given_, sizeof given_};
	case UUIDOID:
		return {reinterpret_cast<const char *>(DatumGetUUIDP(id)->data), sizeof(pg_uuid_t)};
	default: {
		const text *value = DatumGetTextPP(id);
		return {VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)};
	}
	}
}

std::uint32_t RowIds::add(std::string_view bytes)
{
	if (count_ == max_rows)
		ereport(
			ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("the query returned more than %u rows", max_rows)));
	ascending_ = ascending_ && (count_ == 0 || count_ == second_begins_ || last() < bytes);
	if (ascending_)
		remember(bytes);
	if (size_ == 0) {
		const std::uint64_t begin = ids_.size();
		offsets_.append(&begin, sizeof begin);
	}
	ids_.append(bytes.data(), bytes.size());
	return count_++;
}

void RowIds::remember(std::string_view bytes)
{
	reserve(context_, last_, last_capacity_, bytes.size());
	memcpy(last_, bytes.data(), bytes.size());
	last_size_ = bytes.size();
}

// Valid until the next call.
std::string_view RowIds::bytes(std::uint32_t number)
{
	if (size_ != 0)
		return {static_cast<const char *>(ids_.read(number * std::uint64_t{size_}, size_, fixed_)), size_};
	std::uint64_t place[2] = {0, ids_.size()};
	const std::size_t known = number + 1 < count_ ? sizeof place : sizeof *place;
	memcpy(place, offsets_.read(number * sizeof *place, known, place), known);
	const std::size_t size = place[1] - place[0];
	reserve(context_, buffer_, buffer_capacity_, size);
	return {static_cast<const char *>(ids_.read(place[0], size, buffer_)), size};
}

Datum RowIds::id(std::uint32_t rank) { return datum_of(type_, bytes(number_of(rank))); }

const char *RowIds::text_of(std::uint32_t number)
{
	Oid output;
	bool is_varlena;
	getTypeOutputInfo(type_, &output, &is_varlena);
	return abbreviated(OidOutputFunctionCall(output, datum_of(type_, bytes(number))));
}

void RowIds::rank(std::size_t memory)
{
	ids_.map();
	offsets_.map();
	if (ascending_)
		return;
	make_ranks();
	const std::uint32_t second = std::min(second_begins_, count_);
	rank_by_sorting(0, second, memory);
	rank_by_sorting(second, count_, memory);
}

void RowIds::make_ranks()
{
	number_of_ = allocate<std::uint32_t>(context_, count_);
	rank_of_ = allocate<std::uint32_t>(context_, count_);
}

void RowIds::order_by(const double *priorities)
{
	if (number_of_ == nullptr) {
		make_ranks();
		for (std::uint32_t i = 0; i < count_; ++i)
			number_of_[i] = rank_of_[i] = i;
	}
	std::sort(number_of_, number_of_ + count_, [&](std::uint32_t a, std::uint32_t b) {
		CHECK_FOR_INTERRUPTS();
		const double x = priorities[a], y = priorities[b];
		return core::is_higher_priority(x, y) || (!core::is_higher_priority(y, x) && rank_of_[a] < rank_of_[b]);
	});
	CHECK_FOR_INTERRUPTS();
	for (std::uint32_t rank = 0; rank < count_; ++rank)
		rank_of_[number_of_[rank]] = rank;
}

// Sorts the rows with the numbers from `first` to `end` − 1 by their ids.
void RowIds::rank_by_sorting(std::uint32_t first, std::uint32_t end, std::size_t memory)
{
	const Oid type = size_ == sizeof(int64) ? INT8OID : type_;
	TupleDesc columns = CreateTemplateTupleDesc(2);
	TupleDescInitEntry(columns, 1, "id", type, -1, 0);
	TupleDescInitEntry(columns, 2, "number", INT8OID, -1, 0);
#if PG_VERSION_NUM >= 190000
	TupleDescFinalize(columns); // before its first use
#endif
	TupleTableSlot *slot = MakeSingleTupleTableSlot(columns, &TTSOpsMinimalTuple);
	TupleTableSlot *row = MakeSingleTupleTableSlot(columns, &TTSOpsVirtual);
	AttrNumber column = 1;
	Oid less = lookup_type_cache(type, TYPECACHE_LT_OPR)->lt_opr, collation = C_COLLATION_OID;
	bool nulls_first = false;
	Tuplesortstate *sort = tuplesort_begin_heap(
		columns, 1, &column, &less, &collation, &nulls_first, static_cast<int>(memory / 1024), nullptr, TUPLESORT_NONE);
	const MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "ids of a sort", ALLOCSET_SMALL_SIZES);
	const MemoryContext caller = MemoryContextSwitchTo(work);
	for (std::uint32_t i = first; i < end; ++i) {
		CHECK_FOR_INTERRUPTS();
		const NullableDatum values[] = {{datum_of(type, bytes(i)), false}, {Int64GetDatum(i), false}};
		store_row(row, values);
		tuplesort_puttupleslot(sort, row);
		MemoryContextReset(work);
	}
	MemoryContextSwitchTo(caller);
	tuplesort_performsort(sort);
	for (std::uint32_t rank = first; tuplesort_gettupleslot(sort, true, false, slot, nullptr); ++rank) {
		CHECK_FOR_INTERRUPTS();
		const std::string_view id = bytes_of(column_value(slot, 1, {type}), type);
		const auto number = static_cast<std::uint32_t>(DatumGetInt64(column_value(slot, 2, {INT8OID}).value));
		if (rank > first && id == last())
			ereport(ERROR,
				(errcode(ERRCODE_CARDINALITY_VIOLATION),
					errmsg("the query returned the id %s more than once", text_of(number)),
					errhint("Select each id once, such as by DISTINCT ON (id).")));
		remember(id);
		number_of_[rank] = number;
		rank_of_[number] = rank;
	}
	tuplesort_end(sort);
	ExecDropSingleTupleTableSlot(slot);
	ExecDropSingleTupleTableSlot(row);
	MemoryContextDelete(work);
}

} // namespace txtfp::pg
