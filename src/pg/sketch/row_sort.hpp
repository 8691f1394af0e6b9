// Sorts the rows of an index with leading columns by the hashes of these, with PostgreSQL's sort.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pg/sketch/partition_files.hpp"
#include "pg/sketch/sketch.hpp"

extern "C" {
#include "executor/tuptable.h"
#include "utils/tuplesort.h"
}

namespace txtfp::pg {

struct SortedRow {
	ItemPointerData tid;
	bool is_null; // the fingerprint
	SketchKeys keys;
};

// In a parallel build, the rows are divided by these hashes into partitions first; one process sorts each partition.
constexpr int row_partition_bits = 6;
PartitionFiles *open_row_files(std::size_t signature_size, const SharedFiles &shared);
void write_row(PartitionFiles &files, const SortedRow &row, const std::uint8_t *signature, std::size_t signature_size);

class RowSort {
public:
	// Uses at most `memory` kB; what does not fit goes to temporary files.
	static RowSort *open(std::size_t signature_size, int memory);

	void add(const SortedRow &row, const std::uint8_t *signature);
	void add_partition(PartitionFiles &files, std::uint32_t partition);
	void sort();
	// Sets `row` to the next one and returns its signature, which is valid until the next call. nullptr at the end.
	const std::uint8_t *next(SortedRow &row);
	void close();

private:
	std::size_t signature_size_;
	Tuplesortstate *state_;
	TupleTableSlot *added_, *returned_;
	bytea *image_; // of the row that is added
};

} // namespace txtfp::pg
