// Sentence boundaries exactly as UAX #29 writes them: every rule is tested at every position, with patterns read from
// right to left and from left to right. The reference of next_sentence.
#pragma once

#include <string_view>
#include <vector>

#include "core/text/unicode_tables.hpp"
#include "unit/text.hpp"

namespace txtfp::test {

class NaiveSentences {
public:
	// The positions, in code points, at which sentences end.
	static std::vector<std::size_t> ends(std::u32string_view text)
	{
		const NaiveSentences all(text);
		std::vector<std::size_t> out;
		for (std::size_t i = 1; i <= text.size(); ++i)
			if (i == text.size() || all.breaks_before(i))
				out.push_back(i);
		return out;
	}

private:
	using Class = core::unicode::SentenceBreak;

	explicit NaiveSentences(std::u32string_view text)
	{
		for (const char32_t c : text)
			classes_.push_back(static_cast<Class>(core::unicode::sentence_value(c) & core::unicode::sentence_mask));
	}

	static bool is_paragraph(Class c) { return c == Class::sep || c == Class::cr || c == Class::lf; }
	static bool is_terminator(Class c) { return c == Class::a_term || c == Class::s_term; }
	static bool is_ignored(Class c) { return c == Class::extend || c == Class::format; }

	// SB5: the text before i without what the rule ignores. A mark after the end of a paragraph, or at the beginning of
	// the text, is not ignored, because there is nothing before it.
	std::vector<Class> left_of(std::size_t i) const
	{
		std::vector<Class> left;
		for (std::size_t j = 0; j < i; ++j)
			if (!is_ignored(classes_[j]) || j == 0 || left.empty() || is_paragraph(left.back()))
				left.push_back(classes_[j]);
		return left;
	}

	// If left ends in: terminator Close* Sp* ParaSep? (as far as the flags allow), returns the terminator's class, else
	// other.
	static Class terminator_at_end(std::vector<Class> left, bool spaces, bool paragraph)
	{
		if (paragraph && !left.empty() && is_paragraph(left.back()))
			left.pop_back();
		while (spaces && !left.empty() && left.back() == Class::sp)
			left.pop_back();
		while (!left.empty() && left.back() == Class::close)
			left.pop_back();
		return !left.empty() && is_terminator(left.back()) ? left.back() : Class::other;
	}

	bool lower_case_follows(std::size_t i) const
	{
		for (; i < classes_.size(); ++i) {
			const Class c = classes_[i];
			if (c == Class::lower)
				return true;
			if (c == Class::o_letter || c == Class::upper || is_paragraph(c) || is_terminator(c))
				return false;
		}
		return false;
	}

	bool breaks_before(std::size_t i) const
	{
		const Class previous = classes_[i - 1], next = classes_[i];
		if (previous == Class::cr && next == Class::lf) // SB3
			return false;
		if (is_paragraph(previous)) // SB4
			return true;
		if (is_ignored(next)) // SB5
			return false;
		const std::vector<Class> left = left_of(i);
		const Class last = left.back(), before = left.size() > 1 ? left[left.size() - 2] : Class::other;
		if (last == Class::a_term && next == Class::numeric) // SB6
			return false;
		if ((before == Class::upper || before == Class::lower) && last == Class::a_term && next == Class::upper) // SB7
			return false;
		if (terminator_at_end(left, true, false) == Class::a_term && lower_case_follows(i)) // SB8
			return false;
		if (terminator_at_end(left, true, false) != Class::other && (next == Class::s_continue || is_terminator(next)))
			return false; // SB8a
		if (terminator_at_end(left, false, false) != Class::other &&
			(next == Class::close || next == Class::sp || is_paragraph(next))) // SB9
			return false;
		if (terminator_at_end(left, true, false) != Class::other && (next == Class::sp || is_paragraph(next))) // SB10
			return false;
		return terminator_at_end(left, true, true) != Class::other; // SB11, 998
	}

	std::vector<Class> classes_;
};

} // namespace txtfp::test
