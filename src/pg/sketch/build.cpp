// CREATE INDEX: writes the rows of the table group by group, then one table of the band directory. All pages are logged at the end, because
// no other process can read the index before the transaction commits. If there are leading columns, the rows are sorted by their hashes first,
// so that rows of equal values are in few groups.
#include <algorithm>

#include "core/sketch/bands.hpp"
#include "pg/sketch/band_sort.hpp"
#include "pg/sketch/row_sort.hpp"
#include "pg/sketch/sketch.hpp"

extern "C" {
#include "access/tableam.h"
#include "access/xloginsert.h"
#include "catalog/index.h"
#include "commands/progress.h"
#include "miscadmin.h"
#include "storage/smgr.h"
#include "utils/backend_progress.h"
#include "utils/memutils.h"
}

namespace txtfp::pg {

namespace {

constexpr int64 phase_scan = PROGRESS_CREATEIDX_SUBPHASE_INITIALIZE + 1, phase_sort = phase_scan + 1,
				phase_write = phase_sort + 1, phase_bands = phase_write + 1, phase_log = phase_bands + 1;

struct Build {
	Relation index;
	const SketchClass *type;
	std::uint64_t config;                         // configuration hash of the rows so far; 0: unknown
	std::uint32_t groups;                         // written so far
	double tuples;                                // rows so far
	int bands;                                    // of the directory
	BandSort *sort;                               // the items of the directory; null: there will be none
	RowSort *rows;                                // null: there are no leading columns
	PGAlignedBlock pages[core::sketch_max_pages]; // the group that is being filled
};

Page page_of(Build &build, std::size_t i) { return (Page) build.pages[i].data; }

void start_group(Build &build)
{
	for (std::size_t i = 0; i < build.type->layout.pages; ++i) {
		init_group_page(page_of(build, i), build.groups, i);
		fill_page(page_of(build, i));
	}
}

// Writes the group in memory. If there will be a directory, a full group is closed, because the directory will cover it.
void write_group(Build &build)
{
	core::SketchGroupHeader &header = group_header(page_of(build, 0));
	if (build.sort != nullptr && header.used == build.type->layout.rows)
		header.flags = core::sketch_group_closed;
	for (std::size_t i = 0; i < build.type->layout.pages; ++i) {
		const Buffer buffer = ReadBuffer(build.index, P_NEW);
		LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
		Assert(BufferGetBlockNumber(buffer) == block_of(build.type->layout, build.groups, i));
		memcpy(BufferGetPage(buffer), page_of(build, i), BLCKSZ);
		MarkBufferDirty(buffer);
		UnlockReleaseBuffer(buffer);
	}
	++build.groups;
}

void put_row(
	Build &build, const ItemPointerData &tid, const SketchKeys &keys, bool is_null, const std::uint8_t *signature)
{
	const core::SketchLayout &layout = build.type->layout;
	Page first = page_of(build, 0);
	core::SketchGroupHeader &header = group_header(first);
	const std::size_t row = header.used++;
	row_tids(first, layout)[row] = tid;
	for (std::size_t i = 0; i < layout.keys; ++i)
		memcpy(row_keys(first, layout, i, row), &keys.hash[i], sizeof keys.hash[i]);
	if (build.sort != nullptr)
		add_row_items(*build.type, build.bands, build.groups * layout.rows + static_cast<std::uint32_t>(row),
			is_null ? nullptr : signature, keys, *build.sort);
	if (is_null) {
		++header.nulls;
		bytes_of(first)[layout.nulls_offset + row / 8] |= static_cast<std::uint8_t>(1 << row % 8);
	}
	for (std::size_t i = 0; i < layout.fields; ++i) {
		const core::SketchField &field = layout.field[i];
		memcpy(
			bytes_of(page_of(build, field.page)) + field.offset + row * field.size, signature + field.at, field.size);
	}
	if (header.used == layout.rows) {
		write_group(build);
		start_group(build);
	}
}

void build_callback(Relation, ItemPointer tid, Datum *values, bool *nulls, bool, void *state)
{
	Build &build = *static_cast<Build *>(state);
	SketchValue value;
	const std::size_t last = build.type->layout.keys;
	sketch_value(*build.type, values[last], nulls[last], value);
	if (value.config != 0) {
		check_sketch_config(*build.type, build.config, value.config);
		build.config = value.config;
	}
	const SketchKeys keys = sketch_keys(build.index, *build.type, values, nulls);
	if (build.rows != nullptr)
		build.rows->add({*tid, nulls[last], keys}, value.signature);
	else
		put_row(build, *tid, keys, nulls[last], value.signature);
	++build.tuples;
	if (build.rows == nullptr)
		pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_DONE, static_cast<int64>(build.tuples));
}

// Writes the rows in the order of their leading columns.
void put_sorted_rows(Build &build)
{
	pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, phase_sort);
	build.rows->sort();
	pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, phase_write);
	pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_TOTAL, static_cast<int64>(build.tuples));
	SortedRow row;
	int64 done = 0;
	for (const std::uint8_t *signature; (signature = build.rows->next(row)) != nullptr;) {
		CHECK_FOR_INTERRUPTS();
		pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_DONE, ++done);
		put_row(build, row.tid, row.keys, row.is_null, signature);
	}
	build.rows->close();
}

// Opens the groups again if the index turns out to be too small for a directory.
void open_groups(Build &build)
{
	for (std::uint32_t group = 0; group < build.groups; ++group) {
		const Buffer buffer = lock_group_page(build.index, build.type->layout, group, 0, BUFFER_LOCK_EXCLUSIVE);
		group_header(BufferGetPage(buffer)).flags = 0;
		MarkBufferDirty(buffer);
		UnlockReleaseBuffer(buffer);
	}
}

