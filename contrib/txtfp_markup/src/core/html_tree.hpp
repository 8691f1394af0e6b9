// The content of a document that html_to_text prints, as a tree: elements by their meaning, without those that print
// nothing.
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
	container,   // prints only its children
	mark,        // em, i, ins, strong, b, code: their decorations are text nodes beside it
	strikeout,   // s, del
	superscript, // sup
	link,        // its text is the address
	image,       // its text is the alternative text, not empty
	drawing,     // svg; its text is the title
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
	marker // position of an element with an id: prints nothing, but counts as a child
};

// The width of the content that a table column must hold, and the least width it can shrink to.
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
	bool pre = false;                                              // block: true keeps white space
	std::uint32_t first = no_node, last = no_node, next = no_node; // children; the next sibling
	std::string_view text;                  // for text, link, image, drawing; points into the document
	std::int64_t number = 0;                // list: number of the first item; table: index into tables
	std::uint32_t colspan = 1, rowspan = 1; // for table_cell; 0 means up to the end of the row
	Estimate estimate;                      // for nodes inside a table
};

struct TableCell {
	std::uint32_t node; // no_node: a cell of a row above spans into this row
	std::size_t colspan, rowspan;
	Estimate estimate;
};

struct Table {
	std::vector<std::vector<TableCell>> rows; // colspan counts the columns in use
	std::size_t columns = 0;
};

struct RenderTree {
	std::vector<Node> nodes;
	std::vector<Table> tables;
	std::deque<std::string> titles; // texts that are not contiguous in the document
	std::uint32_t root = no_node;
};

RenderTree render_tree(const HtmlDocument &document, Budget &budget, core::StopToken stop);

// In html_table.cpp: the grid of the table whose bodies are the children of the node
Table table_grid(const RenderTree &tree, const Node &node, Budget &budget, core::StopToken stop);
Estimate estimate(const Table &table);
std::vector<std::size_t> column_widths(const Table &table, std::size_t width, bool &vertical, core::StopToken stop);

std::size_t number_prefix_width(std::int64_t first, std::size_t items);

} // namespace txtfp::markup
