#include "core/html_tree.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/char_width.hpp"
#include "core/text/utf8.hpp"

namespace txtfp::markup {

namespace {

// Size with white space collapsed and trimmed, plus one blank if the text begins with white space.
std::size_t text_size(std::string_view text) noexcept
{
	std::size_t size = 0;
	bool blank = false, begins_with_blank = false, first = true, any = false;
	for (const char *p = text.data(), *const end = p + text.size(); p < end;) {
		const core::Decoded d = core::decode(p, end);
		p += d.length;
		if (is_collapsible(d.code_point)) {
			blank = true;
			begins_with_blank |= first;
		} else {
			const unsigned width = char_width(d.code_point);
			size += (width == control_character ? 0 : width) + (blank && any ? 1 : 0);
			blank = false;
			any = true;
		}
		first = false;
	}
	return size + (begins_with_blank && size > 0 ? 1 : 0);
}

// Accepts an optional sign and digits, nothing else.
template <typename Number> std::optional<Number> parse_number(std::string_view text) noexcept
{
	if (!text.empty() && text[0] == '+') {
		text.remove_prefix(1);
		if (!text.empty() && text[0] == '-')
			return std::nullopt;
	}
	Number value{};
	const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
	if (error != std::errc{} || end != text.data() + text.size() || text.empty())
		return std::nullopt;
	return value;
}

std::uint32_t span_attribute(const lxb_dom_node_t *dom, std::string_view name) noexcept
{
	const lxb_dom_attr_t *a = attribute(dom, name);
	if (a == nullptr)
		return 1;
	const auto value = parse_number<std::uint64_t>(value_of(a));
	return value ? static_cast<std::uint32_t>(std::min<std::uint64_t>(*value, 1u << 30)) : 1;
}

enum class Rule : std::uint8_t { nothing, leaf, keep, drop_empty, link };

struct Frame {
	const lxb_dom_node_t *dom;
	std::uint32_t node;
	Rule rule;
	bool marker;
	const char *decoration; // nullptr if there is none
};

class Builder {
public:
	Builder(Budget &budget, core::StopToken stop) : budget_(budget), stop_(stop) {}

	RenderTree build(const lxb_dom_node_t *root);

private:
	std::uint32_t add(Kind kind, std::string_view text = {});
	void append(std::uint32_t parent, std::uint32_t child);
	void enter(const lxb_dom_node_t *dom);
	void leave();
	void emit(std::uint32_t node);
	Rule classify(const lxb_dom_node_t *dom, Node &node, const char *&decoration) const;
	Rule classify_block(const lxb_dom_node_t *dom, Node &node, const char *&decoration) const;
	std::uint32_t add_drawing(const lxb_dom_node_t *svg);
	std::uint32_t decorated(std::uint32_t node, const char *decoration, bool marker);
	void keep_only(Node &parent, Kind a, Kind b);
	bool shallow_empty(const Node &node) const;
	bool all_children_empty(const Node &node) const;
	void finish(std::uint32_t node);
	void set_estimate(Node &node);

