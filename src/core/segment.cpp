#include "core/segment.hpp"

#include <array>

#include "core/unicode_tables.hpp"
#include "core/utf8.hpp"

namespace txtfp::core {

namespace {

using unicode::ConjunctBreak;
using unicode::GraphemeBreak;
using unicode::WordBreak;

constexpr std::size_t npos = std::string_view::npos;

struct WordChar {
	WordBreak type;
	bool pictographic, alphanumeric;
	unsigned length;
};

WordChar word_char(std::string_view text, std::size_t at) noexcept
{
	const Decoded c = decode(text.data() + at, text.data() + text.size());
	const std::uint8_t value = unicode::word_value(c.code_point);
	return {static_cast<WordBreak>(value & unicode::word_mask), (value & unicode::pictographic_bit) != 0,
		(value & unicode::alphanumeric_bit) != 0, c.length};
}

constexpr bool is_letter(WordBreak t) noexcept { return t == WordBreak::a_letter || t == WordBreak::hebrew_letter; }
constexpr bool is_ignored(WordBreak t) noexcept // WB4
{
	return t == WordBreak::extend || t == WordBreak::format || t == WordBreak::zwj;
}
constexpr bool is_newline(WordBreak t) noexcept
{
	return t == WordBreak::cr || t == WordBreak::lf || t == WordBreak::newline;
}

// WB5, 8–10, 13–13b: rules that look at the two neighbours only.
constexpr bool joins(WordBreak left, WordBreak right) noexcept
{
	const auto is_word = [](WordBreak t) { return is_letter(t) || t == WordBreak::numeric; };
	if (is_word(left) && is_word(right))
		return true;
	if (left == WordBreak::katakana && right == WordBreak::katakana)
		return true;
	const auto takes_connector = [&](WordBreak t) { return is_word(t) || t == WordBreak::katakana; };
	if (right == WordBreak::extend_num_let)
		return takes_connector(left) || left == WordBreak::extend_num_let;
	return left == WordBreak::extend_num_let && takes_connector(right);
}

// WB6, 7b, 12: may `middle` join `left` if the right class follows?
constexpr bool waits_for(WordBreak left, WordBreak middle) noexcept
{
	const bool either = middle == WordBreak::mid_num_let || middle == WordBreak::single_quote;
	if (is_letter(left) && (middle == WordBreak::mid_letter || either))
		return true;
	if (left == WordBreak::hebrew_letter && middle == WordBreak::double_quote)
		return true;
	return left == WordBreak::numeric && (middle == WordBreak::mid_num || either);
}

constexpr bool completes(WordBreak left, WordBreak middle, WordBreak right) noexcept
{
	if (middle == WordBreak::double_quote)
		return right == WordBreak::hebrew_letter;
	return left == WordBreak::numeric ? right == WordBreak::numeric : is_letter(right);
}

// Walks over one word segment. `left` is the class of the last character that WB4 does not ignore.
//
// After ZWJ + Extended_Pictographic the crate's state machine knows nothing of what stood before: the pictograph is
// `other` on its right side even if it is a letter, and a middle character that waits for its right neighbour stays
// attached when it meets such a pictograph. With the default canonicalizer no ZWJ ever gets here.
class WordWalk {
public:
	WordWalk(std::string_view text, std::size_t start, bool last) noexcept : text_(text), at_(start), last_(last) {}

	RuleSegment run() noexcept
	{
		const WordChar first = advance();
		left_ = previous_ = first.type;
		regional_indicators_ = left_ == WordBreak::regional_indicator;
		if (first.type == WordBreak::cr) { // WB3
			if (at_ == text_.size())
				return ended();
			if (word_char(text_, at_).type == WordBreak::lf)
				advance();
			return {at_, alphanumeric_};
		}
		if (is_newline(first.type)) // WB3a
			return {at_, alphanumeric_};
		while (at_ < text_.size())
			if (!step())
				return {incomplete_ ? npos : at_, alphanumeric_};
		return ended();
	}

private:
	RuleSegment ended() const noexcept { return {last_ ? at_ : npos, alphanumeric_}; }

	WordChar advance() noexcept
	{
		const WordChar c = word_char(text_, at_);
		at_ += c.length;
		alphanumeric_ |= c.alphanumeric;
		return c;
	}

	// Takes the next character into the segment; false: there is a boundary before it.
	bool step() noexcept
	{
		const WordChar c = word_char(text_, at_);
		if (is_newline(c.type)) // WB3b
			return false;
		if (previous_ == WordBreak::zwj && c.pictographic) { // WB3c
			advance();
			left_ = previous_ = WordBreak::other;
			return true;
		}
		const bool spaces = previous_ == WordBreak::w_seg_space && c.type == WordBreak::w_seg_space; // WB3d
		if (spaces || is_ignored(c.type)) {
			advance();
			previous_ = c.type;
			return true;
		}
		if (joins(left_, c.type) || joins_regional_indicator(c.type)) {
			advance();
			left_ = previous_ = c.type;
			return true;
		}
		return waits_for(left_, c.type) && step_over_middle(c.type);
	}

	bool joins_regional_indicator(WordBreak right) noexcept // WB15, 16
	{
		if (left_ != WordBreak::regional_indicator || right != WordBreak::regional_indicator)
			return false;
		return regional_indicators_++ % 2 == 1;
	}

