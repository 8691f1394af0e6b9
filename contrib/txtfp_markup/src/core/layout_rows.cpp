// Layout: the rows of tables.
#include <algorithm>
#include <utility>

#include "core/char_width.hpp"
#include "core/layout.hpp"

namespace txtfp::markup {

Layout::CellLines Layout::cell_lines(Layout &cell, std::size_t x, std::size_t rowspan) const
{
	cell.flush();
	CellLines out{x, cell.width_, rowspan, {}, {}};
	out.lines.reserve(cell.lines_.size());
	out.borders.resize(cell.lines_.size());
	for (std::size_t i = 0; i < cell.lines_.size(); ++i) {
		if (const std::int32_t border = cell.lines_[i].border; border != no_border) {
			out.borders[i] = std::make_unique<Border>(std::move(cell.borders_[static_cast<std::size_t>(border)]));
			out.borders[i]->stretch_to(cell.width_);
			out.lines.emplace_back();
			continue;
		}
		std::string line = cell.line_text(i);
		const std::size_t width = string_width(line);
		if (width < cell.width_) {
			budget_->charge(cell.width_ - width);
			line.append(cell.width_ - width, ' ');
		}
		out.lines.push_back(std::move(line));
	}
	return out;
}

// Places cells that span from the rows above in this row, or to its right.
void Layout::put_overhang(std::vector<CellLines> &cells, std::size_t &total)
{
	std::size_t i = 0, next_x = 0;
	for (CellLines &hanging : overhang_) {
		while (i < cells.size() && cells[i].x < hanging.x) {
			next_x = cells[i].x + cells[i].width + 1;
			++i;
		}
		if (i < cells.size()) {
			cells[i] = std::move(hanging);
			continue;
		}
		if (next_x < hanging.x)
			cells.push_back({next_x, hanging.x - next_x - 1, 1, {}, {}});
		if (hanging.x + hanging.width > total)
			total = hanging.x + hanging.width + 1;
		cells.push_back(std::move(hanging));
		i = cells.size() - 1;
	}
	overhang_.clear();
}

void Layout::write_row_lines(std::vector<CellLines> &cells, const std::vector<std::string> &padding, std::size_t height)
{
	for (std::size_t i = 0; i < height; ++i) {
		for (std::size_t k = 0; k < cells.size(); ++k) {
			CellLines &cell = cells[k];
			if (i < cell.count()) {
				const std::size_t line = cell.first + i;
				text_ += cell.borders[line] != nullptr ? cell.borders[line]->text() : cell.lines[line];
			} else if (!padding[k].empty()) {
				text_ += padding[k];
			} else {
				text_.append(cell.width, ' ');
			}
			if (k + 1 < cells.size())
				text_ += "│";
		}
		finish_line();
	}
}

// The next line of a cell that continues is written into the border.
void Layout::keep_overhang(std::vector<CellLines> &cells, Border &border, std::size_t height)
{
	std::size_t x = 0;
	for (CellLines &cell : cells) {
		const std::size_t width = cell.width;
		if (cell.rowspan > 1) {
			if (height < cell.count()) {
				const std::size_t line = cell.first + height;
				std::string text = cell.borders[line] != nullptr ? cell.borders[line]->text() : cell.lines[line];
				const std::size_t text_width = string_width(text);
				border.add_hole(x, std::move(text), text_width);
			} else {
				border.add_hole(x, std::string(width, ' '), width);
			}
			cell.first += std::min(cell.count(), height + 1);
			--cell.rowspan;
			overhang_.push_back(std::move(cell));
		}
		x += width + 1;
	}
}

void Layout::append_row(const std::vector<Column> &columns)
{
	flush();
	std::vector<CellLines> cells;
	cells.reserve(columns.size());
	std::size_t total = 0;
	for (const Column &column : columns) {
		cells.push_back(cell_lines(*column.cell, total, column.rowspan));
		total += column.cell->width_ + 1;
	}
	put_overhang(cells, total);
	Border below(total == 0 ? 0 : total - 1);
	Border *above = !lines_.empty() && lines_.back().border != no_border
		? &borders_[static_cast<std::size_t>(lines_.back().border)]
		: nullptr;
	std::size_t x = 0;
	for (std::size_t k = 0; above != nullptr && k < cells.size(); ++k) {
		x += cells[k].width;
		if (k + 1 < cells.size()) {
			above->join_from_below(x);
			below.join_from_above(x);
			++x;
		} else {
			above->stretch_to(x);
		}
	}
	// Borders of tables inside the cells become part of the row's border.
	std::vector<std::string> padding(cells.size());
	x = 0;
	for (std::size_t k = 0; k < cells.size(); ++k) {
		CellLines &cell = cells[k];
		if (above != nullptr && cell.count() > 0 && cell.borders[cell.first] != nullptr) {
			above->merge_from_below(*cell.borders[cell.first], x);
			++cell.first;
		}
		if (cell.count() > 0 && cell.borders.back() != nullptr) {
			below.merge_from_above(*cell.borders.back(), x);
			padding[k] = cell.borders.back()->continued_above();
			cell.borders.pop_back();
			cell.lines.pop_back();
		}
		x += cell.width + 1;
	}
	std::size_t height = 0;
	for (const CellLines &cell : cells)
		height = std::max(height, cell.height());
	write_row_lines(cells, padding, height);
	keep_overhang(cells, below, height);
	add_border_line(std::move(below));
}

void Layout::append_vertical_row(const std::vector<Column> &columns)
{
	flush();
	bool first = true;
	for (const Column &column : columns) {
		if (!first)
			add_border(Border(width_, Border::slash));
		first = false;
		append(*column.cell, {}, {});
	}
	add_border(Border(width_));
}

} // namespace txtfp::markup
