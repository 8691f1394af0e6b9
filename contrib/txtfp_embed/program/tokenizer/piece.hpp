// Data types that the steps of a tokenizer pass on.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/text/utf8.hpp"

namespace txtfp::embed {

using TokenId = std::uint32_t;

// A part of the text, or an added token found in it.
struct Piece {
	std::string text; // valid UTF-8
	bool at_start;    // its first character is the first character of the whole text
	std::optional<TokenId> token;
};

// Lets the vocabulary be searched by string_view without a copy.
struct StringHash {
	using is_transparent = void;
	std::size_t operator()(std::string_view s) const noexcept { return std::hash<std::string_view>{}(s); }
};
using Vocabulary = std::unordered_map<std::string, TokenId, StringHash, std::equal_to<>>;

template <typename Fn> void for_each_character(std::string_view text, Fn fn)
{
	const char *p = text.data(), *end = p + text.size();
	while (p < end) {
		const core::Decoded c = core::decode(p, end);
		fn(c.code_point, std::string_view(p, c.length));
		p += c.length;
	}
}

} // namespace txtfp::embed
