#include "pg/trigger/kept_row_options.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "parser/parse_func.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/varlena.h"
}

#include "pg/base/owner_rights.hpp"

namespace txtfp::pg {

namespace {

Action update_action(const NearDuplicateCheck &check, const KeptRowOptions &options)
{
	const char *value = options.on_update;
	if (value == nullptr || strcmp(value, "reject") == 0)
		return Action::reject;
	if (strcmp(value, "skip") == 0)
		return Action::skip;
	if (strcmp(value, "flag") == 0)
		return Action::flag;
	if (strcmp(value, "delete") != 0)
		reject_option(near_duplicate_trigger_name, {"on_update", value},
			"Valid values are \"reject\", \"skip\", \"flag\" and \"delete\".");
	return check.action;
}

// A column that "count" writes.
AttrNumber counted_column(Relation table, const char *name, const NearDuplicateCheck &check, const char *option)
{
	const AttrNumber number = column_number(table, name);
	const Form_pg_attribute attribute = column(table, number);
	if (attribute->attgenerated != '\0' || attribute->attidentity == ATTRIBUTE_IDENTITY_ALWAYS)
		ereport(ERROR,
			(errcode(ERRCODE_GENERATED_ALWAYS),
				errmsg("column \"%s\" of relation \"%s\" is a generated column", name, RelationGetRelationName(table)),
				errhint("The option \"%s\" needs a plain column.", option)));
	const AttrNumber within = check.within == 0
		? InvalidAttrNumber
		: get_attnum(check.searched.table, get_attname(check.fired, check.within, false));
	if (number == check.searched.key || number == within)
		reject_option(
			near_duplicate_trigger_name, {option, name}, "It must be another column than key and \"within\".");
	return number;
}

[[noreturn]] void reject_type(Relation table, AttrNumber number, const char *types)
{
	ereport(ERROR,
		(errcode(ERRCODE_DATATYPE_MISMATCH),
			errmsg("column \"%s\" of relation \"%s\" has type %s, not %s", NameStr(column(table, number)->attname),
				RelationGetRelationName(table), format_type_be(column(table, number)->atttypid), types)));
	pg_unreachable();
}

void choose_columns(NearDuplicateCheck &check, const KeptRowOptions &options)
{
	if (options.counter == nullptr && options.last == nullptr)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("action \"count\" of %s needs a column", near_duplicate_trigger_name),
				errhint("Add the option counter=<name>, last=<name> or both.")));
	Relation table = open_known_table(check.searched.table, AccessShareLock);
	if (options.counter != nullptr) {
		check.counter = counted_column(table, options.counter, check, "counter");
		const Oid type = base_type_of(check.searched.table, check.counter);
		if (type != INT8OID && type != INT4OID && type != INT2OID)
			reject_type(table, check.counter, "bigint, integer or smallint");
	}
	if (options.last != nullptr) {
		check.last = counted_column(table, options.last, check, "last");
		const Oid type = base_type_of(check.searched.table, check.last);
		if (type != TIMESTAMPTZOID && type != TIMESTAMPOID)
			reject_type(table, check.last, "timestamp with or without time zone");
	}
	table_close(table, NoLock);
}

bool may_update(Oid table, AttrNumber number, Oid role)
{
	return number == 0 || pg_attribute_aclcheck(table, number, role, ACL_UPDATE) == ACLCHECK_OK;
}

[[noreturn]] void report_no_function(const TriggerOption &option, const Oid (&types)[3])
{
	ereport(ERROR,
		(errcode(ERRCODE_UNDEFINED_FUNCTION),
			errmsg("function %s(%s, %s, %s) does not exist", option.value, format_type_be(types[0]),
				format_type_be(types[1]), format_type_be(types[2])),
			errdetail("The option \"merge\" of %s names a function that gets the row that is kept, the new row and "
					  "%s, and returns the row that is kept.",
				near_duplicate_trigger_name,
				types[2] == FLOAT8OID ? "their similarity" : "their similarities in all columns")));
	pg_unreachable();
}

