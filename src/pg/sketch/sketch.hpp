// The access method `sketch`: rows of fixed size in groups of pages, which a search reads one after the other.
// docs/sketch.md explains it.
//
// Block 0 is the metapage. Unit u begins at block 1 + u · pages. A unit is a group, or part of a table of the band
// directory (core/sketch/directory.hpp), or free. Without a directory all units are groups. A group stays a group, and
// rows never move. A row exists as soon as its TID is set.
//
// Buffer locks are taken in this order: the metapage, then the pages of one group in ascending order. A reader locks
// one page at a time, a writer all pages of one group. Between two pages, vacuum may empty a row and a writer may fill
// its place again. A reader then combines fields of two rows, but the TID that it returns belongs to a row that its
// snapshot does not see.
// A process that builds a table holds the heavyweight page lock of the metapage.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

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

// ---- what an indexed type provides

// A condition or an ordering of a scan, or a value to be inserted.
struct SketchValue {
	std::uint64_t config; // configuration hash; 0: unknown, or the type has none
	int limit;            // greatest distance that fulfils the condition; −1: no distance does
	bool any_config;      // the condition accepts values of any configuration, and the index cannot decide it
	std::uint8_t signature[core::sketch_max_signature];
	const core::TermProbe *terms; // of a condition on a set of terms; palloc'd
};

// The operator class of a set of terms names two more support functions (terms.cpp), so its `value` and `condition` are
// null.
struct SketchClass {
	const char *name;                               // of the type
	core::SketchLayout layout;                      // of an index with this many leading columns
	int slots;                                      // of a MinHash sketch; 0 for other types
	const char *form;                               // "_compact" or ""; in the name of a MinHash type
	void (*value)(Datum datum, SketchValue &value); // frees what it allocates
	void (*condition)(StrategyNumber strategy, Datum argument, SketchValue &condition);
	Datum (*distance)(int distance); // converts a distance to the result of the ordering operator
	// Types with bands only: the limit of a condition at planning time. If the argument is not a constant, an estimate.
	int (*planned_limit)(StrategyNumber strategy, const Node *argument);
	bool is_unsized = false; // a set of terms without the option `bits`: CREATE INDEX chooses the pages of a group
};

constexpr StrategyNumber strategy_sketch_equal =
	3; // 1 and 2 are the operators %, numbered as in the other indexes of the type
constexpr StrategyNumber strategy_sketch_exact = 4; // % probe, but with recall 1
constexpr StrategyNumber strategy_sketch_distance = 15;
constexpr int sketch_strategies = 15;

// Support functions of an operator class. A leading column has only the second one, sets of terms have all but that
// one.
constexpr std::uint16_t sketch_class_function = 1, sketch_hash_function = 2, sketch_terms_function = 3,
						sketch_threshold_function = 4, sketch_options_function = 5, sketch_functions = 5;

// The class of the index's last column. The columns before it are the leading columns. Its layout stands in the
// metapage; before there is one, it is the layout of a new index, and if the pages of a group are left to CREATE INDEX, the class is
// unsized.
const SketchClass &sketch_class(Relation index);
// For sets of terms: the class with this many pages of a group.
const SketchClass &sized_class(const SketchClass &type, std::size_t pages);
// The class with which a new index is built. Reads some of the rows if the class is unsized.
const SketchClass &class_to_build(Relation heap, Relation index, IndexInfo *info);
// The same of the array that the support function of an operator class returns.
inline const SketchClass &sketch_class_of(Datum classes, int columns)
{
	return ((const SketchClass *) DatumGetPointer(classes))[columns - 1];
}
// Raises an error (22023 or 54000) if the columns of a new index are not some leading ones and a fingerprint.
void check_sketch_columns(Relation index);

// The signature of NULL is all zero.
void sketch_value(Relation index, const SketchClass &type, Datum datum, bool is_null, SketchValue &value);
void sketch_condition(Relation index, const SketchClass &type, const ScanKeyData &key, SketchValue &condition);

