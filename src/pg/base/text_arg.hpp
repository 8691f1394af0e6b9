// Text between PostgreSQL and the core: the core speaks UTF-8, a database may not.
#pragma once

#include <string_view>

#include "pg/base/pg.hpp"

namespace txtfp::pg {

// The text as UTF-8: converted from the server encoding where that is another one. SQL_ASCII says nothing about the
// bytes, so they are validated. May raise an error; the view lives as long as the current memory context.
std::string_view to_utf8(const text *value);
std::string_view text_arg(FunctionCallInfo fcinfo, int i);

// UTF-8 as bytes of the server encoding; raises an error if that cannot hold a character.
std::string_view from_utf8(std::string_view utf8);
text *make_text(std::string_view server_bytes);

// For messages: an argument as it was given, and the start of a literal that may be kilobytes long.
const char *shown(std::string_view utf8);
const char *shown(double value);
const char *beginning(const char *literal);

} // namespace txtfp::pg
