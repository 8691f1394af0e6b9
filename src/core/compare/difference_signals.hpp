// What the differences between two texts tell about whether one of them can go: numbers, from the words that the
// alignment leaves over (aligned_words.hpp). They are stored with rules that were learned from them: whatever changes
// one of them must change signals_version.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/base/error.hpp"
#include "core/compare/aligned_words.hpp"

namespace txtfp::core {

class CorpusWords;

constexpr int signals_version = 4;
constexpr int oldest_rule_signals = 3; // rules for signals of this version on hold: since then signals have only been added

// a is the text to be removed, b the one that is kept. A part is what lies between two matched words.
enum class Signal : std::uint8_t {
	removed_words,   // words of a
	kept_words,      // words of b
	shared,          // share of the words of both that are matched
	edits,           // parts with words left over
	two_sided,       // parts with words left over in both
	two_sided_words, // the smaller number of words of each of these, summed
	longest_removed, // most words of a in one part
	longest_kept,    // most words of b in one part
	new_removed,     // distinct words of a that b has nowhere
	new_kept,        // distinct words of b that a has nowhere
	new_both,        // the smaller of these two numbers
	repeated,        // replacements of the same words by the same words, beyond the first of each
	respelled,       // one word replaced by another that differs in one letter or two of a long word
	numbers_removed, // numbers of a that b has nowhere
	numbers_kept,    // numbers of b that a has nowhere
	names_removed,   // names of a that b has nowhere
	names_kept,      // names of b that a has nowhere
	numbers_both,    // the smaller of the two counts of numbers
	names_both,      // and of names
	symbols,         // symbols that differ between words of statements that both texts have
	scope,       // words of negation and scope ("not", "only", "later") left over in changed statements of either text
	short_words, // other words up to three letters, left over on either side
	first_line_removed, // words of the first line of a that are left over
	first_line_kept,    // words of the first line of b that are left over
	last_line_removed,  // words of the last sentence of a that the last sentence of b does not have
	last_line_kept,     // words of the last sentence of b that the last sentence of a does not have
	first_edit,         // where the first difference is: share of the words before it
	last_edit,          // where the last one is: share of the words behind it
	contained,          // share of the runs of three words of a that b has; shorter texts are one run
	moved,              // words that are left over in both
	layout,             // gaps and spellings that differ although the words are equal
	neighbours,         // rows of the component of near-duplicates of a, without it; known to who joins rows
	kept_neighbours,    // the same for b
	changed_removed,    // words left over in changed statements of a (changed_statements.hpp)
	changed_kept,       // words left over in changed statements of b
	changed_numbers,    // of both, numbers
	changed_names,      // of both, names
	whole,              // 1: every statement of a stands in b, but for spelling; otherwise 0
	weighted_shared,    // weight of the distinct words of both texts, as a share of the weight of all (weights: corpus_words.hpp)
	weighted_removed,   // as a share of the weight of the words of a
	weighted_kept,      // of b
	weighted_cosine,    // cosine of the two vectors of weights
	line_shared,        // the same three for the words of the first lines
	line_removed,
	line_kept,
	rarest_common,      // the weight of the rarest word that both texts have
	rarest_removed,     // that only a has
	rarest_kept,        // that only b has
	second_common,      // of the second rarest
	second_removed,
	second_kept,
	rare_code_common,   // the weight of the rarest code (text_codes.hpp) that both texts have
	rare_code_removed,  // that b does not have
	rare_code_kept,     // that a does not have
	codes_common,       // codes of both texts, also where one of them writes several words
	codes_inside,       // codes of a text that the other one has inside a word or across words
	codes_removed,      // other codes of a
	codes_kept,         // other codes of b
	trigrams,           // share of the runs of three characters of words that both texts have
	quantities_common,  // numbers with the word behind them, which both texts have
	quantities_removed, // which only a has
	quantities_kept,    // which only b has
	shape,              // Jaccard similarity of the runs of six of: a word with a digit, another word, a character between words
	quoted_removed,     // share of the distinct strings in quotes of a that b has in quotes; 1 without any
	quoted_kept,        // of b
};
constexpr std::size_t signal_count = 65;

using Signals = std::array<double, signal_count>;

std::string_view name(Signal signal) noexcept;

constexpr bool counts_neighbours(Signal signal) noexcept
{
	return signal == Signal::neighbours || signal == Signal::kept_neighbours;
}
constexpr bool needs_corpus(Signal signal) noexcept
{
	return signal >= Signal::weighted_shared && signal <= Signal::rare_code_kept;
}
constexpr bool is_optional(Signal signal) noexcept // −1: not known
{
	return counts_neighbours(signal) || needs_corpus(signal);
}

// a and b are valid UTF-8. The numbers of neighbours are −1, not known, and so are signals that need a corpus if there is
// none.
Signals difference_signals(
	std::string_view a, std::string_view b, StopToken stop = {}, const CorpusWords *corpus = nullptr);

// Signals, and what guards know beside them.
struct GuardSignals {
	Signals signals;
	unsigned doubts = 0; // changed_statements.hpp
};

// The same for words of Segmenter::word in the default canonical form.
GuardSignals difference_signals(ComparedTexts &&texts, StopToken stop = {}, const CorpusWords *corpus = nullptr);

// The signals up to `whole`, from which guards are made; the others are −1.
GuardSignals guard_signals(ComparedTexts &&texts, StopToken stop = {});

} // namespace txtfp::core
