// Grapheme clusters by the rules of UAX #29, with GB9c.
#include "core/text/segment.hpp"
#include "core/text/unicode_tables.hpp"
#include "core/text/utf8.hpp"

namespace txtfp::core {

namespace {

using unicode::ConjunctBreak;
using unicode::GraphemeBreak;

struct GraphemeChar {
	GraphemeBreak type;
	ConjunctBreak conjunct;
	bool pictographic;
	unsigned length;
};

GraphemeChar grapheme_char(std::string_view text, std::size_t at) noexcept
{
	const Decoded c = decode(text.data() + at, text.data() + text.size());
	const std::uint8_t value = unicode::grapheme_value(c.code_point);
	return {static_cast<GraphemeBreak>(value & unicode::grapheme_mask),
		static_cast<ConjunctBreak>(value >> unicode::conjunct_shift & unicode::conjunct_mask),
		(value & unicode::grapheme_pictographic_bit) != 0, c.length};
}

constexpr bool is_control(GraphemeBreak t) noexcept
{
	return t == GraphemeBreak::control || t == GraphemeBreak::cr || t == GraphemeBreak::lf;
}

constexpr bool joins_hangul(GraphemeBreak left, GraphemeBreak right) noexcept // GB6–8
{
	using enum GraphemeBreak;
	if (left == l)
		return right == l || right == v || right == lv || right == lvt;
	if (left == lv || left == v)
		return right == v || right == t;
	return (left == lvt || left == t) && right == t;
}

// The state of the cluster that rules GB9c, GB11, GB12 and GB13 need.
struct ClusterState {
	GraphemeBreak left;
	bool emoji;             // Extended_Pictographic Extend*
	bool emoji_zwj;         // the same, then ZWJ
	bool consonant, linked; // InCB=Consonant [Extend Linker]*, with a linker in it
	unsigned regional_indicators;

	explicit ClusterState(const GraphemeChar &c) noexcept
		: left(c.type), emoji(c.pictographic), emoji_zwj(false), consonant(c.conjunct == ConjunctBreak::consonant),
		  linked(false), regional_indicators(c.type == GraphemeBreak::regional_indicator)
	{
	}

	bool joins(const GraphemeChar &c) const noexcept
	{
		using enum GraphemeBreak;
		if (is_control(left) || is_control(c.type)) // GB3–5
			return left == cr && c.type == lf;
		if (joins_hangul(left, c.type)) // GB6–8
			return true;
		if (c.type == extend || c.type == zwj || c.type == spacing_mark || left == prepend) // GB9–9b
			return true;
		if (linked && c.conjunct == ConjunctBreak::consonant) // GB9c
			return true;
		if (emoji_zwj && c.pictographic) // GB11
			return true;
		return left == regional_indicator && c.type == regional_indicator && regional_indicators % 2 == 1; // GB12, 13
	}

	void advance(const GraphemeChar &c) noexcept
	{
		emoji_zwj = emoji && c.type == GraphemeBreak::zwj;
		emoji = c.pictographic || (emoji && c.type == GraphemeBreak::extend);
		linked = c.conjunct != ConjunctBreak::consonant && consonant &&
			(c.conjunct == ConjunctBreak::linker || (linked && c.conjunct == ConjunctBreak::extend));
		consonant = c.conjunct == ConjunctBreak::consonant || (consonant && c.conjunct != ConjunctBreak::none);
		regional_indicators += c.type == GraphemeBreak::regional_indicator;
		left = c.type;
	}
};

} // namespace

Segment next_grapheme(std::string_view text, std::size_t from, bool last) noexcept
{
	if (from == text.size())
		return {from, from, false};
	GraphemeChar c = grapheme_char(text, from);
	ClusterState state(c);
	for (std::size_t at = from + c.length; at < text.size(); at += c.length) {
		c = grapheme_char(text, at);
		if (!state.joins(c))
			return {from, at, true};
		state.advance(c);
	}
	return {from, last ? text.size() : from, last};
}

} // namespace txtfp::core
