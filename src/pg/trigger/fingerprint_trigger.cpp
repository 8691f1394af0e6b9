// fingerprint_trigger(source column, fingerprint column, option=value …) keeps the value of a plain column equal to
// what a generated column would have. It evaluates to_<type of the column>(source, option => 'value', …) on the new row. So it
// supports every type that has such a constructor in the extension's schema, and its options are the constructor's
// arguments.
#include "pg/base/identity.hpp"
#include "pg/trigger/trigger.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_coerce.h"
#include "parser/parse_collate.h"
#include "parser/parse_expr.h"
#include "parser/parse_relation.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/rel.h"
#include "utils/syscache.h"
}

using namespace txtfp;

namespace {

constexpr const char *trigger_name = "fingerprint_trigger";

// Prepared once per statement.
struct Prepared {
	AttrNumber source, target;
	pg::RowExpression *fingerprint;
};

// Calls fn(tuple) for the functions of this name in the schema.
template <typename Fn> void for_each_function(const char *name, Oid schema, Fn fn)
{
	CatCList *found = SearchSysCacheList1(PROCNAMEARGSNSP, CStringGetDatum(name));
	for (int i = 0; i < found->n_members; ++i) {
		HeapTuple tuple = &found->members[i]->tuple;
		if (((Form_pg_proc) GETSTRUCT(tuple))->pronamespace == schema)
			fn(tuple);
	}
	ReleaseSysCacheList(found);
}

// The names of the constructor's arguments but the first, over all its overloads.
List *option_names(const char *constructor, Oid schema)
{
	List *names = NIL;
	for_each_function(constructor, schema, [&](HeapTuple tuple) {
		Oid *types;
		char **arguments, *modes;
		const int n = get_func_arg_info(tuple, &types, &arguments, &modes);
		for (int i = 1; arguments != nullptr && i < n; ++i)
			names = list_append_unique(names, makeString(arguments[i]));
	});
	list_sort(names, [](const ListCell *a, const ListCell *b) { return strcmp(strVal(lfirst(a)), strVal(lfirst(b))); });
	return names;
}

// to_<type>, if the column is of a type of the extension that has such a function.
char *constructor_of(Form_pg_attribute target, Oid schema)
{
	const char *type = pg::type_name(target, schema);
	if (type == nullptr)
		return nullptr;
	char *name = psprintf("to_%s", type);
	bool makes_it = false;
	for_each_function(name, schema, [&](HeapTuple tuple) {
		makes_it = makes_it || ((Form_pg_proc) GETSTRUCT(tuple))->prorettype == getBaseType(target->atttypid);
	});
	return makes_it ? name : nullptr;
}

void check_option(const char *name, List *valid)
{
	if (list_member(valid, makeString(pstrdup(name))))
		return;
	StringInfoData list;
	initStringInfo(&list);
	ListCell *cell;
	foreach (cell, valid)
		appendStringInfo(&list, "%s\"%s\"", list.len == 0 ? "" : ", ", strVal(lfirst(cell)));
	ereport(ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("unrecognized option \"%s\" of %s", name, trigger_name),
			errhint("Valid options are %s.", list.data)));
}

// option => 'value': an untyped literal, which the parser converts to the argument's type.
Node *named_literal(const pg::TriggerOption &option)
{
	auto *literal = makeNode(A_Const);
	literal->val.sval.type = T_String;
	literal->val.sval.sval = pstrdup(option.value);
	literal->location = -1;
	auto *argument = makeNode(NamedArgExpr);
	argument->arg = (Expr *) literal;
	argument->name = pstrdup(option.name);
	argument->argnumber = -1;
	argument->location = -1;
	return (Node *) argument;
}

// Where others may create functions in the schema of the extension, one of theirs may fit the column's type better. That
// it belongs to an extension would prove nothing: the owner of a trusted extension may add functions to it.
void check_is_ours(const Node *call, const char *constructor, Oid trigger)
{
	const Oid function = IsA(call, FuncExpr) ? ((const FuncExpr *) call)->funcid : InvalidOid;
	if (!pg::are_of_one_library(function, trigger))
		ereport(ERROR,
			(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				errmsg("function %s is not one of this extension",
					OidIsValid(function) ? format_procedure(function) : constructor),
				errhint("%s evaluates only functions of this extension.", trigger_name)));
}