// Writes the first table, of all full groups, and describes it in the metapage.
void write_directory(Build &build, Page meta_page, bool has_rest)
{
	const core::SketchLayout &layout = build.type->layout;
	pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, phase_bands);
	const MetaEdit edit{InvalidBuffer, meta_page};
	start_directory(edit, build.bands, has_rest ? 1 : 0);
	core::DirectoryEditor editor = edit.editor();
	const std::uint32_t id = editor.begin_table(nullptr, 0, build.groups);
	auto &table = const_cast<core::BandTable &>(*core::find_table(edit.directory(), id));
	const core::BandPages pages = core::band_pages(build.sort->total(), BLCKSZ);
	table.leaves = pages.leaves;
	table.fences = pages.fences;
	table.items = build.sort->total();
	if (pages.leaves > 0)
		editor.allocate(id, (pages.all() + layout.pages - 1) / layout.pages, &table.first);
	editor.finish_table(id, nullptr, 0);
	edit.meta().groups = editor.units();
	write_table(build.index, layout, table, *build.sort, false);
}

void write_meta(Build &build, bool has_rest)
{
	PGAlignedBlock block;
	Page page = (Page) block.data;
	init_meta_page(page, *build.type, build.config, build.groups);
	if (build.sort != nullptr) {
		const std::uint64_t rows = std::uint64_t{build.groups} * build.type->layout.rows;
		if (build.groups - has_rest >= merge_groups && rows < ~std::uint32_t{0})
			write_directory(build, page, has_rest);
		else
			open_groups(build);
		build.sort->close();
	}
	const Buffer buffer = ReadBuffer(build.index, sketch_meta_block);
	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	memcpy(BufferGetPage(buffer), page, BLCKSZ);
	MarkBufferDirty(buffer);
	UnlockReleaseBuffer(buffer);
}

// Opens a sort for the number of rows that PostgreSQL's statistics expect.
BandSort *open_sort(Relation heap, int items, int memory)
{
	const double rows = std::max(0.0, static_cast<double>(heap->rd_rel->reltuples));
	return BandSort::open(CurrentMemoryContext, static_cast<std::size_t>(memory) * 1024,
		static_cast<std::uint64_t>(rows * items));
}

} // namespace

IndexBuildResult *sketch_build(Relation heap, Relation index, IndexInfo *info)
{
	if (RelationGetNumberOfBlocks(index) != 0)
		elog(ERROR, "index \"%s\" already contains data", RelationGetRelationName(index));
	// Settings of the session decide what `%` finds, and the band directory misses some rows.
	if (info->ii_ExclusionOps != nullptr)
		ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				errmsg("access method \"sketch\" does not support exclusion constraints"),
				errhint("Use near_duplicate_trigger to keep near-duplicates out.")));
	discard_cache(index); // it may describe the index before a TRUNCATE of the same transaction
	check_sketch_columns(index);
	auto *build = static_cast<Build *>(palloc0(sizeof(Build)));
	build->index = index;
	build->type = &sketch_class(index);
	check_sketch_options(index, *build->type);
	build->bands = sketch_options(index, *build->type).bands;
	const bool has_keys = build->type->layout.keys > 0;
	const int memory = has_keys ? maintenance_work_mem / 2 : maintenance_work_mem;
	if (const int items = items_of_row(*build->type, build->bands); items > 0)
		build->sort = open_sort(heap, items, memory);
	if (has_keys)
		build->rows = RowSort::open(build->type->layout.signature_size, memory);
	ReleaseBuffer(ReadBuffer(index, P_NEW)); // the metapage
	start_group(*build);
	pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, phase_scan);
	const double heap_tuples = table_index_build_scan(heap, index, info, true, true, build_callback, build, nullptr);
	if (has_keys)
		put_sorted_rows(*build);
	const bool has_rest = group_header(page_of(*build, 0)).used > 0;
	if (has_rest)
		write_group(*build);
	write_meta(*build, has_rest);
	if (RelationNeedsWAL(index)) {
		pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, phase_log);
		log_newpage_range(index, MAIN_FORKNUM, 0, RelationGetNumberOfBlocks(index), true);
	}
	auto *result = static_cast<IndexBuildResult *>(palloc(sizeof(IndexBuildResult)));
	result->heap_tuples = heap_tuples;
	result->index_tuples = build->tuples;
	pfree(build);
	return result;
}

// Writes the init fork of an unlogged index. After a crash, PostgreSQL replaces the index by a copy of it.
void sketch_build_empty(Relation index)
{
	const Buffer buffer = ReadBufferExtended(index, INIT_FORKNUM, P_NEW, RBM_NORMAL, nullptr);
	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	const SketchClass &type = sketch_class(index);
	START_CRIT_SECTION();
	init_meta_page(BufferGetPage(buffer), type, 0, 0);
	MarkBufferDirty(buffer);
	log_newpage_buffer(buffer, true);
	END_CRIT_SECTION();
	UnlockReleaseBuffer(buffer);
}

char *sketch_phase_name(int64 phase)
{
	switch (phase) {
	case PROGRESS_CREATEIDX_SUBPHASE_INITIALIZE:
		return pstrdup("initializing");
	case phase_scan:
		return pstrdup("scanning table");
	case phase_sort:
		return pstrdup("sorting by the leading columns");
	case phase_write:
		return pstrdup("writing groups of rows");
	case phase_bands:
		return pstrdup("writing the band directory");
	case phase_log:
		return pstrdup("writing to the log");
	default:
		return nullptr;
	}
}

} // namespace txtfp::pg
