// What was learned about a table holds until the table is locked. While a session waits for the lock, another one may
// alter the table: its columns, their types, its owner. So what is learned includes the shape, one value, and whoever
// has locked the table compares it.
#pragma once

#include <algorithm>
#include <span>

#include "pg/base/pg.hpp"

extern "C" {
#include "storage/lockdefs.h"
#include "utils/rel.h"
}

namespace txtfp::pg {

struct ColumnShape {
	AttrNumber number;
	Oid type, collation;
	int32 modifier;
	char generated;
	bool is_dropped;
	char name[NAMEDATALEN];

	bool operator==(const ColumnShape &other) const
	{
		return number == other.number && type == other.type && collation == other.collation &&
			modifier == other.modifier && generated == other.generated && is_dropped == other.is_dropped &&
			strcmp(name, other.name) == 0;
	}
};

// Only the columns that are used: others may be added and altered.
struct TableShape {
	static constexpr int max_columns = 16;

	Oid table, owner;
	char kind, persistence;
	bool has_row_security, forces_row_security, is_partition, has_children; // has_children: by inheritance
	int count;
	ColumnShape columns[max_columns];

	bool operator==(const TableShape &other) const
	{
		return table == other.table && owner == other.owner && kind == other.kind &&
			persistence == other.persistence && has_row_security == other.has_row_security &&
			forces_row_security == other.forces_row_security && is_partition == other.is_partition &&
			has_children == other.has_children &&
			std::equal(columns, columns + count, other.columns, other.columns + other.count);
	}
};

// The table is open and locked. A column whose number is 0 does not count.
TableShape shape_of(Relation table, std::span<const AttrNumber> columns);

// Opens and locks a table that was known before. Raises an error (42P01) if it has been dropped meanwhile.
Relation open_known_table(Oid table, LOCKMODE mode);

// To be called when the table has been locked. Raises an error (55000) if it has another shape than the one learned.
void check_shape(Relation table, const TableShape &learned);

} // namespace txtfp::pg
