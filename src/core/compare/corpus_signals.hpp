// Signals of rarity and of identity: what two texts have in common and what not, weighed by a corpus; the codes,
// quantities and punctuation that name or build a thing. They are part of the signals (difference_signals.hpp) and cost
// about as much as a fifth of the others; who needs none of them does not compute them.
#pragma once

#include "core/compare/aligned_words.hpp"
#include "core/compare/corpus_words.hpp"
#include "core/compare/difference_signals.hpp"

namespace txtfp::core {

// Sets the signals behind `whole`; without a corpus, not those that need one (needs_corpus).
void read_corpus_signals(const ComparedTexts &texts, const CorpusWords *corpus, Signals &signals, StopToken stop);

} // namespace txtfp::core
