// CREATE INDEX: writes the rows of the table group by group, then one table of the band directory, and logs each page
// as it is written. If there are leading columns,
// the rows are sorted by their hashes first, so that rows of equal values are in few groups. parallel_build.cpp does
// the same with several processes.
#include "pg/sketch/build.hpp"

#include <algorithm>

#include "core/sketch/bands.hpp"

extern "C" {
#include "access/tableam.h"
#include "access/xloginsert.h"
#include "catalog/index.h"
#include "miscadmin.h"
#include "optimizer/plancat.h"
#include "storage/smgr.h"
#include "utils/backend_progress.h"
#include "utils/memutils.h"
}

namespace txtfp::pg {

namespace sketch_build_steps {

namespace {

Page page_of(Build &build, std::size_t i) { return (Page) build.pages[i].data; }

std::uint32_t claim_group(Build &build)
{
	if (build.shared != nullptr)
		return claim_shared_group(build);
	if (build.groups >= core::sketch_most_units(build.type->layout, build.bands > 0))
		report_full(build.index);
	add_blocks(build.index, block_of(build.type->layout, build.groups + 1, 0));
	return build.groups++;
}

void start_group(Build &build)
{
	build.group = claim_group(build);
	for (std::size_t i = 0; i < build.type->layout.pages; ++i) {
		init_group_page(page_of(build, i), build.group, i);
		fill_page(page_of(build, i));
	}
}

// Writes the group in memory. If there will be a directory, a full group is closed, because the directory will cover
// it. So are those that are not full in a parallel build, in which each process has one.
void write_group(Build &build)
{
	core::SketchGroupHeader &header = group_header(page_of(build, 0));
	if (build.sort != nullptr && (header.used == build.type->layout.rows || build.shared != nullptr))
		header.flags = core::sketch_group_closed;
	const BlockNumber first = block_of(build.type->layout, build.group, 0);
	write_new_pages(build.index, first, build.pages, build.type->layout.pages);
	build.group = no_group;
}

void put_row(
	Build &build, const ItemPointerData &tid, const SketchKeys &keys, bool is_null, const std::uint8_t *signature)
{
	if (build.group == no_group)
		start_group(build);
	const core::SketchLayout &layout = build.type->layout;
	Page first = page_of(build, 0);
	core::SketchGroupHeader &header = group_header(first);
	const std::size_t row = header.used++;
	widen(header, layout, signature);
	row_tids(first, layout)[row] = tid;
	for (std::size_t i = 0; i < layout.keys; ++i)
		memcpy(row_keys(first, layout, i, row), &keys.hash[i], sizeof keys.hash[i]);
	if (build.sort != nullptr)
		add_row_items(*build.type, build.bands, build.group * layout.rows + static_cast<std::uint32_t>(row),
			is_null ? nullptr : signature, keys, *build.sort);
	if (is_null) {
		++header.nulls;
		bytes_of(first)[layout.nulls_offset + row / 8] |= static_cast<std::uint8_t>(1 << row % 8);
	}
	const auto bytes = [&](std::size_t number) { return bytes_of(page_of(build, number)); };
	core::write_fields(
		layout, row, signature, [&](std::size_t number, std::size_t offset, const void *from, std::size_t size) {
			memcpy(bytes(number) + offset, from, size);
		});
	if (layout.planes > 0)
		core::set_planes(layout, bytes, row, signature);
	if (header.used == layout.rows)
		write_group(build);
}

void put_bucket(Build &build, LengthBucket &bucket)
{
	const std::size_t size = build.type->layout.signature_size;
	for (std::size_t i = 0; i < bucket.count; ++i)
		put_row(build, bucket.row[i].tid, {}, bucket.row[i].is_null, bucket.signatures + i * size);
	bucket.count = 0;
}

void collect_row(Build &build, const ItemPointerData &tid, bool is_null, const std::uint8_t *signature)
{
	if (LengthBucket *full = build.by_length->add(tid, is_null, signature); full != nullptr)
		put_bucket(build, *full);
}

// Opens the groups again if the index turns out to be too small for a directory.
void open_groups(const Build &build, std::uint32_t groups)
{
	for (std::uint32_t group = 0; group < groups; ++group) {
		const Buffer buffer = lock_group_page(build.index, build.type->layout, group, 0, BUFFER_LOCK_EXCLUSIVE);
		START_CRIT_SECTION();
		group_header(BufferGetPage(buffer)).flags = 0;
		MarkBufferDirty(buffer);
		if (RelationNeedsWAL(build.index))
			log_newpage_buffer(buffer, true);
		END_CRIT_SECTION();
		UnlockReleaseBuffer(buffer);
	}
}

} // namespace

void report_phase(int64 phase) { pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, phase); }

Build *new_build(Relation index, const SketchClass &type)
{
	auto *build = static_cast<Build *>(palloc0(sizeof(Build)));
	build->index = index;
	build->type = &type;
	build->bands = sketch_options(index, *build->type).bands;
	build->group = no_group;
	if (build->type->layout.planes > 0 && build->type->layout.keys == 0)
		build->by_length = LengthOrder::open(build->type->layout);
	return build;
}

void build_callback(Relation, ItemPointer tid, Datum *values, bool *nulls, bool, void *state)
{
	Build &build = *static_cast<Build *>(state);
	SketchValue value;
	const std::size_t last = build.type->layout.keys;
	sketch_value(build.index, *build.type, values[last], nulls[last], value);
	if (value.config != 0 && value.config != build.config) {
		check_sketch_config(*build.type, build.config, value.config);
		build.config = value.config;
		if (build.shared != nullptr)
			share_config(build);
	}
	SketchKeys keys = sketch_keys(build.index, *build.type, values, nulls);
	if (build.type->layout.planes > 0 && last == 1) // rows of the same value are sorted by their number of terms
		keys.hash[1] = core::terms_count(value.signature);
	if (build.rows != nullptr)
		build.rows->add({*tid, nulls[last], keys}, value.signature);
	else if (build.row_files != nullptr)
		write_row(*build.row_files, {*tid, nulls[last], keys}, value.signature, build.type->layout.signature_size);
	else if (build.by_length != nullptr)
		collect_row(build, *tid, nulls[last], value.signature);
	else
		put_row(build, *tid, keys, nulls[last], value.signature);
	++build.tuples;
	if (build.shared != nullptr)
		share_progress(build);
	else if (build.rows == nullptr)
		pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_DONE, static_cast<int64>(build.tuples));
}