	Budget &budget_;
	core::StopToken stop_;
	RenderTree tree_;
	std::vector<Frame> open_;
	unsigned tables_open_ = 0;
};

std::uint32_t Builder::add(Kind kind, std::string_view text)
{
	if (tree_.nodes.size() % 4096 == 4095)
		stop_.check();
	if (tree_.nodes.size() == no_node)
		budget_.fail();
	Node node;
	node.kind = kind;
	node.text = text;
	tree_.nodes.push_back(node);
	if (tables_open_ > 0)
		set_estimate(tree_.nodes.back());
	return static_cast<std::uint32_t>(tree_.nodes.size() - 1);
}

void Builder::append(std::uint32_t parent, std::uint32_t child)
{
	Node &p = tree_.nodes[parent];
	tree_.nodes[child].next = no_node;
	if (p.last == no_node)
		p.first = child;
	else
		tree_.nodes[p.last].next = child;
	p.last = child;
}

void Builder::emit(std::uint32_t node) { append(open_.back().node, node); }

// A title belongs to the svg if no other element precedes it; of several titles the last one counts.
std::uint32_t Builder::add_drawing(const lxb_dom_node_t *svg)
{
	const lxb_dom_node_t *title = nullptr;
	for (const lxb_dom_node_t *child = svg->first_child; child != nullptr; child = child->next) {
		if (child->type != LXB_DOM_NODE_TYPE_ELEMENT)
			continue;
		if (child->local_name != LXB_TAG_TITLE || child->ns != LXB_NS_SVG)
			break;
		title = child;
	}
	const std::uint32_t drawing = add(Kind::drawing);
	if (title == nullptr)
		return drawing;
	std::string &text = tree_.titles.emplace_back();
	for (const lxb_dom_node_t *child = title->first_child; child != nullptr; child = child->next)
		if (child->type == LXB_DOM_NODE_TYPE_TEXT)
			text += text_of(child);
	tree_.nodes[drawing].text = text;
	if (tables_open_ > 0)
		set_estimate(tree_.nodes[drawing]);
	return drawing;
}

Rule Builder::classify(const lxb_dom_node_t *dom, Node &node, const char *&decoration) const
{
	switch (dom->local_name) {
	case LXB_TAG_HTML:
	case LXB_TAG_BODY:
		return Rule::keep;
	case LXB_TAG_HEAD:
	case LXB_TAG_SCRIPT:
	case LXB_TAG_STYLE:
	case LXB_TAG_LINK:
	case LXB_TAG_META:
	case LXB_TAG_HR:
		return Rule::nothing;
	case LXB_TAG_A:
		if (const lxb_dom_attr_t *href = attribute(dom, "href")) {
			node.kind = Kind::link;
			node.text = value_of(href);
			return Rule::link;
		}
		return Rule::keep;
	case LXB_TAG_EM:
		decoration = "*";
		[[fallthrough]];
	case LXB_TAG_I:
	case LXB_TAG_INS:
		node.kind = Kind::mark;
		return Rule::keep;
	case LXB_TAG_STRONG:
	case LXB_TAG_B:
		decoration = "**";
		node.kind = Kind::mark;
		return Rule::keep;
	case LXB_TAG_CODE:
		decoration = "`";
		node.kind = Kind::mark;
		return Rule::keep;
	case LXB_TAG_S:
	case LXB_TAG_DEL:
		node.kind = Kind::strikeout;
		return Rule::keep;
	case LXB_TAG_SUP:
		node.kind = Kind::superscript;
		return Rule::keep;
	case LXB_TAG_IMG: {
		const lxb_dom_attr_t *const src = attribute(dom, "src"), *const alt = attribute(dom, "alt");
		if (src == nullptr || value_of(src).empty())
			return Rule::nothing;
		node.kind = Kind::image;
		if (alt != nullptr)
			node.text = value_of(alt);
		return Rule::leaf;
	}
	case LXB_TAG_BR:
		node.kind = Kind::line_break;
		return Rule::leaf;
	case LXB_TAG_WBR:
		node.kind = Kind::text;
		node.text = "\u200B";
		return Rule::leaf;
	default:
		return classify_block(dom, node, decoration);
	}
}

Rule Builder::classify_block(const lxb_dom_node_t *dom, Node &node, const char *&decoration) const
{
	switch (dom->local_name) {
	case LXB_TAG_H1:
	case LXB_TAG_H2:
	case LXB_TAG_H3:
	case LXB_TAG_H4:
	case LXB_TAG_H5:
	case LXB_TAG_H6:
		node.kind = Kind::heading;
		node.level = static_cast<std::uint8_t>(dom->local_name - LXB_TAG_H1 + 1);
		return Rule::keep;
	case LXB_TAG_P:
		node.kind = Kind::block;
		return Rule::drop_empty;
	case LXB_TAG_PRE:
		node.kind = Kind::block;
		node.pre = true;
		return Rule::keep;
	case LXB_TAG_LI:
		node.kind = Kind::list_item;
		return Rule::keep;
	case LXB_TAG_DIV:
		node.kind = Kind::division;
		return Rule::drop_empty;
	case LXB_TAG_BLOCKQUOTE:
		node.kind = Kind::quotation;
		return Rule::drop_empty;
	case LXB_TAG_UL:
		node.kind = Kind::bullets;
		return Rule::drop_empty;
	case LXB_TAG_OL: {
		node.kind = Kind::numbers;
		const lxb_dom_attr_t *const start = attribute(dom, "start");
		node.number = start == nullptr ? 1 : parse_number<std::int64_t>(value_of(start)).value_or(1);
		return Rule::drop_empty;
	}
	case LXB_TAG_DL:
		node.kind = Kind::definitions;
		return Rule::drop_empty;
	case LXB_TAG_DT:
		node.kind = Kind::term;
		decoration = "*";
		return Rule::keep;
	case LXB_TAG_DD:
		node.kind = Kind::definition;
		return Rule::keep;
	case LXB_TAG_TABLE:
		node.kind = Kind::table;
		return Rule::keep;
	case LXB_TAG_THEAD:
	case LXB_TAG_TBODY:
		node.kind = Kind::table_body;
		return Rule::drop_empty;
	case LXB_TAG_TR:
		node.kind = Kind::table_row;
		return Rule::keep;
	case LXB_TAG_TD:
	case LXB_TAG_TH:
		node.kind = Kind::table_cell;
		node.colspan = span_attribute(dom, "colspan");
		node.rowspan = std::max<std::uint32_t>(span_attribute(dom, "rowspan"), 1);
		return Rule::keep;
	default:
		return Rule::drop_empty;
	}
}

void Builder::enter(const lxb_dom_node_t *dom)
{
	if (dom->type == LXB_DOM_NODE_TYPE_TEXT) {
		emit(add(Kind::text, text_of(dom)));
		return;
	}
	if (dom->type != LXB_DOM_NODE_TYPE_ELEMENT)
		return;
	const bool named = dom->ns == LXB_NS_HTML && dom->local_name == LXB_TAG_A;
	bool marker = false;
	if (attributes_of(dom) != nullptr)
		marker = attribute(dom, "id") != nullptr || (named && attribute(dom, "name") != nullptr);
	if (dom->ns == LXB_NS_SVG && dom->local_name == LXB_TAG_SVG) {
		emit(decorated(add_drawing(dom), nullptr, marker));
		return;
	}
	Node node;
	const char *decoration = nullptr;
	const Rule rule = dom->ns == LXB_NS_HTML ? classify(dom, node, decoration) : Rule::drop_empty;
	if (rule == Rule::nothing) {
		if (marker)
			emit(add(Kind::marker));
		return;
	}
	const std::uint32_t index = add(node.kind, node.text);
	node.estimate = tree_.nodes[index].estimate;
	tree_.nodes[index] = node;
	if (rule == Rule::leaf) {
		emit(decorated(index, nullptr, marker));
		return;
	}
	tables_open_ += node.kind == Kind::table;
	open_.push_back({dom, index, rule, marker, decoration});
}

bool Builder::shallow_empty(const Node &node) const
{
	switch (node.kind) {
	case Kind::text:
	case Kind::image:
	case Kind::drawing:
		return all_white_space(node.text);
	case Kind::line_break:
	case Kind::marker:
		return true;
	case Kind::table:
	case Kind::table_body:
	case Kind::table_row:
	case Kind::table_cell:
		return false;
	default:
		return node.first == no_node;
	}
}

bool Builder::all_children_empty(const Node &node) const
{
	for (std::uint32_t i = node.first; i != no_node; i = tree_.nodes[i].next)
		if (!shallow_empty(tree_.nodes[i]))
			return false;
	return true;
}

void Builder::keep_only(Node &parent, Kind a, Kind b)
{
	std::uint32_t child = parent.first;
	parent.first = parent.last = no_node;
	while (child != no_node) {
		const std::uint32_t next = tree_.nodes[child].next;
		if (const Kind kind = tree_.nodes[child].kind; kind == a || kind == b) {
			tree_.nodes[child].next = no_node;
			(parent.last == no_node ? parent.first : tree_.nodes[parent.last].next) = child;
			parent.last = child;
		}
		child = next;
	}
}

// Adds decorations and the marker inside the node, or beside it if it is no block.
std::uint32_t Builder::decorated(std::uint32_t node, const char *decoration, bool marker)
{
	if (decoration == nullptr && !marker)
		return node;
	const Kind kind = tree_.nodes[node].kind;
	if (kind == Kind::table || kind == Kind::table_body || kind == Kind::table_row || kind == Kind::table_cell)
		return node; // the marker would go into the first cell, where it has no effect
	const bool inside = kind == Kind::block || kind == Kind::list_item || kind == Kind::definition ||
		kind == Kind::term || kind == Kind::definitions || kind == Kind::division || kind == Kind::quotation ||
		kind == Kind::container;
	std::uint32_t holder = node;
	if (!inside) {
		holder = add(Kind::container);
		append(holder, node);
	}
	const auto prepend = [&](std::uint32_t child) {
		Node &h = tree_.nodes[holder];
		tree_.nodes[child].next = h.first;
		h.first = child;
		if (h.last == no_node)
			h.last = child;
	};
	if (decoration != nullptr) {
		prepend(add(Kind::text, decoration));
		append(holder, add(Kind::text, decoration));
	}
	if (marker)
		prepend(add(Kind::marker));
	if (tables_open_ > 0)
		set_estimate(tree_.nodes[holder]);
	return holder;
}

void Builder::set_estimate(Node &node)
{
	Estimate e;
	if (node.kind == Kind::text || node.kind == Kind::image || node.kind == Kind::drawing) {
		e.size = text_size(node.text) + (node.kind == Kind::image ? 2 : 0);
		e.min_width = std::min<std::size_t>(e.size, 3);
		node.estimate = e;
		return;
	}
	std::size_t items = 0;
	for (std::uint32_t i = node.first; i != no_node; i = tree_.nodes[i].next, ++items)
		e.add(tree_.nodes[i].estimate);
	switch (node.kind) {
	case Kind::link:
		e.add({5, 5});
		break;
	case Kind::definition:
	case Kind::quotation:
	case Kind::bullets:
		e.add_beside(2);
		break;
	case Kind::numbers:
		e.add_beside(number_prefix_width(node.number, items));
		break;
	case Kind::heading:
		e.add_beside(node.level + 1u);
		break;
	case Kind::line_break:
		e = {1, 1};
		break;
	default:
		break;
	}
	node.estimate = e;
}

// Completes an element after its children.
void Builder::finish(std::uint32_t index)
{
	Node &node = tree_.nodes[index];
	if (node.kind == Kind::numbers)
		keep_only(node, Kind::list_item, Kind::list_item);
	else if (node.kind == Kind::definitions)
		keep_only(node, Kind::term, Kind::definition);
	if (node.kind == Kind::table) {
		Table table = table_grid(tree_, node, budget_, stop_);
		node.number = static_cast<std::int64_t>(tree_.tables.size());
		node.estimate = estimate(table);
		tree_.tables.push_back(std::move(table));
	} else if (tables_open_ > 0) {
		set_estimate(node);
	}
}

void Builder::leave()
{
	const Frame frame = open_.back();
	open_.pop_back();
	const Node &node = tree_.nodes[frame.node];
	bool dropped = false;
	if (frame.rule == Rule::drop_empty)
		dropped = node.first == no_node;
	else if (frame.rule == Rule::link)
		dropped = all_children_empty(node);
	else if (node.kind == Kind::table) {
		dropped = true;
		for (std::uint32_t i = node.first; i != no_node && dropped; i = tree_.nodes[i].next)
			if (tree_.nodes[i].kind == Kind::table_body)
				for (std::uint32_t k = tree_.nodes[i].first; k != no_node && dropped; k = tree_.nodes[k].next)
					dropped = tree_.nodes[k].kind != Kind::table_row;
	}
	const bool table = node.kind == Kind::table;
	if (!dropped)
		finish(frame.node);
	tables_open_ -= table;
	if (!dropped) {
		if (table && tables_open_ == 0)
			tree_.nodes[frame.node].estimate = {};
		emit(decorated(frame.node, frame.decoration, frame.marker));
	} else if (frame.marker) {
		emit(add(Kind::marker));
	}
}

RenderTree Builder::build(const lxb_dom_node_t *root)
{
	tree_.root = add(Kind::container);
	open_.push_back({root, tree_.root, Rule::keep, false, nullptr});
	const lxb_dom_node_t *next = root->first_child;
	while (true) {
		if (next != nullptr) {
			const std::size_t depth = open_.size();
			const lxb_dom_node_t *const dom = next;
			enter(dom);
			next = open_.size() > depth ? dom->first_child : dom->next;
		} else if (open_.size() > 1) {
			next = open_.back().dom->next;
			leave();
		} else {
			break;
		}
	}
	return std::move(tree_);
}

} // namespace

std::size_t number_prefix_width(std::int64_t first, std::size_t items)
{
	const auto digits = [](std::int64_t n) { return std::to_string(n).size() + 2; };
	const auto last = static_cast<std::int64_t>(static_cast<std::uint64_t>(first) + items - 1);
	return std::max(digits(first), digits(last));
}

RenderTree render_tree(const HtmlDocument &document, Budget &budget, core::StopToken stop)
{
	return Builder(budget, stop).build(document.root());
}

} // namespace txtfp::markup
