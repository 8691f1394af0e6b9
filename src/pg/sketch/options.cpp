// The storage parameters `bands` and `recall`.
#include "core/sketch/bands.hpp"
#include "pg/base/distributed.hpp"
#include "pg/base/settings.hpp"
#include "pg/sketch/sketch.hpp"

extern "C" {
#include "access/amapi.h"
#include "access/reloptions.h"
#include "catalog/pg_class.h"
}

namespace txtfp::pg {

namespace {

struct Stored {
	std::int32_t header;
	int bands; // −1: not given
	double recall;
};

} // namespace

bytea *parse_sketch_options(Datum options, bool validate)
{
	local_relopts relopts;
	init_local_reloptions(&relopts, sizeof(Stored));
	add_local_int_reloption(&relopts, "bands", "number of bands in the directory; 0: none", -1, 0,
		static_cast<int>(core::max_bands), offsetof(Stored, bands));
	add_local_real_reloption(&relopts, "recall", "least share of the similar rows that a search must find; 1: exact", 1,
		0.01, 1, offsetof(Stored, recall));
	return (bytea *) build_local_reloptions(&relopts, options, validate);
}

SketchOptions sketch_options(Relation index, const SketchClass &type)
{
	const auto *stored = (const Stored *) index->rd_options;
	SketchOptions options{-1, 1};
	if (stored != nullptr)
		options = {stored->bands, stored->recall};
	if (type.slots == 0)
		options.bands = 0;
	else if (options.bands < 0)
		options.bands = core::default_bands(type.slots);
	return options;
}

int max_bands_of(const SketchClass &type) { return type.slots / static_cast<int>(core::band_slots); }

bool is_sketch_index(Relation index)
{
	return index->rd_rel->relkind == RELKIND_INDEX && index->rd_indam->ambuild == sketch_build;
}

void check_is_sketch_index(Relation index)
{
	if (!is_sketch_index(index))
		ereport(ERROR,
			(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				errmsg("\"%s\" is not an index of the access method sketch", RelationGetRelationName(index))));
	check_has_rows(index);
}

double recall_in_force(Relation index)
{
	const auto *stored = (const Stored *) index->rd_options;
	return sketch_recall >= 0 ? sketch_recall : stored == nullptr ? 1 : stored->recall;
}

void check_sketch_options(Relation index, const SketchClass &type)
{
	const auto *stored = (const Stored *) index->rd_options;
	if (stored == nullptr)
		return;
	const int most = max_bands_of(type);
	if (stored->bands > most)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("an index on %s can have %d bands, not %d", type.name, most, stored->bands),
				most == 0 ? errhint("Only indexes on MinHash sketches have bands.")
						  : errhint("A band consists of %zu slots.", core::band_slots)));
	if (stored->recall < 1 && most == 0)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("an index on %s is always exact", type.name),
				errhint("Leave out the parameter \"recall\".")));
}

} // namespace txtfp::pg