// The same for a set of terms.
void terms_value(Relation index, const SketchClass &type, Datum datum, SketchValue &value);
void terms_condition(Relation index, const SketchClass &type, const ScanKeyData &key, SketchValue &condition);
constexpr StrategyNumber first_terms_ordering = 11, last_terms_condition = 6; // strategies

// Raises the error of the type's operators (22023) if both configurations are known and differ.
void check_sketch_config(const SketchClass &type, std::uint64_t a, std::uint64_t b);

// ---- leading columns: rows are found by the hash of their values, which PostgreSQL then compares

struct SketchKeys {
	std::array<std::uint32_t, core::sketch_max_keys> hash;
};
SketchKeys sketch_keys(Relation index, const SketchClass &type, const Datum *values, const bool *nulls);
// The hash of the right operand of a condition on a leading column, whose type may differ from the column's.
std::uint32_t condition_hash(Relation index, const ScanKeyData &condition);
constexpr std::uint32_t hash_of_null = 0x4E554C4C; // stored in indexes

// ---- pages

constexpr std::uint32_t sketch_magic = 0x54584653; // "SFXT"
// In the first format there are no places: they are the usual ones, and the directory begins where they are now. Such an index is read, and gets this
// format when its metapage is written.
constexpr std::uint16_t sketch_format = 2, sketch_first_format = 1;
constexpr BlockNumber sketch_meta_block = 0;

// Stored at the start of the metapage. A SketchDirectory may follow; the rest of the page is zero.
struct SketchMeta {
	std::uint32_t magic;
	std::uint16_t format;
	std::uint8_t kind;         // core::SketchKind
	std::uint8_t keys;         // leading columns; 0 without the feature
	std::uint16_t pages, rows; // of a group; in this format places has the rows, and here is 0
	std::uint32_t features;    // a library that does not know one of the set bits cannot read the index
	std::uint64_t config;      // configuration hash of all rows that have one; 0: no row had one so far
	std::uint32_t groups;      // the number of units; without a directory all of them are groups
	std::uint32_t zeros;
	core::SketchPlaces places; // with them, and with the kind, keys and pages, everything is known about a group
};
constexpr std::uint32_t sketch_has_directory = 1; // feature: a SketchDirectory follows
constexpr std::uint32_t sketch_has_keys = 2;      // feature: there are leading columns
constexpr std::uint32_t sketch_features = sketch_has_directory | sketch_has_keys;

enum class SketchPage : std::uint16_t { meta = 1, group = 2, leaf = 3, fences = 4, root = 5 };

// The special space at the end of every page.
struct SketchMark {
	std::uint32_t group; // the number of the group, or the id of the table
	std::uint16_t page;  // the number of the page within the group
	SketchPage kind;
	std::uint32_t number;   // the number of the page within the table
	std::uint16_t zero, id; // tools that inspect pages recognize the access method by its id
};
static_assert(sizeof(SketchMark) == core::sketch_page_mark && SizeOfPageHeaderData == core::sketch_page_header);
constexpr std::uint16_t sketch_page_id = 0xFF94;

// A record of the log has at most this many pages (MAX_GENERIC_XLOG_PAGES).
constexpr std::size_t max_logged_pages = 4;

// Not the number of any group.
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
inline std::uint8_t *row_keys(Page page, const core::SketchLayout &layout, std::size_t column, std::size_t row)
{
	return bytes_of(page) + layout.keys_offset + (column * layout.rows + row) * core::sketch_key_size;
}
inline bool row_is_null(Page page, const core::SketchLayout &layout, std::size_t row)
{
	return (bytes_of(page)[layout.nulls_offset + row / 8] >> row % 8 & 1) != 0;
}

// False if the counts do not fit the layout: arrays of that many rows would overflow.
inline bool has_sound_counts(const core::SketchGroupHeader &header, const core::SketchLayout &layout)
{
	return header.used <= layout.rows && header.free <= header.used && header.nulls <= header.used - header.free;
}

