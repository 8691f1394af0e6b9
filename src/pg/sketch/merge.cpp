// Merging: makes a table of the band directory of groups that have none, and of those of smaller tables.
//
//   1. The groups are marked in the metapage as those of a table that is not ready. Searches still look at them.
//   2. Group after group is closed, so that no row can be added, and read. What vacuum empties meanwhile does no harm: an entry whose row
//      is gone, or is another one, is found out by every search.
//   3. The table gets units, and its pages are written.
//   4. The metapage switches: the new table covers the groups, and the units of those that it replaces are free.
//
// What a crash or an error leaves behind after 1 to 3 is undone by the next merge; until then searches look at the groups, and nothing is
// added to them. A scan that reads a table which has been replaced sees by the marks of its pages that it is gone.
#include "core/sketch/bands.hpp"
#include "pg/sketch/band_sort.hpp"
#include "pg/sketch/sketch.hpp"

#include <algorithm>

extern "C" {
#include "access/generic_xlog.h"
#include "miscadmin.h"
#include "postmaster/autovacuum.h"
#include "storage/lmgr.h"
#include "utils/memutils.h"
}

namespace txtfp::pg {

namespace {

// Vacuum does not make a table of less, and takes tables along that are at most so much larger than the rest together.
constexpr std::uint32_t least_by_vacuum = 16, growth = 3;
// Where groups of a table have been opened here and there, the metapage gets full.
constexpr std::size_t crowded_segments = segment_room * 3 / 4;
// A writer's pause is bounded by the number of groups, and the cost of a search by that of the tables.
constexpr std::uint32_t most_by_writer = 2 * merge_groups;
constexpr std::size_t most_tables_of_writers = core::max_band_tables - 4;

struct Merge {
	Relation index;
	const SketchClass *type;
	Merger merger;
	std::uint32_t id; // of the new table
	std::uint32_t sources[core::max_band_tables];
	std::size_t count;
	std::uint32_t most; // groups without a table that become part of it
	int bands;
	SketchMap *map; // after step 1
};

std::uint32_t mergeable_groups(const core::SketchDirectory &directory, std::uint32_t units)
{
	std::uint32_t groups = core::uncovered_groups(directory, units);
	for (const std::uint32_t unit : directory.new_group)
		if (unit < units && core::label_of(directory, unit) == core::tail_label)
			--groups;
	return groups;
}

// Which of the tables, the smaller ones first, become part of the new one. False: it is not worth it.
bool choose_sources(Merge &merge, const core::SketchDirectory &directory, std::uint32_t groups)
{
	const core::BandTable *tables[core::max_band_tables];
	const std::size_t n = directory.tables;
	for (std::size_t i = 0; i < n; ++i)
		tables[i] = &directory.table[i];
	std::sort(
		tables, tables + n, [](const core::BandTable *a, const core::BandTable *b) { return a->groups < b->groups; });
	merge.most = merge.merger == Merger::vacuum ? groups : std::min(groups, most_by_writer);
	std::uint64_t total = merge.most;
	for (std::size_t i = 0; i < n; ++i) {
		const std::uint64_t more = tables[i]->groups;
		if (merge.merger == Merger::vacuum ? more <= growth * total || n - i > core::max_band_tables - 2
										   : total + more <= most_by_writer)
			merge.count = i + 1;
		total += more;
	}
	const bool crowded = merge.merger == Merger::vacuum && directory.segments > crowded_segments;
	if (crowded)
		merge.count = n; // all in one piece again
	for (std::size_t i = 0; i < merge.count; ++i)
		merge.sources[i] = tables[i]->id;
	if (merge.merger == Merger::writer)
		return groups >= merge_groups && (merge.count > 0 || n < most_tables_of_writers);
	return groups >= (n == 0 ? merge_groups : least_by_vacuum) || merge.count > 1 || crowded;
}

// Step 1. False: there is nothing to be done.
bool begin(Merge &merge)
{
	const MetaEdit edit = begin_edit(merge.index);
	const std::uint64_t rows = std::uint64_t{edit.meta().groups} * merge.type->layout.rows;
	const bool is_new = !edit.has_directory();
	if (rows >= ~std::uint32_t{0} || (is_new && edit.meta().groups < merge_groups + core::max_new_groups)) {
		abandon_edit(edit);
		return false;
	}
	if (is_new)
		start_directory(edit, sketch_options(merge.index, *merge.type).bands);
	core::DirectoryEditor editor = edit.editor();
	editor.drop_unfinished();
	merge.bands = edit.directory().bands;
	const bool worth = choose_sources(merge, edit.directory(), mergeable_groups(edit.directory(), editor.units()));
	merge.id = worth ? editor.begin_table(merge.sources, merge.count, merge.most + core::max_new_groups) : 0;
	if (merge.id == 0) {
		abandon_edit(edit);
		return false;
	}
	commit_edit(merge.index, edit);
	merge.map = read_map(merge.index);
	return true;
}

// The first page of a group, as it is once no row can be added.
void close_group(const Merge &merge, std::uint32_t group, char *copy)
{
	const Buffer buffer = lock_group_page(merge.index, merge.type->layout, group, 0, BUFFER_LOCK_EXCLUSIVE);
	Page page = BufferGetPage(buffer);
	if ((group_header(page).flags & core::sketch_group_closed) == 0) {
		GenericXLogState *state = GenericXLogStart(merge.index);
		group_header(GenericXLogRegisterBuffer(state, buffer, 0)).flags |= core::sketch_group_closed;
		GenericXLogFinish(state);
	}
	memcpy(copy, page, BLCKSZ);
	UnlockReleaseBuffer(buffer);
}

// Step 2.
void read_groups(const Merge &merge, BandSort &sort)
{
	const auto is_wanted = [&](std::uint32_t label) {
		return core::kind_of(label) == core::UnitKind::covered &&
			(core::table_of(label) == merge.id ||
				std::find(merge.sources, merge.sources + merge.count, core::table_of(label)) !=
					merge.sources + merge.count);
	};
	const core::SketchLayout &layout = merge.type->layout;
	auto *pages = static_cast<PGAlignedBlock *>(palloc(sizeof(PGAlignedBlock) * core::sketch_max_pages));
	for_each_group(*merge.map, is_wanted, [&](std::uint32_t group) {
		CHECK_FOR_INTERRUPTS();
		if (merge.merger == Merger::vacuum)
			sketch_delay_point();
		close_group(merge, group, pages[0].data);
		for (std::size_t number = 1; number < layout.pages; ++number) {
			const Buffer buffer = lock_group_page(merge.index, layout, group, number, BUFFER_LOCK_SHARE);
			memcpy(pages[number].data, BufferGetPage(buffer), BLCKSZ);
			UnlockReleaseBuffer(buffer);
		}
		add_group_items(*merge.type, merge.bands, group, pages, sort);
	});
	pfree(pages);
}

// Step 3. False: there is no room in the metapage.
bool allocate_units(const Merge &merge, std::uint64_t items, core::BandTable *table)
{
	const core::BandPages pages = core::band_pages(items, BLCKSZ);
	const std::uint32_t unit_pages = merge.type->layout.pages;
	const MetaEdit edit = begin_edit(merge.index);
	core::DirectoryEditor editor = edit.editor();
	auto &own = const_cast<core::BandTable &>(*core::find_table(edit.directory(), merge.id));
	own.leaves = pages.leaves;
	own.fences = pages.fences;
	own.items = items;
	if (pages.leaves > 0 && !editor.allocate(merge.id, (pages.all() + unit_pages - 1) / unit_pages, &own.first)) {
		abandon_edit(edit);
		return false;
	}
	edit.meta().groups = editor.units();
	*table = own;
	commit_edit(merge.index, edit);
	return true;
}

// Step 4.
void switch_tables(const Merge &merge)
{
	const MetaEdit edit = begin_edit(merge.index);
	edit.editor().finish_table(merge.id, merge.sources, merge.count);
	commit_edit(merge.index, edit);
}

void merge_locked(Merge &merge)
{
	if (!begin(merge))
		return;
	std::uint64_t groups = core::find_table(merge.map->directory, merge.id)->groups;
#if PG_VERSION_NUM >= 170000
	const bool is_autovacuum = AmAutoVacuumWorkerProcess();
#else
	const bool is_autovacuum = IsAutoVacuumWorkerProcess();
#endif
	const int memory = is_autovacuum && autovacuum_work_mem >= 0 ? autovacuum_work_mem : maintenance_work_mem;
	BandSort *sort = BandSort::open(CurrentMemoryContext, static_cast<std::size_t>(memory) * 1024,
		groups * merge.type->layout.rows * static_cast<std::uint64_t>(merge.bands));
	read_groups(merge, *sort);
	core::BandTable table;
	if (allocate_units(merge, sort->total(), &table)) {
		write_table(merge.index, merge.type->layout, table, *sort, RelationNeedsWAL(merge.index));
		switch_tables(merge);
	}
	sort->close();
}

} // namespace

void merge_bands(Relation index, const SketchClass &type, Merger merger)
{
	if (sketch_options(index, type).bands == 0)
		return;
	if (merger == Merger::vacuum)
		LockPage(index, sketch_meta_block, ExclusiveLock);
	else if (!ConditionalLockPage(index, sketch_meta_block, ExclusiveLock))
		return;
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "sketch merge", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	Merge merge{};
	merge.index = index;
	merge.type = &type;
	merge.merger = merger;
	merge_locked(merge);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
	UnlockPage(index, sketch_meta_block, ExclusiveLock);
}

} // namespace txtfp::pg
