// What html_to_text prints of a document, as a tree: elements by their meaning, without those that vanish.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/budget.hpp"
#include "core/html_document.hpp"

namespace txtfp::markup {

enum class Kind : std::uint8_t {
	text,
	container,   // the children, nothing else
	mark,        // em, i, ins, strong, b, code: their decorations are texts beside it
	strikeout,   // s, del
	superscript, // sup
	link,        // text is the address
	image,       // text is the alternative, not empty
	drawing,     // svg; text is its title
	block,       // p, pre
	list_item,
	heading,
	division,
	quotation,
	bullets,
	numbers,
	definitions,
	term,
	definition,
	line_break,
	table,
	table_body,
	table_row,
	table_cell,
	marker // where an element with an id stands: prints nothing, and counts as a child
};

// How wide the content is that a table column must hold, and how narrow it may become.
struct Estimate {
	std::size_t size = 0, min_width = 0;

	void add(const Estimate &other) noexcept
	{
		size += other.size;
		min_width = min_width > other.min_width ? min_width : other.min_width;
	}
	void add_beside(std::size_t width) noexcept
	{
		size += width;
		min_width += width;
	}
};

constexpr std::uint32_t no_node = 0xFFFFFFFF;

struct Node {
	Kind kind = Kind::container;
	std::uint8_t level = 0;                                        // heading: 1 to 6
	bool pre = false;                                              // block: white space is kept
	std::uint32_t first = no_node, last = no_node, next = no_node; // children; the next sibling
	std::string_view text;                                         // text, link, image, drawing; lies in the document
	std::int64_t number = 0;                // numbers: of the first item; table: index into tables
	std::uint32_t colspan = 1, rowspan = 1; // table_cell; 0: the rest of the row
	Estimate estimate;                      // of what stands in a table
};

struct TableCell {
	std::uint32_t node; // no_node: a cell of a row above reaches into this row
	std::size_t colspan, rowspan;
	Estimate estimate;
};

struct Table {
	std::vector<std::vector<TableCell>> rows; // colspan counts the columns that are used
	std::size_t columns = 0;
};

struct RenderTree {
	std::vector<Node> nodes;
	std::vector<Table> tables;
	std::deque<std::string> titles; // texts that do not lie in the document in one piece
	std::uint32_t root = no_node;
};

RenderTree render_tree(const HtmlDocument &document, Budget &budget, core::StopToken stop);

// html_table.cpp: the grid of the table whose bodies are the children of node
Table table_grid(const RenderTree &tree, const Node &node, Budget &budget, core::StopToken stop);
Estimate estimate(const Table &table);
std::vector<std::size_t> column_widths(const Table &table, std::size_t width, bool &vertical, core::StopToken stop);

std::size_t number_prefix_width(std::int64_t first, std::size_t items);

} // namespace txtfp::markup
