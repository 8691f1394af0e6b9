// A table of pairs of keys, in columns a and b: of rows that are apart, or of rows that are together.
#pragma once

#include "pg/base/table_shape.hpp"

namespace txtfp::pg {

// table = 0: there is no such table.
struct PairsTable {
	Oid table;
	AttrNumber a, b;
	TableShape shape;

	bool operator==(const PairsTable &) const = default;
};

// What the locked table is. Raises an error unless it is a table (42809) of the owner of `keyed`, the table that has the
// keys (42501), so that nobody else's policies and functions run with the rights of this owner; and unless it has these
// columns (42703) of the type of the key (42804).
PairsTable pairs_table(Relation table, Oid keyed, Oid key_type);

} // namespace txtfp::pg
