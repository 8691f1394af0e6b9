// Converts text between PostgreSQL and the core, which uses UTF-8 for every database encoding.
#pragma once

#include <string_view>

#include "pg/base/pg.hpp"

namespace txtfp::pg {

// The text as UTF-8, converted from the server encoding if that is another one. SQL_ASCII says nothing about the
// bytes, so they are validated as UTF-8. May raise an error; the view is valid as long as the current memory context.
std::string_view to_utf8(const text *value);
std::string_view text_arg(FunctionCallInfo fcinfo, int i);

// UTF-8 as bytes of the server encoding; raises an error if that cannot hold a character.
std::string_view from_utf8(std::string_view utf8);
// As from_utf8, for keys that are read back: a character that the encoding does not have is written as \u{hex digits},
// and so is the backslash before "u{". Never raises an error for a character.
std::string_view from_utf8_with_escapes(std::string_view utf8);
text *make_text(std::string_view server_bytes);

// Raises a notice that the result is NULL, if the first argument is a constant: that is probably what somebody searches
// for. Of the values of rows nothing is said.
void tell_of_null(FunctionCallInfo fcinfo, const char *message, const char *hint);
// The same for a text without a token.
void tell_of_no_token(FunctionCallInfo fcinfo);

// Values for messages, palloc'd. A text is cut to 60 bytes, at the end of a character, and then ends with "...".
const char *abbreviated(std::string_view utf8); // characters that the server encoding does not have: \u{hex digits}
const char *abbreviated(const char *literal);   // bytes of the server encoding
bool has_words(std::string_view value);         // true for a blank between letters: probably a document
bool is_document(std::string_view value);       // probably one, in place of hexadecimal digits: has words, or is one
const char *shortest(double value);             // the fewest digits that read back as the same number

} // namespace txtfp::pg