// schema.constructor(source, options…) as the parser understands it, coerced to the target column.
Node *constructor_call(
	const TriggerData &call, Oid schema, char *constructor, Form_pg_attribute target, List *options)
{
	Relation table = call.tg_relation;
	auto *reference = makeNode(ColumnRef);
	reference->fields = list_make1(makeString(pstrdup(call.tg_trigger->tgargs[0])));
	reference->location = -1;
	FuncCall *constructed = makeFuncCall(list_make2(makeString(get_namespace_name(schema)), makeString(constructor)),
		lcons(reference, options), COERCE_EXPLICIT_CALL, -1);
	ParseState *parser = make_parsestate(nullptr);
	addNSItemToQuery(
		parser, addRangeTableEntryForRelation(parser, table, AccessShareLock, nullptr, false, true), true, true, true);
	Node *value = transformExpr(parser, (Node *) constructed, EXPR_KIND_OTHER);
	check_is_ours(value, constructor, call.tg_trigger->tgfoid);
	value = coerce_to_target_type(parser, value, exprType(value), target->atttypid, target->atttypmod,
		COERCION_ASSIGNMENT, COERCE_IMPLICIT_CAST, -1);
	assign_expr_collations(parser, value);
	free_parsestate(parser);
	return value;
}

void check_columns(Relation table, AttrNumber source, AttrNumber target)
{
	const AttrNumber columns[] = {source, target};
	for (const AttrNumber number : columns)
		if (pg::column(table, number)->attgenerated != '\0')
			ereport(ERROR,
				(errcode(ERRCODE_GENERATED_ALWAYS),
					errmsg("column \"%s\" of relation \"%s\" is a generated column",
						NameStr(pg::column(table, number)->attname), RelationGetRelationName(table)),
					errdetail("Generated columns are computed after BEFORE triggers."),
					number == target ? errhint("A generated column needs no trigger.")
									 : errhint("Compute the fingerprint from the columns that it is generated from.")));
}

Prepared *prepare(const TriggerData &call, Oid schema)
{
	const Trigger &trigger = *call.tg_trigger;
	if (trigger.tgnargs < 2)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("%s needs a source column and a fingerprint column", trigger_name),
				errhint("For example: EXECUTE FUNCTION %s('body', 'fp', 'tokenizer=word-uax29').", trigger_name)));
	Relation table = call.tg_relation;
	const AttrNumber source = pg::column_number(table, trigger.tgargs[0]);
	const AttrNumber target = pg::column_number(table, trigger.tgargs[1]);
	check_columns(table, source, target);
	Form_pg_attribute column = pg::column(table, target);
	char *constructor = constructor_of(column, schema);
	if (constructor == nullptr)
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("column \"%s\" of relation \"%s\" has type %s, which is not a fingerprint type",
					trigger.tgargs[1], RelationGetRelationName(table), format_type_be(column->atttypid)),
				errhint("A fingerprint is of a type of this extension that has a constructor to_<type>, such as "
						"minhash128.")));
	List *options = NIL, *valid = option_names(constructor, schema);
	for (int i = 2; i < trigger.tgnargs; ++i) {
		const pg::TriggerOption option = pg::trigger_option(trigger.tgargs[i]);
		check_option(option.name, valid);
		options = lappend(options, named_literal(option));
	}
	auto *prepared = static_cast<Prepared *>(palloc(sizeof(Prepared)));
	prepared->source = source;
	prepared->target = target;
	prepared->fingerprint =
		pg::prepare_expression(constructor_call(call, schema, constructor, column, options));
	return prepared;
}

} // namespace

TXTFP_FUNCTION(txtfp_fingerprint_trigger)
{
	const TriggerData &call = pg::trigger_call(fcinfo, trigger_name, pg::Timing::before);
	if (fcinfo->flinfo->fn_extra == nullptr) {
		// The prepared expression and its literals must live as long as the statement.
		MemoryContext row = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
		fcinfo->flinfo->fn_extra = prepare(call, get_func_namespace(fcinfo->flinfo->fn_oid));
		MemoryContextSwitchTo(row);
	}
	const Prepared &prepared = *static_cast<const Prepared *>(fcinfo->flinfo->fn_extra);
	if (pg::is_update(call) && pg::is_unchanged(call, prepared.source) && pg::is_unchanged(call, prepared.target))
		return PointerGetDatum(pg::new_tuple(call));
	bool is_null;
	const Datum fingerprint = pg::evaluate(*prepared.fingerprint, pg::new_slot(call), &is_null);
	return PointerGetDatum(pg::with_value(call, prepared.target, fingerprint, is_null));
}
