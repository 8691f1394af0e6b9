#include "pg/bulk/row_extras.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/priority.hpp"
#include "pg/base/guard.hpp"
#include "pg/base/large_array.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/bulk/host.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
}

namespace txtfp::pg {

namespace {

constexpr std::uint64_t null_bit = std::uint64_t{1} << 63;

bool is_text(Oid type) { return type == TEXTOID || type == VARCHAROID || type == BPCHAROID; }
bool is_priority(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID || type == FLOAT4OID || type == FLOAT8OID ||
		type == NUMERICOID;
}

double to_double(Datum value, Oid type)
{
	switch (type) {
	case INT2OID:
		return DatumGetInt16(value);
	case INT4OID:
		return DatumGetInt32(value);
	case INT8OID:
		return static_cast<double>(DatumGetInt64(value));
	case FLOAT4OID:
		return static_cast<double>(DatumGetFloat4(value));
	case FLOAT8OID:
		return DatumGetFloat8(value);
	default:
		return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value));
	}
}

} // namespace

void RowExtras::open(core::JoinHost &host, MemoryContext context, std::size_t memory, TextColumn column)
{
	*this = {};
	context_ = context;
	column_ = column;
	texts_.open(host, column != TextColumn::none ? memory / 8 * 7 : 0);
	offsets_.open(host, column != TextColumn::none ? memory / 8 : 0);
}

void RowExtras::close()
{
	texts_.close();
	offsets_.close();
}

void RowExtras::finish()
{
	for (core::Spool *spool : {&texts_, &offsets_})
		spool->exceeds_cache() ? spool->flush() : spool->map();
}

void RowExtras::columns(TupleDesc columns, bool grouped, bool with_priority)
{
	static constexpr const char *numbers[] = {"two", "three", "four", "five"};
	const bool text_follows = column_ == TextColumn::required, text_may_follow = text_follows || column_ == TextColumn::optional;
	const int first = grouped ? 3 : 2, least = first + text_follows,
			  most = first + with_priority + text_may_follow;
	const bool more = with_priority || text_follows;
	const char *names = psprintf("an id%s a %s%s%s", grouped || more ? "," : " and",
		column_ == TextColumn::value ? "text" : "fingerprint", !grouped ? "" : more ? ", a group" : " and a group",
		text_follows			  ? " and a text"
			: text_may_follow	  ? " and optionally a text and a priority"
			: with_priority ? " and optionally a priority"
							: "");
	if (columns->natts < least || columns->natts > most)
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				least == most
					? errmsg("the query must return %s columns, %s, not %d", numbers[least - 2], names, columns->natts)
					: errmsg("the query must return %s to %s columns, %s, not %d", numbers[least - 2], numbers[most - 2],
						  names, columns->natts)));
	if (column_ == TextColumn::value && !is_text((text_ = given_column(columns, 2)).base))
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("the second column of the query is of type %s, not text", format_type_be(text_.type.type))));
	for (int i = first; i < columns->natts; ++i) {
		const GivenColumn column = given_column(columns, i + 1);
		if (text_may_follow && i == first && is_text(column.base)) {
			text_ = column;
		} else if (with_priority && !has_priorities() && is_priority(column.base)) {
			priority_ = column;
		} else {
			ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
					errmsg("column %d of the query is of type %s", i + 1,
						format_type_be(column.type.type)),
					errdetail("The columns are %s.", names),
					with_priority ? errhint("A priority is a number%s.", text_may_follow ? ", a text is of type text" : "")
								  : errhint("A text is of type text.")));
		}
	}
}

void RowExtras::add(TupleTableSlot &row)
{
	if (has_texts())
		add_text(column_value(&row, text_));
	if (has_priorities())
		add_priority(column_value(&row, priority_));
	++count_;
}

void RowExtras::add_text(const NullableDatum &value)
{
	const std::uint64_t begin = texts_.size() | (value.isnull ? null_bit : 0);
	offsets_.append(&begin, sizeof begin);
	if (value.isnull)
		return;
	const std::string_view utf8 = to_utf8(DatumGetTextPP(value.value));
	texts_.append(utf8.data(), utf8.size());
	if (corpus_ != nullptr)
		guarded([&] { corpus_->add(utf8, stop_token); });
}

void RowExtras::add_priority(const NullableDatum &value)
{
	reserve_next(context_, priorities_, count_, capacity_);
	const double priority = value.isnull ? core::no_priority : to_double(value.value, priority_.base);
	if (!value.isnull && std::isnan(priority))
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the query returned a priority that is not a number"),
				errhint("Rows without a priority have NULL, which is the least.")));
	priorities_[count_] = priority;
}

RowExtras::Text RowExtras::text_of(std::uint32_t number, Buffer &buffer, core::JoinHost &host)
{
	std::uint64_t offsets[2] = {0, texts_.size()};
	const std::size_t known = number + 1 < count_ ? sizeof offsets : sizeof *offsets;
	memcpy(offsets, offsets_.read(number * sizeof *offsets, known, offsets), known);
	if ((offsets[0] & null_bit) != 0)
		return {{}, true};
	const std::size_t size = (offsets[1] & ~null_bit) - offsets[0];
	if (size == 0)
		return {{}, false};
	if (size > buffer.capacity)
		buffer.bytes = host.enlarged(buffer.bytes, buffer.capacity = std::max<std::size_t>(4096, size + size / 2));
	return {{static_cast<const char *>(texts_.read(offsets[0], size, buffer.bytes)), size}, false};
}

} // namespace txtfp::pg
