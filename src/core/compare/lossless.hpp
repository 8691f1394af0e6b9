// Does one text lose nothing that another one says? A statement (statements.hpp) of the removed text must stand in the
// kept text, whole and in order, and what the kept text has besides must be whole statements, too. Layout is no
// difference: spacing, line breaks, capitals, the characters of quotes and dashes, format controls.
//
// What stands between two statements must not change the context of the second one:
//   * no heading, and no line that ends with a colon
//   * in a paragraph, the second one does not begin with a word that refers to what stood before ("it", "this")
//   * nothing that resembles either of them: half of the words, or both have up to three; it may be about another item
// Nor may a colon, or a heading where the text begins with an item of a list, stand before the first one.
// No rule can see what changes a meaning from farther away: a heading far above, irony.
#pragma once

#include "core/compare/statements.hpp"

namespace txtfp::core {

// True if every statement of a stands in b. The words of both have numbers in common; `words` has their spelling.
bool stands_in(const Statements &a, const Statements &b, const ComparedTexts &words, StopToken stop = {});

// The same for texts: valid UTF-8. b keeps all of a.
bool has_all_of(std::string_view b, std::string_view a, StopToken stop = {});

} // namespace txtfp::core
