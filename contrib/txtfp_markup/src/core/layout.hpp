// Lays out text in lines: words, blanks, blocks, preformatted text, tables. There is one Layout for the document and
// one for each list item, quotation, heading, definition and table cell, whose lines are then added to the outer one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/border.hpp"
#include "core/budget.hpp"

namespace txtfp::markup {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

class Layout {
public:
	Layout(std::size_t width, Budget &budget, core::StopToken stop) : width_(width), budget_(&budget), stop_(stop) {}

	std::size_t width() const noexcept { return width_; }
	void reset(std::size_t width); // resets the state, but keeps the memory

	void inline_text(
		std::string_view text); // text of the document or a decoration; collapses white space, except in pre
	void start_block();         // ends the line, and adds an empty line if there is text above
	void end_block() noexcept { at_block_end_ = true; } // the next output starts a block
	void flush();                                       // ends the line, unless it is empty
	void line_break();
	void begin_pre() noexcept { ++pre_; }
	void end_pre() noexcept { --pre_; }
	void begin_strike() noexcept { ++strikes_; }
	void end_strike() noexcept { --strikes_; }

	void add_line(std::string_view text);
	void add_border(Border border);
	void append(Layout &inner, std::string_view first_prefix, std::string_view prefix);

	// Adds a row of a table. Cells with a rowspan of two or more continue in the following rows.
	struct Column {
		Layout *cell;
		std::size_t rowspan;
	};
	void append_row(const std::vector<Column> &columns);
	void append_vertical_row(const std::vector<Column> &columns); // places the cells one below the other

	bool empty() const noexcept;
	std::string extract_text(); // returns all lines, each followed by LF; must be the last call

private:
	static constexpr std::int32_t no_border = -1;
	struct Line {
		std::size_t begin, length; // range of text_
		std::int32_t border;       // index into borders_; the line is the text of this border
	};
	// The lines that a cell adds to a row, or those left for the rows below
	struct CellLines {
		std::size_t x, width, rowspan;
		std::vector<std::string> lines;
		std::vector<std::unique_ptr<Border>> borders; // one per line, or nullptr
		std::size_t first = 0;                        // lines before this one have been written

		std::size_t count() const noexcept { return lines.size() - first; }
		std::size_t height() const noexcept { return rowspan == 1 ? count() : count() / rowspan; }
	};

	void unlimited_text(std::string_view text); // collapses white space, without a width limit, directly into the line
	const char *copy_word(const char *p, const char *end);
	void limited_text(std::string_view text);
	void pre_text(std::string_view text);
	void add_tab();
	void flush_word();
	void wrap_word();
	void finish_line(); // also ends an empty line
	void add_blanks(std::size_t n);
	void add_to_word(std::string_view bytes, unsigned width);
	std::string_view current_line() const noexcept { return std::string_view(text_).substr(line_begin_); }
	std::string line_text(std::size_t i) const;
	void add_border_line(Border border);
	CellLines cell_lines(Layout &cell, std::size_t x, std::size_t rowspan) const;
	void put_overhang(std::vector<CellLines> &cells, std::size_t &total);
	void write_row_lines(std::vector<CellLines> &cells, const std::vector<std::string> &padding, std::size_t height);
	void keep_overhang(std::vector<CellLines> &cells, Border &border, std::size_t height);

	std::size_t width_;
	Budget *budget_;
	core::StopToken stop_;
	std::string text_; // finished lines, each with its LF, then the current line
	std::vector<Line> lines_;
	std::vector<Border> borders_;
	std::vector<CellLines> overhang_;
	std::size_t line_begin_ = 0;
	std::size_t line_width_ = 0; // width of the current line; for unlimited text only whether it is 0
	std::string word_;           // limited_text and pre_text
	std::size_t word_width_ = 0;
	std::size_t blanks_ = 0; // blanks to write before the next word
	bool pre_blanks_ = false;
	bool in_word_ = false; // unlimited_text: the word at the end of the line continues
	bool has_content_ = false;
	bool at_block_end_ = false;
	unsigned pre_ = 0;
	unsigned strikes_ = 0;
};

} // namespace txtfp::markup
