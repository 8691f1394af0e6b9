// Reads, checks and adds pages of the access method `sketch`.
#include "pg/sketch/sketch.hpp"

#include <algorithm>

#include "core/sketch/bands.hpp"

extern "C" {
#include "access/generic_xlog.h"
#include "access/rmgr.h"
#include "access/xloginsert.h"
#include "catalog/pg_control.h"
#include "storage/buf_internals.h"
#include "storage/lmgr.h"
#include "utils/memutils.h"
}

namespace txtfp::pg {

namespace {

SketchMark &mark_of(Page page) { return *(SketchMark *) PageGetSpecialPointer(page); }

SketchMark group_mark(std::uint32_t group, std::size_t page)
{
	return {group, static_cast<std::uint16_t>(page), SketchPage::group, 0, 0, sketch_page_id};
}

SketchMark table_mark(const core::BandTable &table, std::uint32_t number)
{
	const SketchPage kind = number < table.leaves ? SketchPage::leaf
		: number < table.leaves + table.fences    ? SketchPage::fences
												  : SketchPage::root;
	return {table.id, 0, kind, number, 0, sketch_page_id};
}

constexpr SketchMark meta_mark{0, 0, SketchPage::meta, 0, 0, sketch_page_id};

bool has_mark(Page page, const SketchMark &mark)
{
	return !PageIsNew(page) && PageGetSpecialSize(page) == sizeof(SketchMark) &&
		memcmp(&mark_of(page), &mark, sizeof mark) == 0;
}

void init_page(Page page, const SketchMark &mark)
{
	PageInit(page, BLCKSZ, sizeof(SketchMark));
	mark_of(page) = mark;
}

void write_zeros(Relation index, BlockNumber block)
{
#if PG_VERSION_NUM >= 160000
	PGIOAlignedBlock zeros;
#else
	PGAlignedBlock zeros;
#endif
	memset(zeros.data, 0, BLCKSZ);
	smgrextend(RelationGetSmgr(index), MAIN_FORKNUM, block, zeros.data, false);
}

// Returns a block of an unused unit, locked and zeroed. The file is extended if it does not have the block yet.
Buffer get_new_block(Relation index, BlockNumber block)
{
	extend_to_block(index, block);
	return ReadBufferExtended(index, MAIN_FORKNUM, block, RBM_ZERO_AND_LOCK, nullptr);
}

constexpr std::size_t memory_page = 4096, cache_line = 64;

// Hints take 4 MB for an index of 8 GB and for any larger one.
constexpr BlockNumber max_buffer_hints = 1 << 20;

constexpr std::uint32_t scans_without_hints = 8;

// Where the hint of a block is kept; nullptr if there are no hints. In an index of more than max_buffer_hints blocks,
// several blocks share a place. A hint that belongs to another block costs little more than a lookup, because
// ReadRecentBuffer compares the block.
Buffer *hint_of(Relation index, BlockNumber block)
{
	auto *cache = static_cast<SketchCache *>(index->rd_amcache);
	return cache == nullptr || cache->buffers == 0 ? nullptr : &cache->buffer[block % cache->buffers];
}

// Reads a page through its buffer hint, if it has one, without a lookup in the table of all buffers. Such reads do not
// count as uses of the page for cache eviction; therefore one scan in 64 reads the page in the ordinary way.
Buffer read_block(Relation index, BlockNumber block)
{
	if (const Buffer *hint = hint_of(index, block);
		hint != nullptr && *hint != InvalidBuffer && (block + sketch_cache(index).scans) % 64 != 0) {
		const Buffer buffer = *hint;
#if PG_VERSION_NUM >= 160000
		if (ReadRecentBuffer(index->rd_locator, MAIN_FORKNUM, block, buffer))
#else
		if (ReadRecentBuffer(index->rd_node, MAIN_FORKNUM, block, buffer))
#endif
			return buffer;
	}
	check_block(index, block);
	const Buffer buffer = ReadBuffer(index, block);
	if (Buffer *hint = hint_of(index, block); hint != nullptr) // not the one from before, which the read may have freed
		*hint = buffer;
	return buffer;
}

// Prefetches the descriptor of a block's buffer and both ends of the page. Returns its memory, or nullptr if the block
// has no buffer hint. GCC takes functions that only prefetch for functions without effects, and leaves out the calls
// of those that it sees. The empty statement is an effect, of this function and of its callers.
const char *prefetch_ends(Relation index, BlockNumber block)
{
	const Buffer *hint = hint_of(index, block);
	if (hint == nullptr || *hint <= 0)
		return nullptr;
	const Buffer buffer = *hint;
	asm volatile("");
	// The buffer may hold another page by now. That is harmless, because prefetching does not read it.
	const char *at = (const char *) BufferGetBlock(buffer);
	__builtin_prefetch(&BufferDescriptors[buffer - 1], 1);
	__builtin_prefetch(at);
	__builtin_prefetch(at + BLCKSZ - sizeof(SketchMark));
	return at;
}

} // namespace

void report_damage(Relation index, BlockNumber block)
{
	ereport(ERROR,
		(errcode(ERRCODE_INDEX_CORRUPTED),
			errmsg("index \"%s\" is damaged at block %u", RelationGetRelationName(index), block),
			errhint("Please REINDEX it.")));
	pg_unreachable();
}

void check_block(Relation index, BlockNumber block)
{
	SketchCache &cache = sketch_cache(index);
	if (block < cache.blocks)
		return;
	cache.blocks = RelationGetNumberOfBlocks(index);
	if (block >= cache.blocks)
		report_damage(index, block);
}

// Blocks between the old end and the new block become a hole, which reads as zeros. Hash indexes do the same. A hole is at
// most as large as a table of the directory that was not written, which is smaller than the groups; a number of units that
// is damaged would fill the disk with files.
void extend_to_block(Relation index, BlockNumber block)
{
	LockRelationForExtension(index, ExclusiveLock);
	const BlockNumber end = RelationGetNumberOfBlocks(index);
	if (block > 2 * std::uint64_t{end} + RELSEG_SIZE)
		report_damage(index, sketch_meta_block);
	if (block >= end)
		write_zeros(index, block);
	UnlockRelationForExtension(index, ExclusiveLock);
}

// Unlike a hole, the new blocks have room on the disk from now on.
void add_blocks(Relation index, BlockNumber end)
{
	LockRelationForExtension(index, ExclusiveLock);
	const BlockNumber begin = RelationGetNumberOfBlocks(index);
#if PG_VERSION_NUM >= 160000
	if (begin < end)
		smgrzeroextend(RelationGetSmgr(index), MAIN_FORKNUM, begin, static_cast<int>(end - begin), false);
#else
	for (BlockNumber block = begin; block < end; ++block)
		write_zeros(index, block);
#endif
	UnlockRelationForExtension(index, ExclusiveLock);
}

void write_new_pages(Relation index, BlockNumber first, const PGAlignedBlock *pages, std::size_t n)
{
	if (n > max_logged_pages) {
		write_new_pages(index, first + BlockNumber{max_logged_pages}, pages + max_logged_pages, n - max_logged_pages);
		n = max_logged_pages;
	}
	Buffer buffers[max_logged_pages];
	for (std::size_t i = 0; i < n; ++i)
		buffers[i] =
			ReadBufferExtended(index, MAIN_FORKNUM, first + static_cast<BlockNumber>(i), RBM_ZERO_AND_LOCK, nullptr);
	START_CRIT_SECTION();
	for (std::size_t i = 0; i < n; ++i) {
		memcpy(BufferGetPage(buffers[i]), pages[i].data, BLCKSZ);
		MarkBufferDirty(buffers[i]);
	}
	if (RelationNeedsWAL(index)) {
		XLogBeginInsert();
		for (std::size_t i = 0; i < n; ++i)
			XLogRegisterBuffer(static_cast<std::uint8_t>(i), buffers[i], REGBUF_FORCE_IMAGE | REGBUF_STANDARD);
		const XLogRecPtr lsn = XLogInsert(RM_XLOG_ID, XLOG_FPI);
		for (std::size_t i = 0; i < n; ++i)
			PageSetLSN(BufferGetPage(buffers[i]), lsn);
	}
	END_CRIT_SECTION();
	for (std::size_t i = 0; i < n; ++i)
		UnlockReleaseBuffer(buffers[i]);
}

void init_meta_page(Page page, const SketchClass &type, std::uint64_t config, std::uint32_t groups)
{
	init_page(page, meta_mark);
	auto *meta = (SketchMeta *) PageGetContents(page);
	*meta = {};
	meta->magic = sketch_magic;
	meta->format = sketch_format;
	meta->kind = static_cast<std::uint8_t>(type.layout.kind->number);
	meta->keys = static_cast<std::uint8_t>(type.layout.keys);
	meta->features = type.layout.keys > 0 ? sketch_has_keys : 0;
	meta->pages = type.layout.pages;
	meta->config = config;
	meta->groups = groups;
	meta->places = core::places_of(type.layout);
	((PageHeader) page)->pd_lower += sizeof(SketchMeta);
}

void init_group_page(Page page, std::uint32_t group, std::size_t number) { init_page(page, group_mark(group, number)); }

namespace {

std::size_t meta_size(const SketchMeta &meta)
{
	return meta.format == sketch_first_format ? offsetof(SketchMeta, places) : sizeof meta;
}

const core::SketchDirectory *directory_of(Page page)
{
	const char *contents = PageGetContents(page);
	return (const core::SketchDirectory *) (contents + meta_size(*(const SketchMeta *) contents));
}

SketchMeta meta_of(Page page)
{
	SketchMeta meta{};
	memcpy(&meta, PageGetContents(page), meta_size(*(const SketchMeta *) PageGetContents(page)));
	return meta;
}

// Writes the metapage, which is checked, in this format.
void convert_meta(Page page, const SketchMeta &meta)
{
	constexpr std::size_t before = offsetof(SketchMeta, places), more = sizeof(SketchMeta) - before;
	char *contents = PageGetContents(page);
	memmove(contents + sizeof meta, contents + before,
		BLCKSZ - core::sketch_page_header - core::sketch_page_mark - sizeof meta);
	memcpy(contents, &meta, sizeof meta);
	((SketchMeta *) contents)->format = sketch_format;
	((SketchMeta *) contents)->rows = 0;
	if (!is_filled(page))
		((PageHeader) page)->pd_lower += more;
}

} // namespace

SketchMeta checked_meta(Relation index, Page page)
{
	if (!has_mark(page, meta_mark))
		report_damage(index, sketch_meta_block);
	SketchMeta meta = meta_of(page);
	if (meta.magic != sketch_magic)
		report_damage(index, sketch_meta_block);
	if ((meta.format != sketch_format && meta.format != sketch_first_format) || (meta.features & ~sketch_features) != 0)
		ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				errmsg("index \"%s\" has format %d, features %x of the access method \"sketch\", not %d, 0 to %x",
					RelationGetRelationName(index), meta.format, meta.features, sketch_format, sketch_features),
				errhint("Please REINDEX it.")));
	const SketchClass &type = sketch_class(index);
	const core::SketchPlaces places = core::places_of(type.layout);
	if (meta.format == sketch_first_format && meta.rows == places.rows)
		meta.places = places;
	if (meta.kind != static_cast<std::uint8_t>(type.layout.kind->number) || meta.pages != type.layout.pages ||
		memcmp(&meta.places, &places, sizeof places) != 0 || meta.keys != type.layout.keys ||
		((meta.features & sketch_has_keys) != 0) != (meta.keys > 0))
		report_damage(index, sketch_meta_block);
	return meta;
}

