#include "core/decide/pair_decision.hpp"

#include "core/compare/lossless.hpp"

namespace txtfp::core {

namespace {

using namespace removal;

double value(const PairDecision &decision, Signal signal) noexcept
{
	return decision.signals[static_cast<std::size_t>(signal)];
}

// False if the exact comparison refuses the removal.
bool verify(std::string_view a, std::string_view b, const PairOptions &options, PairDecision &decision, StopToken stop)
{
	const bool exact = options.verify == Verify::jaccard || options.verify == Verify::containment;
	if (exact || options.measures) {
		decision.overlap = token_overlap(a, b, options.canonical, options.tokenizer, stop);
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
	if (!verify(a, b, options, decision, stop))
		return decision;
	decision.outcome = removed;
	if (!options.uses_signals())
		return decision;
	decision.signals = difference_signals(a, b, stop);
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
	decision.guard = options.guards.veto(decision.signals);
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
