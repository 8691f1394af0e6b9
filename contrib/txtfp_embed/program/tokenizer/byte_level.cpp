#include "program/tokenizer/byte_level.hpp"

#include <array>

#include "core/text/utf8.hpp"

namespace txtfp::embed {

namespace {

constexpr bool is_visible(unsigned byte)
{
	return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

constexpr std::array<char32_t, 256> characters = [] {
	std::array<char32_t, 256> table{};
	char32_t next = 0x100;
	for (unsigned byte = 0; byte < 256; ++byte)
		table[byte] = is_visible(byte) ? byte : next++;
	return table;
}();

} // namespace

std::string byte_characters(std::string_view bytes)
{
	std::string out;
	out.reserve(bytes.size() + bytes.size() / 2);
	for (const char byte : bytes)
		core::append(out, characters[static_cast<unsigned char>(byte)]);
	return out;
}

} // namespace txtfp::embed
