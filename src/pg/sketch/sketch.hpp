// The access method `sketch`: groups of pages of fixed-size rows, looked at one after the other. docs/sketch.md explains it.
//
// Block 0 is the metapage, unit u begins at block 1 + u · pages. A unit is a group, or belongs to a table of the band directory
// (core/sketch/directory.hpp), or is free. Without a directory all units are groups. Groups stay groups, and rows never move. A row is
// there as soon as its TID is.
//
// Locks: of the metapage, then of the pages of one group in order. Readers hold one page at a time, writers those of one group. What a
// reader finds in a place that was emptied and filled again between two looks belongs to a row that its snapshot does not see.
// Who makes a table holds the heavyweight page lock of the metapage.
#pragma once

#include <cstdint>

#include "core/sketch/directory.hpp"
#include "core/sketch/layout.hpp"
#include "core/sketch/matcher.hpp"
#include "pg/base/pg.hpp"

extern "C" {
#include "access/genam.h"
#include "access/itup.h"
#include "nodes/execnodes.h"
#include "nodes/pathnodes.h"
#include "storage/bufmgr.h"
#include "storage/bufpage.h"
#include "storage/itemptr.h"
#include "utils/rel.h"
}

namespace txtfp::pg {

#if PG_VERSION_NUM < 190000
using BufferLockMode = int; // an enumeration from 19 on
#endif

// ---- what a type brings along

// A condition or an ordering of a scan, or a value to be inserted.
struct SketchValue {
	std::uint64_t config; // 0: unknown, or of a type without
	int limit;            // greatest distance that fulfils the condition; −1: none does
	bool any_config;      // the condition compares values of any configuration
	std::uint8_t signature[core::sketch_max_signature];
};

struct SketchClass {
	const char *name; // of the type
	core::SketchLayout layout;
	int slots;                                      // of a MinHash sketch; otherwise 0
	void (*value)(Datum datum, SketchValue &value); // leaves no memory behind
	void (*condition)(StrategyNumber strategy, Datum argument, SketchValue &condition);
	Datum (*distance)(int distance); // as the ordering operator returns it
	// The limit of a condition, of a type with bands: what is known of it while planning, or a guess.
	int (*planned_limit)(StrategyNumber strategy, Node *argument);
};

constexpr StrategyNumber strategy_sketch_equal =
	3; // 1 and 2: the operators %, numbered as in the other indexes of the type
constexpr StrategyNumber strategy_sketch_distance = 15;
constexpr int sketch_strategies = 15;

const SketchClass &sketch_class(Relation index);

// The signature of NULL is all zero.
void sketch_value(const SketchClass &type, Datum datum, bool is_null, SketchValue &value);

// Raises the error of the type's operators (22023) where both are known and differ.
void check_sketch_config(const SketchClass &type, std::uint64_t a, std::uint64_t b);

// ---- pages

constexpr std::uint32_t sketch_magic = 0x54584653; // "SFXT"
constexpr std::uint16_t sketch_format = 1;
constexpr BlockNumber sketch_meta_block = 0;

// At the start of the metapage. What follows in the page is zero.
struct SketchMeta {
	std::uint32_t magic;
	std::uint16_t format;
	std::uint8_t kind, zero;   // core::SketchKind
	std::uint16_t pages, rows; // of a group
	std::uint32_t features;    // a bit that the library does not know makes the index unreadable to it
	std::uint64_t config;      // of all rows whose configuration is known; 0: there was none yet
	std::uint32_t groups;      // with a directory, units
	std::uint32_t zeros;
};
constexpr std::uint32_t sketch_has_directory = 1; // a feature: a SketchDirectory follows

enum class SketchPage : std::uint16_t { meta = 1, group = 2, leaf = 3, fences = 4, root = 5 };

// At the end of every page.
struct SketchMark {
	std::uint32_t group; // or table
	std::uint16_t page;  // of the group
	SketchPage kind;
	std::uint32_t number;   // of the page within the table
	std::uint16_t zero, id; // as other access methods have one, for tools that look at pages
};
static_assert(sizeof(SketchMark) == core::sketch_page_mark && SizeOfPageHeaderData == core::sketch_page_header);
constexpr std::uint16_t sketch_page_id = 0xFF94;

// One group beyond all that there are.
constexpr std::uint32_t no_group = 0xFFFFFFFF;

inline std::uint8_t *bytes_of(Page page) { return reinterpret_cast<std::uint8_t *>(page); }
inline core::SketchGroupHeader &group_header(Page page)
{
	return *reinterpret_cast<core::SketchGroupHeader *>(bytes_of(page) + core::sketch_page_header);
}
inline ItemPointerData *row_tids(Page page, const core::SketchLayout &layout)
{
	return reinterpret_cast<ItemPointerData *>(bytes_of(page) + layout.tids_offset);
}
inline bool row_is_null(Page page, const core::SketchLayout &layout, std::size_t row)
{
	return (bytes_of(page)[layout.nulls_offset + row / 8] >> row % 8 & 1) != 0;
}

// Of a closed group: a quarter of its rows could be added.
inline bool is_worth_opening(const core::SketchGroupHeader &header, const core::SketchLayout &layout)
{
	return 4 * (header.free + layout.rows - header.used) >= layout.rows;
}

inline BlockNumber block_of(const core::SketchLayout &layout, std::uint32_t group, std::size_t page)
{
	return 1 + group * BlockNumber{layout.pages} + static_cast<BlockNumber>(page);
}

void init_meta_page(Page page, const SketchClass &type, std::uint64_t config, std::uint32_t groups);
void init_group_page(Page page, std::uint32_t group, std::size_t number);
// The whole page counts as used from here on. Until then it is empty, and its image in the log small.
inline void fill_page(Page page) { ((PageHeader) page)->pd_lower = ((PageHeader) page)->pd_upper; }
inline bool is_filled(Page page) { return ((PageHeader) page)->pd_lower == ((PageHeader) page)->pd_upper; }

// Raise an error (XX002, or 0A000 for another format) if the page is not what it has to be.
SketchMeta checked_meta(Relation index, Page page);
void check_group_page(Relation index, Page page, std::uint32_t group, std::size_t number);

// A copy of what the metapage says, also of an index without a directory, whose units are all tail.
struct SketchMap {
	SketchMeta meta;
	core::SketchDirectory directory; // with its segments behind
};
constexpr std::size_t segment_room =
	(BLCKSZ - core::sketch_page_header - core::sketch_page_mark - sizeof(SketchMeta) - core::directory_size(0)) /
	sizeof(core::SketchSegment);
SketchMap *read_map(Relation index); // palloc'd

// The file becomes long enough for a block.
void reach_block(Relation index, BlockNumber block);

// A change of the directory: between begin and commit the metapage is locked. `page` is a copy that becomes the page.
struct MetaEdit {
	Buffer buffer;
	Page page;
	SketchMeta &meta() const { return *(SketchMeta *) PageGetContents(page); }
	core::SketchDirectory &directory() const
	{
		return *(core::SketchDirectory *) (PageGetContents(page) + sizeof(SketchMeta));
	}
	bool has_directory() const { return (meta().features & sketch_has_directory) != 0; }
	core::DirectoryEditor editor() const { return {directory(), meta().groups, segment_room}; }
};
MetaEdit begin_edit(Relation index);
// Where there is none; the last `fresh` groups are new.
void start_directory(const MetaEdit &edit, int bands, std::uint32_t fresh = core::max_new_groups);
// `group`: its first page, locked, of which the group's header is to become `header`; or InvalidBuffer
void commit_edit(Relation index, const MetaEdit &edit, Buffer group = InvalidBuffer,
	const core::SketchGroupHeader *header = nullptr);
void abandon_edit(const MetaEdit &edit);

// fn(first, end, label) of each segment, in order.
template <class Fn> void for_each_segment(const SketchMap &map, Fn fn)
{
	const core::SketchDirectory &directory = map.directory;
	for (std::size_t i = 0; i < directory.segments; ++i)
		fn(directory.segment[i].first, i + 1 < directory.segments ? directory.segment[i + 1].first : map.meta.groups,
			directory.segment[i].label);
}

// fn(group) of the groups of an index, in order: those of which `want` says so of the label.
template <class Want, class Fn> void for_each_group(const SketchMap &map, Want want, Fn fn)
{
	for_each_segment(map, [&](std::uint32_t first, std::uint32_t end, std::uint32_t label) {
		if (core::is_group(label) && want(label))
			for (std::uint32_t unit = first; unit < end; ++unit)
				fn(unit);
	});
}
constexpr bool any_group(std::uint32_t) { return true; }
// A pinned and locked page of a group.
Buffer lock_group_page(
	Relation index, const core::SketchLayout &layout, std::uint32_t group, std::size_t page, BufferLockMode mode);

// What a session remembers of an index, in rd_amcache: gone whenever PostgreSQL forgets what it knows of the index, which may be at
// any call of it.
struct SketchCache {
	std::uint32_t group;                  // of the last insertion
	std::uint32_t scans;                  // so far
	std::uint64_t config;                 // of the index, once it is known
	BlockNumber buffers;                  // how many of the following there are
	Buffer buffer[FLEXIBLE_ARRAY_MEMBER]; // where block i was seen last: a hint, 0: nowhere
};
SketchCache &sketch_cache(Relation index);
void forget_cache(Relation index);
// At the start of a scan: makes room for hints on the pages of all groups; `now`, or once there have been some scans.
void remember_buffers(Relation index, const core::SketchLayout &layout, std::uint32_t groups, bool now);
// Brings the ends of a page that will be looked at soon nearer to the processor, and `size` bytes of its fields, if it is in memory.
void prefetch_group_page(
	Relation index, const core::SketchLayout &layout, std::uint32_t group, std::size_t page, std::size_t size);

// Reading ahead, where first pages of groups lie apart on the disk, so that the operating system does not do it by itself. A scan
// calls read_ahead before it looks at the first page of each group. While the pages that it looked at were not in memory, this asks for
// those of the next groups, as many as effective_io_concurrency allows.
struct ReadAhead {
	std::uint32_t asked; // the groups before it have been asked for
	int distance;
	std::int64_t read; // pages that the session has read so far
};
ReadAhead start_read_ahead(Relation index, const core::SketchLayout &layout);
void read_ahead(
	Relation index, const core::SketchLayout &layout, std::uint32_t group, std::uint32_t groups, ReadAhead &state);

// The configuration of the index becomes `config` if it had none; a different one is an error.
void adopt_config(Relation index, const SketchClass &type, std::uint64_t config);

// A new group; returns its first page, pinned and locked, or InvalidBuffer if somebody else has added one since the map was read.
// `uncovered`: how many groups searches look at themselves now.
Buffer add_group(
	Relation index, const SketchClass &type, const SketchMap &map, std::uint32_t *group, std::uint32_t *uncovered);

// ---- the band directory

// As the index's storage parameters say; of a type without bands 0 of them.
struct SketchOptions {
	int bands; // 0: no directory
	double recall;
};
SketchOptions sketch_options(Relation index, const SketchClass &type);
bool is_sketch_index(Relation index);
double sketch_index_recall(Relation index); // as its storage parameters say
bytea *parse_sketch_options(Datum options, bool validate);
void check_sketch_options(Relation index, const SketchClass &type);

class BandSort;
// A page of a table: of its leaves, then fences, then the root. InvalidBuffer: the table is not there any more.
Buffer lock_table_page(
	Relation index, const core::SketchLayout &layout, const core::BandTable &table, std::uint32_t number);
// Brings what a search will look at of a leaf, about `item`, nearer to the processor, if it is in memory.
void prefetch_leaf(Relation index, const core::SketchLayout &layout, const core::BandTable &table, std::uint32_t number,
	std::size_t item);
// What a table has under a key, in an array of palloc that is enlarged as needed; returns their number.
std::size_t table_entries(Relation index, const core::SketchLayout &layout, const core::BandTable &table,
	std::uint32_t key, std::uint32_t **entries, std::size_t *room);
// Prepares a page of a table in memory; it is to be filled.
void init_table_page(Page page, const core::BandTable &table, std::uint32_t number);
// Writes the pages of a table that has its units, of its sorted items; to the log as well if `log`.
void write_table(
	Relation index, const core::SketchLayout &layout, const core::BandTable &table, BandSort &sort, bool log);
// The items of a row, and of the rows of a group whose pages are these.
void add_signature_items(
	const SketchClass &type, int bands, std::uint32_t entry, const std::uint8_t *signature, BandSort &sort);
void add_group_items(
	const SketchClass &type, int bands, std::uint32_t group, const PGAlignedBlock *pages, BandSort &sort);

// Makes a table of the groups that have none, and of those of small tables. By vacuum, or by a writer in passing, who stops where it would
// take long and does nothing if somebody else is about it.
enum class Merger { vacuum, writer };
void merge_bands(Relation index, const SketchClass &type, Merger merger);
void sketch_delay_point(); // of vacuum
// A writer merges when so many groups have no table.
constexpr std::uint32_t merge_groups = 64;

// ---- the access method's functions

IndexBuildResult *sketch_build(Relation heap, Relation index, IndexInfo *info);
void sketch_build_empty(Relation index);
bool sketch_insert(Relation index, Datum *values, bool *nulls, ItemPointer tid, Relation heap, IndexUniqueCheck unique,
	bool unchanged, IndexInfo *info);
IndexBulkDeleteResult *sketch_bulk_delete(
	IndexVacuumInfo *info, IndexBulkDeleteResult *stats, IndexBulkDeleteCallback callback, void *state);
IndexBulkDeleteResult *sketch_vacuum_cleanup(IndexVacuumInfo *info, IndexBulkDeleteResult *stats);
void sketch_cost_estimate(PlannerInfo *root, IndexPath *path, double loops, Cost *startup, Cost *total,
	Selectivity *selectivity, double *correlation, double *pages);
IndexScanDesc sketch_begin_scan(Relation index, int keys, int orderings);
void sketch_rescan(IndexScanDesc scan, ScanKey keys, int nkeys, ScanKey orderings, int norderings);
bool sketch_get_tuple(IndexScanDesc scan, ScanDirection direction);
int64 sketch_get_bitmap(IndexScanDesc scan, TIDBitmap *bitmap);
void sketch_end_scan(IndexScanDesc scan);
bool sketch_validate(Oid class_oid);
char *sketch_phase_name(int64 phase);

} // namespace txtfp::pg
