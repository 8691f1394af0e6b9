// markdown_to_text: the text of a CommonMark document (0.31.2, no extensions) without its markup.
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.hpp"

namespace txtfp::markup {

struct MarkdownOptions {
	bool include_code_blocks = true; // text of fenced and indented code
	bool include_inline_code = true;
	bool break_to_space = true; // writes a blank where a paragraph, item, heading or line begins or ends
};

// Throws core::Error if cancelled or too large.
std::string markdown_to_text(std::string_view markdown, const MarkdownOptions &options, core::StopToken stop);

} // namespace txtfp::markup
