#include "pg/base/table_shape.hpp"

extern "C" {
#include "access/table.h"
#include "catalog/pg_class.h"
}

namespace txtfp::pg {

namespace {

ColumnShape column_shape(Relation table, AttrNumber number)
{
	const Form_pg_attribute attribute = TupleDescAttr(RelationGetDescr(table), number - 1);
	ColumnShape shape{number, attribute->atttypid, attribute->attcollation, attribute->atttypmod,
		attribute->attgenerated, attribute->attisdropped, {}};
	strlcpy(shape.name, NameStr(attribute->attname), NAMEDATALEN);
	return shape;
}

} // namespace

TableShape shape_of(Relation table, std::span<const AttrNumber> columns)
{
	const auto *row = table->rd_rel;
	TableShape shape{RelationGetRelid(table), row->relowner, row->relkind, row->relpersistence, row->relrowsecurity,
		row->relforcerowsecurity, row->relispartition, row->relkind == RELKIND_RELATION && row->relhassubclass, 0, {}};
	for (const AttrNumber number : columns) {
		if (number == 0)
			continue;
		Assert(shape.count < TableShape::max_columns && number > 0 && number <= RelationGetNumberOfAttributes(table));
		shape.columns[shape.count++] = column_shape(table, number);
	}
	return shape;
}

Relation open_known_table(Oid oid, LOCKMODE mode)
{
	Relation table = try_table_open(oid, mode);
	if (table == nullptr)
		ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_TABLE), errmsg("a relation does not exist any more"),
				errdetail("Its OID was %u.", oid)));
	return table;
}

void check_shape(Relation table, const TableShape &learned)
{
	AttrNumber columns[TableShape::max_columns];
	std::transform(learned.columns, learned.columns + learned.count, columns,
		[](const ColumnShape &column) { return column.number; });
	if (shape_of(table, {columns, static_cast<std::size_t>(learned.count)}) != learned)
		ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				errmsg("relation \"%s\" has been altered by another session", RelationGetRelationName(table)),
				errhint("The statement might succeed if repeated.")));
}

} // namespace txtfp::pg