void put_sorted_rows(Build &build, RowSort *rows)
{
	rows->sort();
	if (build.shared == nullptr)
		report_phase(phase_write);
	SortedRow row;
	int64 done = 0;
	for (const std::uint8_t *signature; (signature = rows->next(row)) != nullptr;) {
		CHECK_FOR_INTERRUPTS();
		if (build.shared == nullptr)
			pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_DONE, ++done);
		put_row(build, row.tid, row.keys, row.is_null, signature);
	}
	rows->close();
}

void put_collected_rows(Build &build)
{
	if (build.by_length != nullptr)
		build.by_length->for_each([&](LengthBucket &bucket) { put_bucket(build, bucket); });
}

bool write_rest(Build &build)
{
	if (build.group == no_group)
		return false;
	write_group(build);
	return true;
}

const core::BandTable *plan_table(
	Build &build, Page meta, std::uint32_t groups, std::uint64_t items, std::uint32_t leaves, bool has_rest)
{
	const core::SketchLayout &layout = build.type->layout;
	init_meta_page(meta, *build.type, build.config, groups);
	if (build.sort == nullptr)
		return nullptr;
	if (groups - has_rest < merge_groups || std::uint64_t{groups} * layout.rows >= ~std::uint32_t{0}) {
		open_groups(build, groups);
		return nullptr;
	}
	report_phase(phase_bands);
	const MetaEdit edit{InvalidBuffer, meta};
	start_directory(edit, build.bands, has_rest ? 1 : 0);
	core::DirectoryEditor editor = edit.editor();
	const std::uint32_t id = editor.begin_table(nullptr, 0, groups);
	auto &table = const_cast<core::BandTable &>(*core::find_table(edit.directory(), id));
	const core::BandPages pages = core::pages_of_leaves(leaves, BLCKSZ);
	table.leaves = pages.leaves;
	table.fences = pages.fences;
	table.items = items;
	if (pages.leaves > 0)
		editor.allocate(id, (pages.all() + layout.pages - 1) / layout.pages, &table.first);
	editor.finish_table(id, nullptr, 0);
	edit.meta().groups = editor.units();
	return &table;
}

namespace {

// Opens a sort for the number of rows that PostgreSQL's statistics expect.
BandSort *open_sort(Relation heap, int items, int memory)
{
	const double rows = std::max(0.0, static_cast<double>(heap->rd_rel->reltuples));
	return BandSort::open(
		CurrentMemoryContext, static_cast<std::size_t>(memory) * 1024, static_cast<std::uint64_t>(rows * items));
}

// Returns the number of rows of the table.
double build_alone(Build &build, Relation heap, IndexInfo *info)
{
	const int memory = memory_of_sort(build, maintenance_work_mem);
	if (const int items = items_of_row(*build.type, build.bands); items > 0)
		build.sort = open_sort(heap, items, memory);
	if (build.type->layout.keys > 0)
		build.rows = RowSort::open(build.type->layout.signature_size, memory);
	report_phase(phase_scan);
	const double heap_tuples =
		table_index_build_scan(heap, build.index, info, true, true, build_callback, &build, nullptr);
	if (build.rows != nullptr) {
		report_phase(phase_sort);
		pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_TOTAL, static_cast<int64>(build.tuples));
		put_sorted_rows(build, build.rows);
	}
	put_collected_rows(build);
	const bool has_rest = write_rest(build);
	PGAlignedBlock meta;
	const std::uint64_t items = build.sort == nullptr ? 0 : build.sort->total();
	if (const core::BandTable *table =
			plan_table(build, (Page) meta.data, build.groups, items, core::band_pages(items, BLCKSZ).leaves, has_rest);
		table != nullptr)
		write_table(build.index, build.type->layout, *table, *build.sort);
	if (build.sort != nullptr)
		build.sort->close();
	write_new_pages(build.index, sketch_meta_block, &meta, 1);
	return heap_tuples;
}

} // namespace

} // namespace sketch_build_steps

using namespace sketch_build_steps;

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
	check_sketch_options(index, sketch_class(index));
	Build *build = new_build(index, class_to_build(heap, index, info));
	add_blocks(index, 1); // the metapage
	double heap_tuples;
	if (!build_in_parallel(*build, heap, info, &heap_tuples))
		heap_tuples = build_alone(*build, heap, info);
	auto *result = static_cast<IndexBuildResult *>(palloc(sizeof(IndexBuildResult)));
	result->heap_tuples = heap_tuples;
	result->index_tuples = static_cast<double>(build->tuples);
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
	default:
		return nullptr;
	}
}

} // namespace txtfp::pg
