#include "pg/trigger/searched_table.hpp"

#include <algorithm>
#include <iterator>

#include "pg/trigger/text_decision.hpp"

extern "C" {
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/varlena.h"
}

namespace txtfp::pg {

RangeVar *qualified_name(const char *option, const char *name)
{
	RangeVar *result = makeRangeVarFromNameList(textToQualifiedNameList(cstring_to_text(name)));
	if (result->schemaname == nullptr)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("invalid value for option \"%s\" of near_duplicate_trigger: \"%s\"", option, name),
				errhint("Name the table with its schema.")));
	return result;
}

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

namespace {

void check_type(Relation table, AttrNumber number, Relation fired, const ComparedColumn &compared)
{
	const Form_pg_attribute attribute = column(table, number);
	if (getBaseType(attribute->atttypid) != getBaseType(column(fired, compared.number)->atttypid))
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("column \"%s\" of relation \"%s\" has type %s, not %s", NameStr(attribute->attname),
					RelationGetRelationName(table), format_type_be(attribute->atttypid), compared.kind->type)));
}

} // namespace

PairsTable apart_table(Oid guarded, Relation fired, AttrNumber key, const char *name)
{
	Relation table = open_as_owner(owner_of(guarded), qualified_name("apart", name));
	const PairsTable apart = pairs_table(table, guarded, base_type_of(RelationGetRelid(fired), key));
	table_close(table, NoLock);
	return apart;
}

void lock_apart(const PairsTable &apart, Oid guarded, Oid key_type)
{
	Relation table = open_known_table(apart.table, AccessShareLock);
	(void) pairs_table(table, guarded, key_type);
	check_shape(table, apart.shape);
	table_close(table, NoLock);
}

Oid base_type_of(Oid table, AttrNumber number) { return getBaseType(get_atttype(table, number)); }

bool may_read(const SearchedTable &searched, Oid role)
{
	const auto may_read_column = [&](AttrNumber number) {
		return number == 0 || pg_attribute_aclcheck(searched.table, number, role, ACL_SELECT) == ACLCHECK_OK;
	};
	return pg_class_aclcheck(searched.table, role, ACL_SELECT) == ACLCHECK_OK ||
		(may_read_column(searched.key) && may_read_column(searched.text) &&
			std::all_of(std::begin(searched.fingerprints), std::end(searched.fingerprints), may_read_column));
}

void check_may_guard(Relation table, const SearchedTable &searched, Oid guarded)
{
	const char kind = table->rd_rel->relkind;
	const char *name = RelationGetRelationName(table);
	const Oid owner = owner_of(guarded);
	if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE)
		ereport(ERROR,
			(errcode(ERRCODE_WRONG_OBJECT_TYPE), errmsg("\"%s\" is not a table", name),
				errdetail("A near-duplicate check reads a protected table with the rights of that table's owner.")));
	if (!may_read(searched, owner))
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, name);
	if (check_enable_rls(searched.table, owner, true) == RLS_ENABLED)
		ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				errmsg(
					"row security of table \"%s\" applies to the owner of table \"%s\"", name, get_rel_name(guarded)),
				errdetail("A near-duplicate check compares a row with all rows of a protected table."),
				errhint(
					"Both tables must have the same owner, or that of the guarded table must bypass row security.")));
	if (table->rd_rel->relpersistence == RELPERSISTENCE_TEMP && get_rel_persistence(guarded) != RELPERSISTENCE_TEMP)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_TABLE_DEFINITION),
				errmsg("table \"%s\" cannot be checked against temporary table \"%s\"", get_rel_name(guarded), name)));
}

SearchedTable own_table(Oid guarded, Relation fired, const RowColumns &columns)
{
	const auto same = [&](AttrNumber number) { return get_attnum(guarded, NameStr(column(fired, number)->attname)); };
	SearchedTable result{guarded, same(columns.key), getBaseType(column(fired, columns.key)->atttypid), {}, 0, {}};
	for (int i = 0; i < columns.compared.count; ++i)
		result.fingerprints[i] = same(columns.compared.list[i].number);
	if (columns.text != 0)
		result.text = same(columns.text);
	return result;
}

SearchedTable protected_table(Oid guarded, Relation fired, const RowColumns &columns, const AgainstOptions &options)
{
	Relation table = open_as_owner(owner_of(guarded), qualified_name("against", options.table));
	const Oid oid = RelationGetRelid(table);
	if (oid == guarded)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("near_duplicate_trigger cannot check relation \"%s\" against itself",
					RelationGetRelationName(table)),
				errhint("Leave the option \"against\" out.")));
	const auto named = [&](const char *name, AttrNumber number) {
		return column_number(table, name != nullptr ? name : NameStr(column(fired, number)->attname));
	};
	const AttrNumber searched_key = named(options.key, columns.key);
	const ComparedColumns &compared = columns.compared;
	SearchedTable result{oid, searched_key, getBaseType(column(table, searched_key)->atttypid), {}, 0, {}};
	if (options.column != nullptr)
		columns_of_option(compared, table, {"against_column", options.column}, result.fingerprints);
	else
		for (int i = 0; i < compared.count; ++i)
			result.fingerprints[i] = named(nullptr, compared.list[i].number);
	if (columns.text != 0) {
		result.text = named(options.text, columns.text);
		check_text_column(table, result.text, options.text != nullptr ? "against_text" : "text");
	}
	check_may_guard(table, result, guarded);
	for (int i = 0; i < compared.count; ++i)
		check_type(table, result.fingerprints[i], fired, compared.list[i]);
	table_close(table, NoLock);
	return result;
}

} // namespace txtfp::pg
