#include "pg/trigger/pairs_table.hpp"

#include "pg/trigger/trigger.hpp"

extern "C" {
#include "catalog/pg_class.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
}

namespace txtfp::pg {

namespace {

AttrNumber pair_column(Relation table, const char *name, Oid keyed, Oid key_type)
{
	const AttrNumber number = get_attnum(RelationGetRelid(table), name);
	if (number <= 0)
		ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
				errmsg("column \"%s\" of relation \"%s\" does not exist", name, RelationGetRelationName(table)),
				errdetail("A table of pairs has them in columns a and b.")));
	const Oid type = column(table, number)->atttypid;
	if (getBaseType(type) != key_type)
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg(
					"column \"%s\" of relation \"%s\" has type %s, but the key column of relation \"%s\" has type %s",
					name, RelationGetRelationName(table), format_type_be(type), get_rel_name(keyed),
					format_type_be(key_type))));
	return number;
}

} // namespace

PairsTable pairs_table(Relation table, Oid keyed, Oid key_type)
{
	const char kind = table->rd_rel->relkind;
	if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE)
		ereport(ERROR,
			(errcode(ERRCODE_WRONG_OBJECT_TYPE), errmsg("\"%s\" is not a table", RelationGetRelationName(table)),
				errdetail("Pairs are read with the rights of the owner of table \"%s\".", get_rel_name(keyed))));
	if (table->rd_rel->relowner != owner_of(keyed))
		ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				errmsg("tables \"%s\" and \"%s\" have different owners", RelationGetRelationName(table),
					get_rel_name(keyed)),
				errdetail("Pairs are read with the rights of the owner of table \"%s\".", get_rel_name(keyed))));
	const AttrNumber columns[] = {
		pair_column(table, "a", keyed, key_type), pair_column(table, "b", keyed, key_type)};
	return {RelationGetRelid(table), columns[0], columns[1], shape_of(table, columns)};
}

} // namespace txtfp::pg
