// Shared by the trigger functions: the call, its columns, options in the form name=value, and expressions over the row.
#pragma once

#include "pg/base/given_value.hpp"

extern "C" {
#include "commands/trigger.h"
#include "executor/executor.h"
#include "nodes/parsenodes.h"
}

namespace txtfp::pg {

// Raises 39P01 unless the function was fired as a row trigger on INSERT or UPDATE, at the given timing.
enum class Timing { before, before_or_after };
const TriggerData &trigger_call(FunctionCallInfo fcinfo, const char *function, Timing timing);

inline bool is_update(const TriggerData &call) { return TRIGGER_FIRED_BY_UPDATE(call.tg_event); }
inline bool is_before(const TriggerData &call) { return TRIGGER_FIRED_BEFORE(call.tg_event); }
inline TupleTableSlot *new_slot(const TriggerData &call)
{
	return is_update(call) ? call.tg_newslot : call.tg_trigslot;
}
inline HeapTuple new_tuple(const TriggerData &call) { return is_update(call) ? call.tg_newtuple : call.tg_trigtuple; }

AttrNumber column_number(Relation table, const char *name); // raises 42703 if there is none
inline Form_pg_attribute column(Relation table, AttrNumber number)
{
	return TupleDescAttr(RelationGetDescr(table), number - 1);
}

// Raises 428C9 if the column is generated: the trigger writes a `what` to it.
void check_is_written(Relation table, AttrNumber number, const char *what);

// The base type of a column if it is one of the schema's, otherwise nullptr.
const char *type_name(Form_pg_attribute attribute, Oid schema);

// True if the column has the same bytes in the old and the new version of the row.
inline bool is_unchanged(const TriggerData &call, AttrNumber number)
{
	return is_same_column(call.tg_trigslot, call.tg_newslot, number);
}

// The new version of the row with another value in a column.
HeapTuple with_value(const TriggerData &call, AttrNumber number, Datum value, bool is_null);
HeapTuple with_value(HeapTuple row, Relation table, AttrNumber number, Datum value, bool is_null);

// A trigger of a partition may be a clone of one of its parents'.
struct TriggerDefinition {
	Oid trigger, table; // as created
};
TriggerDefinition definition_of(Oid trigger);

Oid owner_of(Oid table);

struct TriggerOption {
	const char *name, *value;
};
TriggerOption trigger_option(const char *argument); // raises 22023 unless it is name=value

// An expression over a row of the table. It is prepared in the current memory context; its literals must live as long
// as the result.
struct RowExpression {
	ExprState *state;
	ExprContext *context;
};
RowExpression *prepare_expression(Node *expression);

// The result lives until the next evaluation.
Datum evaluate(const RowExpression &expression, TupleTableSlot *row, bool *is_null);

} // namespace txtfp::pg
