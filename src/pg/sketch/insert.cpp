// Insertion of a row: into the group of the session's last insertion, a new group of another session, a group with rows
// that vacuum has emptied, or a group that is added. After adding groups, a writer now and then merges the uncovered
// ones into a table of the band directory.
//
// The changed bytes are known, so the log record is composed here, in the format of generic WAL records: for each page
// a sequence of (offset u16, length u16, bytes). Every server can replay it, even one without this library.
// GenericXLogFinish would produce the same record by comparing the pages with copies of them, which takes 5 µs per
// page. It is used on server versions whose record format is not known to be this one.
#include "pg/sketch/sketch.hpp"

extern "C" {
#include "access/generic_xlog.h"
#include "access/xloginsert.h"
#include "storage/indexfsm.h"
#include "utils/memutils.h"
}

namespace txtfp::pg {

namespace {

// The replay of composed records has been tested up to version 18.
constexpr bool by_hand = PG_VERSION_NUM < 190000;

// The changes of one page, as the payload of a generic WAL record.
class PageChange {
public:
	void write(std::size_t offset, const void *bytes, std::size_t size)
	{
		const std::uint16_t head[] = {static_cast<std::uint16_t>(offset), static_cast<std::uint16_t>(size)};
		Assert(size_ + sizeof head + size <= sizeof record_);
		memcpy(record_ + size_, head, sizeof head);
		memcpy(record_ + size_ + sizeof head, bytes, size);
		size_ += sizeof head + size;
	}

	void apply(Page page) const
	{
		std::uint16_t head[2];
		for (std::size_t i = 0; i < size_; i += sizeof head + head[1]) {
			memcpy(head, record_ + i, sizeof head);
			memcpy(bytes_of(page) + head[0], record_ + i + sizeof head, head[1]);
		}
	}

