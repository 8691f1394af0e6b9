#include "core/html_text.hpp"

#include <memory>
#include <utility>

#include "core/excision.hpp"
#include "core/html_tree.hpp"
#include "core/layout.hpp"

namespace txtfp::markup {

namespace {

// Walks the tree with its own stack, because pages may nest thousands of levels deep.
class Renderer {
public:
	Renderer(const RenderTree &tree, Budget &budget, core::StopToken stop) : tree_(tree), budget_(budget), stop_(stop)
	{
		push_layout(unlimited);
	}

	std::string render();

private:
	struct TableState {
		std::vector<std::size_t> widths;
		bool vertical = false;
		std::size_t row = 0, cell = 0, column = 0;
		bool reached_into = false; // a cell from above spans into this row
		std::vector<Layout::Column> done;
		std::vector<std::unique_ptr<Layout>> cells;
	};
	struct Frame {
		std::uint32_t node;
		std::uint32_t child;          // the next child to print
		std::int64_t number = 0;      // number of the next list item
		std::size_t prefix_width = 0; // prefix width of list items
		std::unique_ptr<TableState> table;
		bool item_open = false; // the Layout of a list item or cell must be closed
	};

	Layout &top() noexcept { return *layouts_.back(); }
	void push_layout(std::size_t width);
	std::unique_ptr<Layout> pop_layout();
	void append_inner(std::string_view first_prefix, std::string_view prefix);
	std::size_t narrower(const Node &node, std::size_t prefix) const;
	bool enter(const Node &node, Frame &frame); // returns true if the node has children to print
	bool enter_inline(const Node &node);
	void leave(Frame &frame);
	void close_item(Frame &frame);
	void begin_table(const Node &node, Frame &frame);
	bool step_table(Frame &frame); // returns true if another cell was opened
	void end_row(TableState &state);
	bool superscript_digits(const Node &node);
	void add_links();

