// A parsed HTML document: the tree of the current HTML standard, built by lexbor, with scripting disabled.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/budget.hpp"

extern "C" {
#include "lexbor/dom/interfaces/character_data.h"
#include "lexbor/html/html.h"
}

namespace txtfp::markup {

// Limit of open elements: the standard's algorithm searches them for many tags, and browsers stop at 512.
constexpr std::size_t max_open_elements = 10000;

class HtmlDocument {
public:
	// Parses the parts, which are parts of html. Throws core::Error: cancelled, or too_large if elements nest deeper
	// than max_open_elements or the tree exceeds the budget; the message names the byte of html.
	HtmlDocument(
		std::string_view html, const std::vector<std::string_view> &parts, const Budget &budget, core::StopToken stop);
	~HtmlDocument();
	HtmlDocument(const HtmlDocument &) = delete;
	HtmlDocument &operator=(const HtmlDocument &) = delete;

	const lxb_dom_node_t *root() const noexcept { return reinterpret_cast<const lxb_dom_node_t *>(document_); }

private:
	void destroy() noexcept;

	lxb_html_parser_t *parser_ = nullptr;
	lxb_html_document_t *document_ = nullptr;
};

inline std::string_view view(const lexbor_str_t &s) noexcept
{
	return {reinterpret_cast<const char *>(s.data), s.data == nullptr ? 0 : s.length};
}

inline std::string_view text_of(const lxb_dom_node_t *node) noexcept
{
	return view(reinterpret_cast<const lxb_dom_character_data_t *>(node)->data);
}

inline const lxb_dom_attr_t *attributes_of(const lxb_dom_node_t *node) noexcept
{
	return reinterpret_cast<const lxb_dom_element_t *>(node)->first_attr;
}

inline std::string_view value_of(const lxb_dom_attr_t *attribute) noexcept
{
	return attribute->value == nullptr ? std::string_view{} : view(*attribute->value);
}

// The attribute with that name (in lower case), or nullptr.
const lxb_dom_attr_t *attribute(const lxb_dom_node_t *node, std::string_view name) noexcept;

} // namespace txtfp::markup
