// sketch_directory: the number of rows that the band directory of an index covers, and its size.
#include "pg/sketch/sketch.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/relation.h"
#include "funcapi.h"
}

using namespace txtfp;

TXTFP_FUNCTION(txtfp_sketch_directory)
{
	Relation index = relation_open(PG_GETARG_OID(0), AccessShareLock);
	pg::check_is_sketch_index(index);
	pg::SketchMap *map = pg::read_map(index);
	const core::SketchDirectory &directory = map->directory;
	const core::SketchLayout &layout = pg::sketch_class(index).layout;
	int64 units[4] = {}; // by kind
	int32 tables = 0;
	pg::for_each_segment(*map, [&](std::uint32_t first, std::uint32_t end, std::uint32_t label) {
		const bool uncovered = core::is_uncovered(directory, label);
		units[static_cast<std::size_t>(uncovered ? core::UnitKind::tail : core::kind_of(label))] += end - first;
	});
	for (std::size_t i = 0; i < directory.tables; ++i)
		tables += directory.table[i].live != 0;
	const auto of = [&](core::UnitKind kind) { return units[static_cast<std::size_t>(kind)]; };
	TupleDesc columns;
	if (get_call_result_type(fcinfo, nullptr, &columns) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	Datum values[] = {Int32GetDatum(directory.bands), Int32GetDatum(tables),
		Int64GetDatum(of(core::UnitKind::covered) * layout.rows), Int64GetDatum(of(core::UnitKind::tail) * layout.rows),
		Int64GetDatum(of(core::UnitKind::pages) * layout.pages * BLCKSZ),
		Int64GetDatum(of(core::UnitKind::free) * layout.pages * BLCKSZ)};
	bool nulls[lengthof(values)] = {};
	relation_close(index, AccessShareLock);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(columns), values, nulls)));
}
