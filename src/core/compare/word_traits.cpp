#include "core/compare/word_traits.hpp"

#include "core/text/unicode_tables.hpp"
#include "core/text/utf8.hpp"

namespace txtfp::core {

namespace {

using unicode::SentenceBreak;

struct Character {
	SentenceBreak type;
	bool white_space, alphanumeric, symbol;

	explicit Character(char32_t c) noexcept
	{
		const std::uint8_t value = unicode::sentence_value(c);
		type = static_cast<SentenceBreak>(value & unicode::sentence_mask);
		// Format controls, which the canonical form does not have, count as space.
		white_space = (value & unicode::sentence_white_space_bit) != 0 ||
			(c >= 0x80 && unicode::canonical_value(c) == unicode::canonical_dropped);
		alphanumeric = (value & unicode::sentence_alphanumeric_bit) != 0;
		symbol = (value & unicode::sentence_symbol_bit) != 0;
	}
	bool is_letter() const noexcept
	{
		return type == SentenceBreak::upper || type == SentenceBreak::lower || type == SentenceBreak::o_letter;
	}
	bool is_digit() const noexcept { return type == SentenceBreak::numeric; }
	bool is_numeric() const noexcept { return is_digit() || (alphanumeric && !is_letter()); }
};

template <class Fn> void for_each_character(std::string_view text, Fn fn)
{
	for (const char *p = text.data(), *end = p + text.size(); p < end;) {
		const Decoded c = decode(p, end);
		fn(c.code_point);
		p += c.length;
	}
}

} // namespace

std::string_view name(DifferenceKind kind) noexcept
{
	constexpr std::string_view names[difference_kinds] = {
		"space", "case", "punctuation", "symbol", "number", "name", "word", "moved"};
	return names[static_cast<unsigned>(kind)];
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
		const bool behind_word = before_ != 0 && Character(before_).alphanumeric;
		at_ += c.length;
		before_ = c.code_point;
		const Character character(c.code_point);
		const bool minus = (c.code_point == '-' || c.code_point == 0x2010 || c.code_point == 0x2013) && !behind_word &&
			at_ < text_.size() && Character(decode(text_.data() + at_, end).code_point).is_digit();
		if (character.symbol || minus || (with_punctuation && !character.white_space))
			return c.code_point;
	}
	return 0;
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
	bool other = false;
	for (const std::string_view word : {a, b})
		for_each_character(word, [&](char32_t c) {
			const Character character(c);
			other |= character.is_numeric() && !character.is_digit();
		});
	return other ? DifferenceKind::number : DifferenceKind::case_;
}

} // namespace txtfp::core
