// Reads JSON: members of the expected type, or a Failure that names the member. `where` is the name, in messages, of
// the value that contains the member, such as "tokenizer.json: model".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <simdjson.h>

#include "program/base/failure.hpp"

namespace txtfp::embed::json {

using Element = simdjson::dom::element;
using Array = simdjson::dom::array;

// The member; nothing if it is missing or null.
std::optional<Element> find(Element object, std::string_view name);
Element member(Element object, std::string_view name, const std::string &where);

std::string_view text(Element value, const std::string &where);
std::int64_t integer(Element value, std::int64_t least, std::int64_t most, const std::string &where);
double number(Element value, const std::string &where);
bool boolean(Element value, const std::string &where);
Array array(Element value, const std::string &where);

std::string_view text_member(Element object, std::string_view name, const std::string &where);
bool boolean_member(Element object, std::string_view name, bool otherwise, const std::string &where);

void append_quoted(std::string &out, std::string_view utf8); // as a JSON string

} // namespace txtfp::embed::json
