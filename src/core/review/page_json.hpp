// JSON that stands within a page of HTML: no text can end the element that holds it, and none can deceive somebody who
// reads the file.
#pragma once

#include <string>
#include <string_view>

namespace txtfp::core {

enum class Characters : bool { utf8, ascii };

// Appends a valid UTF-8 text as a JSON string, with quotes. Written as \u… are control characters, < > & ', the line
// ends of JavaScript, and what is invisible or changes the direction of writing; with `ascii`, everything beyond ASCII.
void append_page_json(std::string &out, std::string_view utf8, Characters characters = Characters::utf8);

// Appends the shortest form of a number that reads back as the same one; null for what is not finite.
void append_page_json(std::string &out, double value);

// Appends a text for HTML, between tags or in an attribute with double quotes.
void append_html(std::string &out, std::string_view utf8, Characters characters = Characters::utf8);

} // namespace txtfp::core
