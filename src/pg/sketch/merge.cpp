// Merging: builds one table of the band directory from uncovered groups and from the groups of smaller tables, which it
// replaces.
//
//   1. The groups are marked in the metapage as covered by a table that is not complete. Searches still visit them.
//   2. Each group is closed, so that no row can be added to it, and then read. Vacuum may empty rows meanwhile: every search verifies the row of
//      an entry, so it does not matter if the row is gone or has been replaced by another one.
//   3. Units are allocated for the table, and its pages are written.
//   4. The metapage is switched: the new table covers the groups, and the units of the tables that it replaces become free.
//
// After a crash or an error in steps 1 to 3, the next merge undoes them. Until then searches visit the groups, and no
// row is added to them. A scan that reads a replaced table detects this from the marks of its pages.
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

// Vacuum does not build a table from fewer uncovered groups. It merges a table that is at most `growth` times as large
// as everything smaller.
constexpr std::uint32_t min_groups_of_vacuum = 16, growth = 3;
// Each group of a table that is opened again may add segments. Beyond this number vacuum merges all tables, before the
// metapage is full.
constexpr std::size_t crowded_segments = segment_capacity * 3 / 4;
// The number of groups limits how long a writer merges. The number of tables limits the cost of a search.
constexpr std::uint32_t max_groups_of_writer = 2 * merge_groups;
constexpr std::size_t max_tables_of_writers = core::max_band_tables - 4;
// If vacuum does not merge tables, writers do so when this many groups are uncovered: this many of the smaller tables at a
// time. A row is then merged again only once the tables are ten times as large.
constexpr std::uint32_t max_uncovered_groups = 4 * merge_groups;
constexpr std::size_t tables_of_overdue_merge = max_tables_of_writers / 2;

struct Merge {
	Relation index;
	const SketchClass *type;
	Merger merger;
	std::uint32_t id;                             // of the new table
	std::uint32_t sources[core::max_band_tables]; // ids of the tables that it replaces
	std::size_t count;                            // of sources
	std::uint32_t max_groups;                     // at most this many uncovered groups become part of it
	bool is_overdue;                              // vacuum should have merged
	int bands;
	SketchMap *map; // as of step 1
};

// The number of uncovered groups, except the new ones, which writers are filling.
std::uint32_t mergeable_groups(const core::SketchDirectory &directory, std::uint32_t units)
{
	std::uint32_t groups = core::uncovered_groups(directory, units);
	for (const std::uint32_t unit : directory.new_group)
		if (unit < units && core::label_of(directory, unit) == core::tail_label)
			--groups;
	return groups;
}

// Chooses the tables that the new one replaces, the smaller ones first. False if merging is not worthwhile.
bool choose_sources(Merge &merge, const core::SketchDirectory &directory, std::uint32_t groups)
{
	const core::BandTable *tables[core::max_band_tables];
	const std::size_t n = directory.tables;
	for (std::size_t i = 0; i < n; ++i)
		tables[i] = &directory.table[i];
	std::sort(
		tables, tables + n, [](const core::BandTable *a, const core::BandTable *b) { return a->groups < b->groups; });
	merge.max_groups = merge.merger == Merger::vacuum ? groups : std::min(groups, max_groups_of_writer);
	std::uint64_t total = merge.max_groups;
	for (std::size_t i = 0; i < n; ++i) {
		const std::uint64_t table_groups = tables[i]->groups;
		if (merge.merger == Merger::vacuum ? table_groups <= growth * total || n - i > core::max_band_tables - 2
										   : total + table_groups <= max_groups_of_writer)
			merge.count = i + 1;
		total += table_groups;
	}
	const bool crowded = merge.merger == Merger::vacuum && directory.segments > crowded_segments;
	if (crowded)
		merge.count = n; // merge everything into one table
	merge.is_overdue = merge.merger == Merger::writer && n >= max_tables_of_writers && groups >= max_uncovered_groups;
	if (merge.is_overdue) {
		merge.count = tables_of_overdue_merge;
		merge.max_groups = groups;
	}
	for (std::size_t i = 0; i < merge.count; ++i)
		merge.sources[i] = tables[i]->id;
	if (merge.merger == Merger::writer)
		return groups >= merge_groups && (merge.count > 0 || n < max_tables_of_writers);
	return groups >= (n == 0 ? merge_groups : min_groups_of_vacuum) || merge.count > 1 || crowded;
}

// Step 1. False if there is nothing to do.
bool begin_merge(Merge &merge)
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
	const bool is_worthwhile =
		choose_sources(merge, edit.directory(), mergeable_groups(edit.directory(), editor.units()));
	merge.id =
		is_worthwhile ? editor.begin_table(merge.sources, merge.count, merge.max_groups + core::max_new_groups) : 0;
	if (merge.id == 0) {
		abandon_edit(edit);
		return false;
	}
	commit_edit(merge.index, edit);
	merge.map = read_map(merge.index);
	return true;
}

// Step 2 for one group: closes it and copies its first page.
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

// The first half of step 3. False if the metapage is full.
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

// Warns once in a session, as long as its cached description of the index is valid.
void warn_of_vacuum(Relation index)
{
	SketchCache &cache = sketch_cache(index);
	if (cache.has_warned)
		return;
	cache.has_warned = true;
	ereport(WARNING,
		(errmsg("index \"%s\" is not vacuumed often enough", RelationGetRelationName(index)),
			errdetail("Writers merge the tables of its band directory, which takes longer than an insertion should."),
			errhint("Run VACUUM on the table, and find out what cancels its autovacuum.")));
}

void merge_locked(Merge &merge)
{
	if (!begin_merge(merge))
		return;
	std::uint64_t groups = core::find_table(merge.map->directory, merge.id)->groups;
#if PG_VERSION_NUM >= 170000
	const bool is_autovacuum = AmAutoVacuumWorkerProcess();
#else
	const bool is_autovacuum = IsAutoVacuumWorkerProcess();
#endif
	const int memory = is_autovacuum && autovacuum_work_mem >= 0 ? autovacuum_work_mem : maintenance_work_mem;
	BandSort *sort = BandSort::open(CurrentMemoryContext, static_cast<std::size_t>(memory) * 1024,
		groups * merge.type->layout.rows * static_cast<std::uint64_t>(items_of_row(*merge.type, merge.bands)));
	read_groups(merge, *sort);
	core::BandTable table;
	if (allocate_units(merge, sort->total(), &table)) {
		write_table(merge.index, merge.type->layout, table, *sort);
		switch_tables(merge);
	}
	sort->close();
	if (merge.is_overdue)
		warn_of_vacuum(merge.index);
}

} // namespace

void merge_bands(Relation index, const SketchClass &type, Merger merger)
{
	if (items_of_row(type, sketch_options(index, type).bands) == 0)
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