	void log(std::uint8_t block, Buffer buffer)
	{
		XLogRegisterBuffer(block, buffer, REGBUF_STANDARD);
		XLogRegisterBufData(block, reinterpret_cast<char *>(record_), static_cast<uint32>(size_));
	}

private:
	std::size_t size_ = 0;
	std::uint8_t record_[1024];
};

void log_by_hand(Relation index, PageChange *changes, const Buffer *buffers, std::size_t n)
{
	START_CRIT_SECTION();
	for (std::size_t i = 0; i < n; ++i) {
		changes[i].apply(BufferGetPage(buffers[i]));
		MarkBufferDirty(buffers[i]);
	}
	if (RelationNeedsWAL(index)) {
		XLogBeginInsert();
		for (std::size_t i = 0; i < n; ++i)
			changes[i].log(static_cast<std::uint8_t>(i), buffers[i]);
		const XLogRecPtr end = XLogInsert(RM_GENERIC_ID, 0);
		for (std::size_t i = 0; i < n; ++i)
			PageSetLSN(BufferGetPage(buffers[i]), end);
	}
	END_CRIT_SECTION();
}

void log_by_copies(Relation index, const PageChange *changes, const Buffer *buffers, std::size_t n)
{
	GenericXLogState *state = GenericXLogStart(index);
	for (std::size_t i = 0; i < n; ++i)
		changes[i].apply(GenericXLogRegisterBuffer(state, buffers[i], 0));
	GenericXLogFinish(state);
}

// The first page, which has the TID, is in the last record: without it the other pages have nothing but bits of an empty
// row, which the next row replaces.
void finish(Relation index, PageChange *changes, const Buffer *buffers, std::size_t n)
{
	for (std::size_t first = (n - 1) / max_logged_pages * max_logged_pages, end = n;; first -= max_logged_pages) {
		if (by_hand)
			log_by_hand(index, changes + first, buffers + first, end - first);
		else
			log_by_copies(index, changes + first, buffers + first, end - first);
		if (first == 0)
			return;
		end = first;
	}
}

bool is_full(Page page, const core::SketchLayout &layout)
{
	return group_header(page).free == 0 && group_header(page).used == layout.rows;
}

// Chooses an empty row, or the next unused one, and updates the header.
std::size_t free_row(Relation index, Page page, const core::SketchLayout &layout, core::SketchGroupHeader &header)
{
	if (header.free == 0)
		return header.used++;
	for (std::size_t row = 0; row < header.used; ++row)
		if (!ItemPointerIsValid(&row_tids(page, layout)[row])) {
			--header.free;
			return row;
		}
	ereport(ERROR,
		(errcode(ERRCODE_INDEX_CORRUPTED),
			errmsg("index \"%s\" has a group with a wrong number of empty rows", RelationGetRelationName(index)),
			errhint("Please REINDEX it.")));
}

// Writes a row to a group whose first page is locked and has room. Releases this page.
void write_row(Relation index, const core::SketchLayout &layout, std::uint32_t group, Buffer first, ItemPointer tid,
	const SketchKeys &keys, bool is_null, const std::uint8_t *signature)
{
	Page page = BufferGetPage(first);
	PageChange changes[core::sketch_max_pages];
	Buffer buffers[core::sketch_max_pages] = {first};
	core::SketchGroupHeader header = group_header(page);
	const std::size_t row = free_row(index, page, layout, header);
	// The bit need not be cleared for other values: vacuum does so when it empties a NULL.
	if (is_null) {
		++header.nulls;
		const std::size_t at = layout.nulls_offset + row / 8;
		const auto bits = static_cast<std::uint8_t>(bytes_of(page)[at] | 1 << row % 8);
		changes[0].write(at, &bits, 1);
	}
	widen(header, layout, signature);
	changes[0].write(core::sketch_page_header, &header, sizeof header);
	changes[0].write(layout.tids_offset + row * sizeof(ItemPointerData), tid, sizeof(ItemPointerData));
	for (std::size_t i = 0; i < layout.keys; ++i)
		changes[0].write(static_cast<std::size_t>(row_keys(page, layout, i, row) - bytes_of(page)), &keys.hash[i],
			sizeof keys.hash[i]);
	for (std::size_t i = 1; i < layout.pages; ++i)
		buffers[i] = lock_group_page(index, layout, group, i, BUFFER_LOCK_EXCLUSIVE);
	core::write_signature(
		layout, [&](std::size_t number) { return bytes_of(BufferGetPage(buffers[number])); }, row, signature,
		[&](std::size_t number, std::size_t offset, const void *bytes, std::size_t size) {
			changes[number].write(offset, bytes, size);
		});
	for (std::size_t i = 0; i < layout.pages; ++i) {
		const auto *head = (PageHeader) BufferGetPage(buffers[i]);
		if (!is_filled((Page) head))
			changes[i].write(offsetof(PageHeaderData, pd_lower), &head->pd_upper, sizeof head->pd_upper);
	}
	finish(index, changes, buffers, layout.pages);
	for (std::size_t i = 0; i < layout.pages; ++i)
		UnlockReleaseBuffer(buffers[i]);
}

enum class Attempt { locked, full, busy };

Attempt try_group(Relation index, const core::SketchLayout &layout, std::uint32_t group, bool wait, Buffer *locked)
{
	check_block(index, block_of(layout, group, 0));
	const Buffer buffer = ReadBuffer(index, block_of(layout, group, 0));
	if (wait)
		LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	else if (!ConditionalLockBuffer(buffer)) {
		ReleaseBuffer(buffer);
		return Attempt::busy;
	}
	Page page = BufferGetPage(buffer);
	check_group_page(index, layout, page, group, 0);
	if (is_full(page, layout) || (group_header(page).flags & core::sketch_group_closed) != 0) {
		UnlockReleaseBuffer(buffer);
		return Attempt::full;
	}
	*locked = buffer;
	return Attempt::locked;
}

// Locks one of the groups added last, if it has room and no other process is writing to it. If most of them are busy,
// waits for one of them.
std::uint32_t try_new_groups(Relation index, const core::SketchLayout &layout, const SketchMap &map, Buffer *locked)
{
	std::uint32_t busy = 0, busy_group = no_group;
	for (std::uint32_t i = 0; i < core::max_new_groups; ++i) {
		const std::uint32_t group = map.directory.new_group[i];
		if (group >= map.meta.groups)
			break;
		const Attempt attempt = try_group(index, layout, group, false, locked);
		if (attempt == Attempt::locked)
			return group;
		if (attempt == Attempt::busy) {
			++busy;
			if (busy_group == no_group || (MyProcPid + i) % 2 == 1)
				busy_group = group;
		}
	}
	if (busy >= core::max_new_groups - 1 && try_group(index, layout, busy_group, true, locked) == Attempt::locked)
		return busy_group;
	return no_group;
}

// Opens a closed group in which vacuum has emptied many rows, unless a table is being built from it. It becomes
// uncovered. Returns true if its first page is locked.
bool open_group(Relation index, const core::SketchLayout &layout, std::uint32_t group, Buffer *locked)
{
	const MetaEdit edit = begin_edit(index);
	const std::uint32_t label = edit.has_directory() ? core::label_of(edit.directory(), group) : core::tail_label;
	const bool is_covered =
		edit.has_directory() && core::is_group(label) && !core::is_uncovered(edit.directory(), label);
	if (!is_covered && label != core::tail_label) {
		abandon_edit(edit);
		return false;
	}
	*locked = lock_group_page(index, layout, group, 0, BUFFER_LOCK_EXCLUSIVE);
	core::SketchGroupHeader header = group_header(BufferGetPage(*locked));
	if (!is_worth_opening(header, layout) || (is_covered && !edit.editor().uncover(group))) {
		UnlockReleaseBuffer(*locked);
		abandon_edit(edit);
		return false;
	}
	header.flags = 0;
	commit_edit(index, edit, *locked, &header);
	return true;
}

// Locks a group in which vacuum has emptied rows. The free space map is a hint: it may be wrong, and it forgets each
// page that it returns.
std::uint32_t try_emptied_groups(Relation index, const core::SketchLayout &layout, const SketchMap &map, Buffer *locked)
{
	for (;;) {
		CHECK_FOR_INTERRUPTS();
		const BlockNumber block = GetFreeIndexPage(index);
		if (block == InvalidBlockNumber)
			return no_group;
		const std::uint32_t group = (block - 1) / layout.pages;
		if (block == 0 || (block - 1) % layout.pages != 0 || group >= map.meta.groups ||
			!core::is_group(core::label_of(map.directory, group)))
			continue;
		if (try_group(index, layout, group, true, locked) == Attempt::locked ||
			open_group(index, layout, group, locked))
			return group;
	}
}

// Locks the first page of a group that has room and returns the group. `last` is the group of the last insertion. If a
// group was added, sets `uncovered` as add_group does.
std::uint32_t lock_open_group(
	Relation index, const SketchClass &type, std::uint32_t last, Buffer *locked, std::uint32_t *uncovered)
{
	if (last != no_group && try_group(index, type.layout, last, false, locked) == Attempt::locked)
		return last;
	for (;;) {
		CHECK_FOR_INTERRUPTS();
		SketchMap *map = read_map(index);
		std::uint32_t group = try_new_groups(index, type.layout, *map, locked);
		if (group == no_group)
			group = try_emptied_groups(index, type.layout, *map, locked);
		if (group == no_group) {
			*locked = add_group(index, type, *map, &group, uncovered);
			if (!BufferIsValid(*locked))
				group = no_group;
		}
		pfree(map);
		if (group != no_group)
			return group;
	}
}

} // namespace

bool sketch_insert(
	Relation index, Datum *values, bool *nulls, ItemPointer tid, Relation, IndexUniqueCheck, bool, IndexInfo *)
{
	const SketchClass &type = sketch_class(index);
	SketchValue value;
	const std::size_t last = type.layout.keys;
	sketch_value(index, type, values[last], nulls[last], value);
	const SketchKeys keys = sketch_keys(index, type, values, nulls);
	if (value.config != 0 && sketch_cache(index).config != value.config) {
		adopt_config(index, type, value.config);
		sketch_cache(index).config = value.config;
	}
	Buffer first;
	std::uint32_t uncovered = 0;
	const std::uint32_t group = lock_open_group(index, type, sketch_cache(index).group, &first, &uncovered);
	write_row(index, type.layout, group, first, tid, keys, nulls[last], value.signature);
	sketch_cache(index).group = group;
	if (uncovered >= merge_groups + core::max_new_groups && uncovered % (merge_groups / 4) == 0)
		merge_bands(index, type, Merger::writer);
	return false;
}

} // namespace txtfp::pg
