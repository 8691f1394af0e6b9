// Leading columns. An index stores a 32-bit hash of each value, by the hash function of the column's operator class
// (support function 2). Rows with the hash of a condition are candidates, and PostgreSQL compares their values in
// the table.
#include "pg/sketch/sketch.hpp"

extern "C" {
#include "utils/lsyscache.h"
}

namespace txtfp::pg {

namespace {

std::uint32_t hash_by(FmgrInfo *function, Oid collation, Datum value)
{
	return DatumGetUInt32(FunctionCall1Coll(function, collation, value));
}

} // namespace

void check_sketch_columns(Relation index)
{
	const auto columns = static_cast<AttrNumber>(IndexRelationGetNumberOfKeyAttributes(index));
	if (columns > static_cast<int>(core::sketch_max_keys) + 1)
		ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				errmsg("an index of the access method \"sketch\" has at most %zu leading columns, not %d",
					core::sketch_max_keys, columns - 1)));
	for (AttrNumber column = 1; column <= columns; ++column)
		if (!OidIsValid(
				index_getprocid(index, column, column == columns ? sketch_class_function : sketch_hash_function)))
			ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("column %d of an index of the access method \"sketch\" must %sbe a fingerprint", column,
						column == columns ? "" : "not "),
					errhint("The fingerprint is the last column. Columns before it are searched by equality.")));
}

SketchKeys sketch_keys(Relation index, const SketchClass &type, const Datum *values, const bool *nulls)
{
	SketchKeys keys{};
	for (std::size_t i = 0; i < type.layout.keys; ++i)
		keys.hash[i] = nulls[i]
			? hash_of_null
			: hash_by(index_getprocinfo(index, static_cast<AttrNumber>(i + 1), sketch_hash_function),
				  index->rd_indcollation[i], values[i]);
	return keys;
}

std::uint32_t condition_hash(Relation index, const ScanKeyData &condition)
{
	const int column = condition.sk_attno - 1;
	const Oid type = condition.sk_subtype, family = index->rd_opfamily[column];
	if (!OidIsValid(type) || type == index->rd_opcintype[column])
		return hash_by(index_getprocinfo(index, condition.sk_attno, sketch_hash_function),
			index->rd_indcollation[column], condition.sk_argument);
	const Oid function = get_opfamily_proc(family, type, type, sketch_hash_function);
	if (!OidIsValid(function))
		elog(ERROR, "missing support function %d(%u,%u) for attribute %d of index \"%s\"", sketch_hash_function, type,
			type, condition.sk_attno, RelationGetRelationName(index));
	FmgrInfo info;
	fmgr_info(function, &info);
	return hash_by(&info, index->rd_indcollation[column], condition.sk_argument);
}

} // namespace txtfp::pg
