#include "program/tokenizer/charsmap.hpp"

#include "core/base/bytes.hpp"
#include "core/text/segment.hpp"
#include "program/base/failure.hpp"
#include "program/tokenizer/piece.hpp"

namespace txtfp::embed {

namespace {

std::uint32_t unit_at(std::string_view bytes, std::size_t offset)
{
	std::uint32_t value = 0;
	for (int i = 3; i >= 0; --i)
		value = value << 8 | static_cast<unsigned char>(bytes[offset + static_cast<std::size_t>(i)]);
	return value;
}

// A unit of the trie: the label in bits 0–7 with bit 31, "is a leaf" in bit 8, the offset in bits 10–30, shifted by 8
// if bit 9 is set; the value of a leaf in bits 0–30.
constexpr std::uint32_t label(std::uint32_t unit) { return unit & (0x80000000u | 0xFF); }
constexpr bool has_leaf(std::uint32_t unit) { return (unit >> 8 & 1) != 0; }
constexpr std::uint32_t value(std::uint32_t unit) { return unit & 0x7FFFFFFF; }
constexpr std::size_t offset(std::uint32_t unit)
{
	return static_cast<std::size_t>(unit >> 10) << ((unit & 0x200) >> 6);
}

} // namespace

Charsmap::Charsmap(std::string_view bytes)
{
	if (bytes.size() < 4)
		config_failure("precompiled_charsmap is too short");
	const std::uint32_t trie_bytes = unit_at(bytes, 0);
	if (trie_bytes < 4 || trie_bytes % 4 != 0 || trie_bytes > bytes.size() - 4)
		config_failure("precompiled_charsmap is broken");
	units_.resize(trie_bytes / 4);
	for (std::size_t i = 0; i < units_.size(); ++i)
		units_[i] = unit_at(bytes, 4 + 4 * i);
	replacements_ = bytes.substr(4 + trie_bytes);
}

std::optional<std::string_view> Charsmap::replacement(std::string_view key) const
{
	std::size_t node = offset(units_[0]);
	for (const char c : key) {
		const auto byte = static_cast<unsigned char>(c);
		if (byte == 0)
			break;
		node ^= byte;
		if (node >= units_.size() || label(units_[node]) != byte)
			return std::nullopt;
		const std::uint32_t unit = units_[node];
		node ^= offset(unit);
		if (has_leaf(unit)) {
			if (node >= units_.size() || value(units_[node]) > replacements_.size())
				return std::nullopt;
			const std::string_view rest = std::string_view(replacements_).substr(value(units_[node]));
			return rest.substr(0, rest.find('\0'));
		}
	}
	return std::nullopt;
}

std::string Charsmap::normalized(std::string_view text) const
{
	std::string out;
	out.reserve(text.size());
	for (std::size_t at = 0; at < text.size();) {
		const core::Segment segment = core::next_grapheme(text, at, true);
		const std::size_t end = segment.found ? segment.end : text.size();
		const std::string_view grapheme = text.substr(at, end - at);
		at = end;
		if (grapheme.size() < 6) {
			if (const auto whole = replacement(grapheme)) {
				out.append(*whole);
				continue;
			}
		}
		for_each_character(
			grapheme, [&](char32_t, std::string_view bytes) { out.append(replacement(bytes).value_or(bytes)); });
	}
	return out;
}

std::string decoded_base64(std::string_view text)
{
	static constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	while (!text.empty() && text.back() == '=')
		text.remove_suffix(1);
	std::string out;
	out.reserve(text.size() / 4 * 3);
	std::uint32_t bits = 0;
	int count = 0;
	for (const char c : text) {
		const std::size_t digit = digits.find(c);
		if (digit == std::string_view::npos)
			config_failure("precompiled_charsmap is not base64");
		bits = bits << 6 | static_cast<std::uint32_t>(digit);
		count += 6;
		if (count >= 8) {
			count -= 8;
			out.push_back(static_cast<char>(bits >> count & 0xFF));
		}
	}
	return out;
}

} // namespace txtfp::embed