// It never changes. So it can be read while the caller, or another process, has locked the page.
std::optional<SketchMeta> built_meta(Relation index)
{
	if (index->rd_rel->relkind != RELKIND_INDEX || RelationGetNumberOfBlocks(index) == 0) // of a partitioned table
		return {};
	const Buffer buffer = ReadBuffer(index, sketch_meta_block);
	Page page = BufferGetPage(buffer);
	const bool is_new = PageIsNew(page);
	const SketchMeta meta = meta_of(page);
	ReleaseBuffer(buffer);
	if (is_new || meta.magic != sketch_magic || (meta.format != sketch_format && meta.format != sketch_first_format))
		return {};
	return meta;
}

void check_group_page(
	Relation index, const core::SketchLayout &layout, Page page, std::uint32_t group, std::size_t number)
{
	if (!has_mark(page, group_mark(group, number)) || (number == 0 && !has_sound_counts(group_header(page), layout)))
		report_damage(index, block_of(layout, group, number));
}

namespace {

// True if no number of the directory leads a search or an edit beyond an array or a page. sketch_check finds further
// faults.
bool has_sound_directory(Relation index, const SketchMeta &meta, const core::SketchDirectory &directory)
{
	const SketchClass &type = sketch_class(index);
	return core::directory_size_fault(directory, meta.groups, segment_capacity, type.layout.pages,
			   type.layout.keys > 0 ? 0 : 1, max_bands_of(type), core::fence_capacity(BLCKSZ)) == nullptr;
}

} // namespace

