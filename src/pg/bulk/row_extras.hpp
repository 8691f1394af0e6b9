// The optional columns of a bulk function's query, after the id, the fingerprint and, where rows are grouped, the group: a text and a
// priority, in this order. A row is known by its number in the order of arrival.
#pragma once

#include <cstdint>
#include <string_view>

#include "pg/bulk/spool.hpp"

extern "C" {
#include "executor/tuptable.h"
}

namespace txtfp::pg {

class RowExtras {
public:
	// Memory: 8 bytes per row for the priorities, some more for the texts, of which `memory` bytes stay in memory.
	void open(MemoryContext context, std::size_t memory, bool texts_welcome);
	void close(); // temporary files

	// Raises an error (42804) if the columns behind the fingerprint, and the group if there is one, are not a text and a priority.
	void columns(TupleDesc columns, bool grouped);
	void add(const TupleTableSlot &row); // all attributes have been read

	bool has_texts() const { return text_column_ >= 0; }
	bool has_priorities() const { return priority_column_ >= 0; }

	// By number; NULL is the least.
	const double *priorities() const { return priorities_; }

	// A text in UTF-8. Two can be held at once, one by each `place`, until the next call with that place.
	struct Text {
		std::string_view utf8;
		bool is_null;
	};
	Text text_of(std::uint32_t number, int place);

private:
	void add_text(Datum value, bool is_null);
	void add_priority(Datum value, bool is_null);

	MemoryContext context_;
	bool texts_welcome_;
	int text_column_, priority_column_; // −1: there is none
	Oid priority_type_;
	double *priorities_;
	std::uint32_t count_;
	std::size_t room_;
	Spool texts_, offsets_; // where a text begins, the highest bit saying that it is null
	struct Buffer {
		char *bytes;
		std::size_t room;
	} buffers_[2];
};

} // namespace txtfp::pg
