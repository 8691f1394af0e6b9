// Where two texts differ, by statements (statements.hpp): a statement that one text has and the other one has not is
// added or gone; one that both have in other words is changed. Only in the latter does a difference contradict.
//
// A statement is changed if the alignment matches some of its words and leaves others over, or if a part with words
// left over in both texts touches it. Words that are one in British and American spelling count as matched there.
#pragma once

#include "core/compare/statements.hpp"

namespace txtfp::core {

struct ChangedStatements {
	// Left over in changed statements of a and of b; where the other text has a longer name of a thing, one word more
	double removed_words = 0, kept_words = 0;
	double numbers = 0, names = 0;            // of these, in either text
	double scope = 0;   // words of negation and scope of these, and words with and without a prefix of negation
	double symbols = 0; // that differ between words of statements that both texts have
	bool whole = true;  // every statement of a stands in b (lossless.hpp), but for spelling

	// Places that the counts above do not have, where a guard objects all the same: a correction that may be another word,
	// a version that may be an amount, and words that only one text has and that make a number, a unit or an identifier
	// another one. These are no signals, because learned rules weigh them by the counts.
	unsigned doubts = 0;
};

ChangedStatements changed_statements(const AlignedWords &words, StopToken stop = {});

} // namespace txtfp::core
