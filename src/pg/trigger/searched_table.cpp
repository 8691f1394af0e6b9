#include "pg/trigger/searched_table.hpp"

extern "C" {
#include "access/table.h"
#include "catalog/namespace.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/varlena.h"
}

namespace txtfp::pg {

namespace {

// Without a schema the name would mean what the search_path of the writing session makes of it.
RangeVar *qualified_name(const char *name)
{
	RangeVar *result = makeRangeVarFromNameList(textToQualifiedNameList(cstring_to_text(name)));
	if (result->schemaname == nullptr)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("invalid value for option \"against\" of near_duplicate_trigger: \"%s\"", name),
				errhint("Name the table with its schema.")));
	return result;
}

// The writer need not have any privilege on the schema.
Relation open_as_owner(Oid owner, const RangeVar *name)
{
	Oid user;
	int security;
	GetUserIdAndSecContext(&user, &security);
	SetUserIdAndSecContext(owner, security | SECURITY_LOCAL_USERID_CHANGE);
	Relation table = table_openrv(name, AccessShareLock);
	SetUserIdAndSecContext(user, security);
	return table;
}

void check_type(Relation table, AttrNumber number, const FingerprintKind &kind, Relation fired, AttrNumber fingerprint)
{
	const Form_pg_attribute attribute = column(table, number);
	if (getBaseType(attribute->atttypid) != getBaseType(column(fired, fingerprint)->atttypid))
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("column \"%s\" of relation \"%s\" has type %s, not %s", NameStr(attribute->attname),
					RelationGetRelationName(table), format_type_be(attribute->atttypid), kind.type)));
}

} // namespace

Oid base_type_of(Oid table, AttrNumber number) { return getBaseType(get_atttype(table, number)); }

SearchedTable own_table(Oid guarded, Relation fired, AttrNumber key, AttrNumber fingerprint)
{
	return {guarded, get_attnum(guarded, NameStr(column(fired, key)->attname)),
		get_attnum(guarded, NameStr(column(fired, fingerprint)->attname))};
}

SearchedTable protected_table(Oid guarded, Relation fired, AttrNumber key, AttrNumber fingerprint,
	const FingerprintKind &kind, const AgainstOptions &options)
{
	Relation table = open_as_owner(owner_of(guarded), qualified_name(options.table));
	const Oid oid = RelationGetRelid(table);
	if (oid == guarded)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("near_duplicate_trigger cannot check relation \"%s\" against itself",
					RelationGetRelationName(table)),
				errhint("Leave the option \"against\" out.")));
	const SearchedTable result{oid,
		column_number(table, options.key != nullptr ? options.key : NameStr(column(fired, key)->attname)),
		column_number(
			table, options.column != nullptr ? options.column : NameStr(column(fired, fingerprint)->attname))};
	check_type(table, result.fingerprint, kind, fired, fingerprint);
	table_close(table, NoLock);
	return result;
}

} // namespace txtfp::pg
