// The state of a scan, and what scans with and without an ordering share.
#pragma once

#include <algorithm>

#include "pg/base/large_array.hpp"
#include "pg/sketch/sketch.hpp"

extern "C" {
#include "access/relscan.h"
}

namespace txtfp::pg::sketch_scan {

using core::sketch_max_rows;

// In place of a bound: there is no row, or a condition excludes it.
constexpr std::uint16_t no_row = 0xFFFF;

struct Condition {
	const core::SketchMatcher *matcher;
	int limit;
};

// A row that fulfils the conditions, as far as the index knows.
struct Found {
	ItemPointerData tid;
	std::uint16_t distance; // bound by the ordering; 0 without one
};

struct UnitRange {
	std::uint32_t first, end;
};

struct Scan {
	const SketchClass *type;
	MemoryContext context; // of what follows, reset by a rescan
	bool started;
	bool nothing; // a condition is NULL: no row fulfils it
	bool values;  // rows with a value are wanted,
	bool nulls;   // and rows without
	bool inexact; // the conditions must be rechecked
	int conditions;
	Condition *condition;
	const core::SketchMatcher *order; // null: none, or by NULL
	int others; // values that conditions compare with, each one once, without that of the ordering
	const core::SketchMatcher **other;
	std::size_t bytes; // of the fields of a first page that will be read
	SketchMap *map;
	std::uint32_t groups; // beyond the last one
	// by bands: first the entries, whose groups are not visited
	bool by_bands;
	std::uint32_t *entries;
	std::size_t entry_count, entry;
	// then the groups that are visited
	int ranges, range;
	UnitRange *visited;
	std::uint32_t group; // the next one
	ReadAhead read;      // of scans without an ordering
	Found *found;        // of the group at hand, or the NULLs of it
	std::size_t count, next;
	bool giving_nulls; // all other rows have been given
	// ordered scans
	std::uint16_t *bounds;          // of all rows that are still to come and not in the heap
	std::uint64_t *histogram;       // of the bounds: about, until they are final
	int reached;                    // no bound is smaller
	bool final;                     // the bounds are all that the index knows
	std::uint64_t stage, looked_up; // least rows of the next stage; rows of the stages so far
	Found *heap;                    // by distance, then TID; the smallest first
	std::size_t heap_count, heap_room;
};

// Rows to be looked at in all pages of their group.
struct Candidates {
	std::size_t count;
	std::uint16_t row[sketch_max_rows];
};

constexpr std::uint32_t ahead = 8; // groups whose first pages are fetched from memory meanwhile

// The next group to be visited; false at the end.
inline bool next_visited(Scan &scan, std::uint32_t *group)
{
	for (; scan.range < scan.ranges; ++scan.range) {
		scan.group = std::max(scan.group, scan.visited[scan.range].first);
		if (scan.group < scan.visited[scan.range].end) {
			*group = scan.group++;
			return true;
		}
	}
	return false;
}

// The next rows without an ordering, in scan.found; false at the end.
bool next_rows(Relation index, Scan &scan, bool want_null);

// The rows that have enough bands in common with a condition's value, in scan.entries; false if the groups are to be visited instead. May
// replace the scan's map by a newer one.
bool search_bands(Relation index, Scan &scan);

// Of the conditions that compare with the matcher's value.
bool may_fulfil(const Scan &scan, const core::SketchMatcher *matcher, int bound);

// The TIDs of the candidates that are rows, in found[0 …], whose distances stay with them; `want_null`: rows with NULL, otherwise with a value.
void take_tids(const Scan &scan, Page page, bool want_null, Candidates &candidates, Found *found);

// The candidates that fulfil the conditions, as far as the index knows, and their distances.
void refine(Relation index, const Scan &scan, std::uint32_t group, Candidates &candidates, Found *found);

// The bounds of all rows of a group after all its pages; returns how many have been used.
std::size_t bounds_of_all(
	Relation index, const Scan &scan, const core::SketchMatcher &matcher, std::uint32_t group, std::uint16_t *bounds);

// The next row with a value, in order; false at the end.
bool next_ordered(IndexScanDesc desc, Scan &scan, Found &found);

} // namespace txtfp::pg::sketch_scan
