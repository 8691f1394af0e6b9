// The texts and priorities of the rows of a bulk function's query. They are optional columns, in this order, behind the id, the fingerprint and, if
// rows are grouped, the group; or the text stands in place of the fingerprint. A row is identified by its number in the order of arrival.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/compare/corpus_words.hpp"
#include "core/join/spool.hpp"
#include "pg/base/given_value.hpp"

namespace txtfp::pg {

enum class TextColumn { none, optional, required, value }; // value: in place of the fingerprint

class RowExtras {
public:
	// Priorities take 8 bytes of memory per row. The first `memory` bytes of the texts stay in memory.
	void open(core::JoinHost &host, MemoryContext context, std::size_t memory, TextColumn column);
	void close(); // closes temporary files
	void count_words(core::CorpusWords *corpus) { corpus_ = corpus; } // of the texts, while they are added; guarded

	// Raises an error (42804) if the columns are others.
	void columns(TupleDesc columns, bool grouped, bool with_priority = true);
	void add(TupleTableSlot &row);

	std::uint64_t text_bytes() const { return texts_.size(); }
	bool has_texts() const { return text_.number > 0; }
	bool has_priorities() const { return priority_.number > 0; }

	// The priorities by number; NULL is core::no_priority.
	const double *priorities() const { return priorities_; }

	// A text in UTF-8, valid until the next call with the same buffer.
	struct Text {
		std::string_view utf8;
		bool is_null;
	};
	struct Buffer {
		char *bytes;
		std::size_t capacity;
	};
	void finish(); // after the last row; then several threads may read
	Text text_of(std::uint32_t number, Buffer &buffer, core::JoinHost &host);

private:
	void add_text(const NullableDatum &value);
	void add_priority(const NullableDatum &value);

	MemoryContext context_;
	core::CorpusWords *corpus_;
	TextColumn column_;
	GivenColumn text_, priority_;
	double *priorities_;
	std::uint32_t count_;
	std::size_t capacity_;
	core::Spool texts_, offsets_; // offsets of the beginnings of the texts; the highest bit is set for NULL
};

} // namespace txtfp::pg