// Of sets of terms: the header of a group, to which a row is added, knows its number of terms.
inline void widen(core::SketchGroupHeader &header, const core::SketchLayout &layout, const std::uint8_t *signature)
{
	if (layout.planes == 0)
		return;
	const std::uint16_t count = core::terms_count(signature);
	const bool is_first = header.used <= 1 && header.least == 0 && header.most == 0;
	header.least = is_first || count < header.least ? count : header.least;
	header.most = count > header.most ? count : header.most;
}

// True if a closed group has room for at least a quarter of its rows.
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
// Marks the whole page as used. Before that it counts as empty, which keeps its full-page image in the log small.
inline void fill_page(Page page) { ((PageHeader) page)->pd_lower = ((PageHeader) page)->pd_upper; }
inline bool is_filled(Page page) { return ((PageHeader) page)->pd_lower == ((PageHeader) page)->pd_upper; }

[[noreturn]] void report_damage(Relation index, BlockNumber block); // XX002
// Raises the same error for a block behind the end of the index, which a damaged page may name. PostgreSQL would look for
// its file.
void check_block(Relation index, BlockNumber block);
// Raise an error (XX002, or 0A000 for another format) if the page is not the expected one.
SketchMeta checked_meta(Relation index, Page page);
void check_group_page(
	Relation index, const core::SketchLayout &layout, Page page, std::uint32_t group, std::size_t number);

// A copy of the metapage. For an index without a directory, it has an empty directory, in which all units are tail.
struct SketchMap {
	SketchMeta meta;
	core::SketchDirectory directory; // followed by its segments
};
constexpr std::size_t segment_capacity =
	(BLCKSZ - core::sketch_page_header - core::sketch_page_mark - sizeof(SketchMeta) - core::directory_size(0)) /
	sizeof(core::SketchSegment);
SketchMap *read_map(Relation index); // palloc'd; the caller frees it

// Extends the file, unless it contains the block already.
void extend_to_block(Relation index, BlockNumber block);
// Makes the file at least `end` blocks long.
void add_blocks(Relation index, BlockNumber end);
// Replaces pages which nobody else reads, from block `first` on, and logs them.
void write_new_pages(Relation index, BlockNumber first, const PGAlignedBlock *pages, std::size_t n);

// A change of the metapage. The metapage is locked from begin_edit to commit_edit or abandon_edit. `page` is a copy,
// which commit_edit writes back and logs.
struct MetaEdit {
	Buffer buffer;
	Page page;
	SketchMeta &meta() const { return *(SketchMeta *) PageGetContents(page); }
	core::SketchDirectory &directory() const
	{
		return *(core::SketchDirectory *) (PageGetContents(page) + sizeof(SketchMeta));
	}
	bool has_directory() const { return (meta().features & sketch_has_directory) != 0; }
	core::DirectoryEditor editor() const { return {directory(), meta().groups, segment_capacity}; }
};
MetaEdit begin_edit(Relation index);
// Adds a directory to an index that has none. The last `new_groups` groups become its new groups.
void start_directory(const MetaEdit &edit, int bands, std::uint32_t new_groups = core::max_new_groups);
// If `group` is valid, it is the locked first page of a group. Its header is set to `header` in the same log record.
void commit_edit(Relation index, const MetaEdit &edit, Buffer group = InvalidBuffer,
	const core::SketchGroupHeader *header = nullptr);
void abandon_edit(const MetaEdit &edit);

// Calls fn(first, end, label) for each segment, in order.
template <class Fn> void for_each_segment(const SketchMap &map, Fn fn)
{
	const core::SketchDirectory &directory = map.directory;
	for (std::size_t i = 0; i < directory.segments; ++i)
		fn(directory.segment[i].first, i + 1 < directory.segments ? directory.segment[i + 1].first : map.meta.groups,
			directory.segment[i].label);
}

