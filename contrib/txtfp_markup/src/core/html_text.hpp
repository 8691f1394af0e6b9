// html_to_text: an HTML page as text, in the format of the crate txtfp (html2text 0.17.1, plain, unlimited width).
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.hpp"

namespace txtfp::markup {

// Throws core::Error: cancelled, or too_large (see Budget and max_open_elements).
std::string html_to_text(std::string_view html, core::StopToken stop);

// The words alone, without decorations, addresses, list marks and borders; a line per block, cells separated by blanks.
// Scripts, styles, the head, templates, drawings and hidden elements are left out.
std::string html_to_plain_text(std::string_view html, core::StopToken stop);

} // namespace txtfp::markup
