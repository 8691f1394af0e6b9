#include "core/compare/word_traits.hpp"

#include <algorithm>

#include "core/text/unicode_tables.hpp"

namespace txtfp::core {

namespace {

using unicode::SentenceBreak;

struct Character {
	SentenceBreak type;
	bool white_space, alphanumeric, symbol, is_letter_number;

	explicit Character(char32_t c) noexcept
	{
		const std::uint8_t value = unicode::sentence_value(c);
		type = static_cast<SentenceBreak>(value & unicode::sentence_mask);
		white_space = (value & unicode::sentence_white_space_bit) != 0 || is_invisible(c);
		alphanumeric = (value & unicode::sentence_alphanumeric_bit) != 0;
		symbol = (value & unicode::sentence_symbol_bit) != 0;
		is_letter_number = c >= 0x2160 && c <= 0x2188; // Roman numerals
	}
	bool is_letter() const noexcept
	{
		return type == SentenceBreak::upper || type == SentenceBreak::lower || type == SentenceBreak::o_letter;
	}
	bool is_digit() const noexcept { return type == SentenceBreak::numeric; }
	// Vowel signs and points are alphabetic, and neither letters nor numbers.
	bool is_numeric() const noexcept
	{
		return is_digit() || (alphanumeric && type == SentenceBreak::other) || is_letter_number;
	}
};

} // namespace

std::string_view name(DifferenceKind kind) noexcept
{
	constexpr std::string_view names[difference_kinds] = {
		"space", "case", "punctuation", "symbol", "word", "name", "number", "moved"};
	return names[static_cast<unsigned>(kind)];
}

bool is_invisible(char32_t c) noexcept
{
	if (c < 0x80)
		return false;
	return unicode::canonical_value(c) == unicode::canonical_dropped || c == 0xAD || c == 0x34F || c == 0x61C ||
		(c >= 0x180B && c <= 0x180F) || (c >= 0x200B && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) ||
		(c >= 0x2060 && c <= 0x206F) || (c >= 0xFE00 && c <= 0xFE0F) || c == 0xFEFF || (c >= 0xE0000 && c <= 0xE0FFF);
}

bool is_other_number(char32_t c) noexcept
{
	const Character character(c);
	return character.is_numeric() && !character.is_digit();
}

bool is_digit(char32_t c) noexcept { return Character(c).is_digit(); }
bool is_letter(char32_t c) noexcept { return Character(c).is_letter(); }

char folded_quote(char32_t c) noexcept
{
	switch (c) {
	case U'\'':
	case 0x2018:
	case 0x2019:
	case 0x201A:
	case 0x201B:
	case 0x2039:
	case 0x203A:
	case 0x2BC:
	case 0x5F3:
	case 0xFF07:
		return '\'';
	case U'"':
	case 0x201C:
	case 0x201D:
	case 0x201E:
	case 0x201F:
	case 0xAB:
	case 0xBB:
	case 0x301D:
	case 0x301E:
	case 0x301F:
	case 0x5F4:
	case 0xFF02:
		return '"';
	default:
		return 0;
	}
}

bool begins_sentence(const TextWords &words, std::uint32_t i) noexcept
{
	if (i == 0)
		return true;
	bool ends = false, line = false;
	for_each_character(words.gap(i), [&](char32_t c) {
		const Character character(c);
		const bool newline = character.type == SentenceBreak::lf || character.type == SentenceBreak::sep;
		ends |= character.type == SentenceBreak::a_term || character.type == SentenceBreak::s_term ||
			(line && (newline || !character.white_space));
		line |= newline;
	});
	return ends;
}

DifferenceKind kind_of_word(const TextWords &words, std::uint32_t i) noexcept
{
	bool numeric = false, letter = false, lower = false, mixed = false, inner = false, symbol = false, space = true;
	unsigned capitals = 0;
	bool first_is_capital = false;
	for_each_character(words.word(i), [&](char32_t c) {
		const Character character(c);
		numeric |= character.is_numeric();
		symbol |= character.symbol;
		space &= character.white_space;
		if (character.type == SentenceBreak::upper) {
			first_is_capital |= !letter;
			mixed |= lower;
			++capitals;
		}
		lower |= character.type == SentenceBreak::lower;
		letter |= character.is_letter();
		inner |= c == '_' || c == '.' || c == ':';
	});
	if (numeric)
		return DifferenceKind::number;
	if (!letter)
		return symbol ? DifferenceKind::symbol : space ? DifferenceKind::space : DifferenceKind::punctuation;
	if (mixed || inner || capitals > 1 || (first_is_capital && !begins_sentence(words, i)))
		return DifferenceKind::name;
	return DifferenceKind::word;
}

char32_t SymbolReader::next(bool with_punctuation) noexcept
{
	const char *const end = text_.data() + text_.size();
	while (at_ < end_) {
		const Decoded c = decode(text_.data() + at_, end);
		if (before_ == 0 && at_ > 0) {
			std::uint32_t back = at_ - 1;
			while (back > 0 && is_continuation(text_[back]))
				--back;
			before_ = decode(text_.data() + back, end).code_point;
		}
		const char32_t before = before_;
		at_ += c.length;
		before_ = c.code_point;
		const Character character(c.code_point);
		if (character.white_space)
			continue;
		if (with_punctuation)
			return c.code_point;
		if (character.symbol || c.code_point == '^')
			return c.code_point;
		if (const char32_t symbol = by_place(c.code_point, before); symbol != 0)
			return symbol;
	}
	return 0;
}

// Punctuation that means something where it stands: a minus, between two digits, around a number, behind a word. 0: none
char32_t SymbolReader::by_place(char32_t c, char32_t before) const noexcept
{
	const char *const p = text_.data() + at_, *const end = text_.data() + text_.size();
	const char32_t next = p < end ? decode(p, end).code_point : 0;
	const bool behind_word = before != 0 && Character(before).alphanumeric;
	const bool behind_digit = before != 0 && Character(before).is_digit(),
			   is_before_digit = next != 0 && Character(next).is_digit();
	const bool dash = c == '-' || (c >= 0x2010 && c <= 0x2013);
	if (is_before_digit && (behind_digit || (dash && !behind_word)))
		return dash ? U'-' : c;
	if (c == '*' && behind_word && (next == 0 || !Character(next).alphanumeric))
		return c;
	return (c == '(' && is_before_digit && closes_number()) || (c == ')' && behind_digit && opens_number()) ? c : 0;
}

// Is a number closed by a bracket behind this place? Numbers of more than 20 bytes are none.
bool SymbolReader::closes_number() const noexcept
{
	const std::string_view rest = text_.substr(at_, 20);
	const std::size_t number = rest.find_first_not_of("0123456789.,");
	return number != std::string_view::npos && rest[number] == ')';
}
bool SymbolReader::opens_number() const noexcept
{
	const std::string_view rest = text_.substr(at_ < 21 ? 0 : at_ - 21, std::min<std::size_t>(at_, 21) - 1);
	const std::size_t number = rest.find_last_not_of("0123456789.,");
	return number != std::string_view::npos && rest[number] == '(';
}

DifferenceKind kind_of_gaps(const TextWords &a, std::uint32_t a_begin, std::uint32_t a_end, const TextWords &b,
	std::uint32_t b_begin, std::uint32_t b_end) noexcept
{
	for (const bool with_punctuation : {false, true}) {
		SymbolReader in_a(a.text, a_begin, a_end), in_b(b.text, b_begin, b_end);
		for (char32_t c = 1; c != 0;) {
			c = in_a.next(with_punctuation);
			if (c != in_b.next(with_punctuation))
				return with_punctuation ? DifferenceKind::punctuation : DifferenceKind::symbol;
		}
	}
	return DifferenceKind::space;
}

DifferenceKind kind_of_spelling(std::string_view a, std::string_view b) noexcept
{
	bool number = false;
	for (const std::string_view word : {a, b})
		for_each_character(word, [&](char32_t c) { number |= is_other_number(c); });
	if (number)
		return DifferenceKind::number;
	const char *p = a.data(), *const a_end = p + a.size(), *q = b.data(), *const b_end = q + b.size();
	while (p < a_end && q < b_end) {
		const Decoded x = decode(p, a_end), y = decode(q, b_end);
		if (x.code_point != y.code_point &&
			(folded_quote(x.code_point) == 0 || folded_quote(x.code_point) != folded_quote(y.code_point)))
			return DifferenceKind::case_;
		p += x.length;
		q += y.length;
	}
	return p == a_end && q == b_end ? DifferenceKind::punctuation : DifferenceKind::case_;
}

} // namespace txtfp::core