SketchMap *read_map(Relation index)
{
	auto *map = static_cast<SketchMap *>(palloc(sizeof(SketchMeta) + core::directory_size(segment_capacity)));
	const Buffer buffer = ReadBuffer(index, sketch_meta_block);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	Page page = BufferGetPage(buffer);
	map->meta = checked_meta(index, page);
	const core::SketchDirectory *directory = directory_of(page);
	if ((map->meta.features & sketch_has_directory) == 0)
		core::DirectoryEditor(map->directory, map->meta.groups, segment_capacity).start(0);
	else if (has_sound_directory(index, map->meta, *directory))
		memcpy(static_cast<void *>(&map->directory), directory, core::directory_size(directory->segments));
	else
		report_damage(index, sketch_meta_block);
	UnlockReleaseBuffer(buffer);
	return map;
}

MetaEdit begin_edit(Relation index)
{
	const MetaEdit edit{ReadBuffer(index, sketch_meta_block), (Page) palloc(BLCKSZ)};
	LockBuffer(edit.buffer, BUFFER_LOCK_EXCLUSIVE);
	const SketchMeta meta = checked_meta(index, BufferGetPage(edit.buffer));
	memcpy(edit.page, BufferGetPage(edit.buffer), BLCKSZ);
	if (meta.format == sketch_first_format)
		convert_meta(edit.page, meta);
	if (edit.has_directory() && !has_sound_directory(index, edit.meta(), edit.directory()))
		report_damage(index, sketch_meta_block);
	return edit;
}