	const RenderTree &tree_;
	Budget &budget_;
	core::StopToken stop_;
	std::vector<std::unique_ptr<Layout>> layouts_, spare_;
	std::vector<std::string_view> links_;
};

void Renderer::push_layout(std::size_t width)
{
	if (spare_.empty()) {
		layouts_.push_back(std::make_unique<Layout>(width, budget_, stop_));
		return;
	}
	layouts_.push_back(std::move(spare_.back()));
	spare_.pop_back();
	top().reset(width);
}

std::unique_ptr<Layout> Renderer::pop_layout()
{
	std::unique_ptr<Layout> layout = std::move(layouts_.back());
	layouts_.pop_back();
	return layout;
}

void Renderer::append_inner(std::string_view first_prefix, std::string_view prefix)
{
	std::unique_ptr<Layout> inner = pop_layout();
	top().append(*inner, first_prefix, prefix);
	spare_.push_back(std::move(inner));
}

// The width left after a prefix, but at least the width that the content needs
std::size_t Renderer::narrower(const Node &node, std::size_t prefix) const
{
	const std::size_t width = layouts_.back()->width();
	if (width == unlimited)
		return unlimited;
	const std::size_t least = node.estimate.min_width > prefix ? node.estimate.min_width - prefix : 0;
	return std::max(width > prefix ? width - prefix : 0, least);
}

bool Renderer::superscript_digits(const Node &node)
{
	static constexpr const char *digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
	if (node.first == no_node || node.first != node.last || tree_.nodes[node.first].kind != Kind::text)
		return false;
	std::string out;
	for (const char c : tree_.nodes[node.first].text) {
		if (c < '0' || c > '9')
			return false;
		out += digits[c - '0'];
	}
	top().inline_text(out);
	return true;
}

bool Renderer::enter_inline(const Node &node)
{
	Layout &out = top();
	switch (node.kind) {
	case Kind::text:
		out.inline_text(node.text);
		return false;
	case Kind::link:
		links_.push_back(node.text);
		out.inline_text("[");
		return true;
	case Kind::mark:
		out.inline_text({}); // prints nothing, but in pre it ends the pending block end
		return true;
	case Kind::strikeout:
		out.inline_text({});
		out.begin_strike();
		return true;
	case Kind::superscript:
		if (superscript_digits(node))
			return false;
		out.inline_text("^{");
		return true;
	case Kind::image:
	case Kind::drawing:
		if (!node.text.empty()) {
			std::string text = "[";
			text += node.text;
			text += ']';
			out.inline_text(text);
		}
		return false;
	case Kind::line_break:
		out.line_break();
		return false;
	default:
		return node.kind != Kind::marker;
	}
}

bool Renderer::enter(const Node &node, Frame &frame)
{
	Layout &out = top();
	switch (node.kind) {
	case Kind::block:
	case Kind::list_item:
		if (node.pre)
			out.begin_pre();
		out.start_block();
		return true;
	case Kind::heading:
		push_layout(narrower(node, node.level + 1u));
		return true;
	case Kind::quotation:
	case Kind::definition:
		push_layout(narrower(node, 2));
		return true;
	case Kind::division:
		out.flush();
		return true;
	case Kind::definitions:
		out.start_block();
		return true;
	case Kind::term:
		out.flush();
		out.inline_text({});
		return true;
	case Kind::bullets:
		frame.prefix_width = 2;
		return true;
	case Kind::numbers: {
		std::size_t items = 0;
		for (std::uint32_t i = node.first; i != no_node; i = tree_.nodes[i].next)
			++items;
		frame.prefix_width = number_prefix_width(node.number, items);
		frame.number = node.number;
		return true;
	}
	case Kind::table:
		begin_table(node, frame);
		return true;
	default:
		return enter_inline(node);
	}
}

void Renderer::leave(Frame &frame)
{
	const Node &node = tree_.nodes[frame.node];
	switch (node.kind) {
	case Kind::block:
	case Kind::list_item:
		top().end_block();
		if (node.pre)
			top().end_pre();
		break;
	case Kind::heading: {
		const std::string prefix = std::string(node.level, '#') + ' ';
		layouts_[layouts_.size() - 2]->start_block();
		append_inner(prefix, prefix);
		top().end_block();
		break;
	}
	case Kind::quotation:
		layouts_[layouts_.size() - 2]->start_block();
		append_inner("> ", "> ");
		top().end_block();
		break;
	case Kind::definition:
		append_inner("  ", "  ");
		break;
	case Kind::division:
		top().flush();
		break;
	case Kind::mark:
	case Kind::term:
		top().inline_text({});
		break;
	case Kind::strikeout:
		top().end_strike();
		top().inline_text({});
		break;
	case Kind::superscript:
		top().inline_text("}");
		break;
	case Kind::link:
		top().inline_text("]");
		top().inline_text("[" + std::to_string(links_.size()) + "]");
		break;
	default:
		break;
	}
}

void Renderer::close_item(Frame &frame)
{
	const Node &node = tree_.nodes[frame.node];
	frame.item_open = false;
	if (node.kind == Kind::bullets) {
		append_inner("* ", "  ");
		return;
	}
	std::string prefix = std::to_string(frame.number) + ". ";
	prefix.resize(std::max(prefix.size(), frame.prefix_width), ' ');
	append_inner(prefix, std::string(frame.prefix_width, ' '));
	frame.number = static_cast<std::int64_t>(static_cast<std::uint64_t>(frame.number) + 1);
}

void Renderer::begin_table(const Node &node, Frame &frame)
{
	const Table &table = tree_.tables[static_cast<std::size_t>(node.number)];
	frame.table = std::make_unique<TableState>();
	TableState &state = *frame.table;
	state.widths = column_widths(table, top().width(), state.vertical, stop_);
	std::size_t width = 0, columns = 0;
	for (const std::size_t w : state.widths) {
		width += w;
		columns += w > 0;
	}
	if (columns > 0)
		width += columns - 1;
	if (state.vertical)
		width = top().width();
	top().start_block();
	if (width != 0)
		top().add_border(Border(width));
}

// An empty row is left out, unless a cell from above spans into it.
void Renderer::end_row(TableState &state)
{
	bool any = state.reached_into;
	for (const Layout::Column &column : state.done)
		any |= !column.cell->empty();
	if (state.vertical)
		top().append_vertical_row(state.done);
	else if (any)
		top().append_row(state.done);
	for (std::unique_ptr<Layout> &cell : state.cells)
		spare_.push_back(std::move(cell));
	state.cells.clear();
	state.done.clear();
	state.cell = state.column = 0;
	state.reached_into = false;
	++state.row;
}

bool Renderer::step_table(Frame &frame)
{
	TableState &state = *frame.table;
	const Table &table = tree_.tables[static_cast<std::size_t>(tree_.nodes[frame.node].number)];
	if (frame.item_open) {
		frame.item_open = false;
		state.cells.push_back(pop_layout());
		// Uses the spans of the row's first cells, even if columns without width have been removed.
		const std::vector<TableCell> &row = table.rows[state.row];
		state.done.push_back({state.cells.back().get(), row[state.done.size()].rowspan});
	}
	while (state.row < table.rows.size()) {
		const std::vector<TableCell> &row = table.rows[state.row];
		while (state.cell < row.size()) {
			const TableCell &cell = row[state.cell++];
			state.reached_into |= cell.node == no_node;
			std::size_t width = 0;
			if (state.vertical)
				width = state.widths[state.column];
			else
				for (std::size_t i = 0; i < cell.colspan; ++i)
					width += state.widths[state.column + i];
			state.column += cell.colspan;
			if (width == 0)
				continue;
			push_layout(width + cell.colspan - 1);
			frame.item_open = true;
			frame.child = cell.node == no_node ? no_node : tree_.nodes[cell.node].first;
			return true;
		}
		end_row(state);
	}
	return false;
}

void Renderer::add_links()
{
	if (links_.empty())
		return;
	top().start_block();
	std::string line;
	for (std::size_t i = 0; i < links_.size(); ++i) {
		line = "[" + std::to_string(i + 1) + "]: ";
		line += links_[i];
		for (char &c : line)
			if (c == '\n')
				c = ' ';
		top().add_line(line);
	}
}

std::string Renderer::render()
{
	std::vector<Frame> stack;
	stack.push_back({tree_.root, tree_.nodes[tree_.root].first, 0, 0, nullptr, false});
	for (std::size_t steps = 1; !stack.empty(); ++steps) {
		if (steps % 1024 == 0)
			stop_.check();
		Frame &frame = stack.back();
		const Kind kind = tree_.nodes[frame.node].kind;
		const bool list = kind == Kind::bullets || kind == Kind::numbers;
		if (list && frame.item_open)
			close_item(frame);
		if (frame.child == no_node || (kind == Kind::table && !frame.item_open)) {
			if (kind == Kind::table && step_table(frame))
				continue;
			leave(frame);
			stack.pop_back();
			continue;
		}
		const std::uint32_t child = frame.child;
		const Node &node = tree_.nodes[child];
		frame.child = node.next;
		if (list) {
			push_layout(narrower(tree_.nodes[frame.node], frame.prefix_width));
			frame.item_open = true;
		}
		Frame inner{child, node.first, 0, 0, nullptr, false};
		if (enter(node, inner))
			stack.push_back(std::move(inner));
	}
	top().flush();
	add_links();
	return top().extract_text();
}

} // namespace

std::string html_to_text(std::string_view html, core::StopToken stop)
{
	std::vector<std::string_view> parts = without_scripts_and_styles(html, stop);
	if (!parts.empty() && parts[0].substr(0, 3) == "\xEF\xBB\xBF")
		parts[0].remove_prefix(3);
	Budget budget(html.size());
	const HtmlDocument document(html, parts, budget, stop);
	const RenderTree tree = render_tree(document, budget, stop);
	return Renderer(tree, budget, stop).render();
}

} // namespace txtfp::markup
