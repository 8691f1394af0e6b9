#include "pg/base/distributed.hpp"

#include "pg/base/given_value.hpp"

extern "C" {
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/index.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

namespace txtfp::pg {

namespace {

// Columns of pg_dist_partition, a catalog of Citus (12 and 13) that tells its tables.
constexpr AttrNumber relation_column = 1, method_column = 2, group_column = 4, replication_column = 5;

char char_of(HeapTuple row, AttrNumber column, TupleDesc columns)
{
	const auto [value, is_null] = column_value(row, columns, column, {CHAROID});
	return is_null ? '\0' : DatumGetChar(value);
}

Placement placement_of_row(HeapTuple row, TupleDesc columns)
{
	if (char_of(row, method_column, columns) != 'n') // a distribution column
		return Placement::shards;
	if (char_of(row, replication_column, columns) == 't')
		return Placement::copies;
	const auto [group, is_null] = column_value(row, columns, group_column, {INT4OID});
	return is_null || DatumGetInt32(group) == 0 ? Placement::shard : Placement::shards;
}

} // namespace

Placement placement_of(Oid table)
{
	const Oid catalog_oid = get_relname_relid("pg_dist_partition", PG_CATALOG_NAMESPACE);
	if (!OidIsValid(catalog_oid))
		return Placement::here;
	Relation catalog = table_open(catalog_oid, AccessShareLock);
	Placement placement = Placement::here;
	if (RelationGetNumberOfAttributes(catalog) >= replication_column) {
		ScanKeyData key;
		ScanKeyInit(&key, relation_column, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(table));
		SysScanDesc scan = systable_beginscan(catalog, InvalidOid, false, nullptr, 1, &key);
		if (HeapTuple row = systable_getnext(scan); HeapTupleIsValid(row))
			placement = placement_of_row(row, RelationGetDescr(catalog));
		systable_endscan(scan);
	}
	table_close(catalog, AccessShareLock);
	return placement;
}

void check_has_rows(Relation index)
{
	const Oid table = index->rd_index->indrelid;
	if (placement_of(table) == Placement::here)
		return;
	ereport(ERROR,
		(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			errmsg("index \"%s\" has no rows, because table \"%s\" is distributed", RelationGetRelationName(index),
				get_rel_name(table)),
			errdetail("Its rows are in shards, each of which has an index of its own."),
			errhint("Call the function on each shard by run_command_on_shards(); docs/distributed.md shows how.")));
}

} // namespace txtfp::pg
