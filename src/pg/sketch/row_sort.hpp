// Sorts the rows of an index with leading columns by the hashes of these, with PostgreSQL's sort.
#pragma once

#include <cstddef>
#include <cstdint>

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

class RowSort {
public:
	// Uses at most `memory` kB; what does not fit goes to temporary files.
	static RowSort *open(std::size_t signature_size, int memory);

	void add(const SortedRow &row, const std::uint8_t *signature);
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
