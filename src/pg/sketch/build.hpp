// What CREATE INDEX consists of, whether one process builds an index or several do.
#pragma once

#include "pg/sketch/band_sort.hpp"
#include "pg/sketch/length_order.hpp"
#include "pg/sketch/row_sort.hpp"
#include "pg/sketch/sketch.hpp"

extern "C" {
#include "commands/progress.h"
}

namespace txtfp::pg::sketch_build_steps {

constexpr int64 phase_scan = PROGRESS_CREATEIDX_SUBPHASE_INITIALIZE + 1, phase_sort = phase_scan + 1,
				phase_write = phase_sort + 1, phase_bands = phase_write + 1;

struct SharedBuild; // what the processes of a parallel build share

// The work of one process.
struct Build {
	Relation index;
	const SketchClass *type;
	SharedBuild *shared;    // null: there is one process
	std::uint64_t config;   // configuration hash of the rows so far; 0: unknown
	std::uint32_t group;    // that is being filled; no_group: none
	std::uint32_t groups;   // claimed so far, of one process
	std::uint64_t tuples;   // rows so far
	std::uint64_t reported; // the rows that the other processes know of
	int bands;              // of the directory
	BandSort *sort;         // the items of the directory; null: there will be none
	// Rows that are to be sorted, for an index with leading columns: the rows of one process, or of several.
	RowSort *rows;
	PartitionFiles *row_files;
	LengthOrder *by_length;                       // of sets of terms, without leading columns
	PGAlignedBlock pages[core::sketch_max_pages]; // the group that is being filled
};

Build *new_build(Relation index, const SketchClass &type); // without anything to sort by

// table_index_build_scan's callback.
void build_callback(Relation index, ItemPointer tid, Datum *values, bool *nulls, bool is_alive, void *state);
// Writes sorted rows to groups, and closes the sort.
void put_sorted_rows(Build &build, RowSort *rows);
// Writes the rows that have been collected by their length.
void put_collected_rows(Build &build);
// Writes the group in memory, if there is one. Returns true if there was one, and it was not full.
bool write_rest(Build &build);

// Describes the index in a new metapage, and in it a table of this many items and leaves, which covers all full groups;
// or all groups without `has_rest`. Returns the table, or nullptr if the index is too small for one.
const core::BandTable *plan_table(
	Build &build, Page meta, std::uint32_t groups, std::uint64_t items, std::uint32_t leaves, bool has_rest);

void report_phase(int64 phase);

// Parallel builds. False, if no other process can take part, and nothing has been done. Otherwise the index is
// complete, and `heap_tuples` is the number of rows of the table.
bool build_in_parallel(Build &build, Relation heap, IndexInfo *info, double *heap_tuples);
// The number of a new group, for which there is room in the file.
std::uint32_t claim_shared_group(Build &build);
// Compares the configuration with the one that the other processes have, and tells them.
void share_config(const Build &build);
void share_progress(Build &build);

// Kept free for the rows of an index with leading columns: half of the memory.
inline int memory_of_sort(const Build &build, int memory) { return build.type->layout.keys > 0 ? memory / 2 : memory; }

} // namespace txtfp::pg::sketch_build_steps
