// Byte-level vocabularies write each byte of the text as one character, so that nothing is unknown and no token has a
// blank.
#pragma once

#include <string>
#include <string_view>

namespace txtfp::embed {

// Bytes of visible Latin-1 characters are these characters; the others are those from U+0100 on, in order.
std::string byte_characters(std::string_view bytes);

} // namespace txtfp::embed
