// Pages of the access method `sketch`: reading, checking, adding them.
#include "pg/sketch/sketch.hpp"

#include <algorithm>

extern "C" {
#include "access/generic_xlog.h"
#include "executor/instrument.h"
#include "storage/buf_internals.h"
#include "storage/lmgr.h"
#include "utils/memutils.h"
#include "utils/spccache.h"
}

namespace txtfp::pg {

namespace {

SketchMark &mark_of(Page page) { return *(SketchMark *) PageGetSpecialPointer(page); }

[[noreturn]] void report_damage(Relation index, BlockNumber block)
{
	ereport(ERROR,
		(errcode(ERRCODE_INDEX_CORRUPTED),
			errmsg("index \"%s\" is damaged at block %u", RelationGetRelationName(index), block),
			errhint("Please REINDEX it.")));
}

bool has_mark(Page page)
{
	return !PageIsNew(page) && PageGetSpecialSize(page) == sizeof(SketchMark) && mark_of(page).id == sketch_page_id;
}

void init_page(Page page, SketchPage kind, std::uint32_t group, std::size_t number)
{
	PageInit(page, BLCKSZ, sizeof(SketchMark));
	mark_of(page) = {group, static_cast<std::uint16_t>(number), kind, 0, 0, sketch_page_id};
}

// Block `block`, which lies behind the groups: it may be there since a crash, or has to be added now. Locked.
Buffer get_new_block(Relation index, BlockNumber block)
{
	LockRelationForExtension(index, ExclusiveLock);
	Buffer buffer;
	if (block < RelationGetNumberOfBlocks(index)) {
		buffer = ReadBufferExtended(index, MAIN_FORKNUM, block, RBM_ZERO_AND_LOCK, nullptr);
	} else {
		buffer = ReadBuffer(index, P_NEW);
		LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	}
	UnlockRelationForExtension(index, ExclusiveLock);
	if (BufferGetBlockNumber(buffer) != block)
		report_damage(index, block); // shorter than the metapage says
	return buffer;
}

constexpr std::size_t memory_page = 4096, cache_line = 64;

// 4 MB of hints for an index of 8 GB; beyond that, looking up buffers is no more what costs.
constexpr BlockNumber most_hints = 1 << 20;

// A page whose buffer is known is found without a look into the table of all buffers. But that does not count as a use of the
// page, so every so often it is not done.
Buffer read_block(Relation index, BlockNumber block)
{
	auto *cache = static_cast<SketchCache *>(index->rd_amcache);
	if (cache == nullptr || block >= cache->buffers)
		return ReadBuffer(index, block);
	const Buffer hint = cache->buffer[block];
	if (hint != InvalidBuffer && (block + cache->scans) % 16 != 0 &&
#if PG_VERSION_NUM >= 160000
		ReadRecentBuffer(index->rd_locator, MAIN_FORKNUM, block, hint))
#else
		ReadRecentBuffer(index->rd_node, MAIN_FORKNUM, block, hint))
#endif
		return hint;
	const Buffer buffer = ReadBuffer(index, block);
	cache = static_cast<SketchCache *>(index->rd_amcache);
	if (cache != nullptr && block < cache->buffers)
		cache->buffer[block] = buffer;
	return buffer;
}

} // namespace

void init_meta_page(Page page, const SketchClass &type, std::uint64_t config, std::uint32_t groups)
{
	init_page(page, SketchPage::meta, 0, 0);
	auto *meta = (SketchMeta *) PageGetContents(page);
	*meta = {};
	meta->magic = sketch_magic;
	meta->format = sketch_format;
	meta->kind = static_cast<std::uint8_t>(type.layout.kind);
	meta->pages = type.layout.pages;
	meta->rows = type.layout.rows;
	meta->config = config;
	meta->groups = groups;
	((PageHeader) page)->pd_lower += sizeof(SketchMeta);
}

void init_group_page(Page page, std::uint32_t group, std::size_t number)
{
	init_page(page, SketchPage::group, group, number);
}

SketchMeta checked_meta(Relation index, Page page)
{
	if (!has_mark(page) || mark_of(page).kind != SketchPage::meta)
		report_damage(index, sketch_meta_block);
	const auto &meta = *(const SketchMeta *) PageGetContents(page);
	if (meta.magic != sketch_magic)
		report_damage(index, sketch_meta_block);
	if (meta.format != sketch_format || meta.features != 0)
		ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				errmsg("index \"%s\" has format %d, features %x of the access method \"sketch\", not %d, 0",
					RelationGetRelationName(index), meta.format, meta.features, sketch_format),
				errhint("Please REINDEX it.")));
	const SketchClass &type = sketch_class(index);
	if (meta.kind != static_cast<std::uint8_t>(type.layout.kind) || meta.pages != type.layout.pages ||
		meta.rows != type.layout.rows)
		report_damage(index, sketch_meta_block);
	return meta;
}

