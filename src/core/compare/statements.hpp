// A text as statements: its sentences and lines, as words and marks in order, so that a statement of one text can be
// looked for in another.
//
// A token is a word (aligned_words.hpp) or a mark: any other character but white space, format controls and variation
// selectors, in canonical form. Quotes of any kind are one mark, but behind a digit, where they may be feet and inches;
// dashes of any kind and length are one, but the minus before a number is another; round bullets are one.
//
// A statement begins
//   * with a paragraph: behind an empty line
//   * with a line, unless the line before is only wrapped: unless it ends with a comma, or the line goes on in lower
//     case, or its first word would not have fit on the line before (in a paragraph of 40 characters or more)
//   * behind a full stop, exclamation or question mark of any script, closing quotes and brackets, and white space
//     (which full stops that are not ASCII do not need); but behind `.` not before lower case, nor after a single
//     letter, an abbreviation of a short list, or the number of an item of a list
// Where it is doubtful whether a statement begins, none does: a statement that is too long is found less often.
#pragma once

#include <cstdint>
#include <vector>

#include "core/compare/aligned_words.hpp"

namespace txtfp::core {

enum class Break : std::uint8_t { none, sentence, line, paragraph };

constexpr std::uint32_t mark_bit = 0x80000000; // of tokens that are marks: the rest is the code point

struct Statement {
	std::uint32_t begin, end; // tokens
	std::uint32_t first_word; // number of the first word that is not before it
	Break before;             // how it is separated from the one before
	bool is_item = false;     // of a list: it begins with a bullet or a number
	bool is_heading = false;  // a line that ends with a colon, begins with #, or is short and ends without a stop
	bool introduces = false;  // it ends with a colon
};

class Statements {
public:
	// The words are tokens of word-uax29, which have no line ends.
	explicit Statements(const TextWords &text, StopToken stop = {});

	std::vector<std::uint32_t> tokens;
	std::vector<std::uint32_t> token_of_word;
	std::vector<Statement> list;

	// For each word, the number of its statement.
	std::vector<std::uint32_t> of_words() const;
};

} // namespace txtfp::core
