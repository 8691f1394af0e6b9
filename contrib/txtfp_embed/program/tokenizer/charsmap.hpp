// The character map of SentencePiece ("precompiled_charsmap"): a double-array trie of the replaced strings, then the
// replacements, each terminated by NUL.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace txtfp::embed {

class Charsmap {
public:
	// Throws Failure(config) if the bytes are not such a map.
	explicit Charsmap(std::string_view bytes);

	// A grapheme cluster of fewer than 6 bytes is replaced as a whole, by the replacement of its shortest prefix in the
	// trie; otherwise each of its characters is replaced separately.
	std::string normalized(std::string_view text) const;

private:
	std::optional<std::string_view> replacement(std::string_view key) const;

	std::vector<std::uint32_t> units_;
	std::string replacements_;
};

std::string decoded_base64(std::string_view text); // throws Failure(config)

} // namespace txtfp::embed
