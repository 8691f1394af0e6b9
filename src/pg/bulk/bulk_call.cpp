#include "pg/bulk/bulk_call.hpp"

#include "pg/bulk/memory_budget.hpp"
#include "pg/bulk/workers.hpp"

extern "C" {
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
}

namespace txtfp::pg {

JoinContext join_context(RowIds &ids, Progress &progress, RowGroups *groups)
{
	const MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "txtfp bulk", ALLOCSET_DEFAULT_SIZES);
	JoinContext context{memory, static_cast<std::size_t>(maintenance_work_mem) * 1024, &ids, &progress, groups,
		&make_host(memory, &progress), nullptr};
	context.workers = &make_workers(context);
	if (groups != nullptr)
		groups->open(context.memory, share_of(context.limit, Share::group_names));
	return context;
}

static bool grouped_option(FunctionCallInfo fcinfo, int i)
{
	check_not_null(fcinfo, i, "grouped");
	return PG_GETARG_BOOL(i);
}

BulkCall::BulkCall(FunctionCallInfo fcinfo, BulkFunction function, int grouped)
	: result(fcinfo), progress(function),
	  context(join_context(ids, progress, grouped >= 0 && grouped_option(fcinfo, grouped) ? &groups : nullptr))
{
}

Datum BulkCall::finish()
{
	groups.close();
	ids.close();
	return finish_unread();
}

Datum BulkCall::finish_unread()
{
	progress.finish();
	MemoryContextDelete(context.memory);
	return (Datum) 0;
}

ValueReader::ValueReader(const JoinContext &context, Oid id_type)
	: context_(context), id_type_(id_type),
	  scratch_(AllocSetContextCreate(context.memory, "a row", ALLOCSET_DEFAULT_SIZES))
{
}

void ValueReader::columns(TupleDesc columns)
{
	check(columns);
	id_ = id_column(columns, 1, id_type_);
	value_ = given_column(columns, 2);
	value_type(value_.type.type);
	if (context_.groups != nullptr)
		context_.groups->column(group_ = given_column(columns, 3));
	context_.progress->begin(BulkPhase::reading_rows, 0);
}

void ValueReader::row(TupleTableSlot *row)
{
	context_.progress->add(1);
	const MemoryContext caller = MemoryContextSwitchTo(scratch_);
	const auto id = context_.ids->bytes_of(column_value(row, id_), id_.base);
	if (const NullableDatum given = column_value(row, value_); !given.isnull) {
		const std::uint32_t number = context_.ids->add(id);
		if (context_.groups != nullptr)
			context_.groups->add(column_value(row, group_));
		value(number, given.value, *row);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextReset(scratch_);
}

void check_columns(TupleDesc columns, const JoinContext &context, const char *value)
{
	const int expected = context.groups == nullptr ? 2 : 3;
	if (columns->natts != expected)
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				context.groups == nullptr
					? errmsg("the query must return two columns, an id and %s, not %d", value, columns->natts)
					: errmsg(
						  "the query must return three columns, an id, %s and a group, not %d", value, columns->natts),
				columns->natts == 3
					? errhint("With grouped => true the third column is a group, and only rows of one group "
							  "are compared.")
					: 0));
}

void check_not_null(FunctionCallInfo fcinfo, int i, const char *name)
{
	if (PG_ARGISNULL(i))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not be null", name)));
}

} // namespace txtfp::pg
