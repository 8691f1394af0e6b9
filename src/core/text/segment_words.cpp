// One word segment by the rules, as they stand in UAX #29.
#include "core/text/segment.hpp"
#include "core/text/segment_rules.hpp"

namespace txtfp::core {

using namespace word_rules;

namespace {

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
				return {incomplete_ ? std::string_view::npos : at_, alphanumeric_};
		return ended();
	}

private:
	RuleSegment ended() const noexcept { return {last_ ? at_ : std::string_view::npos, alphanumeric_}; }

	WordChar advance() noexcept
	{
		const WordChar c = word_char(text_, at_);
		at_ += c.length;
		alphanumeric_ |= c.alphanumeric;
		return c;
	}

	// Takes the next character into the segment. Returns false if there is a boundary before it.
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
		for (; right < text_.size();) {
			const WordChar c = word_char(text_, right);
			const bool joined_pictograph = before == WordBreak::zwj && c.pictographic;
			if (is_ignored(c.type) && !joined_pictograph) {
				before = c.type;
				alphanumeric |= c.alphanumeric;
				right += c.length;
				continue;
			}
			if (!joined_pictograph && !completes(left_, middle, c.type))
				return skip_hebrew_quote(middle);
			at_ = right + c.length;
			alphanumeric_ |= alphanumeric || c.alphanumeric;
			left_ = previous_ = joined_pictograph ? WordBreak::other : c.type;
			return true;
		}
		incomplete_ = !last_;
		return !incomplete_ && skip_hebrew_quote(middle);
	}

	bool skip_hebrew_quote(WordBreak middle) noexcept // WB7a
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

} // namespace

RuleSegment word_segment(std::string_view text, std::size_t from, bool last) noexcept
{
	return WordWalk(text, from, last).run();
}

} // namespace txtfp::core