	// Looks past the middle character at at_ for the one that it waits for, and takes both.
	bool step_over_middle(WordBreak middle) noexcept
	{
		std::size_t right = at_ + word_char(text_, at_).length;
		bool alphanumeric = false; // of ignored characters in between
		WordBreak before = middle;
		for (; right < text_.size(); ) {
			const WordChar c = word_char(text_, right);
			const bool joined_pictograph = before == WordBreak::zwj && c.pictographic;
			if (is_ignored(c.type) && !joined_pictograph) {
				before = c.type;
				alphanumeric |= c.alphanumeric;
				right += c.length;
				continue;
			}
			if (!joined_pictograph && !completes(left_, middle, c.type))
				return take_hebrew_quote(middle);
			at_ = right + c.length;
			alphanumeric_ |= alphanumeric || c.alphanumeric;
			left_ = previous_ = joined_pictograph ? WordBreak::other : c.type;
			return true;
		}
		incomplete_ = !last_;
		return !incomplete_ && take_hebrew_quote(middle);
	}

	bool take_hebrew_quote(WordBreak middle) noexcept // WB7a
	{
		if (left_ != WordBreak::hebrew_letter || middle != WordBreak::single_quote)
			return false;
		advance();
		left_ = previous_ = middle;
		return true;
	}

	std::string_view text_;
	std::size_t at_;
	bool last_, alphanumeric_ = false, incomplete_ = false;
	unsigned regional_indicators_ = 0;
	WordBreak left_ = WordBreak::other; // last character that WB4 does not ignore
	WordBreak previous_ = WordBreak::other;
};

// What the ASCII path needs to know of a byte; 0: an ASCII character that is no part of a word by itself.
constexpr std::uint8_t ascii_letter = 1, ascii_digit = 2, ascii_connector = 4, ascii_middle = 8, non_ascii = 16;
constexpr std::uint8_t ascii_word = ascii_letter | ascii_digit | ascii_connector;

constexpr auto byte_classes = [] {
	std::array<std::uint8_t, 256> classes{};
	for (unsigned c = 0; c < 256; ++c) {
		if (c >= 0x80)
			classes[c] = non_ascii;
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')
			classes[c] = ascii_letter;
		else if (c >= '0' && c <= '9')
			classes[c] = ascii_digit;
		else if (c == '_')
			classes[c] = ascii_connector;
		else if (c == '.' || c == '\'' || c == ':' || c == ',' || c == ';')
			classes[c] = ascii_middle;
	}
	return classes;
}();

constexpr std::uint8_t byte_class(char c) noexcept { return byte_classes[static_cast<unsigned char>(c)]; }

constexpr bool joins_ascii(char left, char middle, char right) noexcept
{
	const bool either = middle == '.' || middle == '\'';
	if (byte_class(left) == ascii_letter && byte_class(right) == ascii_letter)
		return either || middle == ':';
	return byte_class(left) == ascii_digit && byte_class(right) == ascii_digit &&
		(either || middle == ',' || middle == ';');
}

// A piece of text that the ASCII path has segmented; end = npos: left to the rules, because it touches a non-ASCII
// character or the end of the text.
struct AsciiPiece {
	std::size_t end;
	bool word;
};

AsciiPiece skip_ascii(std::string_view text, std::size_t at) noexcept
{
	std::size_t end = at + 1;
	while (text[at] == ' ' && end < text.size() && text[end] == ' ') // WB3d
		++end;
	return {end < text.size() && byte_class(text[end]) != non_ascii ? end : npos, false};
}

AsciiPiece ascii_run(std::string_view text, std::size_t at, bool last) noexcept
{
	std::uint8_t seen = 0;
	for (std::size_t end = at;;) {
		std::uint8_t type = ascii_word;
		for (; end < text.size() && ((type = byte_class(text[end])) & ascii_word) != 0; ++end)
			seen |= type;
		const bool word = (seen & (ascii_letter | ascii_digit)) != 0;
		if (end == text.size())
			return {last ? end : npos, word};
		if (type == non_ascii)
			return {npos, word};
		if (type != ascii_middle)
			return {end, word};
		if (end + 1 == text.size())
			return {last ? end : npos, word};
		if (byte_class(text[end + 1]) == non_ascii)
			return {npos, word};
		if (!joins_ascii(text[end - 1], text[end], text[end + 1]))
			return {end, word};
		++end;
	}
}

} // namespace

RuleSegment word_segment(std::string_view text, std::size_t from, bool last) noexcept
{
	return WordWalk(text, from, last).run();
}

Segment next_word(std::string_view text, std::size_t from, bool last) noexcept
{
	for (std::size_t at = from; at < text.size();) {
		const std::uint8_t type = byte_class(text[at]);
		if (type != non_ascii) {
			const AsciiPiece piece = (type & ascii_word) != 0 ? ascii_run(text, at, last) : skip_ascii(text, at);
			if (piece.end != npos) {
				if (piece.word)
					return {at, piece.end, true};
				at = piece.end;
				continue;
			}
		}
		const RuleSegment segment = word_segment(text, at, last);
		if (segment.end == npos)
			return {at, at, false};
		if (segment.alphanumeric)
			return {at, segment.end, true};
		at = segment.end;
	}
	return {text.size(), text.size(), false};
}

namespace {

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

// The cluster so far, as far as GB9c, 11, 12 and 13 look back.
struct ClusterState {
	GraphemeBreak left;
	bool emoji;              // Extended_Pictographic Extend*
	bool emoji_zwj;          // the same, then ZWJ
	bool consonant, linked;  // InCB=Consonant [Extend Linker]*, with a linker in it
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
		if (joins_hangul(left, c.type) || c.type == extend || c.type == zwj || c.type == spacing_mark || left == prepend)
			return true; // GB6–9b
		if (linked && c.conjunct == ConjunctBreak::consonant) // GB9c
			return true;
		if (emoji_zwj && c.pictographic) // GB11
			return true;
		return left == regional_indicator && c.type == regional_indicator && regional_indicators % 2 == 1; // GB12, 13
	}

	void take(const GraphemeChar &c) noexcept
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
		state.take(c);
	}
	return {from, last ? text.size() : from, last};
}

} // namespace txtfp::core