// Calls fn(group) for the groups of an index for whose label want(label) is true, in order.
template <class Want, class Fn> void for_each_group(const SketchMap &map, Want want, Fn fn)
{
	for_each_segment(map, [&](std::uint32_t first, std::uint32_t end, std::uint32_t label) {
		if (core::is_group(label) && want(label))
			for (std::uint32_t unit = first; unit < end; ++unit)
				fn(unit);
	});
}
constexpr bool any_group(std::uint32_t) { return true; }
// The metapage of an index that is built, as far as it never changes; without a value if it is not built, or of another
// format, which checked_meta reports.
std::optional<SketchMeta> built_meta(Relation index);
// Returns a page of a group, pinned, locked and checked.
Buffer lock_group_page(
	Relation index, const core::SketchLayout &layout, std::uint32_t group, std::size_t page, BufferLockMode mode);

// What a session caches of an index, in rd_amcache. PostgreSQL frees it with the relation cache entry. That may happen
// in any call that processes invalidations, so no reference to it may be kept across such a call.
struct SketchCache {
	std::uint32_t group;                  // of the last insertion
	std::uint32_t scans;                  // number of scans so far
	bool has_warned;                      // that vacuum does not merge
	const SketchClass *type;              // with the layout of the metapage; nullptr: unknown
	std::uint64_t config;                 // configuration hash of the index, once it is known
	BlockNumber blocks;                   // the index had this many when that was last asked
	BlockNumber buffers;                  // size of the array
	Buffer buffer[FLEXIBLE_ARRAY_MEMBER]; // hints: the buffer that block i, or i + n · buffers, was in last; 0: unknown
};
SketchCache &sketch_cache(Relation index);
void discard_cache(Relation index);
// Called at the start of a scan. Allocates the hints for the pages of all groups, either `at_once` or after some scans.
void enable_buffer_hints(Relation index, const core::SketchLayout &layout, std::uint32_t groups, bool at_once);
// Prefetches a page that will be read soon into the processor's caches: both ends of it, and `size` bytes of its
// fields. Does nothing if the page has no buffer hint.
void prefetch_group_page(
	Relation index, const core::SketchLayout &layout, std::uint32_t group, std::size_t page, std::size_t size);
// The same for the planes that a page has of the probe's terms.
void prefetch_group_planes(Relation index, const core::TermProbe &probe, const core::SketchLayout &layout,
	std::uint32_t group, std::size_t page);

// Asks the operating system for a page that will be read soon, unless it is in shared buffers.
inline void request_block(Relation index, BlockNumber block)
{
	check_block(index, block);
	(void) PrefetchBuffer(index, MAIN_FORKNUM, block);
}

// Sets the configuration of the index if it has none. Raises an error (22023) if it has another one.
void adopt_config(Relation index, const SketchClass &type, std::uint64_t config);

[[noreturn]] void report_full(Relation index); // the index has as many groups as there can be (54000)

// Adds a group and returns its first page, pinned and locked. Returns InvalidBuffer if another process has added one
// since the map was read.
// Sets `uncovered` to the number of groups that no table covers.
Buffer add_group(
	Relation index, const SketchClass &type, const SketchMap &map, std::uint32_t *group, std::uint32_t *uncovered);

// ---- the band directory

// The storage parameters of an index, or their defaults.
struct SketchOptions {
	int bands; // 0: no directory, except of leading columns
	double recall;
};
SketchOptions sketch_options(Relation index, const SketchClass &type);
int max_bands_of(const SketchClass &type); // 0: its indexes have no directory
bool is_sketch_index(Relation index);
void check_is_sketch_index(Relation index); // raises 42809
double recall_in_force(Relation index); // the setting txtfp.sketch_recall, or the storage parameter `recall`

