// The state of a scan, and what scans with and without an ordering have in common.
//
// Everything lives in plain memory of the scan's memory context. All functions may raise PostgreSQL's errors.
#pragma once

#include <algorithm>

#include "pg/base/large_array.hpp"
#include "pg/sketch/sketch.hpp"

extern "C" {
#include "access/relscan.h"
}

namespace txtfp::pg::sketch_scan {

using core::sketch_max_rows;

// Stored in place of a bound if there is no row, or if a condition excludes it.
constexpr std::uint16_t no_row = 0xFFFF;

struct Condition {
	const core::SketchMatcher *matcher;
	int limit;     // greatest distance
	bool is_exact; // must find every row, whatever the recall of the index and the session is
};

// A row that fulfils the conditions, as far as the index can tell.
struct FoundRow {
	ItemPointerData tid;
	std::uint16_t distance; // bound by the ordering; 0 without one
};

// The hash that a leading column must have.
struct KeyCondition {
	std::size_t column;
	std::uint32_t hash;
};

struct UnitRange {
	std::uint32_t first, end;
};

struct Scan {
	const SketchClass *type;
	SearchCounts counts;   // of this search
	SearchCounts finished; // of those before the last rescan
	MemoryContext context; // of everything below; a rescan resets it
	Snapshot snapshot;
	bool started;
	bool is_empty;      // a condition is NULL, so no row fulfils it
	bool wants_values;  // the scan returns rows with a value,
	bool wants_nulls;   // and rows without one
	bool needs_recheck; // the index cannot decide the conditions for certain
	int conditions;
	Condition *condition;
	int keys;
	KeyCondition *key;
	const core::SketchMatcher *order; // null: no ordering, or the ordering is by NULL
	int condition_matchers;           // one for each condition whose value is not the value of `order`
	const core::SketchMatcher **condition_matcher;
	std::size_t prefetch_bytes; // of the fields of a first page
	SketchMap *map;
	// Scans that use the band directory: first the entries that it found. Their groups are not visited.
	bool by_bands;
	// An ordering of a scan that no condition restricts to the directory: it returns its rows in steps. Each step
	// begins behind this distance, at first −1. A step through the directory has the condition on the distance that it
	// serves as its last one. A step without one returns all other rows, and is the last.
	int returned;
	bool is_step;
	bool order_all; // txtfp.sketch_order_all, when the scan began
	std::uint32_t *entries;
	std::size_t entry_count, next_entry;
	std::int64_t blocks_read;      // by the session before this search; see reads_ahead
	std::size_t requested_entries; // the first page of the groups of this many has been requested
	// Then the groups to be visited, in ascending order. A group's position is its number among them.
	int ranges, current_range;
	UnitRange *visited;
	std::uint32_t visited_groups, next_group, next_position;
	FoundRow *found; // rows of the current group
	std::size_t found_count, next_found;
	bool returning_nulls; // all rows with a value have been returned
	// Scans with an ordering. ordered.cpp explains them.
	std::uint16_t
		*bounds; // of all rows that have been neither returned nor moved to the heap, by the position of their group
	std::uint64_t *histogram; // number of rows with each bound: an estimate until the bounds are final
	int min_bound;            // no bound is smaller
	bool bounds_are_final;    // all pages of all groups have been read
	std::uint64_t stage_rows; // minimum number of rows of the next stage
	std::uint64_t looked_up;  // number of rows of the stages so far
	FoundRow *heap;           // by distance, then TID; the smallest first
	std::size_t heap_count, heap_capacity;
	BlockNumber table_blocks; // the table had this many when that was last asked
};

// Rows of one group that may fulfil the conditions.
struct Candidates {
	std::size_t count;
	std::uint16_t row[sketch_max_rows];
};

// A search by bands reads some dozens of pages all over the index. Once one of them has not been in shared buffers, the
// search requests the others before it reads them, so that the disk reads several at a time. Where all are in shared
// buffers, requests would only cost a lookup for each. `blocks_read` is what the session had read before the search.
bool reads_ahead(Relation index, std::int64_t blocks_read);

constexpr std::uint32_t prefetch_distance = 8; // groups
// If more than one in `many_share` rows of a group are candidates, comparing all rows is faster than comparing single
// ones.
constexpr std::size_t many_share = 8;

// Up to PostgreSQL 16, raises an error (72000) if rows that the snapshot sees may have been removed from the page:
// old_snapshot_threshold.
inline void check_snapshot_age(
	[[maybe_unused]] Snapshot snapshot, [[maybe_unused]] Relation index, [[maybe_unused]] Buffer buffer)
{
#if PG_VERSION_NUM < 170000
	TestForOldSnapshot(snapshot, index, BufferGetPage(buffer));
#endif
}

// Returns a page of a group, pinned, locked in share mode and checked.
inline Buffer lock_scanned_page(Relation index, const Scan &scan, std::uint32_t group, std::size_t number)
{
	const Buffer buffer = lock_group_page(index, scan.type->layout, group, number, BUFFER_LOCK_SHARE);
	check_snapshot_age(scan.snapshot, index, buffer);
	return buffer;
}

struct VisitedGroup {
	std::uint32_t group, position;
};

// Adds what a search has done to the sums of the session.
void add_counts(Relation index, const SearchCounts &counts);

// Sets `visited` to the next group to be visited. False at the end.
inline bool next_visited(Scan &scan, VisitedGroup *visited)
{
	for (; scan.current_range < scan.ranges; ++scan.current_range) {
		scan.next_group = std::max(scan.next_group, scan.visited[scan.current_range].first);
		if (scan.next_group < scan.visited[scan.current_range].end) {
			*visited = {scan.next_group++, scan.next_position++};
			return true;
		}
	}
	return false;
}
inline void restart_visit(Scan &scan) { scan.next_group = scan.next_position = 0, scan.current_range = 0; }

// Sets scan.found to rows of the next group that has any, without regard to the ordering. False at the end.
bool next_rows(Relation index, Scan &scan, bool want_null);

// Sets scan.entries to the rows that have enough bands in common with the value of a condition. False if the scan must
// visit all groups instead. May replace the scan's map by a newer one.
bool search_bands(Relation index, Scan &scan);

// True if the bands of the directory, if there are any, can serve a condition of the scan.
bool bands_can_serve(Relation index, const Scan &scan);

// True if the scan must not miss any row.
bool is_exact_scan(Relation index, const Scan &scan);

// The greatest distance of the next step of an ordered scan through the directory. At most the distance of the last step: there
// is none, or it would not be worth it.
int next_step_limit(Relation index, const Scan &scan);

// Begins the next step of an ordered scan. False if there is none.
bool begin_next_step(IndexScanDesc desc, Scan &scan);

// Looks up the key conditions in the directory. Sets scan.visited to the groups that may have rows with these keys, and
// to those that no table covers. False if there are more than `max_groups`. May replace the scan's map by a newer one.
bool search_keys(Relation index, Scan &scan, std::uint64_t max_groups);

// True if the row has the hashes that the scan's conditions on leading columns require.
inline bool has_keys(const Scan &scan, Page page, std::size_t row)
{
	for (int i = 0; i < scan.keys; ++i)
		if (memcmp(row_keys(page, scan.type->layout, scan.key[i].column, row), &scan.key[i].hash,
				sizeof scan.key[i].hash) != 0)
			return false;
	return true;
}

// The same for rows 0 … n − 1.
inline void compare_keys(const Scan &scan, Page page, std::size_t n, bool *wanted)
{
	std::fill_n(wanted, n, true);
	for (int i = 0; i < scan.keys; ++i) {
		const auto *hashes = (const std::uint32_t *) row_keys(page, scan.type->layout, scan.key[i].column, 0);
		for (std::size_t row = 0; row < n; ++row)
			wanted[row] &= hashes[row] == scan.key[i].hash;
	}
}

// True unless the bound exceeds the limit of a condition that uses the matcher.
bool may_fulfil(const Scan &scan, const core::SketchMatcher *matcher, int bound);

// Keeps the candidates that are rows: with `want_null` those whose value is NULL, otherwise those that have a value.
// Stores their TIDs in found[0 …]. The distances in `found` move with their rows. `first` is the first page of the group.
// Raises an error (XX002) for a TID that no table has: PostgreSQL would add a block to the table for one of them.
void read_row_tids(
	Relation index, const Scan &scan, Buffer first, bool want_null, Candidates &candidates, FoundRow *found);

// Keeps the candidates that fulfil the conditions according to all pages of their group, and sets their distances.
void refine(Relation index, const Scan &scan, std::uint32_t group, Candidates &candidates, FoundRow *found);

// Writes the final bounds of all rows of a group and returns their number.
std::size_t bounds_of_all(
	Relation index, const Scan &scan, const core::SketchMatcher &matcher, std::uint32_t group, std::uint16_t *bounds);

// Of sets of terms: sets the candidates to the rows of a group that may fulfil all conditions, without regard to leading
// columns. False if there are none.
bool find_by_terms(Relation index, Scan &scan, std::uint32_t group, Candidates &candidates);

// Appends a row to the heap's array.
void append(Scan &scan, const FoundRow &found);
// The order of the heap.
bool comes_after(const FoundRow &a, const FoundRow &b);

// For sets of terms, as next_ordered.
bool next_of_terms(Relation index, Scan &scan, FoundRow &found);

// Drops rows whose leading columns do not have the wanted values.
void drop_other_keys(const Scan &scan, Page page, Candidates &candidates);

// Sets `found` to the next row with a value in the order of the scan. False at the end.
bool next_ordered(IndexScanDesc desc, Scan &scan, FoundRow &found);

} // namespace txtfp::pg::sketch_scan