void check_group_page(Relation index, Page page, std::uint32_t group, std::size_t number)
{
	if (has_mark(page)) {
		const SketchMark &mark = mark_of(page);
		if (mark.kind == SketchPage::group && mark.group == group && mark.page == number)
			return;
	}
	report_damage(index, block_of(sketch_class(index).layout, group, number));
}

SketchMeta read_meta(Relation index)
{
	const Buffer buffer = ReadBuffer(index, sketch_meta_block);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	const SketchMeta meta = checked_meta(index, BufferGetPage(buffer));
	UnlockReleaseBuffer(buffer);
	return meta;
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

void forget_cache(Relation index)
{
	if (index->rd_amcache != nullptr)
		pfree(index->rd_amcache);
	index->rd_amcache = nullptr;
}

void remember_buffers(Relation index, const core::SketchLayout &layout, std::uint32_t groups)
{
	const BlockNumber blocks = std::min(block_of(layout, groups, 0), most_hints);
	SketchCache *cache = &sketch_cache(index);
	++cache->scans;
	if (blocks <= cache->buffers)
		return;
	const BlockNumber room = std::min(most_hints, blocks + blocks / 8);
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
	const auto *cache = static_cast<const SketchCache *>(index->rd_amcache);
	const BlockNumber block = block_of(layout, group, page);
	if (cache == nullptr || block >= cache->buffers || cache->buffer[block] <= 0)
		return;
	const Buffer buffer = cache->buffer[block];
	// What it holds now does not matter: it is memory.
	const char *at = (const char *) BufferGetBlock(buffer);
	__builtin_prefetch(&BufferDescriptors[buffer - 1], 1);
	__builtin_prefetch(at);
	__builtin_prefetch(at + BLCKSZ - sizeof(SketchMark));
	// The processor goes on by itself, but only within a page of the memory's.
	std::size_t first = page == 0 ? layout.field[0].offset : core::sketch_page_header;
	for (const std::size_t end = first + size; first < end; first = (first / memory_page + 1) * memory_page) {
		__builtin_prefetch(at + first);
		__builtin_prefetch(at + first + cache_line);
	}
}

ReadAhead start_read_ahead(Relation index, const core::SketchLayout &layout)
{
	const int distance = layout.pages > 1 ? get_tablespace_io_concurrency(index->rd_rel->reltablespace) : 0;
	return {0, distance, pgBufferUsage.shared_blks_read};
}

void read_ahead(
	Relation index, const core::SketchLayout &layout, std::uint32_t group, std::uint32_t groups, ReadAhead &state)
{
	const std::int64_t read = pgBufferUsage.shared_blks_read;
	if (read == state.read)
		return;
	state.read = read;
	const std::uint32_t end = std::min(groups, group + 1 + static_cast<std::uint32_t>(state.distance));
	for (state.asked = std::max(state.asked, group + 1); state.asked < end; ++state.asked)
		PrefetchBuffer(index, MAIN_FORKNUM, block_of(layout, state.asked, 0));
}

Buffer lock_group_page(
	Relation index, const core::SketchLayout &layout, std::uint32_t group, std::size_t page, BufferLockMode mode)
{
	const Buffer buffer = read_block(index, block_of(layout, group, page));
	LockBuffer(buffer, mode);
	check_group_page(index, BufferGetPage(buffer), group, page);
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

Buffer add_group(Relation index, const SketchClass &type, std::uint32_t groups)
{
	const Buffer meta_buffer = ReadBuffer(index, sketch_meta_block);
	LockBuffer(meta_buffer, BUFFER_LOCK_EXCLUSIVE);
	if (checked_meta(index, BufferGetPage(meta_buffer)).groups != groups) {
		UnlockReleaseBuffer(meta_buffer);
		return InvalidBuffer;
	}
	if (groups >= MaxBlockNumber / type.layout.pages - 1)
		ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				errmsg("index \"%s\" cannot grow any more", RelationGetRelationName(index))));
	Buffer buffers[core::sketch_max_pages];
	for (std::size_t i = 0; i < type.layout.pages; ++i)
		buffers[i] = get_new_block(index, block_of(type.layout, groups, i));
	// First the pages, then that they are there: after a crash in between they are taken for the next group.
	GenericXLogState *state = GenericXLogStart(index);
	for (std::size_t i = 0; i < type.layout.pages; ++i)
		init_group_page(GenericXLogRegisterBuffer(state, buffers[i], GENERIC_XLOG_FULL_IMAGE), groups, i);
	GenericXLogFinish(state);
	for (std::size_t i = 1; i < type.layout.pages; ++i)
		UnlockReleaseBuffer(buffers[i]);
	state = GenericXLogStart(index);
	((SketchMeta *) PageGetContents(GenericXLogRegisterBuffer(state, meta_buffer, 0)))->groups = groups + 1;
	GenericXLogFinish(state);
	UnlockReleaseBuffer(meta_buffer);
	return buffers[0];
}

} // namespace txtfp::pg