// For fingerprint_index_info: places for rows in groups that tables cover and in others, and bytes.
struct DirectoryInfo {
	int bands, rows, tables; // rows: slots of a band
	std::int64_t covered_rows, other_rows, table_bytes, free_bytes;
};
DirectoryInfo directory_info(Relation index);
// Searches, by the way in which they find their rows, and what they do.
enum SearchCount { by_bands, by_leading_columns, of_all_groups, groups_read, rows_compared, rows_returned };
using SearchCounts = std::array<std::int64_t, 6>;
inline void add(SearchCounts &sum, const SearchCounts &counts)
{
	for (std::size_t i = 0; i < sum.size(); ++i)
		sum[i] += counts[i];
}
SearchCounts session_searches(Relation index); // that ended in this session
bytea *parse_sketch_options(Datum options, bool validate);
void check_sketch_options(Relation index, const SketchClass &type); // raises 22023 if the type does not allow them

class BandSort;
// Returns page `number` of a table, pinned and locked in share mode: its leaves come first, then the fences, then the
// root. Returns
// InvalidBuffer if the block holds another page, because the table has been replaced since the map was read, or is
// damaged.
Buffer lock_table_page(
	Relation index, const core::SketchLayout &layout, const core::BandTable &table, std::uint32_t number);
// Prefetches the parts of a leaf that a search will read, near the item number `item`, into the processor's caches.
void prefetch_leaf(Relation index, const core::SketchLayout &layout, const core::BandTable &table, std::uint32_t number,
	std::size_t item);
// Writes the entries of a key, and possibly of other keys with the same delta, to a palloc'd array that it enlarges as
// needed. Returns their number.
std::size_t table_entries(Relation index, const core::SketchLayout &layout, const core::BandTable &table,
	std::uint32_t key, std::uint32_t **entries, std::size_t *capacity);
// Initializes a page of a table in memory. The caller fills it.
void init_table_page(Page page, const core::BandTable &table, std::uint32_t number);
// Writes the pages of a table from its items; its units must have been allocated.
void write_table(Relation index, const core::SketchLayout &layout, const core::BandTable &table, BandSort &sort);
// The same in parts, for a parallel build: room for the pages; the leaves of a partition of the items,
// where the first leaf is number `first`; the fences and the root. `keys` are the first keys of all leaves.
void extend_for_table(Relation index, const core::SketchLayout &layout, const core::BandTable &table);
void write_leaves(Relation index, const core::SketchLayout &layout, const core::BandTable &table, BandSort &sort,
	std::uint32_t partition, std::uint32_t first, std::uint32_t *keys);
void write_fences(Relation index, const core::SketchLayout &layout, const core::BandTable &table, std::uint32_t *keys);
// The number of items of a row whose value is not NULL: its bands and its leading columns. 0: the index has no
// directory.
inline int items_of_row(const SketchClass &type, int bands) { return bands + type.layout.keys; }
// Add the items of one row, or of all rows of a group, given copies of its pages. The signature of NULL is null.
void add_row_items(const SketchClass &type, int bands, std::uint32_t entry, const std::uint8_t *signature,
	const SketchKeys &keys, BandSort &sort);
void add_group_items(
	const SketchClass &type, int bands, std::uint32_t group, const PGAlignedBlock *pages, BandSort &sort);

// Builds a table for groups that no table covers, and merges small tables into it. Vacuum does so thoroughly. A writer
// does so in the course of an insertion: it limits its work, and does nothing if another process is merging already.
enum class Merger { vacuum, writer };
void merge_bands(Relation index, const SketchClass &type, Merger merger);
void sketch_delay_point(); // vacuum_delay_point
// A writer merges as soon as this many groups are uncovered.
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
// In ORDER BY, an expression for a column of a function that has no other value. Called by the hook for each table.
void replace_order_probe(PlannerInfo *root, const RelOptInfo *rel);
void plan_conditions();  // installs a hook of the planner, once
void explain_searches(); // the same of EXPLAIN (ANALYZE)
bool sketch_validate(Oid class_oid);
char *sketch_phase_name(int64 phase);

} // namespace txtfp::pg