void start_directory(const MetaEdit &edit, int bands, std::uint32_t new_groups)
{
	core::DirectoryEditor(edit.directory(), edit.meta().groups, segment_capacity).start(bands, new_groups);
	edit.meta().features |= sketch_has_directory;
	fill_page(edit.page);
}

void commit_edit(Relation index, const MetaEdit &edit, Buffer group, const core::SketchGroupHeader *header)
{
	GenericXLogState *state = GenericXLogStart(index);
	memcpy(GenericXLogRegisterBuffer(state, edit.buffer, 0), edit.page, BLCKSZ);
	if (BufferIsValid(group))
		group_header(GenericXLogRegisterBuffer(state, group, 0)) = *header;
	GenericXLogFinish(state);
	abandon_edit(edit);
}

void abandon_edit(const MetaEdit &edit)
{
	UnlockReleaseBuffer(edit.buffer);
	pfree(edit.page);
}

void init_table_page(Page page, const core::BandTable &table, std::uint32_t number)
{
	init_page(page, table_mark(table, number));
	fill_page(page);
}

Buffer lock_table_page(
	Relation index, const core::SketchLayout &layout, const core::BandTable &table, std::uint32_t number)
{
	const Buffer buffer = read_block(index, block_of(layout, table.first, 0) + number);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	if (has_mark(BufferGetPage(buffer), table_mark(table, number)))
		return buffer;
	UnlockReleaseBuffer(buffer);
	return InvalidBuffer;
}

SketchCache &sketch_cache(Relation index)
{
	if (index->rd_amcache == nullptr) {
		auto *cache = static_cast<SketchCache *>(MemoryContextAllocZero(index->rd_indexcxt, sizeof(SketchCache)));
		cache->group = no_group;
		index->rd_amcache = cache;
	}
	return *static_cast<SketchCache *>(index->rd_amcache);
}

void discard_cache(Relation index)
{
	if (index->rd_amcache != nullptr)
		pfree(index->rd_amcache);
	index->rd_amcache = nullptr;
}

void enable_buffer_hints(Relation index, const core::SketchLayout &layout, std::uint32_t groups, bool at_once)
{
	const BlockNumber blocks = std::min(block_of(layout, groups, 0), max_buffer_hints);
	SketchCache *cache = &sketch_cache(index);
	++cache->scans;
	if (blocks <= cache->buffers || (!at_once && cache->scans < scans_without_hints))
		return;
	const BlockNumber room = std::min(max_buffer_hints, blocks + blocks / 8);
	auto *larger = static_cast<SketchCache *>(
		MemoryContextAllocZero(index->rd_indexcxt, offsetof(SketchCache, buffer) + sizeof(Buffer) * room));
	memcpy(larger, cache, offsetof(SketchCache, buffer) + sizeof(Buffer) * cache->buffers);
	larger->buffers = room;
	index->rd_amcache = larger;
	pfree(cache);
}

void prefetch_group_page(
	Relation index, const core::SketchLayout &layout, std::uint32_t group, std::size_t page, std::size_t size)
{
	const char *at = prefetch_ends(index, block_of(layout, group, page));
	if (at == nullptr)
		return;
	// The hardware prefetcher continues by itself, but only within one page of memory.
	std::size_t first = page == 0 ? layout.field[0].offset : core::sketch_page_header;
	for (const std::size_t end = first + size; first < end; first = (first / memory_page + 1) * memory_page) {
		__builtin_prefetch(at + first);
		__builtin_prefetch(at + first + cache_line);
	}
}

