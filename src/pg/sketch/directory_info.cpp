// What fingerprint_index_info tells of an index of this access method: how many rows its band directory covers, and its
// size.
#include "core/sketch/bands.hpp"
#include "pg/sketch/sketch.hpp"

using namespace txtfp;

pg::DirectoryInfo pg::directory_info(Relation index)
{
	SketchMap *map = read_map(index);
	const core::SketchDirectory &directory = map->directory;
	const core::SketchLayout &layout = sketch_class(index).layout;
	std::int64_t units[4] = {}; // by kind
	for_each_segment(*map, [&](std::uint32_t first, std::uint32_t end, std::uint32_t label) {
		const bool uncovered = core::is_uncovered(directory, label);
		units[static_cast<std::size_t>(uncovered ? core::UnitKind::tail : core::kind_of(label))] += end - first;
	});
	int tables = 0;
	for (std::size_t i = 0; i < directory.tables; ++i)
		tables += directory.table[i].live != 0;
	const auto of = [&](core::UnitKind kind) { return units[static_cast<std::size_t>(kind)]; };
	const int rows = directory.bands > 0 ? static_cast<int>(core::band_slots) : 0;
	const DirectoryInfo info{static_cast<int>(directory.bands), rows, tables, of(core::UnitKind::covered) * layout.rows,
		of(core::UnitKind::tail) * layout.rows, of(core::UnitKind::pages) * layout.pages * BLCKSZ,
		of(core::UnitKind::free) * layout.pages * BLCKSZ};
	pfree(map);
	return info;
}
