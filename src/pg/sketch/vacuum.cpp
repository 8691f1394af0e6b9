// VACUUM clears the TIDs of dead rows in place. No row moves and no page is freed, so scans need no protection from it.
// Writers fill the emptied rows again.
#include "pg/sketch/sketch.hpp"

extern "C" {
#include "access/generic_xlog.h"
#include "commands/vacuum.h"
#include "storage/indexfsm.h"
}

namespace txtfp::pg {

void sketch_delay_point()
{
#if PG_VERSION_NUM >= 180000
	vacuum_delay_point(false);
#else
	vacuum_delay_point();
#endif
}

namespace {

// Empties the given rows. They have not changed since they were found dead: only vacuum removes TIDs, and only one
// vacuum runs at a time.
void empty_rows(
	Relation index, const core::SketchLayout &layout, Buffer buffer, const std::uint16_t *dead, std::size_t n)
{
	GenericXLogState *state = GenericXLogStart(index);
	Page page = GenericXLogRegisterBuffer(state, buffer, 0);
	core::SketchGroupHeader &header = group_header(page);
	for (std::size_t i = 0; i < n; ++i) {
		const std::size_t row = dead[i];
		memset(&row_tids(page, layout)[row], 0, sizeof(ItemPointerData));
		if (row_is_null(page, layout, row)) {
			bytes_of(page)[layout.nulls_offset + row / 8] &= static_cast<std::uint8_t>(~(1 << row % 8));
			--header.nulls;
		}
	}
	header.free = static_cast<std::uint16_t>(header.free + n);
	++header.stamp;
	GenericXLogFinish(state);
}

struct Tally {
	double left, removed;
};

std::size_t collect_dead(
	Page page, const core::SketchLayout &layout, IndexBulkDeleteCallback callback, void *state, std::uint16_t *dead)
{
	std::size_t n = 0;
	const core::SketchGroupHeader &header = group_header(page);
	for (std::size_t row = 0; row < header.used; ++row) {
		ItemPointer tid = &row_tids(page, layout)[row];
		if (ItemPointerIsValid(tid) && callback(tid, state))
			dead[n++] = static_cast<std::uint16_t>(row);
	}
	return n;
}

// Without a callback, no row is dead.
void vacuum_group(IndexVacuumInfo *info, const core::SketchLayout &layout, std::uint32_t group,
	IndexBulkDeleteCallback callback, void *state, Tally &tally)
{
	std::uint16_t dead[BLCKSZ / core::sketch_tid_size];
	check_block(info->index, block_of(layout, group, 0));
	const Buffer buffer =
		ReadBufferExtended(info->index, MAIN_FORKNUM, block_of(layout, group, 0), RBM_NORMAL, info->strategy);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	Page page = BufferGetPage(buffer);
	check_group_page(info->index, layout, page, group, 0);
	const std::size_t n = callback != nullptr ? collect_dead(page, layout, callback, state, dead) : 0;
	if (n > 0) {
		LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
		LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
		empty_rows(info->index, layout, buffer, dead, n);
	}
	const core::SketchGroupHeader header = group_header(page);
	UnlockReleaseBuffer(buffer);
	// the free space map has groups to which rows can be added; a closed one only if it is worth opening
	const bool is_closed = (header.flags & core::sketch_group_closed) != 0;
	if (is_closed ? is_worth_opening(header, layout) : header.free > 0)
		RecordFreeIndexPage(info->index, block_of(layout, group, 0));
	tally.left += header.used - header.free;
	tally.removed += static_cast<double>(n);
}

IndexBulkDeleteResult *vacuum_groups(
	IndexVacuumInfo *info, IndexBulkDeleteResult *stats, IndexBulkDeleteCallback callback, void *state)
{
	if (stats == nullptr)
		stats = static_cast<IndexBulkDeleteResult *>(palloc0(sizeof(IndexBulkDeleteResult)));
	const core::SketchLayout &layout = sketch_class(info->index).layout;
	SketchMap *map = read_map(info->index); // groups that are added after this have no dead rows
	Tally tally{};
	for_each_group(*map, any_group, [&](std::uint32_t group) {
		sketch_delay_point();
		vacuum_group(info, layout, group, callback, state, tally);
	});
	pfree(map);
	stats->num_pages = RelationGetNumberOfBlocks(info->index);
	stats->num_index_tuples = tally.left;
	stats->tuples_removed += tally.removed;
	stats->estimated_count = false;
	return stats;
}

} // namespace

IndexBulkDeleteResult *sketch_bulk_delete(
	IndexVacuumInfo *info, IndexBulkDeleteResult *stats, IndexBulkDeleteCallback callback, void *state)
{
	return vacuum_groups(info, stats, callback, state);
}

IndexBulkDeleteResult *sketch_vacuum_cleanup(IndexVacuumInfo *info, IndexBulkDeleteResult *stats)
{
	if (info->analyze_only)
		return stats;
	if (stats == nullptr)
		stats = vacuum_groups(info, nullptr, nullptr, nullptr);
	merge_bands(info->index, sketch_class(info->index), Merger::vacuum);
	stats->num_pages = RelationGetNumberOfBlocks(info->index);
	IndexFreeSpaceMapVacuum(info->index);
	return stats;
}

} // namespace txtfp::pg