void prefetch_group_planes(Relation index, const core::TermProbe &probe, const core::SketchLayout &layout,
	std::uint32_t group, std::size_t page)
{
	const char *at = prefetch_ends(index, block_of(layout, group, page));
	if (at == nullptr)
		return;
	const std::size_t first = page == 0 ? 0 : probe.listed[page - 1];
	for (std::size_t i = core::terms_hashes * first; i < core::terms_hashes * probe.listed[page]; ++i)
		__builtin_prefetch(at + probe.plane[i]);
}

void prefetch_leaf(Relation index, const core::SketchLayout &layout, const core::BandTable &table, std::uint32_t number,
	std::size_t item)
{
	const char *at = prefetch_ends(index, block_of(layout, table.first, 0) + number);
	if (at == nullptr)
		return;
	const std::size_t delta = core::leaf_deltas(BLCKSZ) + 2 * item;
	__builtin_prefetch(at + delta - cache_line / 2);
	__builtin_prefetch(at + delta + cache_line / 2);
	__builtin_prefetch(at + core::leaf_entries + 4 * item);
}

Buffer lock_group_page(
	Relation index, const core::SketchLayout &layout, std::uint32_t group, std::size_t page, BufferLockMode mode)
{
	const Buffer buffer = read_block(index, block_of(layout, group, page));
	LockBuffer(buffer, mode);
	check_group_page(index, layout, BufferGetPage(buffer), group, page);
	return buffer;
}

void adopt_config(Relation index, const SketchClass &type, std::uint64_t config)
{
	const Buffer buffer = ReadBuffer(index, sketch_meta_block);
	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	const SketchMeta meta = checked_meta(index, BufferGetPage(buffer));
	check_sketch_config(type, meta.config, config);
	if (meta.config == 0) {
		GenericXLogState *state = GenericXLogStart(index);
		Page page = GenericXLogRegisterBuffer(state, buffer, 0);
		((SketchMeta *) PageGetContents(page))->config = config;
		GenericXLogFinish(state);
	}
	UnlockReleaseBuffer(buffer);
}

void report_full(Relation index)
{
	ereport(ERROR,
		(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			errmsg("index \"%s\" cannot grow any more", RelationGetRelationName(index)),
			errhint("Partition the table.")));
}

Buffer add_group(
	Relation index, const SketchClass &type, const SketchMap &map, std::uint32_t *group, std::uint32_t *uncovered)
{
	const MetaEdit edit = begin_edit(index);
	const bool has_directory = edit.has_directory();
	const bool unchanged = edit.meta().groups == map.meta.groups && edit.meta().features == map.meta.features &&
		(!has_directory || edit.directory().new_group[0] == map.directory.new_group[0]);
	if (!unchanged) {
		abandon_edit(edit);
		return InvalidBuffer;
	}
	if (edit.meta().groups >= core::sketch_most_units(type.layout, has_directory))
		report_full(index);
	*group = edit.meta().groups;
	*uncovered = edit.meta().groups + 1;
	if (has_directory) {
		core::DirectoryEditor editor = edit.editor();
		*group = editor.add_group();
		*uncovered = core::uncovered_groups(edit.directory(), editor.units());
		edit.meta().groups = editor.units();
	} else {
		++edit.meta().groups;
	}
	Buffer buffers[core::sketch_max_pages];
	for (std::size_t i = 0; i < type.layout.pages; ++i)
		buffers[i] = get_new_block(index, block_of(type.layout, *group, i));
	// The pages are logged before the metapage. After a crash in between, the next group reuses them.
	for (std::size_t first = 0; first < type.layout.pages; first += max_logged_pages) {
		GenericXLogState *state = GenericXLogStart(index);
		for (std::size_t i = first; i < std::min<std::size_t>(first + max_logged_pages, type.layout.pages); ++i)
			init_group_page(GenericXLogRegisterBuffer(state, buffers[i], GENERIC_XLOG_FULL_IMAGE), *group, i);
		GenericXLogFinish(state);
	}
	for (std::size_t i = 1; i < type.layout.pages; ++i)
		UnlockReleaseBuffer(buffers[i]);
	commit_edit(index, edit);
	return buffers[0];
}

} // namespace txtfp::pg
