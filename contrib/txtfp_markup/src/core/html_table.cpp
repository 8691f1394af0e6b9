// The grid of a table, and the widths of its columns.
#include <algorithm>
#include <map>

#include "core/html_tree.hpp"

namespace txtfp::markup {

namespace {

// A cell of a row above that spans into the rows below.
struct Hanging {
	std::size_t rows, column, colspan;
};

// colspan 0 means up to the end of the widest row of the body.
void resolve_zero_spans(std::vector<std::vector<TableCell>> &rows, std::size_t from)
{
	std::size_t widest = rows.size() > from ? 0 : 1;
	const auto columns = [](const std::vector<TableCell> &row) {
		std::size_t n = 0;
		for (const TableCell &cell : row)
			n += std::max<std::size_t>(cell.colspan, 1);
		return n;
	};
	for (std::size_t i = from; i < rows.size(); ++i)
		widest = std::max(widest, columns(rows[i]));
	for (std::size_t i = from; i < rows.size(); ++i) {
		const std::size_t own = columns(rows[i]);
		for (TableCell &cell : rows[i])
			if (cell.colspan == 0)
				cell.colspan = widest - own + 1;
	}
}

class Grid {
public:
	Grid(Budget &budget, core::StopToken stop) : budget_(budget), stop_(stop) { positions_[0] = 0; }

	void lay(std::vector<TableCell> &row)
	{
		stop_.check();
		std::vector<TableCell> cells;
		cells.swap(row);
		column_ = 0;
		for (const TableCell &cell : cells) {
			while (!hanging_.empty() && hanging_.back().column <= column_)
				put_hanging(row);
			if (cell.rowspan > 1)
				next_.push_back({cell.rowspan - 1, column_, cell.colspan});
			put(row, cell);
		}
		while (!hanging_.empty())
			put_hanging(row);
		hanging_.swap(next_);
		next_.clear();
		std::reverse(hanging_.begin(), hanging_.end());
	}

	// Numbers only the columns at which a cell begins or ends.
	void number(Table &table)
	{
		std::size_t n = 0;
		for (auto &[position, index] : positions_)
			index = n++;
		for (std::vector<TableCell> &row : table.rows) {
			stop_.check();
			std::size_t position = 0, before = 0, columns = 0;
			for (TableCell &cell : row) {
				position += std::max<std::size_t>(cell.colspan, 1);
				const auto found = positions_.find(position);
				const std::size_t index = found == positions_.end() ? before + 1 : found->second;
				cell.colspan = std::max<std::size_t>(index - before, 1);
				before += cell.colspan;
				columns += cell.colspan;
			}
			table.columns = std::max(table.columns, columns);
		}
	}

private:
	void put(std::vector<TableCell> &row, const TableCell &cell)
	{
		budget_.charge(sizeof(TableCell));
		row.push_back(cell);
		column_ += cell.colspan;
		positions_[column_] = 0;
	}

	void put_hanging(std::vector<TableCell> &row)
	{
		const Hanging hanging = hanging_.back();
		hanging_.pop_back();
		put(row, {no_node, hanging.colspan, 1, {}});
		if (hanging.rows > 1)
			next_.push_back({hanging.rows - 1, hanging.column, hanging.colspan});
	}

	Budget &budget_;
	core::StopToken stop_;
	std::map<std::size_t, std::size_t> positions_;
	std::vector<Hanging> hanging_, next_; // hanging_ is ordered from right to left
	std::size_t column_ = 0;
};

} // namespace

Table table_grid(const RenderTree &tree, const Node &node, Budget &budget, core::StopToken stop)
{
	Table table;
	for (std::uint32_t b = node.first; b != no_node; b = tree.nodes[b].next) {
		if (tree.nodes[b].kind != Kind::table_body)
			continue;
		const std::size_t from = table.rows.size();
		for (std::uint32_t r = tree.nodes[b].first; r != no_node; r = tree.nodes[r].next) {
			if (tree.nodes[r].kind != Kind::table_row)
				continue;
			std::vector<TableCell> &row = table.rows.emplace_back();
			for (std::uint32_t c = tree.nodes[r].first; c != no_node; c = tree.nodes[c].next)
				if (const Node &cell = tree.nodes[c]; cell.kind == Kind::table_cell)
					row.push_back({c, cell.colspan, cell.rowspan, cell.estimate});
		}
		resolve_zero_spans(table.rows, from);
	}
	Grid grid(budget, stop);
	for (std::vector<TableCell> &row : table.rows)
		grid.lay(row);
	grid.number(table);
	return table;
}

Estimate estimate(const Table &table)
{
	std::vector<Estimate> columns(table.columns);
	for (const std::vector<TableCell> &row : table.rows) {
		std::size_t column = 0;
		for (const TableCell &cell : row)
			for (std::size_t i = 0; i < cell.colspan; ++i, ++column) {
				columns[column].size += cell.estimate.size / cell.colspan;
				columns[column].min_width = std::max(columns[column].min_width, cell.estimate.min_width / cell.colspan);
			}
	}
	Estimate total;
	if (table.columns == 0)
		return total;
	for (const Estimate &column : columns)
		total.add_beside(0), total.size += column.size, total.min_width += column.min_width;
	total.add_beside(table.columns - 1);
	return total;
}

std::vector<std::size_t> column_widths(const Table &table, std::size_t width, bool &vertical, core::StopToken stop)
{
	std::vector<Estimate> columns(table.columns);
	for (const std::vector<TableCell> &row : table.rows) {
		std::size_t column = 0;
		for (const TableCell &cell : row)
			for (std::size_t i = 0; i < cell.colspan; ++i, ++column) {
				columns[column].size = std::max(columns[column].size, cell.estimate.size / cell.colspan);
				columns[column].min_width = std::max(columns[column].min_width, cell.estimate.min_width / cell.colspan);
			}
	}
	std::size_t size = 0, least = columns.empty() ? 0 : columns.size() - 1;
	for (const Estimate &column : columns) {
		size += column.size;
		least += column.min_width;
	}
	vertical = least > width || width == 0;
	if (vertical)
		return std::vector<std::size_t>(columns.size(), width);
	std::vector<std::size_t> widths;
	std::size_t total = columns.empty() ? 0 : columns.size() - 1;
	for (const Estimate &column : columns) {
		std::size_t share = 0;
		if (column.size > 0) {
			const __uint128_t exact = static_cast<__uint128_t>(column.size) * width / size;
			const std::size_t part = exact > column.size ? column.size : static_cast<std::size_t>(exact);
			share = std::min(column.size, std::max(part, column.min_width));
		}
		widths.push_back(share);
		total += share;
	}
	// The least widths make the table too wide: narrow the column that can give most, then the widest, then the first.
	for (std::size_t steps = 1; total > width; ++steps) {
		if (steps % 1024 == 0)
			stop.check();
		std::size_t best = 0;
		const auto key = [&](std::size_t i) {
			return std::pair{widths[i] > columns[i].min_width ? widths[i] - columns[i].min_width : 0, widths[i]};
		};
		for (std::size_t i = 1; i < widths.size(); ++i)
			if (key(i) > key(best))
				best = i;
		if (widths[best] == 0)
			break;
		--widths[best];
		--total;
	}
	return widths;
}

} // namespace txtfp::markup
