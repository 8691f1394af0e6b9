#include "core/decide/pair_decision.hpp"

#include <utility>

#include "core/compare/lossless.hpp"

namespace txtfp::core {

namespace {

using namespace removal;

double value(const PairDecision &decision, Signal signal) noexcept
{
	return decision.signals[static_cast<std::size_t>(signal)];
}

// The words of both texts, made once for the exact measure and the signals where these ask for the same words.
class PairWords {
public:
	PairWords(std::string_view a, std::string_view b, const PairOptions &options, StopToken stop)
		: a_(a), b_(b), options_(options), stop_(stop)
	{
		if (options.uses_signals() && runs_are_tokens(a, b, options.canonical, options.tokenizer))
			make();
	}

	SetOverlap overlap() const
	{
		const TokenizerSpec &tokenizer = options_.tokenizer;
		return words_ ? run_overlap(words_->a(), words_->b(), tokenizer.depth == 0 ? 1 : tokenizer.k[0])
					  : token_overlap(a_, b_, options_.canonical, tokenizer, stop_);
	}
	GuardSignals signals()
	{
		if (!words_)
			make();
		return options_.needs_all_signals() ? difference_signals(std::move(*words_), stop_, options_.corpus)
											: guard_signals(std::move(*words_), stop_);
	}

private:
	void make() { words_.emplace(a_, b_, CanonicalOptions{}, Segmenter::word, stop_); }

	std::string_view a_, b_;
	const PairOptions &options_;
	StopToken stop_;
	std::optional<ComparedTexts> words_;
};

// False if the exact comparison refuses the removal.
bool verify(std::string_view a, std::string_view b, const PairOptions &options, const PairWords &words,
	PairDecision &decision, StopToken stop)
{
	const bool exact = options.verify == Verify::jaccard || options.verify == Verify::containment;
	if (exact || options.measures) {
		decision.overlap = words.overlap();
		decision.has_measures = decision.overlap.a > 0 && decision.overlap.b > 0;
	}
	if (a == b) {
		decision.reason = equal_text;
		return true;
	}
	if (options.verify == Verify::lossless) {
		decision.reason = lossless;
		return has_all_of(b, a, stop);
	}
	if (!exact)
		return true;
	decision.reason = options.verify == Verify::jaccard ? jaccard : containment;
	const double measure =
		decision.reason == jaccard ? decision.overlap.jaccard() : decision.overlap.containment_of_a();
	return decision.has_measures && measure >= options.least;
}

} // namespace

PairDecision decide_pair(std::string_view a, std::string_view b, double similarity, const PairOptions &options,
	StopToken stop, double neighbours, double kept_neighbours)
{
	PairDecision decision;
	decision.reason = similarity == 1 ? equal_fingerprint : removal::similarity;
	PairWords words(a, b, options, stop);
	if (!verify(a, b, options, words, decision, stop))
		return decision;
	decision.outcome = removed;
	if (!options.uses_signals())
		return decision;
	const GuardSignals read = words.signals();
	decision.signals = read.signals;
	decision.doubts = read.doubts;
	decision.has_signals = true;
	if (decision.reason != equal_text && value(decision, Signal::edits) == 0)
		decision.reason = value(decision, Signal::symbols) > 0 ? symbols_differ : equal_words;
	judge(decision, neighbours, kept_neighbours, options);
	return decision;
}

void judge(PairDecision &decision, double neighbours, double kept_neighbours, const PairOptions &options) noexcept
{
	if (!decision.has_signals)
		return;
	decision.signals[static_cast<std::size_t>(Signal::neighbours)] = neighbours;
	decision.signals[static_cast<std::size_t>(Signal::kept_neighbours)] = kept_neighbours;
	if (decision.reason == equal_text)
		return;
	decision.outcome = removed;
	decision.by_rule = false;
	decision.guard = options.guards.veto(decision.signals, decision.doubts);
	if (decision.guard)
		decision.outcome = review;
	if (options.rule == nullptr)
		return;
	decision.score = options.rule->score(decision.signals);
	if (decision.score < options.keep_below) {
		decision.outcome = keep;
		decision.guard.reset();
		decision.by_rule = true;
	} else if (decision.score < options.remove_from && !decision.guard) {
		decision.outcome = review;
		decision.by_rule = true;
	}
}

} // namespace txtfp::core