// What a function must be, whoever owns it.
void check_function(const TriggerOption &option, HeapTuple tuple, Oid returned)
{
	const auto *form = (Form_pg_proc) GETSTRUCT(tuple);
	if (form->prokind != PROKIND_FUNCTION || form->proretset || form->prorettype != returned)
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("function %s does not return type %s", option.value, format_type_be(returned)),
				errhint("The option \"merge\" of %s needs a function that returns the row that is kept.",
					near_duplicate_trigger_name)));
	if (!has_privs_of_role(form->proowner, GetUserId()))
		ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				errmsg("function %s belongs to role \"%s\", which has not the rights of the owner of the guarded table",
					option.value, GetUserNameFromId(form->proowner, false)),
				errdetail(
					"The function would run with the rights of role \"%s\".", GetUserNameFromId(GetUserId(), false)),
				errhint("Both need the same owner.")));
}

} // namespace

bool read_kept_row_option(Action action, const TriggerOption &option, int argument, KeptRowOptions &options)
{
	if (!changes_kept_row(action))
		return false;
	if (strcmp(option.name, "on_update") == 0)
		options.on_update = option.value;
	else if (action == Action::count && strcmp(option.name, "counter") == 0)
		options.counter = option.value;
	else if (action == Action::count && strcmp(option.name, "last") == 0)
		options.last = option.value;
	else if (action == Action::merge && strcmp(option.name, "merge") == 0) {
		options.merge = option;
		options.merge_argument = argument;
	} else
		return false;
	return true;
}

void choose_kept_row(NearDuplicateCheck &check, const KeptRowOptions &options)
{
	check.on_update = changes_kept_row(check.action) ? update_action(check, options) : check.action;
	if (check.writes_flag() && check.on_update != Action::flag && check.text == 0)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("option \"%s\" of %s is for rows that are flagged", check.flag != 0 ? "column" : "similarity",
					near_duplicate_trigger_name),
				errhint("Add the option on_update=flag.")));
	if (check.action == Action::count)
		choose_columns(check, options);
	if (check.action == Action::merge) {
		if (options.merge.value == nullptr)
			ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("action \"merge\" of %s needs a function", near_duplicate_trigger_name),
					errhint("Add the option merge=<schema>.<function>.")));
		check.merge_argument = options.merge_argument;
		const OwnerRights rights = assume_owner(owner_of(check.table));
		(void) find_merge_function(check, options.merge);
		restore_caller(rights);
	}
	if (changes_kept_row(check.action) && !check.is_against_itself())
		check_may_change(check);
}

void check_may_change(const NearDuplicateCheck &check)
{
	const Oid table = check.searched.table, role = owner_of(check.table);
	if (pg_class_aclcheck(table, role, ACL_UPDATE) == ACLCHECK_OK ||
		(check.action == Action::count && may_update(table, check.counter, role) &&
			may_update(table, check.last, role)))
		return;
	aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, get_rel_name(table));
}

Oid kept_row_type(const NearDuplicateCheck &check)
{
	return check.is_against_itself() ? new_row_type(check) : get_rel_type_id(check.searched.table);
}

Oid new_row_type(const NearDuplicateCheck &check) { return get_rel_type_id(check.created_on); }

Oid find_merge_function(const NearDuplicateCheck &check, const TriggerOption &option)
{
	List *name = textToQualifiedNameList(cstring_to_text(option.value));
	if (list_length(name) < 2)
		reject_option(near_duplicate_trigger_name, option, "Name the function with its schema.");
	const Oid kept = kept_row_type(check), added = new_row_type(check);
	const Oid types[] = {kept, added, static_cast<Oid>(check.columns.is_one() ? FLOAT8OID : FLOAT8ARRAYOID)};
	const Oid function = LookupFuncName(name, 3, types, true);
	if (!OidIsValid(function))
		report_no_function(option, types);
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function %u", function);
	check_function(option, tuple, kept);
	ReleaseSysCache(tuple);
#if PG_VERSION_NUM >= 160000
	const AclResult result = object_aclcheck(ProcedureRelationId, function, GetUserId(), ACL_EXECUTE);
#else
	const AclResult result = pg_proc_aclcheck(function, GetUserId(), ACL_EXECUTE);
#endif
	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_FUNCTION, option.value);
	return function;
}

} // namespace txtfp::pg
