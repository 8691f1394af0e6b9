// html_to_plain_text: the visible words of a page as running text, for fingerprints and search.
#include <utility>

#include "core/char_width.hpp"
#include "core/html_document.hpp"
#include "core/html_text.hpp"
#include "core/text/utf8.hpp"

namespace txtfp::markup {

namespace {

enum class Role { inside_line, block, cell, left_out };

Role role_of(const lxb_dom_node_t *dom) noexcept
{
	if (dom->ns == LXB_NS_SVG)
		return Role::left_out;
	if (dom->ns != LXB_NS_HTML)
		return Role::inside_line;
	if (attributes_of(dom) != nullptr && attribute(dom, "hidden") != nullptr)
		return Role::left_out;
	switch (dom->local_name) {
	case LXB_TAG_HEAD:
	case LXB_TAG_TITLE:
	case LXB_TAG_SCRIPT:
	case LXB_TAG_STYLE:
	case LXB_TAG_TEMPLATE:
	case LXB_TAG_IFRAME:
	case LXB_TAG_NOEMBED:
	case LXB_TAG_NOFRAMES:
	case LXB_TAG_OBJECT:
	case LXB_TAG_AUDIO:
	case LXB_TAG_VIDEO:
	case LXB_TAG_CANVAS:
	case LXB_TAG_DATALIST:
	case LXB_TAG_RP:
		return Role::left_out;
	case LXB_TAG_TD:
	case LXB_TAG_TH:
		return Role::cell;
	case LXB_TAG_ADDRESS:
	case LXB_TAG_ARTICLE:
	case LXB_TAG_ASIDE:
	case LXB_TAG_BLOCKQUOTE:
	case LXB_TAG_BR:
	case LXB_TAG_CAPTION:
	case LXB_TAG_CENTER:
	case LXB_TAG_DD:
	case LXB_TAG_DETAILS:
	case LXB_TAG_DIALOG:
	case LXB_TAG_DIR:
	case LXB_TAG_DIV:
	case LXB_TAG_DL:
	case LXB_TAG_DT:
	case LXB_TAG_FIELDSET:
	case LXB_TAG_FIGCAPTION:
	case LXB_TAG_FIGURE:
	case LXB_TAG_FOOTER:
	case LXB_TAG_FORM:
	case LXB_TAG_H1:
	case LXB_TAG_H2:
	case LXB_TAG_H3:
	case LXB_TAG_H4:
	case LXB_TAG_H5:
	case LXB_TAG_H6:
	case LXB_TAG_HEADER:
	case LXB_TAG_HGROUP:
	case LXB_TAG_HR:
	case LXB_TAG_LEGEND:
	case LXB_TAG_LI:
	case LXB_TAG_LISTING:
	case LXB_TAG_MAIN:
	case LXB_TAG_MENU:
	case LXB_TAG_NAV:
	case LXB_TAG_OL:
	case LXB_TAG_OPTGROUP:
	case LXB_TAG_OPTION:
	case LXB_TAG_P:
	case LXB_TAG_PLAINTEXT:
	case LXB_TAG_PRE:
	case LXB_TAG_SEARCH:
	case LXB_TAG_SECTION:
	case LXB_TAG_SELECT:
	case LXB_TAG_SUMMARY:
	case LXB_TAG_TABLE:
	case LXB_TAG_TBODY:
	case LXB_TAG_TFOOT:
	case LXB_TAG_THEAD:
	case LXB_TAG_TR:
	case LXB_TAG_UL:
	case LXB_TAG_XMP:
		return Role::block;
	default:
		return Role::inside_line;
	}
}

class PlainText {
public:
	void separate(char by) noexcept
	{
		if (pending_ != '\n')
			pending_ = by;
	}

	void text(std::string_view text)
	{
		for (const char *p = text.data(), *const end = p + text.size(); p < end;) {
			const unsigned char byte = static_cast<unsigned char>(*p);
			if (byte > 0x20 && byte < 0x7F) {
				const char *const from = p;
				while (p<end &&static_cast<unsigned char>(*p)> 0x20 && static_cast<unsigned char>(*p) < 0x7F)
					++p;
				put({from, p});
				continue;
			}
			const core::Decoded d = core::decode(p, end);
			if (is_white_space(d.code_point))
				separate(' ');
			else if (d.code_point != 0x200B && char_width(d.code_point) != control_character)
				put({p, d.length});
			p += d.length;
		}
	}

	std::string extract()
	{
		if (!out_.empty())
			out_ += '\n';
		return std::move(out_);
	}

private:
	void put(std::string_view bytes)
	{
		if (pending_ != 0 && !out_.empty())
			out_ += pending_;
		pending_ = 0;
		out_ += bytes;
	}

	std::string out_;
	char pending_ = 0; // blank or LF before the next word
};

} // namespace

std::string html_to_plain_text(std::string_view html, core::StopToken stop)
{
	std::vector<std::string_view> parts{html};
	if (html.substr(0, 3) == "\xEF\xBB\xBF")
		parts[0].remove_prefix(3);
	const Budget budget(html.size());
	const HtmlDocument document(html, parts, budget, stop);
	PlainText out;
	const auto separate = [&out](Role role) {
		if (role == Role::block)
			out.separate('\n');
		else if (role == Role::cell)
			out.separate(' ');
	};
	const lxb_dom_node_t *const root = document.root();
	const lxb_dom_node_t *node = root->first_child;
	for (std::size_t steps = 1; node != nullptr; ++steps) {
		if (steps % 4096 == 0)
			stop.check();
		Role role = Role::inside_line;
		if (node->type == LXB_DOM_NODE_TYPE_TEXT)
			out.text(text_of(node));
		else if (node->type == LXB_DOM_NODE_TYPE_ELEMENT)
			role = role_of(node);
		separate(role);
		if (role != Role::left_out && node->first_child != nullptr) {
			node = node->first_child;
			continue;
		}
		while (node->next == nullptr) {
			node = node->parent;
			if (node == nullptr || node == root)
				return out.extract();
			separate(node->type == LXB_DOM_NODE_TYPE_ELEMENT ? role_of(node) : Role::inside_line);
		}
		node = node->next;
	}
	return out.extract();
}

} // namespace txtfp::markup
