#include "pg/trigger/trigger.hpp"

extern "C" {
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/syscache.h"
}

namespace txtfp::pg {

const TriggerData &trigger_call(FunctionCallInfo fcinfo, const char *function, Timing timing)
{
	if (!CALLED_AS_TRIGGER(fcinfo))
		ereport(ERROR,
			(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				errmsg("function \"%s\" was not called by trigger manager", function)));
	const auto &call = *(const TriggerData *) fcinfo->context;
	if (!TRIGGER_FIRED_FOR_ROW(call.tg_event))
		ereport(ERROR,
			(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				errmsg("function \"%s\" must be fired for each row", function)));
	const bool at_time = is_before(call) || (timing == Timing::before_or_after && TRIGGER_FIRED_AFTER(call.tg_event));
	const bool by_event = TRIGGER_FIRED_BY_INSERT(call.tg_event) || is_update(call);
	if (!at_time || !by_event)
		ereport(ERROR,
			(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				errmsg("function \"%s\" must be fired %s INSERT or UPDATE", function,
					timing == Timing::before ? "BEFORE" : "BEFORE or AFTER")));
	return call;
}

AttrNumber column_number(Relation table, const char *name)
{
	const AttrNumber number = get_attnum(RelationGetRelid(table), name);
	if (number <= 0)
		ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
				errmsg("column \"%s\" of relation \"%s\" does not exist", name, RelationGetRelationName(table)),
				errhint("Arguments of a trigger are not folded to lower case.")));
	return number;
}

void check_is_written(Relation table, AttrNumber number, const char *what)
{
	const Form_pg_attribute attribute = column(table, number);
	if (attribute->attgenerated != '\0')
		ereport(ERROR,
			(errcode(ERRCODE_GENERATED_ALWAYS),
				errmsg("column \"%s\" of relation \"%s\" is a generated column", NameStr(attribute->attname),
					RelationGetRelationName(table)),
				errhint("The trigger writes a %s to this column, so it must be a plain column.", what)));
}

const char *type_name(Form_pg_attribute attribute, Oid schema)
{
	HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(getBaseType(attribute->atttypid)));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for type %u", attribute->atttypid);
	const auto *type = (Form_pg_type) GETSTRUCT(tuple);
	const char *name = type->typnamespace == schema ? pstrdup(NameStr(type->typname)) : nullptr;
	ReleaseSysCache(tuple);
	return name;
}

HeapTuple with_value(HeapTuple row, Relation table, AttrNumber number, Datum value, bool is_null)
{
	int column = number;
	return heap_modify_tuple_by_cols(row, RelationGetDescr(table), 1, &column, &value, &is_null);
}

HeapTuple with_value(const TriggerData &call, AttrNumber number, Datum value, bool is_null)
{
	return with_value(new_tuple(call), call.tg_relation, number, value, is_null);
}

TriggerDefinition definition_of(Oid trigger)
{
	Relation catalog = table_open(TriggerRelationId, AccessShareLock);
	TriggerDefinition definition{};
	while (OidIsValid(trigger)) {
		ScanKeyData key;
		ScanKeyInit(&key, Anum_pg_trigger_oid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(trigger));
		SysScanDesc scan = systable_beginscan(catalog, TriggerOidIndexId, true, nullptr, 1, &key);
		HeapTuple tuple = systable_getnext(scan);
		if (!HeapTupleIsValid(tuple))
			elog(ERROR, "could not find tuple for trigger %u", trigger);
		const auto *form = (Form_pg_trigger) GETSTRUCT(tuple);
		definition = {trigger, form->tgrelid};
		trigger = form->tgparentid;
		systable_endscan(scan);
	}
	table_close(catalog, AccessShareLock);
	return definition;
}

Oid owner_of(Oid table)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(table));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for relation %u", table);
	const Oid owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	ReleaseSysCache(tuple);
	return owner;
}

TriggerOption trigger_option(const char *argument)
{
	const char *sign = strchr(argument, '=');
	if (sign == nullptr || sign == argument)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid trigger argument \"%s\"", argument),
				errhint("Options have the form name=value.")));
	return {pnstrdup(argument, static_cast<Size>(sign - argument)), sign + 1};
}

RowExpression *prepare_expression(Node *expression)
{
	auto *prepared = static_cast<RowExpression *>(palloc(sizeof(RowExpression)));
	prepared->state = ExecInitExpr(expression_planner((Expr *) expression), nullptr);
	prepared->context = CreateStandaloneExprContext();
	return prepared;
}

Datum evaluate(const RowExpression &expression, TupleTableSlot *row, bool *is_null)
{
	ResetExprContext(expression.context);
	expression.context->ecxt_scantuple = row;
	return ExecEvalExprSwitchContext(expression.state, expression.context, is_null);
}

} // namespace txtfp::pg
