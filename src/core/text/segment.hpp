// Words, grapheme clusters and sentences: UAX #29 default rules (no dictionaries, no tailoring) over Unicode 15.0.
// Words follow the crate txtfp where it differs from the standard after a ZWJ (see segment_words.cpp); graphemes
// include rule GB9c. Text: valid UTF-8. All functions are total, whatever the bytes are.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "core/base/error.hpp"

namespace txtfp::core {

struct Segment {
	std::size_t start, end; // the segment if found; otherwise `start` is where to continue when there is more text
	bool found;
};

// The first word at or after `from` (a boundary): a segment with an Alphabetic code point or a number in it.
// Unless `last`, more text may follow, and a segment whose end depends on that is not found.
Segment next_word(std::string_view text, std::size_t from, bool last) noexcept;
Segment next_grapheme(std::string_view text, std::size_t from, bool last) noexcept;

// Finds the same words, many at a time. It writes them to `out` and returns when `out` is nearly full or some 64 KB of
// text are passed, so that the caller can check for a stop even where there are no words.
struct WordRange {
	std::size_t start, end;
};
struct WordBatch {
	std::size_t count; // words written; may be 0 although there are more
	std::size_t next;  // where to continue
	bool finished;     // true at the end of the text, or at a segment whose end depends on more text
};
WordBatch next_words(std::string_view text, std::size_t from, bool last, std::span<WordRange> out) noexcept;

// The next segment of any kind, by the rules alone: the plain reference of next_word, and what the conformance test
// calls.
struct RuleSegment {
	std::size_t end; // npos: it depends on more text
	bool alphanumeric;
};
RuleSegment word_segment(std::string_view text, std::size_t from, bool last) noexcept;

// The sentence at `from` (a boundary, before the end of the text). All of the text must be there: whether a full stop
// ends a sentence may depend on what follows far behind it. Throws only if `stop` does.
struct Sentence {
	std::size_t end;
	bool alphanumeric; // it has a character that makes a segment a word
};
Sentence next_sentence(std::string_view text, std::size_t from, StopToken stop = {});

} // namespace txtfp::core
