// The first step of html_to_text: cuts scripts and styles out of the text, in any context.
#pragma once

#include <string_view>
#include <vector>

#include "core/base/error.hpp"

namespace txtfp::markup {

// The parts that remain, in order; they point into html. A cut begins at "<script" or "<style" in any case, even within
// a longer name, a comment or an attribute, and ends after the next "</script>" or "</style>" of the same kind, or at
// the end of the text.
std::vector<std::string_view> without_scripts_and_styles(std::string_view html, core::StopToken stop);

} // namespace txtfp::markup
